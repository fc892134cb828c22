//! Shows a chat and its messages: only what is durable, and all of it.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask};
use crate::chat::ChatActor;
use crate::chat::protocol::{ChatView, ListDirect, ViewChat};
use crate::conversation::{ConversationRoom, MessagePage};
use crate::ledger::Recording;

impl ChatActor {
    /// The chat as it is now. To be called only while everything decided is durable.
    fn view(&self) -> Option<ChatView> {
        let (created_at, last) = self.chat.created_at.zip(self.log.recent.newest())?;
        Some(ChatView {
            created_at,
            count: self.log.recent.count(),
            last: last.clone(),
            n: self.ledger.head().n,
        })
    }
}

impl Answers<ViewChat> for ChatActor {
    fn answer_if_absent() -> AbsentAnswer<ViewChat> {
        Some(Ok(None))
    }

    fn answer(&mut self, ask: Ask<ViewChat>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        self.when_durable(move |room| {
            ask.reply.send(room.map(|room| room.view()).map_err(Into::into));
        });
    }
}

impl Answers<ListDirect> for ChatActor {
    fn answer_if_absent() -> AbsentAnswer<ListDirect> {
        Some(Ok(MessagePage { count: 0, messages: Vec::new() }))
    }

    fn answer(&mut self, ask: Ask<ListDirect>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let ListDirect { page, limit } = ask.question;
        // The two users of a chat stay the same.
        self.answer_page(page, limit, |_| Ok(()), ask.reply, ctx);
    }
}
