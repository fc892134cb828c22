//! The calendar of a conversation: its events, who may change them, who attends, and when people
//! are reminded.
//!
//! Pure rules. A room keeps the events that are not over; all others are only in the index.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::alarm::AlarmAnswer;
use crate::bot_event::BotEvent;
use crate::calendar::details::{EventChange, EventDetails};
use crate::group::permissions::{BrokenRule, Denied};
use crate::ids::{CalendarEventId, UserId};
use crate::limits::PLANNED_EVENTS;
use crate::revision::{Revision, RevisionKind};
use crate::time::Timestamp;

pub mod details;
pub mod words;

/// The latest end of an event: the last day of the year 9999 begins.
const LATEST_END: Timestamp = Timestamp::from_seconds(253_402_214_400);
/// Milliseconds for which people are still reminded of an event that ends as it begins.
const LATE_MILLIS: u64 = 300_000;

/// A calendar event as it was created. The message that carries it has the same number; deleting
/// that message deletes the event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeEvent {
    /// The event's id.
    pub id: CalendarEventId,
    /// The user who created the event, and attends.
    pub creator: UserId,
    /// When the event was created.
    pub at: Timestamp,
    /// Title, time and place.
    pub details: EventDetails,
}

/// Something that happened to a calendar event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CalendarChange {
    /// The event was created.
    Made(MadeEvent),
    /// The event was changed.
    Changed {
        /// The event.
        event: CalendarEventId,
        /// The user who changed it.
        by: UserId,
        /// The new details.
        details: EventDetails,
    },
    /// The event was cancelled.
    Cancelled {
        /// The event.
        event: CalendarEventId,
        /// The user who cancelled it.
        by: UserId,
    },
    /// A user answered whether they attend, or took the answer back.
    Answered {
        /// The event.
        event: CalendarEventId,
        /// The user who answered.
        by: UserId,
        /// Whether the user attends; `None` takes the answer back.
        going: Option<bool>,
    },
    /// A reminder came due.
    Reminded {
        /// The event.
        event: CalendarEventId,
        /// The reminder: seconds before the start of the event.
        before: u32,
    },
}

impl CalendarChange {
    /// The type of the push event that tells of the change.
    pub const fn push_type(&self) -> &'static str {
        self.bot_event().as_str()
    }

    /// The kind of event under which bots receive the change.
    pub const fn bot_event(&self) -> BotEvent {
        match self {
            Self::Made(_) => BotEvent::EventCreate,
            Self::Changed { .. } => BotEvent::EventUpdate,
            Self::Cancelled { .. } => BotEvent::EventDelete,
            Self::Answered { .. } => BotEvent::EventRsvp,
            Self::Reminded { .. } => BotEvent::EventReminder,
        }
    }

    /// The event that changed.
    pub const fn event(&self) -> CalendarEventId {
        match self {
            Self::Made(made) => made.id,
            Self::Changed { event, .. }
            | Self::Cancelled { event, .. }
            | Self::Answered { event, .. }
            | Self::Reminded { event, .. } => *event,
        }
    }
}

/// A calendar event with its answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalendarEvent {
    /// The event's id.
    pub id: CalendarEventId,
    /// The user who created the event.
    pub creator: UserId,
    /// When the event was created.
    pub created: Timestamp,
    /// Title, time and place.
    pub details: EventDetails,
    /// Whether a user attends, for all who answered.
    pub answers: BTreeMap<UserId, bool>,
    /// When the event was last created, changed or cancelled; answers do not count.
    pub modified: Timestamp,
    /// Reminders up to this time have been given.
    pub reminded: Timestamp,
    /// When the event was cancelled, if it was.
    pub cancelled: Option<Timestamp>,
    /// Whether the event's message was deleted, so that the event is no longer shown.
    pub is_forgotten: bool,
}

impl CalendarEvent {
    /// A new event. Only its creator has answered, and attends.
    pub fn new(made: MadeEvent) -> Self {
        let MadeEvent { id, creator, at, details } = made;
        Self {
            id,
            creator,
            created: at,
            details,
            answers: BTreeMap::from([(creator, true)]),
            modified: at,
            reminded: at,
            cancelled: None,
            is_forgotten: false,
        }
    }

    /// Applies a change of this event.
    pub fn apply(&mut self, at: Timestamp, change: &CalendarChange) {
        match change {
            CalendarChange::Made(_) => {}
            CalendarChange::Changed { details, .. } => {
                // Reminders that lie before the change of their times do not come.
                if !details.reminds_as(&self.details) {
                    self.reminded = at;
                }
                (self.details, self.modified) = (details.clone(), at);
            }
            CalendarChange::Cancelled { .. } => (self.cancelled, self.modified) = (Some(at), at),
            CalendarChange::Answered { by, going: Some(going), .. } => {
                self.answers.insert(*by, *going);
            }
            CalendarChange::Answered { by, going: None, .. } => {
                self.answers.remove(by);
            }
            CalendarChange::Reminded { before, .. } => {
                self.reminded = self.details.reminder(*before);
            }
        }
    }

    /// Whether the event is upcoming or in progress, and is shown.
    pub fn is_ahead(&self, now: Timestamp) -> bool {
        self.is_shown() && now < self.details.ends.at
    }

    /// Whether the room has to know the event: it is ahead, or a reminder has not come yet.
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.is_ahead(now) || self.next_reminder().is_some()
    }

    /// Whether people are still reminded: the event is ahead, or it has no duration and has just
    /// begun.
    pub fn is_worth_a_reminder(&self, now: Timestamp) -> bool {
        let starts = self.details.starts.at;
        let ends = self.details.ends.at;
        let has_just_begun = ends <= starts && now < starts.plus_millis(LATE_MILLIS);
        self.is_ahead(now) || (self.is_shown() && has_just_begun)
    }

    /// Whether the event is shown to anybody: neither cancelled nor deleted.
    pub const fn is_shown(&self) -> bool {
        self.cancelled.is_none() && !self.is_forgotten
    }

    /// When the next reminder is due, if there is one.
    pub fn next_reminder(&self) -> Option<Timestamp> {
        self.is_shown().then(|| self.details.next_reminder(self.reminded)).flatten()
    }

    /// Whether a user is reminded: everybody but those who answered that they do not attend.
    pub fn reminds(&self, user: UserId) -> bool {
        self.answers.get(&user) != Some(&false)
    }
}

/// A user's action on a calendar event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CalendarAction {
    /// Change its details.
    Change(Box<EventChange>),
    /// Cancel the event.
    Cancel,
    /// Answer whether the user attends; `None` takes the answer back.
    Answer(Option<bool>),
}

/// Why an event was not created, changed or answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum CalendarRefusal {
    /// The caller is not in the conversation, or it does not exist.
    #[error("there is no such conversation")]
    NotAMember,
    /// The caller's role does not allow it.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// A rule of the group does not allow it.
    #[error(transparent)]
    Broken(#[from] BrokenRule),
    /// The conversation has no such event.
    #[error("there is no such event")]
    NoEvent,
    /// Only the creator of the event, the owner and admins may change or cancel it.
    #[error("only the creator of the event, the owner and admins may change it")]
    NotTheMaker,
    /// The event is over, cancelled or deleted.
    #[error("this event is over")]
    Over,
    /// The event would already be over, or would end after the last time that can be given
    /// (`LATEST_END`).
    #[error("end_at: must be in the future")]
    Past,
    /// The event would end before it begins.
    #[error("end_at: must not be before start_at")]
    EndsFirst,
    /// The conversation already has [`PLANNED_EVENTS`] events ahead.
    #[error("a conversation can have at most {PLANNED_EVENTS} upcoming events")]
    Full,
}

/// The events of one conversation that are not over. Those that are over stay until the next event
/// is created.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Calendar(BTreeMap<CalendarEventId, Arc<CalendarEvent>>);

impl FromIterator<CalendarEvent> for Calendar {
    fn from_iter<I: IntoIterator<Item = CalendarEvent>>(events: I) -> Self {
        Self(events.into_iter().map(|event| (event.id, Arc::new(event))).collect())
    }
}

impl Calendar {
    /// The event with this id, even if it is over.
    pub fn get(&self, id: CalendarEventId) -> Option<&Arc<CalendarEvent>> {
        self.0.get(&id)
    }

    /// The event with this id, if it can still be changed.
    fn ahead(
        &self,
        id: CalendarEventId,
        now: Timestamp,
    ) -> Result<&CalendarEvent, CalendarRefusal> {
        let event = self.get(id).filter(|event| event.is_ahead(now));
        event.map(|event| &**event).ok_or(CalendarRefusal::Over)
    }

    /// Applies a change. Events that are over and have no reminder to come stay until another one
    /// is created, so that they can still be shown.
    pub fn apply(&mut self, at: Timestamp, change: &CalendarChange) {
        if let CalendarChange::Made(made) = change {
            self.0.retain(|_, event| event.is_open(at));
            self.0.insert(made.id, Arc::new(CalendarEvent::new(made.clone())));
        } else if let Some(event) = self.0.get_mut(&change.event()) {
            Arc::make_mut(event).apply(at, change);
        }
    }

    /// Removes an event whose message was deleted.
    pub fn revised(&mut self, revision: &Revision) {
        if matches!(revision.kind, RevisionKind::Deleted { .. }) {
            self.0.remove(&CalendarEventId::new(revision.message.get()));
        }
    }

    /// Checks whether an event can be created.
    ///
    /// # Errors
    /// If too many events are ahead, or the event would already be over or end before it begins.
    pub fn admit(&self, new: &EventDetails, now: Timestamp) -> Result<(), CalendarRefusal> {
        if self.0.values().filter(|event| event.is_ahead(now)).count() >= PLANNED_EVENTS {
            return Err(CalendarRefusal::Full);
        }
        fits(new, now)
    }

    /// Decides on an action of a user; `None` if it changes nothing. `is_admin` is whether the user
    /// may change the events of others.
    ///
    /// # Errors
    /// If the event is over, the user may not change it, or the new times are invalid.
    pub fn act(
        &self,
        id: CalendarEventId,
        by: UserId,
        is_admin: bool,
        action: CalendarAction,
        now: Timestamp,
    ) -> Result<Option<CalendarChange>, CalendarRefusal> {
        let event = self.ahead(id, now)?;
        let may_change = is_admin || event.creator == by;
        match action {
            CalendarAction::Answer(going) => Ok((event.answers.get(&by) != going.as_ref())
                .then_some(CalendarChange::Answered { event: id, by, going })),
            CalendarAction::Change(_) | CalendarAction::Cancel if !may_change => {
                Err(CalendarRefusal::NotTheMaker)
            }
            CalendarAction::Cancel => Ok(Some(CalendarChange::Cancelled { event: id, by })),
            CalendarAction::Change(change) => {
                let details = change.of(&event.details);
                if details == event.details {
                    return Ok(None);
                }
                fits(&details, now)?;
                Ok(Some(CalendarChange::Changed { event: id, by, details }))
            }
        }
    }

    /// Answers an alarm with the latest reminder of the event that is due.
    pub fn remind(&self, id: CalendarEventId, now: Timestamp) -> AlarmAnswer<CalendarChange> {
        let Some(event) = self.get(id).filter(|event| event.is_shown()) else {
            return AlarmAnswer::NothingToDo;
        };
        match event.details.due_reminder(event.reminded, now) {
            Some(before) => AlarmAnswer::Rung(CalendarChange::Reminded { event: id, before }),
            None => event.next_reminder().map_or(AlarmAnswer::NothingToDo, AlarmAnswer::NotBefore),
        }
    }
}

fn fits(details: &EventDetails, now: Timestamp) -> Result<(), CalendarRefusal> {
    let starts = details.starts.at;
    let ends = details.ends.at;
    if ends < starts {
        Err(CalendarRefusal::EndsFirst)
    } else if ends <= now || ends > LATEST_END {
        Err(CalendarRefusal::Past)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
