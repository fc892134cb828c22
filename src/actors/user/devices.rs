//! A user's devices: what the room does with each question about them.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask};
use crate::ledger::Recording;
use crate::user::UserActor;
use crate::user::protocol::{AddDevice, RemoveDevice, UserRefusal};
use domain::user::DeviceRefusal;

impl Answers<AddDevice> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<AddDevice> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<AddDevice>, ctx: &mut Context<Self>) {
        let decided = match &self.user {
            Some(user) => Ok(user.add_device(ask.question.device)),
            None => Err(UserRefusal::Unknown),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<RemoveDevice> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<RemoveDevice> {
        Some(Err(DeviceRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<RemoveDevice>, ctx: &mut Context<Self>) {
        let decided = match &self.user {
            Some(user) => user.remove_device(&ask.question.id),
            None => Err(DeviceRefusal::Unknown),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}
