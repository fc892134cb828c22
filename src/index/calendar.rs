//! Rows of calendars: how each event was made, and its changes and answers under the number of the
//! logged event that brought them, so that it can be shown as it is and as it was.

use serde::{Deserialize, Serialize};

use crate::derive::Derivation;
use crate::{Flow, Index, IndexFault, Walk, keys, rows};
use domain::alarm::Appointment;
use domain::calendar::details::EventDetails;
use domain::calendar::{CalendarChange, CalendarEvent, MadeEvent};
use domain::ids::{CalendarEventId, GroupId, StreamId};
use domain::revision::{Revision, RevisionKind};
use domain::time::Timestamp;

/// The end of what has none yet.
const FOREVER: Timestamp = Timestamp::from_millis(u64::MAX);

/// An event of a calendar, without its answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CalendarRow {
    made: MadeEvent,
    /// The details as they are now.
    details: EventDetails,
    /// The time up to which reminders were sent.
    reminded: Timestamp,
    is_cancelled: bool,
    /// Whether its message was deleted: then none of its texts is kept.
    is_forgotten: bool,
}

/// A change of an event, and when it happened.
type ChangeRow = (Timestamp, CalendarChange);

impl CalendarRow {
    /// When the next reminder of the event is due.
    fn reminder(&self) -> Option<Timestamp> {
        self.is_shown().then(|| self.details.next_reminder(self.reminded)).flatten()
    }

    /// Until when the room of the conversation has to know the event: until its end, and until the
    /// last reminder was given. `None` if the event is not shown any more.
    fn open_until(&self) -> Option<Timestamp> {
        let until = self.reminder().map_or(self.details.ends.at, |_| FOREVER);
        self.is_shown().then_some(until)
    }

    const fn is_shown(&self) -> bool {
        !self.is_cancelled && !self.is_forgotten
    }

    /// The row after a change, computed by applying the change to the event.
    fn after(&self, at: Timestamp, change: &CalendarChange) -> Self {
        let made = self.made.clone();
        let details = self.details.clone();
        let known = CalendarEvent::new(MadeEvent { details, ..made });
        let mut known = CalendarEvent { reminded: self.reminded, ..known };
        known.apply(at, change);
        Self {
            is_cancelled: self.is_cancelled || known.cancelled.is_some(),
            details: known.details,
            reminded: known.reminded,
            ..self.clone()
        }
    }
}

impl Derivation<'_> {
    /// Writes the rows for a change of a calendar's event.
    pub(super) fn planned(
        &mut self,
        (stream, n): (StreamId, u64),
        at: Timestamp,
        change: &CalendarChange,
    ) -> Result<(), IndexFault> {
        if let CalendarChange::Made(made) = change {
            let details = made.details.clone();
            let reminded = made.at;
            let made = made.clone();
            let row =
                CalendarRow { made, details, reminded, is_cancelled: false, is_forgotten: false };
            return self.put_planned(stream, None, &row);
        }
        let event = change.event();
        let Some(known) = self.calendar_row(stream, event)? else { return Ok(()) };
        self.draft.put(keys::planned_change(stream, event, n), &(at, change))?;
        let row = known.after(at, change);
        self.put_planned(stream, Some(&known), &row)
    }

    /// Forgets the texts and the answers of an event whose message was deleted.
    pub(super) fn forget_planned(
        &mut self,
        stream: StreamId,
        revision: &Revision,
    ) -> Result<(), IndexFault> {
        if !matches!(revision.kind, RevisionKind::Deleted { .. }) {
            return Ok(());
        }
        let event = CalendarEventId::new(revision.message.get());
        let Some(known) = self.calendar_row(stream, event)? else { return Ok(()) };
        for key in self.draft.keys_below(&keys::planned_changes(stream, event))? {
            self.draft.delete(key);
        }
        let mut row = CalendarRow { is_forgotten: true, ..known.clone() };
        for details in [&mut row.made.details, &mut row.details] {
            details.name.clear();
            (details.description, details.location) = (None, None);
        }
        self.put_planned(stream, Some(&known), &row)
    }

    /// Removes the reminders of a group that was disbanded.
    pub(super) fn silence_calendar(&mut self, group: GroupId) -> Result<(), IndexFault> {
        let stream = StreamId::Group(group);
        for key in self.draft.keys_below(&keys::calendar(stream))? {
            let Some(row) = self.draft.get::<CalendarRow>("calendar", &key)? else { continue };
            let alarm = Appointment::Reminder { conv: group.into(), event: row.made.id };
            self.reset_alarm(alarm, row.reminder(), None)?;
        }
        Ok(())
    }

    fn calendar_row(
        &self,
        stream: StreamId,
        event: CalendarEventId,
    ) -> Result<Option<CalendarRow>, IndexFault> {
        self.draft.get("calendar", &keys::planned(stream, event))
    }

    fn put_planned(
        &mut self,
        stream: StreamId,
        before: Option<&CalendarRow>,
        after: &CalendarRow,
    ) -> Result<(), IndexFault> {
        if let Some(conv) = stream.conversation() {
            let alarm = Appointment::Reminder { conv, event: after.made.id };
            self.reset_alarm(alarm, before.and_then(CalendarRow::reminder), after.reminder())?;
        }
        let open = |until| keys::open_planned(stream, until, after.made.id);
        let before = before.and_then(CalendarRow::open_until);
        before.into_iter().for_each(|until| self.draft.delete(open(until)));
        let now = after.open_until();
        now.into_iter().for_each(|until| self.draft.put_bytes(open(until), Vec::new()));
        self.draft.put(keys::planned(stream, after.made.id), after)
    }
}

impl Index {
    /// Returns an event of a calendar as it is now, or as it was right after event `upto` of its
    /// stream.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn planned(
        &self,
        stream: StreamId,
        id: CalendarEventId,
        upto: Option<u64>,
    ) -> Result<Option<CalendarEvent>, IndexFault> {
        let row = self.row("calendar", &keys::planned(stream, id))?;
        row.map(|row| self.with_changes(stream, row, upto.unwrap_or(u64::MAX))).transpose()
    }

    /// Returns the events of a conversation that end after `by` and are neither cancelled nor
    /// deleted: up to `most`, the earliest start first.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn calendar(
        &self,
        stream: StreamId,
        by: Timestamp,
        most: usize,
    ) -> Result<Vec<CalendarEvent>, IndexFault> {
        let rows: Vec<CalendarRow> = self.rows_of("calendar", &keys::calendar(stream))?;
        let ahead = |row: &CalendarRow| row.is_shown() && row.details.ends.at > by;
        let mut rows: Vec<_> = rows.into_iter().filter(ahead).collect();
        rows.sort_by_key(|row| (row.details.starts.at, row.made.id));
        rows.truncate(most);
        rows.into_iter().map(|row| self.with_changes(stream, row, u64::MAX)).collect()
    }

    /// Returns the events that the room of a conversation has to know: those that end after `now`,
    /// and those of which a reminder has not come yet. An alarm exists for each of the latter. Costs
    /// what these cost, however many are over.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn open_calendar(
        &self,
        stream: StreamId,
        now: Timestamp,
    ) -> Result<Vec<CalendarEvent>, IndexFault> {
        let mut open = Vec::new();
        let low = keys::open_planned(stream, now.plus_millis(1), CalendarEventId::new(0));
        let high = keys::end_of(&keys::open_calendar(stream));
        self.rows.scan(&low, &high, Walk::Up, &mut |key, _| {
            open.push(CalendarEventId::new(keys::last_number(key)));
            Ok(Flow::Continue)
        })?;
        let events = open.into_iter().map(|event| self.planned(stream, event, None));
        events.filter_map(Result::transpose).collect()
    }

    fn with_changes(
        &self,
        stream: StreamId,
        row: CalendarRow,
        upto: u64,
    ) -> Result<CalendarEvent, IndexFault> {
        let id = row.made.id;
        let is_forgotten = row.is_forgotten;
        let mut event = CalendarEvent { is_forgotten, ..CalendarEvent::new(row.made) };
        let low = keys::planned_change(stream, id, 0);
        let high = keys::planned_change(stream, id, upto);
        self.rows.scan(&low, &high, Walk::Up, &mut |_, value| {
            let (at, change): ChangeRow = rows::decode("calendar change", value)?;
            event.apply(at, &change);
            Ok(Flow::Continue)
        })?;
        Ok(event)
    }
}
