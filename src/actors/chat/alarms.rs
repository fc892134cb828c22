//! Alarms of a chat: what happens in it by itself at a set time.

use actix::Context;

use crate::actors::alarms::RingAlarm;
use crate::actors::ask::{AbsentAnswer, Answers, Ask};
use crate::actors::chat::ChatActor;
use crate::actors::ledger::Recording;
use crate::domain::alarm::AlarmAnswer;

impl Answers<RingAlarm> for ChatActor {
    fn answer_if_absent() -> AbsentAnswer<RingAlarm> {
        Some(Ok(AlarmAnswer::NothingToDo))
    }

    fn answer(&mut self, ask: Ask<RingAlarm>, ctx: &mut Context<Self>) {
        let now = self.context.clock.now();
        let decided = self.chat.ring(ask.question.0, now.wall);
        self.record_for_server(Ok(decided), now, ask.reply, ctx);
    }
}
