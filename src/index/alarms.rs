//! Alarms: what happens to a conversation by itself at a given time, such as the end of a mute.
//!
//! A row stays until its appointment was carried out, so that it is found again after a crash. The
//! fact that records the outcome removes the row.

use serde::{Deserialize, Serialize};

use crate::domain::ids::{CalendarEventId, Conversation, GroupId, PollId, StreamId, UserId};
use crate::domain::time::Timestamp;
use crate::index::derive::Derivation;
use crate::index::{Flow, Index, IndexFault, Walk, keys};
use crate::msgpack;

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
}

impl Appointment {
    /// The stream of the room that carries it out.
    pub fn stream(&self) -> StreamId {
        match self {
            Self::MuteEnds { group, .. } | Self::PollEnds { group, .. } => StreamId::Group(*group),
            Self::Reminder { conv, .. } => StreamId::from(*conv),
        }
    }

    fn key(&self, at: Timestamp) -> Result<Vec<u8>, IndexFault> {
        let packed = msgpack::to_vec(self);
        let packed = packed
            .map_err(|error| IndexFault::Row { table: "alarm", reason: error.to_string() })?;
        Ok(keys::notices::alarm(at, &packed))
    }
}

/// An appointment and when it is due.
pub type DatedAppointment = (Timestamp, Appointment);

impl Derivation<'_> {
    /// Moves an alarm from one time to another; `None` is no alarm.
    pub(super) fn reset_alarm(
        &mut self,
        alarm: Appointment,
        before: Option<Timestamp>,
        after: Option<Timestamp>,
    ) -> Result<(), IndexFault> {
        if before == after {
            return Ok(());
        }
        if let Some(at) = before {
            self.draft.delete(alarm.key(at)?);
        }
        if let Some(at) = after {
            self.draft.put_bytes(alarm.key(at)?, Vec::new());
        }
        Ok(())
    }
}

impl Index {
    /// Returns up to `most` appointments, the earliest first, future ones included; only those that
    /// come after `after`, if it is given.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn alarms(
        &self,
        after: Option<DatedAppointment>,
        most: usize,
    ) -> Result<Vec<DatedAppointment>, IndexFault> {
        let low = match after {
            Some((at, alarm)) => [alarm.key(at)?, vec![0]].concat(),
            None => keys::notices::alarm(Timestamp::default(), &[]),
        };
        let mut found = Vec::new();
        self.rows.scan(&low, &keys::end_of(&low[..1]), Walk::Up, &mut |key, _| {
            let misfit = || IndexFault::Row { table: "alarm", reason: "a short key".to_owned() };
            let (at, alarm) = key[1..].split_first_chunk().ok_or_else(misfit)?;
            let at = Timestamp::from_millis(u64::from_be_bytes(*at));
            found.push((at, crate::index::rows::decode("alarm", alarm)?));
            Ok(if found.len() < most { Flow::Continue } else { Flow::Stop })
        })?;
        Ok(found)
    }
}
