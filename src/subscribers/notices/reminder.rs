//! Reminders that a calendar event begins soon: who is told, and what.

use std::sync::Arc;

use crate::domain::calendar::words::starting;
use crate::domain::calendar::{CalendarChange, CalendarEvent};
use crate::domain::event::Entry;
use crate::domain::ids::{MessageId, UserId};
use crate::domain::message::{Author, Message};
use crate::domain::time::Timestamp;

/// A reminder that came due.
pub(super) struct Reminder {
    event: Arc<CalendarEvent>,
    /// Seconds before the event's start.
    before: u32,
}

impl Reminder {
    /// The reminder in an entry of the log, if it is one.
    pub(super) fn of(entry: &Entry) -> Option<Self> {
        let change = entry.event.fact.planned()?;
        let CalendarChange::Reminded { before, .. } = **change else { return None };
        Some(Self { event: entry.state.planned.clone()?, before })
    }

    /// Whether the user is to be reminded.
    pub(super) fn reaches(&self, user: UserId) -> bool {
        self.event.reminds(user)
    }

    /// Whether the reminder counts as addressed to the user: they said that they come.
    pub(super) fn is_for(&self, user: UserId) -> bool {
        self.event.answers.get(&user) == Some(&true)
    }

    /// The notice as a message in the event's name; `None` if the event is over or not shown any
    /// more.
    pub(super) fn message(&self, now: Timestamp) -> Option<Message> {
        let event = &self.event;
        let said = starting(self.before / 60);
        event.is_worth_a_reminder(now).then(|| Message {
            author: Author::Member(event.creator),
            name: event.details.name.clone(),
            text: Some(said),
            // With the id of the event's message, so that deleting that message takes this notice
            // back too.
            ..Message::unlogged(MessageId::new(event.id.get()))
        })
    }
}
