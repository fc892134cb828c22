//! What is due at a time: a mute that ends, and whatever else happens to a conversation by
//! itself.
//!
//! A row stands for as long as it is to come, or was not done, so it is found again after a
//! crash. What was done takes it away.

use serde::{Deserialize, Serialize};

use crate::domain::ids::{CalendarEventId, Conversation, GroupId, PollId, StreamId, UserId};
use crate::domain::time::Timestamp;
use crate::index::derive::Derivation;
use crate::index::{Go, Index, IndexFault, Walk, keys};
use crate::msgpack;

/// Something that is due at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Appointment {
    /// A mute of a group ends.
    MuteEnds {
        /// Which group.
        group: GroupId,
        /// Whose mute.
        user: UserId,
    },
    /// A poll ends.
    PollEnds {
        /// In which group.
        group: GroupId,
        /// Which one.
        poll: PollId,
    },
    /// People are reminded of an event.
    Reminder {
        /// In which conversation.
        conv: Conversation,
        /// Of which one.
        event: CalendarEventId,
    },
}

impl Appointment {
    /// In whose stream it happens.
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

/// What is due, and when.
pub type DatedAppointment = (Timestamp, Appointment);

impl Derivation<'_> {
    /// Has something be due at another time than before, or no more.
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
    /// What is due next, at most so much of it, the earliest first; after this one, if any.
    ///
    /// # Errors
    /// When the index cannot be read.
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
            Ok(if found.len() < most { Go::On } else { Go::Stop })
        })?;
        Ok(found)
    }
}
