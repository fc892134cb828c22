//! Pinned conversations: what the room does with the question about them.

use actix::Context;

use crate::actors::ask::{Answers, Ask, OfNothing};
use crate::actors::ledger::Recording;
use crate::actors::user::UserActor;
use crate::actors::user::protocol::{PinConversations, UserRefusal};

impl Answers<PinConversations> for UserActor {
    fn of_nothing() -> OfNothing<PinConversations> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<PinConversations>, ctx: &mut Context<Self>) {
        let decided = match &self.user {
            Some(user) => Ok(user.pin_conversations(ask.question.conversations)),
            None => Err(UserRefusal::Unknown),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}
