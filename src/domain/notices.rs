//! Notices: of what a user wants to be told while they do not look, and for how long not.
//!
//! Pure rules. Whatever is silenced still arrives wherever somebody listens; only no notice of
//! it goes out.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroU32;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::ids::{Pair, StreamId, UserId};
use crate::domain::time::Timestamp;

/// Until when somebody has muted who did not say when it ends: the first second of the year
/// 10000, as clients know it.
pub const FOR_EVER: Timestamp = Timestamp::from_seconds(253_402_300_800);

/// Who muted a group.
pub type Muters = Arc<BTreeSet<UserId>>;

/// What somebody wants of notices from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Muting {
    /// None for so many minutes.
    For(NonZeroU32),
    /// None until they say otherwise.
    ForEver,
    /// Those that they had before.
    Over,
}

impl Muting {
    /// Until when there are none; nothing when there are.
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

/// Of what in a conversation somebody wants notices.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoticeLevel {
    /// Of everything.
    #[default]
    All,
    /// Of what mentions or answers them.
    Mentions,
    /// Of nothing.
    None,
}

impl NoticeLevel {
    /// All of them, as clients know them.
    pub const ALL: [(&'static str, Self); 3] =
        [("all", Self::All), ("mentions", Self::Mentions), ("none", Self::None)];

    /// As clients know it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Mentions => "mentions",
            Self::None => "none",
        }
    }

    /// With a mute on top, which lets through what is for somebody.
    #[must_use]
    pub const fn muted(self) -> Self {
        match self {
            Self::All | Self::Mentions => Self::Mentions,
            Self::None => Self::None,
        }
    }

    /// Whether a notice goes out of something that is for them, or for nobody more than others.
    pub const fn lets_through(self, is_for_them: bool) -> bool {
        match self {
            Self::All => true,
            Self::Mentions => is_for_them,
            Self::None => false,
        }
    }
}

/// Of what in a conversation somebody wants notices.
#[derive(Debug, Clone, Copy)]
pub struct WantedNotices {
    /// Of what.
    pub level: NoticeLevel,
    /// Until when they muted it.
    pub muted: Option<Timestamp>,
    /// Until when they muted everything.
    pub all_muted: Option<Timestamp>,
}

impl WantedNotices {
    /// Without mutes that are over.
    #[must_use]
    pub fn at(self, now: Timestamp) -> Self {
        let lasts = |until: &Timestamp| now < *until;
        Self { muted: self.muted.filter(lasts), all_muted: self.all_muted.filter(lasts), ..self }
    }
}

/// The chats that somebody muted, and until when.
#[derive(Debug, Clone, Default)]
pub struct MutedChats(HashMap<StreamId, Timestamp>);

impl MutedChats {
    /// Mutes a chat until then, or lets it be heard again.
    pub fn mute(&mut self, chat: Pair, until: Option<Timestamp>) {
        match until {
            Some(until) => drop(self.0.insert(StreamId::Chat(chat), until)),
            None => drop(self.0.remove(&StreamId::Chat(chat))),
        }
    }

    /// Until when a conversation is mute by this, whether that is over or not.
    pub fn until(&self, stream: StreamId) -> Option<Timestamp> {
        self.0.get(&stream).copied()
    }
}

impl FromIterator<(Pair, Timestamp)> for MutedChats {
    fn from_iter<I: IntoIterator<Item = (Pair, Timestamp)>>(chats: I) -> Self {
        Self(chats.into_iter().map(|(chat, until)| (StreamId::Chat(chat), until)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mute_ends_when_it_was_said_to_and_at_the_latest_never() {
        let now = Timestamp::from_seconds(1000);
        let minutes = |number| Muting::For(NonZeroU32::new(number).unwrap()).until(now);
        assert_eq!(minutes(2), Some(Timestamp::from_seconds(1120)));
        assert_eq!(minutes(u32::MAX), Some(FOR_EVER));
        assert_eq!((Muting::ForEver.until(now), Muting::Over.until(now)), (Some(FOR_EVER), None));
    }

    #[test]
    fn a_mute_that_is_over_is_none() {
        let at = Timestamp::from_seconds;
        let (level, muted, all_muted) = (NoticeLevel::All, Some(at(10)), Some(at(20)));
        let wanted = |now| {
            let wanted = WantedNotices { level, muted, all_muted }.at(at(now));
            (wanted.muted, wanted.all_muted)
        };
        assert_eq!(wanted(9), (muted, all_muted));
        assert_eq!(wanted(10), (None, all_muted));
        assert_eq!(wanted(20), (None, None));
    }

    #[test]
    fn what_is_for_somebody_comes_through_a_mute_and_never_through_none() {
        let told = |level: NoticeLevel| [true, false].map(|it| level.lets_through(it));
        assert_eq!(told(NoticeLevel::All), [true, true]);
        assert_eq!(told(NoticeLevel::All.muted()), [true, false]);
        assert_eq!(told(NoticeLevel::Mentions), [true, false]);
        assert_eq!(told(NoticeLevel::None), [false, false]);
        assert_eq!(told(NoticeLevel::None.muted()), [false, false]);
    }
}
