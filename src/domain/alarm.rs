//! Alarms: what happens to a conversation by itself at a set time, and how its room answers one.

use serde::{Deserialize, Serialize};

use crate::ids::{CalendarEventId, Conversation, GroupId, HeldId, PollId, StreamId, UserId};
use crate::time::Timestamp;

/// Something that is due at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Appointment {
    /// A mute of a group ends.
    MuteEnds {
        /// The group.
        group: GroupId,
        /// The member whose mute ends.
        user: UserId,
    },
    /// A poll ends.
    PollEnds {
        /// The group.
        group: GroupId,
        /// The poll that ends.
        poll: PollId,
    },
    /// Members are reminded of an event in the calendar.
    Reminder {
        /// The conversation whose calendar it is.
        conv: Conversation,
        /// The event that members are reminded of.
        event: CalendarEventId,
    },
    /// A held message ends.
    HeldEnds {
        /// The group.
        group: GroupId,
        /// The held message.
        held: HeldId,
    },
}

impl Appointment {
    /// The stream of the room that carries it out.
    pub fn stream(&self) -> StreamId {
        match self {
            Self::MuteEnds { group, .. }
            | Self::PollEnds { group, .. }
            | Self::HeldEnds { group, .. } => StreamId::Group(*group),
            Self::Reminder { conv, .. } => StreamId::from(*conv),
        }
    }
}

/// An appointment and when it is due.
pub type DatedAppointment = (Timestamp, Appointment);

/// A room's answer to an alarm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlarmAnswer<T = ()> {
    /// The room did what the alarm is for.
    Rung(T),
    /// Nothing is left to do at any time.
    NothingToDo,
    /// Nothing is to do before this time.
    NotBefore(Timestamp),
}

/// An alarm that rang for nothing: its row is removed, or moved to another time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlarmSettled {
    /// The appointment.
    pub appointment: Appointment,
    /// The time for which the alarm was set.
    pub at: Timestamp,
    /// The time for which it is set now; `None` if it is not set any more.
    pub next: Option<Timestamp>,
}

impl<T> AlarmAnswer<T> {
    /// The answer for an act at this time: `Rung` only from then on, and `NothingToDo` without one.
    pub fn due(act: Option<(Timestamp, T)>, now: Timestamp) -> Self {
        match act {
            Some((at, act)) if at <= now => Self::Rung(act),
            Some((at, _)) => Self::NotBefore(at),
            None => Self::NothingToDo,
        }
    }

    /// The same answer with the result of another act.
    pub fn map<U>(self, act: impl FnOnce(T) -> U) -> AlarmAnswer<U> {
        match self {
            Self::Rung(done) => AlarmAnswer::Rung(act(done)),
            Self::NothingToDo => AlarmAnswer::NothingToDo,
            Self::NotBefore(at) => AlarmAnswer::NotBefore(at),
        }
    }
}
