//! Pinned conversations: what the room does with the question about them.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask};
use crate::ledger::Recording;
use crate::user::UserActor;
use crate::user::protocol::{PinConversations, UserRefusal};

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
