//! The calendar of a group, on top of what every room with a calendar does (`actors/calendar.rs`).

use std::sync::Arc;

use actix::Context;

use crate::actors::ask::{AbsentAnswer, Answers, Ask};
use crate::actors::calendar::{ActOnEvent, PlanInGroup, PlanningRoom};
use crate::actors::group::GroupActor;
use crate::domain::calendar::{CalendarEvent, CalendarRefusal};
use crate::domain::ids::CalendarEventId;

impl PlanningRoom for GroupActor {
    fn known_event(&self, event: CalendarEventId) -> Option<Arc<CalendarEvent>> {
        self.group.as_ref().and_then(|group| group.calendar.get(event)).cloned()
    }
}

impl Answers<PlanInGroup> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<PlanInGroup> {
        Some(Err(CalendarRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<PlanInGroup>, ctx: &mut Context<Self>) {
        let by = ask.question.by;
        let now = self.context.clock.now();
        let details = ask.question.details.clone();
        let decided = self.decide(now, CalendarRefusal::NotAMember, |group, now, id_generator| {
            group.plan(by, details, now, id_generator)
        });
        self.record_plan(decided, now, ask, ctx);
    }
}

impl Answers<ActOnEvent> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ActOnEvent> {
        Some(Err(CalendarRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ActOnEvent>, ctx: &mut Context<Self>) {
        let now = self.context.clock.now();
        let ActOnEvent { by, event, ref action } = ask.question;
        let action = action.clone();
        let decided = self.decide(now, CalendarRefusal::NotAMember, |group, now, id_generator| {
            group.act_on_event(by, (event, action), now, id_generator)
        });
        self.record_act(decided, now, ask, ctx);
    }
}
