//! Devices of a user: from the question to the rule and the ledger.

use actix::{Context, Handler};

use crate::actors::ask::Ask;
use crate::actors::ledger::Recording;
use crate::actors::user::UserActor;
use crate::actors::user::protocol::{AddDevice, RemoveDevice, UserRefusal};
use crate::domain::user::DeviceRefusal;

impl Handler<Ask<AddDevice>> for UserActor {
    type Result = ();

    fn handle(&mut self, ask: Ask<AddDevice>, ctx: &mut Context<Self>) {
        let decided = match &self.user {
            Some(user) => Ok(user.add_device(ask.question.device)),
            None => Err(UserRefusal::Unknown),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Handler<Ask<RemoveDevice>> for UserActor {
    type Result = ();

    fn handle(&mut self, ask: Ask<RemoveDevice>, ctx: &mut Context<Self>) {
        let decided = match &self.user {
            Some(user) => user.remove_device(&ask.question.id),
            None => Err(DeviceRefusal::Unknown),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}
