//! Pins in a group, on top of what every room with messages does (`actors/pins.rs`).

use actix::Context;

use crate::actors::ask::{AbsentAnswer, Answers, Ask};
use crate::actors::group::GroupActor;
use crate::actors::pins::{ListPinned, PinMessage, PinnableRoom};
use crate::domain::event::Decision;
use crate::domain::message::Message;
use crate::domain::pins::PinRefusal;
use crate::domain::time::Moment;

impl Answers<PinMessage> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<PinMessage> {
        Some(Err(PinRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<PinMessage>, ctx: &mut Context<Self>) {
        self.pin(ask, ctx);
    }
}

impl Answers<ListPinned> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ListPinned> {
        Some(Err(PinRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ListPinned>, ctx: &mut Context<Self>) {
        self.list_pinned(ask, ctx);
    }
}

impl PinnableRoom for GroupActor {
    fn decide_pin(
        &self,
        asked: PinMessage,
        message: &Message,
        now: Moment,
    ) -> Result<Decision<()>, PinRefusal> {
        let PinMessage { by, action, .. } = asked;
        self.decide(now, PinRefusal::NotAMember, |group, now, id_generator| {
            group.pin(by, (message, action), now, id_generator)
        })
    }
}
