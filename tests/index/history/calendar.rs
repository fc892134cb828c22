//! The calendar facts of a random history.

use std::sync::Arc;

use coterie::domain::calendar::details::{EventDetails, LocalMoment};
use coterie::domain::calendar::{CalendarChange, MadeEvent};
use coterie::domain::group::GroupFact;
use coterie::domain::ids::{CalendarEventId, UserId};

use crate::history::History;

impl History {
    /// A user creates, changes, answers or cancels a calendar event, or it sends its reminder.
    pub(super) fn plan(&mut self, group: u64, by: UserId) -> Option<GroupFact> {
        let (id, at, way) = (CalendarEventId::new(self.fresh()), self.at(), self.random.u8(..8));
        let before = [900, 0][self.random.usize(..2)];
        let moment = |hours: u64| LocalMoment { at: at.plus_millis(hours * 3_600_000), offset: 60 };
        let details = |name: &str| EventDetails {
            name: name.to_owned(),
            description: None,
            starts: moment(1),
            ends: moment(2),
            is_all_day: false,
            timezone: "Europe/Berlin".to_owned(),
            location: None,
            reminders: vec![900, 0],
        };
        let told = self.groups.get_mut(&group)?;
        let change = match told.events.last().copied() {
            Some(event) if way == 0 => {
                told.events.pop();
                CalendarChange::Cancelled { event, by }
            }
            Some(event) if way == 1 => {
                CalendarChange::Changed { event, by, details: details("boulder") }
            }
            Some(event) if way == 2 => CalendarChange::Reminded { event, before },
            Some(event) if way == 3 => CalendarChange::Answered { event, by, going: None },
            Some(event) if way < 7 => CalendarChange::Answered { event, by, going: Some(way == 4) },
            Some(_) | None => {
                told.events.push(id);
                let details = details("climb");
                CalendarChange::Made(MadeEvent { id, creator: by, at, details })
            }
        };
        Some(GroupFact::Planned(Arc::new(change)))
    }
}
