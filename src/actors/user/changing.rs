//! Changing a user: profile and SMS mode.

use actix::Context;

use crate::actors::ask::{Answers, Ask, OfNothing};
use crate::actors::ledger::Recording;
use crate::actors::user::UserActor;
use crate::actors::user::protocol::{ChangeProfile, NamingRefusal, SetSmsMode, UserRefusal};

impl Answers<ChangeProfile> for UserActor {
    fn of_nothing() -> OfNothing<ChangeProfile> {
        Some(Err(NamingRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<ChangeProfile>, ctx: &mut Context<Self>) {
        let change = &ask.question.change;
        if !self.user.as_ref().is_some_and(|user| user.looks_other_after(change)) {
            return self.change_profile(ask, ctx);
        }
        self.with_chat_contacts(ctx, |room, looked_up, ctx| match looked_up {
            Ok(()) => room.change_profile(ask, ctx),
            Err(fault) => ask.reply.send(Err(fault.into())),
        });
    }
}

impl UserActor {
    fn change_profile(&mut self, ask: Ask<ChangeProfile>, ctx: &mut Context<Self>) {
        let ChangeProfile { change, claimed } = &ask.question;
        let now = self.context.clock.now();
        let is_late = claimed.is_none_or(|claimed| claimed.is_over(now.mono));
        let decided = match &self.user {
            Some(user) if user.is_renamed_by(change) && is_late => Err(NamingRefusal::Late),
            Some(user) => Ok(user.change_profile(change)),
            None => Err(NamingRefusal::Unknown),
        };
        self.record_as(decided, now, ask.reply, ctx, |room, ()| room.known());
    }
}

impl Answers<SetSmsMode> for UserActor {
    fn of_nothing() -> OfNothing<SetSmsMode> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<SetSmsMode>, ctx: &mut Context<Self>) {
        let decided = match (&self.user, ask.question.mode) {
            (Some(user), Some(mode)) => Ok(user.sms_on(mode)),
            (Some(user), None) => Ok(user.sms_off()),
            (None, _) => Err(UserRefusal::Unknown),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}
