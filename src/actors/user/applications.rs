//! Applications of a user.

use actix::{Context, Handler};

use crate::actors::ask::Ask;
use crate::actors::ledger::Recording;
use crate::actors::user::UserActor;
use crate::actors::user::protocol::{RegisterApplication, RemoveApplication};
use crate::domain::user::ApplicationRefusal;

impl Handler<Ask<RegisterApplication>> for UserActor {
    type Result = ();

    fn handle(&mut self, ask: Ask<RegisterApplication>, ctx: &mut Context<Self>) {
        let decided = match &self.user {
            Some(user) => user.register_application(ask.question.application),
            None => Err(ApplicationRefusal::NoUser),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Handler<Ask<RemoveApplication>> for UserActor {
    type Result = ();

    fn handle(&mut self, ask: Ask<RemoveApplication>, ctx: &mut Context<Self>) {
        let decided = match &self.user {
            Some(user) => user.remove_application(ask.question.client),
            None => Err(ApplicationRefusal::NoUser),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}
