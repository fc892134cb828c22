//! The calendar of a conversation: what is planned, who may change it, who comes, and when
//! people are reminded.
//!
//! Pure rules. A room keeps what is not over; everything else lies in the index.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::bot_event::BotEvent;
use crate::domain::calendar::details::{EventChange, EventDetails};
use crate::domain::ids::{CalendarEventId, UserId};
use crate::domain::limits::PLANNED_EVENTS;
use crate::domain::notices::FOR_EVER;
use crate::domain::revision::{Revision, RevisionKind};
use crate::domain::time::Timestamp;

pub mod details;
pub mod words;

/// An event as it was made. Its message has the same number, and with that it goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeEvent {
    /// Names it.
    pub id: CalendarEventId,
    /// Who made it, and comes.
    pub creator: UserId,
    /// When.
    pub at: Timestamp,
    /// What is planned.
    pub details: EventDetails,
}

/// Something that happened to an event of the calendar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CalendarChange {
    /// There is one.
    Made(MadeEvent),
    /// Something else is planned.
    Changed {
        /// Which one.
        event: CalendarEventId,
        /// Who changed it.
        by: UserId,
        /// What is planned now.
        details: EventDetails,
    },
    /// It does not take place.
    Cancelled {
        /// Which one.
        event: CalendarEventId,
        /// Who says so.
        by: UserId,
    },
    /// Somebody said whether they come, or takes back what they said.
    Answered {
        /// To which one.
        event: CalendarEventId,
        /// Who.
        by: UserId,
        /// Whether they come.
        going: Option<bool>,
    },
    /// A reminder came due.
    Reminded {
        /// Of which one.
        event: CalendarEventId,
        /// How many seconds before its start.
        before: u32,
    },
}

impl CalendarChange {
    /// Under which name it is told.
    pub const fn push_type(&self) -> &'static str {
        self.bot_event().as_str()
    }

    /// As what bots hear of it.
    pub const fn bot_event(&self) -> BotEvent {
        match self {
            Self::Made(_) => BotEvent::EventCreate,
            Self::Changed { .. } => BotEvent::EventUpdate,
            Self::Cancelled { .. } => BotEvent::EventDelete,
            Self::Answered { .. } => BotEvent::EventRsvp,
            Self::Reminded { .. } => BotEvent::EventReminder,
        }
    }

    /// The event that it is about.
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

/// An event of the calendar with its answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalendarEvent {
    /// Names it.
    pub id: CalendarEventId,
    /// Who made it.
    pub creator: UserId,
    /// When.
    pub created: Timestamp,
    /// What is planned.
    pub details: EventDetails,
    /// Who said whether they come.
    pub answers: BTreeMap<UserId, bool>,
    /// When anything of it last changed.
    pub modified: Timestamp,
    /// Up to when reminders were given.
    pub reminded: Timestamp,
    /// When it was cancelled, if it was.
    pub cancelled: Option<Timestamp>,
    /// Whether its message was deleted, so that nothing of it is shown.
    pub is_forgotten: bool,
}

impl CalendarEvent {
    /// Only its maker has said that they come.
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

    /// Makes a change of it true.
    pub fn apply(&mut self, at: Timestamp, change: &CalendarChange) {
        match change {
            CalendarChange::Made(_) => {}
            CalendarChange::Changed { details, .. } => {
                self.details = details.clone();
                (self.modified, self.reminded) = (at, at);
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

    /// Whether it is to come or goes on.
    pub fn is_ahead(&self, now: Timestamp) -> bool {
        self.is_shown() && now < self.details.ends.at
    }

    /// Whether it is shown to anybody.
    pub const fn is_shown(&self) -> bool {
        self.cancelled.is_none() && !self.is_forgotten
    }

    /// When people are reminded of it next.
    pub fn next_reminder(&self) -> Option<Timestamp> {
        self.is_shown().then(|| self.details.next_reminder(self.reminded)).flatten()
    }

    /// Whether somebody is reminded: all but those who do not come.
    pub fn reminds(&self, user: UserId) -> bool {
        self.answers.get(&user) != Some(&false)
    }
}

/// What somebody wants to do with an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CalendarAction {
    /// Plan something else.
    Change(Box<EventChange>),
    /// Cancel it.
    Cancel,
    /// Say whether they come, or take back what they said.
    Answer(Option<bool>),
}

/// Why an event was not made, changed or answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum CalendarRefusal {
    /// The caller is not in the conversation, or it does not exist.
    #[error("there is no such conversation")]
    NotAMember,
    /// The conversation has no such event.
    #[error("there is no such event")]
    NoEvent,
    /// Somebody else made it.
    #[error("only who made an event, the owner and admins may change it")]
    NotTheMaker,
    /// Its time is over.
    #[error("this event is over")]
    Over,
    /// It would be over already.
    #[error("end_at: must be ahead")]
    Past,
    /// It would end before it begins.
    #[error("end_at: must not be before start_at")]
    EndsFirst,
    /// There are as many as can be.
    #[error("{PLANNED_EVENTS} events of a conversation can be ahead at most")]
    Full,
}

/// The events of one conversation that are not over, and those that ended a moment ago.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Calendar(BTreeMap<CalendarEventId, Arc<CalendarEvent>>);

impl FromIterator<CalendarEvent> for Calendar {
    fn from_iter<I: IntoIterator<Item = CalendarEvent>>(events: I) -> Self {
        Self(events.into_iter().map(|event| (event.id, Arc::new(event))).collect())
    }
}

impl Calendar {
    /// One of them, also when it is over.
    pub fn get(&self, id: CalendarEventId) -> Option<&Arc<CalendarEvent>> {
        self.0.get(&id)
    }

    /// One that can still be changed.
    fn ahead(
        &self,
        id: CalendarEventId,
        now: Timestamp,
    ) -> Result<&CalendarEvent, CalendarRefusal> {
        let event = self.get(id).filter(|event| event.is_ahead(now));
        event.map(|event| &**event).ok_or(CalendarRefusal::Over)
    }

    /// Makes a change true. What is over is shown until another one begins.
    pub fn apply(&mut self, at: Timestamp, change: &CalendarChange) {
        if let CalendarChange::Made(made) = change {
            self.0.retain(|_, event| event.is_ahead(at));
            self.0.insert(made.id, Arc::new(CalendarEvent::new(made.clone())));
        } else if let Some(event) = self.0.get_mut(&change.event()) {
            Arc::make_mut(event).apply(at, change);
        }
    }

    /// With the message of an event the event is deleted.
    pub fn revised(&mut self, revision: &Revision) {
        if matches!(revision.kind, RevisionKind::Deleted { .. }) {
            self.0.remove(&CalendarEventId::new(revision.message.get()));
        }
    }

    /// Whether this can be planned.
    ///
    /// # Errors
    /// When there are as many as can be, or it is over or ends before it begins.
    pub fn admit(&self, new: &EventDetails, now: Timestamp) -> Result<(), CalendarRefusal> {
        if self.0.values().filter(|event| event.is_ahead(now)).count() >= PLANNED_EVENTS {
            return Err(CalendarRefusal::Full);
        }
        fits(new, now)
    }

    /// What somebody does with an event; nothing where it is so already. `is_admin` is whether
    /// they may change those of others.
    ///
    /// # Errors
    /// When it is over, or not theirs, or cannot be planned so.
    pub fn act(
        &self,
        id: CalendarEventId,
        (by, is_admin): (UserId, bool),
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

    /// The reminder that came due, if one did.
    pub fn remind(&self, id: CalendarEventId, now: Timestamp) -> Option<CalendarChange> {
        let event = self.get(id).filter(|event| event.is_shown())?;
        let before = event.details.due_reminder(event.reminded, now)?;
        Some(CalendarChange::Reminded { event: id, before })
    }
}

fn fits(details: &EventDetails, now: Timestamp) -> Result<(), CalendarRefusal> {
    let (starts, ends) = (details.starts.at, details.ends.at);
    if ends < starts {
        Err(CalendarRefusal::EndsFirst)
    } else if ends <= now || ends >= FOR_EVER {
        Err(CalendarRefusal::Past)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
