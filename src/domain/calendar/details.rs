//! What is planned: when, where, and when people are reminded.

use serde::{Deserialize, Serialize};

use crate::domain::time::Timestamp;

/// A moment as it was said: with the offset of its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalMoment {
    /// When, everywhere.
    pub at: Timestamp,
    /// Minutes by which clocks there are ahead of UTC.
    pub offset: i16,
}

/// Where something takes place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventPlace {
    /// What it is called.
    pub name: String,
    /// How to find it.
    pub address: Option<String>,
    /// Degrees north and east, as text.
    pub coordinates: Option<(String, String)>,
}

/// What is planned. Parsed and within its limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventDetails {
    /// What it is called.
    pub name: String,
    /// What it is about.
    pub description: Option<String>,
    /// When it begins.
    pub starts: LocalMoment,
    /// When it is over.
    pub ends: LocalMoment,
    /// Whether only the days count.
    pub is_all_day: bool,
    /// The time zone of its place, by its name.
    pub timezone: String,
    /// Where it takes place.
    pub location: Option<EventPlace>,
    /// Seconds before its start at which people are reminded, the longest first.
    pub reminders: Vec<u32>,
}

impl EventDetails {
    /// The moment of a reminder.
    pub(super) fn reminder(&self, before: u32) -> Timestamp {
        let start = self.starts.at.millis();
        Timestamp::from_millis(start.saturating_sub(u64::from(before) * 1000))
    }

    /// When people are reminded next after this moment.
    pub fn next_reminder(&self, after: Timestamp) -> Option<Timestamp> {
        self.reminders.iter().map(|before| self.reminder(*before)).find(|due| *due > after)
    }

    /// The last reminder that came due after one moment and by another.
    pub(super) fn due_reminder(&self, after: Timestamp, now: Timestamp) -> Option<u32> {
        let due =
            |before: &&u32| (after < self.reminder(**before)) && self.reminder(**before) <= now;
        self.reminders.iter().rev().find(due).copied()
    }
}

/// What of an event is to be different; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventChange {
    /// What it is called.
    pub name: Option<String>,
    /// What it is about; an empty text takes that away.
    pub description: Option<String>,
    /// When it begins.
    pub starts: Option<LocalMoment>,
    /// When it is over.
    pub ends: Option<LocalMoment>,
    /// Whether only the days count.
    pub is_all_day: Option<bool>,
    /// The time zone of its place.
    pub timezone: Option<String>,
    /// Where it takes place.
    pub location: Option<EventPlace>,
    /// When people are reminded.
    pub reminders: Option<Vec<u32>>,
}

impl EventChange {
    /// What is planned then.
    pub(super) fn of(self, old: &EventDetails) -> EventDetails {
        let old = old.clone();
        EventDetails {
            name: self.name.unwrap_or(old.name),
            description: self.description.or(old.description).filter(|words| !words.is_empty()),
            starts: self.starts.unwrap_or(old.starts),
            ends: self.ends.unwrap_or(old.ends),
            is_all_day: self.is_all_day.unwrap_or(old.is_all_day),
            timezone: self.timezone.unwrap_or(old.timezone),
            location: self.location.or(old.location),
            reminders: self.reminders.unwrap_or(old.reminders),
        }
    }
}
