//! Posting in a chat: what the room does with each question.

use std::convert::Infallible;

use std::sync::Arc;

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask};
use crate::chat::ChatActor;
use crate::chat::protocol::{RecallSender, Recalled, WriteMessage};
use crate::conversation::ConversationRoom;
use crate::ledger::Recording;
use domain::addressees::replied_to;
use domain::chat::WriteRefusal;
use domain::event::Decision;
use domain::message::Message;
use domain::message_requests::Reception;

impl Answers<RecallSender> for ChatActor {
    fn answer_if_absent() -> AbsentAnswer<RecallSender> {
        Some(Ok(Recalled { repeated: None, has_begun: false }))
    }

    fn answer(&mut self, ask: Ask<RecallSender>, ctx: &mut Context<Self>) {
        let RecallSender { sender, guid } = ask.question;
        let now = self.context.clock.now();
        let recalled = Recalled {
            repeated: self.chat.repeated(sender, guid.as_str(), now).cloned(),
            has_begun: self.chat.count > 0,
        };
        // Recorded although nothing changes, so that the answer waits until what it rests on is
        // durable.
        let decided: Result<_, Infallible> = Ok(Decision::unchanged(recalled));
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<WriteMessage> for ChatActor {
    fn answer(&mut self, ask: Ask<WriteMessage>, ctx: &mut Context<Self>) {
        let answered = replied_to(&ask.question.message.attachments);
        self.with_replied_to(answered, ask, ctx, Self::write);
    }
}

impl ChatActor {
    /// Posts, once the message that the post answers was found.
    fn write(
        &mut self,
        ask: Ask<WriteMessage>,
        answered: Option<Arc<Message>>,
        ctx: &mut Context<Self>,
    ) {
        let WriteMessage { sender, reception, message } = ask.question;
        let now = self.context.clock.now();
        let ids = Arc::clone(&self.context.id_generator);
        let admitted = match reception {
            Reception::Message => Ok(()),
            Reception::Request => self.chat.admit_to_request(sender.id, &message, now),
        };
        let decided = admitted
            .map_err(WriteRefusal::from)
            .and_then(|()| self.chat.write(sender, message, answered.as_deref(), now, &*ids));
        self.record_screened(decided, now, ask.reply, ctx, Self::with_json);
    }
}
