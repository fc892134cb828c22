//! The question with which `subscribers::alarms` has a room do what is due at a set time. The room's
//! answer, and the facts that it records, say what becomes of the alarm.

use std::convert::Infallible;
use std::sync::Arc;

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Question};
use crate::conversation::ConversationRoom;
use crate::ledger::Recording;
use domain::alarm::{AlarmAnswer, DatedAppointment};
use domain::conversation::ConversationRules;
use domain::event::Decision;

/// Does what an alarm is for. Sent by `subscribers::alarms`; answered once the facts are on disk
/// that remove or move the alarm.
#[derive(Debug)]
pub struct RingAlarm(pub DatedAppointment);

impl Question for RingAlarm {
    type Answer = AlarmAnswer;
    type Refusal = Infallible;
    const IN_TOPICS: bool = true;
}

impl<Room: ConversationRoom> Answers<RingAlarm> for Room {
    fn answer_if_absent() -> AbsentAnswer<RingAlarm> {
        Some(Ok(AlarmAnswer::NothingToDo))
    }

    fn answer(&mut self, ask: Ask<RingAlarm>, ctx: &mut Context<Self>) {
        let RingAlarm(alarm) = ask.question;
        let now = self.context().clock.now();
        let ids = Arc::clone(&self.context().id_generator);
        let decided = self.rules().map(|rules| rules.ring(alarm, now.wall, &*ids));
        let decided = decided.unwrap_or(Decision::unchanged(AlarmAnswer::NothingToDo));
        self.record_for_server(Ok(decided), now, ask.reply, ctx);
    }
}
