//! Consequences of account changes for a group. `subscribers::reconciler` asks for it, and repeats
//! until it is done; a question without anything to do changes nothing.

use std::convert::Infallible;

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Question, Reply};
use crate::group::GroupActor;
use crate::ledger::Recording;
use domain::attachment::ImageRef;
use domain::event::Decision;
use domain::group::{Contact, Group, JoinRefusal, Newcomer};
use domain::ids::UserId;

/// Most steps of a departure that are taken for one question.
const STEPS: usize = 16;

/// Takes over a member's name, picture and kind of account from their account. Sent by `subscribers::reconciler`.
#[derive(Debug)]
pub struct UpdateMemberProfile {
    /// The member.
    pub user: UserId,
    /// The name that the account has now.
    pub name: String,
    /// The picture that the account has now.
    pub image: Option<ImageRef>,
    /// Whether the account is a guest's now.
    pub is_guest: bool,
}

impl Question for UpdateMemberProfile {
    type Answer = ();
    type Refusal = Infallible;
}

/// Makes a member of a user who was invited before they had an account. Sent by
/// `subscribers::reconciler`.
#[derive(Debug)]
pub struct RedeemInvites {
    /// The user.
    pub user: Newcomer,
    /// The email addresses and phone numbers of the account.
    pub names: Vec<Contact>,
}

impl Question for RedeemInvites {
    type Answer = ();
    type Refusal = JoinRefusal;
}

/// Resumes requests to add people that a crash or a failed look-up interrupted. Sent by
/// `subscribers::reconciler`.
#[derive(Debug)]
pub struct ResumeAdds;

/// Whether requests to add people are open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumedAdds {
    /// The people of at least one request are looked up.
    UnderWay,
    /// No request is open.
    NoneOpen,
}

impl Question for ResumeAdds {
    type Answer = ResumedAdds;
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

impl Answers<UpdateMemberProfile> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<UpdateMemberProfile> {
        Some(Ok(()))
    }

    fn answer(&mut self, ask: Ask<UpdateMemberProfile>, ctx: &mut Context<Self>) {
        let UpdateMemberProfile { user, name, image, is_guest } = ask.question;
        let update = |it: &Group| it.update_member_profile(user, &name, image.as_ref(), is_guest);
        let decided = self.group.as_ref().map(update);
        let decided = decided.unwrap_or_else(|| Decision::unchanged(()));
        self.record_for_server(Ok(decided), self.context.clock.now(), ask.reply, ctx);
    }
}

impl Answers<RedeemInvites> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<RedeemInvites> {
        Some(Err(JoinRefusal::NoSuchGroup))
    }

    fn answer(&mut self, ask: Ask<RedeemInvites>, ctx: &mut Context<Self>) {
        let RedeemInvites { user, names } = ask.question;
        self.admit(user, &names, ask.reply, ctx);
    }
}

impl Answers<ResumeAdds> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ResumeAdds> {
        Some(Ok(ResumedAdds::NoneOpen))
    }

    fn answer(&mut self, ask: Ask<ResumeAdds>, ctx: &mut Context<Self>) {
        let is_any = self.look_up_open_requests(ctx);
        let resumed = if is_any { ResumedAdds::UnderWay } else { ResumedAdds::NoneOpen };
        let now = self.context.clock.now();
        self.record_for_server(Ok(Decision::unchanged(resumed)), now, ask.reply, ctx);
    }
}

impl Answers<Depart> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<Depart> {
        Some(Ok(()))
    }

    fn answer(&mut self, ask: Ask<Depart>, ctx: &mut Context<Self>) {
        let user = ask.question.user;
        let now = self.context.clock.now();
        for _ in 0..STEPS {
            let Some(group) = &self.group else { break };
            let step = group.depart(user, now, &*self.context.id_generator);
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
