//! Alarms of a group: what happens in it by itself at a set time.

use actix::Context;

use crate::actors::alarms::RingAlarm;
use crate::actors::ask::{AbsentAnswer, Answers, Ask};
use crate::actors::group::GroupActor;
use crate::actors::ledger::{Recording, Room};
use crate::domain::alarm::AlarmAnswer;
use crate::domain::event::Decision;

impl Answers<RingAlarm> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<RingAlarm> {
        Some(Ok(AlarmAnswer::NothingToDo))
    }

    fn answer(&mut self, ask: Ask<RingAlarm>, ctx: &mut Context<Self>) {
        let (RingAlarm(alarm), now) = (ask.question, self.context.clock.now());
        let ids = self.context.ids_for(self.stream());
        let decided = self.group.as_ref().map(|group| group.ring(alarm, now.wall, &ids));
        let decided = decided.unwrap_or(Decision::unchanged(AlarmAnswer::NothingToDo));
        self.record_for_server(Ok(decided), now, ask.reply, ctx);
    }
}
