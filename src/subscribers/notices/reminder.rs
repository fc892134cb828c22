//! Reminders: who is told that an event begins, and what.

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
    /// Seconds before its start.
    before: u32,
}

impl Reminder {
    /// What an entry of the log reminds of, if it does.
    pub(super) fn of(entry: &Entry) -> Option<Self> {
        let change = entry.event.fact.planned()?;
        let CalendarChange::Reminded { before, .. } = **change else { return None };
        Some(Self { event: entry.state.planned.clone()?, before })
    }

    /// Whether somebody is told.
    pub(super) fn reaches(&self, user: UserId) -> bool {
        self.event.reminds(user)
    }

    /// Whether it is for somebody: they come.
    pub(super) fn is_for(&self, user: UserId) -> bool {
        self.event.answers.get(&user) == Some(&true)
    }

    /// What a notice says, as if the event said it; nothing of what is over.
    pub(super) fn message(&self, now: Timestamp) -> Option<Message> {
        let event = &self.event;
        let said = starting(self.before / 60);
        event.is_ahead(now).then(|| Message {
            author: Author::Member(event.creator),
            name: event.details.name.clone(),
            text: Some(said),
            // Whoever deletes the event's message takes this back too.
            ..Message::test(MessageId::new(event.id.get()))
        })
    }
}
