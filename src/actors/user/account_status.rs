//! Whether the account may be used: what operators ask of a user's room.

use actix::{Context, Handler};

use crate::actors::ask::Ask;
use crate::actors::ledger::Recording;
use crate::actors::user::UserActor;
use crate::actors::user::protocol::{Disable, Enable, ResetPassword, UserRefusal};
use crate::domain::user::User;

impl Handler<Ask<Disable>> for UserActor {
    type Result = ();

    fn handle(&mut self, ask: Ask<Disable>, ctx: &mut Context<Self>) {
        let decided = self.user.as_ref().map(User::disable).ok_or(UserRefusal::Unknown);
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Handler<Ask<Enable>> for UserActor {
    type Result = ();

    fn handle(&mut self, ask: Ask<Enable>, ctx: &mut Context<Self>) {
        let decided = self.user.as_ref().map(User::enable).ok_or(UserRefusal::Unknown);
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Handler<Ask<ResetPassword>> for UserActor {
    type Result = ();

    fn handle(&mut self, ask: Ask<ResetPassword>, ctx: &mut Context<Self>) {
        let password = ask.question.password;
        let decided = match &self.user {
            Some(user) => Ok(user.reset_password(password)),
            None => Err(UserRefusal::Unknown),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}
