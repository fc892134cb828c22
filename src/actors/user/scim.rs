//! Accounts that a directory manages: what the user's room does with the questions of SCIM.

use std::sync::Arc;

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Question};
use crate::ledger::Recording;
use crate::user::UserActor;
use crate::user::protocol::{NamingRefusal, UserRefusal};
use domain::time::Monotonic;
use domain::user::{User, WantedProvisioning};

/// Makes an account as a directory wants it. Sent by `http::scim`, which has claimed a new email
/// address; answered with the account once it is on disk.
#[derive(Debug)]
pub struct Provision {
    /// What the directory wants.
    pub wanted: WantedProvisioning,
    /// Until when the new email address is claimed; `None` if it does not change.
    pub claimed: Option<Monotonic>,
}

/// Disables an account whose resource a directory deleted. Sent by `http::scim`.
#[derive(Debug)]
pub struct Unprovision;

impl Question for Provision {
    type Answer = Arc<User>;
    type Refusal = NamingRefusal;
    const DECIDES: bool = true;
}

impl Question for Unprovision {
    type Answer = ();
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

impl Answers<Provision> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<Provision> {
        Some(Err(NamingRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<Provision>, ctx: &mut Context<Self>) {
        let change = &ask.question.wanted.profile;
        if !self.user.as_ref().is_some_and(|user| user.changes_public_profile(change)) {
            return self.provision(ask, ctx);
        }
        self.with_chat_contacts(ctx, |room, looked_up, ctx| match looked_up {
            Ok(()) => room.provision(ask, ctx),
            Err(fault) => ask.reply.send(Err(fault.into())),
        });
    }
}

impl UserActor {
    fn provision(&mut self, ask: Ask<Provision>, ctx: &mut Context<Self>) {
        let Provision { wanted, claimed } = &ask.question;
        let now = self.context.clock.now();
        let is_late = claimed.is_none_or(|until| now.mono >= until);
        let decided = match &self.user {
            Some(user) if user.adds_contact(&wanted.profile) && is_late => Err(NamingRefusal::Late),
            Some(user) if user.changes_contacts_too_often(&wanted.profile, now.wall) => {
                Err(NamingRefusal::TooOften)
            }
            Some(user) => Ok(user.provision(wanted)),
            None => Err(NamingRefusal::Unknown),
        };
        self.record_as(decided, now, ask.reply, ctx, |room, ()| room.account_after_decision());
    }
}

impl Answers<Unprovision> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<Unprovision> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<Unprovision>, ctx: &mut Context<Self>) {
        let decided = self.user.as_ref().map(User::unprovision).ok_or(UserRefusal::Unknown);
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}
