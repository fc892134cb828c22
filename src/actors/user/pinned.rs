//! Pinned conversations: what the room does with the question about them.

use actix::Context;

use crate::actors::ask::{AbsentAnswer, Answers, Ask};
use crate::actors::ledger::Recording;
use crate::actors::user::UserActor;
use crate::actors::user::protocol::{PinConversations, UserRefusal};

impl Answers<PinConversations> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<PinConversations> {
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
