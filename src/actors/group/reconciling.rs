//! What follows for a group from something that happened to an account: asked by
//! `subscribers::reconciler`, as often as it takes. Each question does nothing where there
//! is nothing to do.

use std::convert::Infallible;

use actix::Context;

use crate::actors::ask::{Answers, Ask, OfNothing, Question, Reply};
use crate::actors::group::GroupActor;
use crate::actors::ledger::{Recording, Room};
use crate::domain::attachment::ImageRef;
use crate::domain::event::Decision;
use crate::domain::group::{Contact, JoinRefusal, Starter};
use crate::domain::ids::UserId;

/// Steps of a departure that are taken at once.
const STEPS: usize = 16;

/// Shows a member as their account does now.
#[derive(Debug)]
pub struct RedrawMember {
    /// Who.
    pub user: UserId,
    /// Called what elsewhere.
    pub name: String,
    /// Their picture.
    pub image: Option<ImageRef>,
}

impl Question for RedrawMember {
    type Answer = ();
    type Refusal = Infallible;
}

/// Lets somebody in who was invited before they had an account.
#[derive(Debug)]
pub struct AdmitInvited {
    /// Who.
    pub user: Starter,
    /// The names that their account has.
    pub names: Vec<Contact>,
}

impl Question for AdmitInvited {
    type Answer = ();
    type Refusal = JoinRefusal;
}

/// Goes on with requests to add people that a crash or a failed look-up interrupted.
#[derive(Debug)]
pub struct TakeUpAdds;

impl Question for TakeUpAdds {
    type Answer = ();
    type Refusal = Infallible;
}

/// Takes somebody out whose account is gone, with their bots: asked again where they made
/// many.
#[derive(Debug)]
pub struct Depart {
    /// Who.
    pub user: UserId,
}

impl Question for Depart {
    type Answer = ();
    type Refusal = Infallible;
}

impl Answers<RedrawMember> for GroupActor {
    fn of_nothing() -> OfNothing<RedrawMember> {
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
    fn of_nothing() -> OfNothing<AdmitInvited> {
        Some(Err(JoinRefusal::NoSuchGroup))
    }

    fn answer(&mut self, ask: Ask<AdmitInvited>, ctx: &mut Context<Self>) {
        let AdmitInvited { user, names } = ask.question;
        self.admit(user, &names, ask.reply, ctx);
    }
}

impl Answers<TakeUpAdds> for GroupActor {
    fn of_nothing() -> OfNothing<TakeUpAdds> {
        Some(Ok(()))
    }

    fn answer(&mut self, ask: Ask<TakeUpAdds>, ctx: &mut Context<Self>) {
        self.look_up_open_requests(ctx);
        ask.reply.send(Ok(()));
    }
}

impl Answers<Depart> for GroupActor {
    fn of_nothing() -> OfNothing<Depart> {
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
            // The answer to all of them comes after the last.
            let (reply, _) = Reply::<(), Infallible>::pair();
            self.record(Ok(step), now, reply, ctx);
        }
        self.record(Ok(Decision::unchanged(())), now, ask.reply, ctx);
    }
}
