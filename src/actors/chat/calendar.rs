//! The calendar of a chat, on top of what every room with a calendar does (`actors/calendar.rs`).

use std::sync::Arc;

use actix::Context;

use crate::actors::ask::{AbsentAnswer, Answers, Ask};
use crate::actors::calendar::{ActOnEvent, PlanInChat, PlanningRoom};
use crate::actors::chat::ChatActor;
use crate::actors::ledger::Room;
use crate::domain::calendar::{CalendarEvent, CalendarRefusal};
use crate::domain::ids::CalendarEventId;

impl PlanningRoom for ChatActor {
    fn known_event(&self, event: CalendarEventId) -> Option<Arc<CalendarEvent>> {
        self.chat.calendar.get(event).cloned()
    }
}

impl Answers<PlanInChat> for ChatActor {
    fn answer(&mut self, ask: Ask<PlanInChat>, ctx: &mut Context<Self>) {
        let now = self.context.clock.now();
        let PlanInChat { sender, details } = &ask.question;
        let ids = self.context.ids_for(self.stream());
        let decided = self.chat.plan(sender.clone(), details.clone(), now, &ids);
        self.record_plan(decided, now, ask, ctx);
    }
}

impl Answers<ActOnEvent> for ChatActor {
    fn answer_if_absent() -> AbsentAnswer<ActOnEvent> {
        Some(Err(CalendarRefusal::NoEvent))
    }

    fn answer(&mut self, ask: Ask<ActOnEvent>, ctx: &mut Context<Self>) {
        let now = self.context.clock.now();
        let ActOnEvent { by, event, action } = &ask.question;
        let decided = self.chat.act_on_event(*by, *event, action.clone(), now.wall);
        self.record_act(decided, now, ask, ctx);
    }
}
