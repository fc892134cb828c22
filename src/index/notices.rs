//! Of what somebody wants notices: which level a conversation has, the mutes of chats, and one
//! over all.

use serde::{Deserialize, Serialize};

use crate::domain::ids::{Conversation, Pair, StreamId, UserId};
use crate::domain::notices::{MutedChats, NoticeLevel, WantedNotices};
use crate::domain::time::Timestamp;
use crate::index::derive::Derivation;
use crate::index::{Index, IndexFault, keys};

/// The level of one conversation.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct LevelRow {
    stream: StreamId,
    level: NoticeLevel,
}

/// A chat that somebody muted.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct MutedChatRow {
    chat: Pair,
    until: Timestamp,
}

impl Derivation<'_> {
    /// Keeps a level; the one that everybody begins with needs no row.
    pub(super) fn set_level(
        &mut self,
        user: UserId,
        conv: Conversation,
        level: NoticeLevel,
    ) -> Result<(), IndexFault> {
        let stream = conv.into();
        let key = keys::notices::level(user, stream);
        if level == NoticeLevel::default() {
            self.draft.delete(key);
            return Ok(());
        }
        self.draft.put(key, &LevelRow { stream, level })
    }

    /// Keeps until when a chat is mute.
    pub(super) fn mute_chat(
        &mut self,
        user: UserId,
        chat: Pair,
        until: Option<Timestamp>,
    ) -> Result<(), IndexFault> {
        let key = keys::notices::chat_muted(user, chat);
        match until {
            Some(until) => self.draft.put(key, &MutedChatRow { chat, until }),
            None => {
                self.draft.delete(key);
                Ok(())
            }
        }
    }

    /// Keeps until when all is mute.
    pub(super) fn mute_all(
        &mut self,
        user: UserId,
        until: Option<Timestamp>,
    ) -> Result<(), IndexFault> {
        let key = keys::notices::all_muted(user);
        match until {
            Some(until) => self.draft.put(key, &until),
            None => {
                self.draft.delete(key);
                Ok(())
            }
        }
    }
}

impl Index {
    /// Of what in a conversation somebody wants notices, with their mutes.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn wanted_notices(
        &self,
        user: UserId,
        conv: Conversation,
    ) -> Result<WantedNotices, IndexFault> {
        let muted = match conv {
            Conversation::Group(group) => {
                self.member(group, user)?.and_then(|member| member.muted_until())
            }
            Conversation::Chat(chat) => self.chat_muted(user, chat)?,
        };
        let (level, all_muted) = (self.level(user, conv)?, self.all_muted(user)?);
        Ok(WantedNotices { level, muted, all_muted })
    }

    /// Of what in a conversation somebody wants notices.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn level(&self, user: UserId, conv: Conversation) -> Result<NoticeLevel, IndexFault> {
        let row: Option<LevelRow> =
            self.row("notices", &keys::notices::level(user, conv.into()))?;
        Ok(row.map_or(NoticeLevel::default(), |row| row.level))
    }

    /// The conversations of which somebody does not want all notices.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn levels(&self, user: UserId) -> Result<Vec<(StreamId, NoticeLevel)>, IndexFault> {
        let rows = self.rows_of("notices", &keys::notices::levels(user))?;
        Ok(rows.into_iter().map(|row: LevelRow| (row.stream, row.level)).collect())
    }

    /// Until when somebody wants no notices of a chat, whether that is over or not.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn chat_muted(&self, user: UserId, chat: Pair) -> Result<Option<Timestamp>, IndexFault> {
        let row: Option<MutedChatRow> =
            self.row("notices", &keys::notices::chat_muted(user, chat))?;
        Ok(row.map(|row| row.until))
    }

    /// The chats that somebody muted.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn chats_muted(&self, user: UserId) -> Result<MutedChats, IndexFault> {
        let rows = self.rows_of("notices", &keys::notices::chats_muted(user))?;
        Ok(rows.into_iter().map(|row: MutedChatRow| (row.chat, row.until)).collect())
    }

    /// Until when somebody wants no notices at all, whether that is over or not.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn all_muted(&self, user: UserId) -> Result<Option<Timestamp>, IndexFault> {
        self.row("notices", &keys::notices::all_muted(user))
    }
}
