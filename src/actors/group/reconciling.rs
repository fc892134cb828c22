//! What follows for a group from changes of accounts. `subscribers::reconciler` asks for it, and
//! repeats until it is done; a question without anything to do changes nothing.

use std::convert::Infallible;

use actix::Context;

use crate::actors::ask::{AbsentAnswer, Answers, Ask, Question, Reply};
use crate::actors::group::GroupActor;
use crate::actors::ledger::{Recording, Room};
use crate::domain::attachment::ImageRef;
use crate::domain::event::Decision;
use crate::domain::group::{Contact, JoinRefusal, Starter};
use crate::domain::ids::UserId;

/// Most steps of a departure that are taken for one question.
const STEPS: usize = 16;

/// Takes over a member's name and picture from their account. Sent by `subscribers::reconciler`.
#[derive(Debug)]
pub struct RedrawMember {
    /// The member.
    pub user: UserId,
    /// The name that the account has now.
    pub name: String,
    /// The picture that the account has now.
    pub image: Option<ImageRef>,
}

impl Question for RedrawMember {
    type Answer = ();
    type Refusal = Infallible;
}

/// Makes a member of a user who was invited before they had an account. Sent by
/// `subscribers::reconciler`.
#[derive(Debug)]
pub struct AdmitInvited {
    /// The user.
    pub user: Starter,
    /// The email addresses and phone numbers of the account.
    pub names: Vec<Contact>,
}

impl Question for AdmitInvited {
    type Answer = ();
    type Refusal = JoinRefusal;
}

/// Takes up requests to add people that a crash or a failed look-up interrupted. Sent by
/// `subscribers::reconciler`.
#[derive(Debug)]
pub struct TakeUpAdds;

impl Question for TakeUpAdds {
    type Answer = ();
    type Refusal = Infallible;
}

/// Removes a member whose account is gone, and the bots they made. Sent by
/// `subscribers::reconciler`, again if there are more bots than one question removes.
#[derive(Debug)]
pub struct Depart {
    /// The user.
    pub user: UserId,
}

impl Question for Depart {
    type Answer = ();
    type Refusal = Infallible;
}

impl Answers<RedrawMember> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<RedrawMember> {
        Some(Ok(()))
    }

    fn answer(&mut self, ask: Ask<RedrawMember>, ctx: &mut Context<Self>) {
        let RedrawMember { user, name, image } = ask.question;
        let decided = self.group.as_ref().map(|it| it.redraw(user, &name, image.as_ref()));
        let decided = decided.unwrap_or_else(|| Decision::unchanged(()));
        self.record(Ok(decided), self.context.clock.now(), ask.reply, ctx);
    }
}

impl Answers<AdmitInvited> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<AdmitInvited> {
        Some(Err(JoinRefusal::NoSuchGroup))
    }

    fn answer(&mut self, ask: Ask<AdmitInvited>, ctx: &mut Context<Self>) {
        let AdmitInvited { user, names } = ask.question;
        self.admit(user, &names, ask.reply, ctx);
    }
}

impl Answers<TakeUpAdds> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<TakeUpAdds> {
        Some(Ok(()))
    }

    fn answer(&mut self, ask: Ask<TakeUpAdds>, ctx: &mut Context<Self>) {
        self.look_up_open_requests(ctx);
        ask.reply.send(Ok(()));
    }
}

impl Answers<Depart> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<Depart> {
        Some(Ok(()))
    }

    fn answer(&mut self, ask: Ask<Depart>, ctx: &mut Context<Self>) {
        let (user, now) = (ask.question.user, self.context.clock.now());
        for _ in 0..STEPS {
            let Some(group) = &self.group else { break };
            let step = group.depart(user, now, &self.context.ids_for(self.stream()));
            if step.facts.is_empty() || self.refuses_work().is_some() {
                break;
            }
            // The caller is answered after the last step.
            let (reply, _) = Reply::<(), Infallible>::pair();
            self.record(Ok(step), now, reply, ctx);
        }
        self.record(Ok(Decision::unchanged(())), now, ask.reply, ctx);
    }
}
