//! Notices: what a user wants to be notified of while away, and for how long not.
//!
//! Pure rules. Muted events still reach the user's open connections; only no notice of them is
//! sent.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroU32;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::ids::{Conversation, StreamId, UserId};
use crate::time::Timestamp;

/// The end of mutes without an end: the first second of the year 10000, which clients know.
pub const FOR_EVER: Timestamp = Timestamp::from_seconds(253_402_300_800);

/// The users who muted a group.
pub type Muters = Arc<BTreeSet<UserId>>;

/// A request to mute notices, or to end a mute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Muting {
    /// No notices for this many minutes.
    For(NonZeroU32),
    /// No notices until the user ends the mute.
    ForEver,
    /// The mute ends.
    Over,
}

impl Muting {
    /// When the mute ends; `None` if there is no mute.
    pub fn until(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::For(minutes) => {
                let end = now.plus_millis(u64::from(minutes.get()) * 60_000);
                Some(end.min(FOR_EVER))
            }
            Self::ForEver => Some(FOR_EVER),
            Self::Over => None,
        }
    }
}

/// The kinds of events in a conversation of which a user wants notices.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoticeLevel {
    /// Everything.
    #[default]
    All,
    /// Only messages that mention the user or reply to them.
    Mentions,
    /// Nothing.
    None,
}

impl NoticeLevel {
    /// All levels with their names in the API.
    pub const ALL: [(&'static str, Self); 3] =
        [("all", Self::All), ("mentions", Self::Mentions), ("none", Self::None)];

    /// The name of the level in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Mentions => "mentions",
            Self::None => "none",
        }
    }

    /// The level during a mute, which lets through only what is for the user in particular.
    #[must_use]
    pub const fn muted(self) -> Self {
        match self {
            Self::All | Self::Mentions => Self::Mentions,
            Self::None => Self::None,
        }
    }

    /// Whether a notice is sent; `is_for_them` is whether the event is for the user in particular.
    pub const fn lets_through(self, is_for_them: bool) -> bool {
        match self {
            Self::All => true,
            Self::Mentions => is_for_them,
            Self::None => false,
        }
    }
}

/// A user's notice settings for one conversation.
#[derive(Debug, Clone, Copy)]
pub struct WantedNotices {
    /// The notice level.
    pub level: NoticeLevel,
    /// When the mute of the conversation ends, if it is muted.
    pub muted: Option<Timestamp>,
    /// When the mute of all conversations ends, if they are muted.
    pub all_muted: Option<Timestamp>,
}

impl WantedNotices {
    /// The settings without mutes that have ended.
    #[must_use]
    pub fn at(self, now: Timestamp) -> Self {
        let lasts = |until: &Timestamp| now < *until;
        Self { muted: self.muted.filter(lasts), all_muted: self.all_muted.filter(lasts), ..self }
    }
}

/// The chats and topics that a user muted, with the ends of the mutes. (A group keeps those of its
/// members itself.)
#[derive(Debug, Clone, Default)]
pub struct ConversationMutes(HashMap<StreamId, Timestamp>);

impl ConversationMutes {
    /// Mutes a conversation until this time, or ends its mute if `until` is `None`.
    pub fn mute(&mut self, conv: impl Into<Conversation>, until: Option<Timestamp>) {
        let stream = StreamId::from(conv.into());
        match until {
            Some(until) => drop(self.0.insert(stream, until)),
            None => drop(self.0.remove(&stream)),
        }
    }

    /// When the mute of a conversation ends or ended; `None` if it was not muted.
    pub fn until(&self, stream: StreamId) -> Option<Timestamp> {
        self.0.get(&stream).copied()
    }
}

impl FromIterator<(StreamId, Timestamp)> for ConversationMutes {
    fn from_iter<I: IntoIterator<Item = (StreamId, Timestamp)>>(mutes: I) -> Self {
        Self(mutes.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mute_ends_at_its_time() {
        let now = Timestamp::from_seconds(1000);
        let minutes = |number| Muting::For(NonZeroU32::new(number).unwrap()).until(now);
        assert_eq!(minutes(2), Some(Timestamp::from_seconds(1120)));
        assert_eq!(minutes(u32::MAX), Some(FOR_EVER));
        assert_eq!((Muting::ForEver.until(now), Muting::Over.until(now)), (Some(FOR_EVER), None));
    }

    #[test]
    fn a_mute_that_is_over_is_none() {
        let at = Timestamp::from_seconds;
        let level = NoticeLevel::All;
        let muted = Some(at(10));
        let all_muted = Some(at(20));
        let wanted = |now| {
            let wanted = WantedNotices { level, muted, all_muted }.at(at(now));
            (wanted.muted, wanted.all_muted)
        };
        assert_eq!(wanted(9), (muted, all_muted));
        assert_eq!(wanted(10), (None, all_muted));
        assert_eq!(wanted(20), (None, None));
    }

    #[test]
    fn mention_passes_mute_but_not_level_none() {
        let told = |level: NoticeLevel| [true, false].map(|it| level.lets_through(it));
        assert_eq!(told(NoticeLevel::All), [true, true]);
        assert_eq!(told(NoticeLevel::All.muted()), [true, false]);
        assert_eq!(told(NoticeLevel::Mentions), [true, false]);
        assert_eq!(told(NoticeLevel::None), [false, false]);
        assert_eq!(told(NoticeLevel::None.muted()), [false, false]);
    }
}
