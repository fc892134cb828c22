//! Pinned conversations: from the question to the rule and the ledger.

use actix::{Context, Handler};

use crate::actors::ask::Ask;
use crate::actors::ledger::Recording;
use crate::actors::user::UserActor;
use crate::actors::user::protocol::{PinConversations, UserRefusal};

impl Handler<Ask<PinConversations>> for UserActor {
    type Result = ();

    fn handle(&mut self, ask: Ask<PinConversations>, ctx: &mut Context<Self>) {
        let decided = match &self.user {
            Some(user) => Ok(user.pin_conversations(ask.question.conversations)),
            None => Err(UserRefusal::Unknown),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}
