//! The details of a calendar event: when, where, and when people are reminded.

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// A moment with the UTC offset in which it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalMoment {
    /// The moment.
    pub at: Timestamp,
    /// The UTC offset in minutes, positive east of Greenwich.
    pub offset: i16,
}

/// The place of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventPlace {
    /// The name of the place.
    pub name: String,
    /// The address, if given.
    pub address: Option<String>,
    /// Latitude and longitude in degrees, as text.
    pub coordinates: Option<(String, String)>,
}

/// The details of a calendar event, parsed and within their limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventDetails {
    /// The event's name.
    pub name: String,
    /// The description of the event.
    pub description: Option<String>,
    /// When it begins.
    pub starts: LocalMoment,
    /// When it ends.
    pub ends: LocalMoment,
    /// Whether the event lasts whole days, so that only the dates of its times count.
    pub is_all_day: bool,
    /// The name of the time zone in which it takes place.
    pub timezone: String,
    /// The place of the event.
    pub location: Option<EventPlace>,
    /// Seconds before the start at which people are reminded, in descending order.
    pub reminders: Vec<u32>,
}

impl EventDetails {
    /// The time of a reminder, `before` seconds before the start.
    pub(super) fn reminder(&self, before: u32) -> Timestamp {
        let start = self.starts.at.millis();
        Timestamp::from_millis(start.saturating_sub(u64::from(before) * 1000))
    }

    /// The time of the first reminder after this moment.
    pub fn next_reminder(&self, after: Timestamp) -> Option<Timestamp> {
        let times = self.reminders.iter().map(|before| self.reminder(*before));
        times.filter(|due| *due > after).min()
    }

    /// The last reminder that came due later than `after` and no later than `now`.
    pub(super) fn due_reminder(&self, after: Timestamp, now: Timestamp) -> Option<u32> {
        let is_due =
            |before: &u32| (after < self.reminder(*before)) && self.reminder(*before) <= now;
        self.reminders.iter().copied().filter(is_due).min()
    }

    /// Whether reminders come at the same times as with these details.
    pub(super) fn reminds_as(&self, other: &Self) -> bool {
        (self.starts.at, &self.reminders) == (other.starts.at, &other.reminders)
    }
}

/// The requested changes of an event's details. Fields that are `None` stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventChange {
    /// The new name.
    pub name: Option<String>,
    /// The new description; an empty text removes it.
    pub description: Option<String>,
    /// The new start.
    pub starts: Option<LocalMoment>,
    /// The new end.
    pub ends: Option<LocalMoment>,
    /// Whether the event lasts whole days.
    pub is_all_day: Option<bool>,
    /// The name of the new time zone.
    pub timezone: Option<String>,
    /// The new place.
    pub location: Option<EventPlace>,
    /// The new reminders: seconds before the start, in descending order.
    pub reminders: Option<Vec<u32>>,
}

impl EventChange {
    /// The details with the changes applied.
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
