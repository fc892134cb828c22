//! Pins in a chat, on top of what every room with messages does (`actors/pins.rs`).

use actix::Context;

use crate::actors::ask::{AbsentAnswer, Answers, Ask};
use crate::actors::chat::ChatActor;
use crate::actors::message_page::MessagePage;
use crate::actors::pins::{ListPinned, PinMessage, PinnableRoom};
use crate::domain::event::Decision;
use crate::domain::message::Message;
use crate::domain::pins::PinRefusal;
use crate::domain::time::Moment;

impl Answers<PinMessage> for ChatActor {
    fn answer_if_absent() -> AbsentAnswer<PinMessage> {
        Some(Err(PinRefusal::NoMessage))
    }

    fn answer(&mut self, ask: Ask<PinMessage>, ctx: &mut Context<Self>) {
        self.pin(ask, ctx);
    }
}

impl Answers<ListPinned> for ChatActor {
    fn answer_if_absent() -> AbsentAnswer<ListPinned> {
        Some(Ok(MessagePage { count: 0, messages: Vec::new() }))
    }

    fn answer(&mut self, ask: Ask<ListPinned>, ctx: &mut Context<Self>) {
        self.list_pinned(ask, ctx);
    }
}

impl PinnableRoom for ChatActor {
    fn decide_pin(
        &self,
        asked: PinMessage,
        message: &Message,
        _: Moment,
    ) -> Result<Decision<()>, PinRefusal> {
        self.chat.pin(asked.by, message, asked.action)
    }
}
