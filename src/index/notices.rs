//! Rows of the notices that users want: the level of a conversation, mutes of chats and topics, and
//! the mute of everything.

use serde::{Deserialize, Serialize};

use crate::derive::Derivation;
use crate::{Index, IndexFault, keys};
use domain::ids::{Conversation, StreamId, UserId};
use domain::notices::{ConversationMutes, NoticeLevel, WantedNotices};
use domain::time::Timestamp;
use domain::user::UserFact;

/// A user's level of notices for one conversation.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct LevelRow {
    stream: StreamId,
    level: NoticeLevel,
}

/// A chat or a topic that a user muted, and until when.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct MuteRow {
    stream: StreamId,
    until: Timestamp,
}

impl Derivation<'_> {
    /// Keeps a level; the default needs no row.
    pub(super) fn set_level(
        &mut self,
        user: UserId,
        conv: Conversation,
        level: NoticeLevel,
    ) -> Result<(), IndexFault> {
        let stream = conv.into();
        let key = keys::notice_level(user, stream);
        if level == NoticeLevel::default() {
            self.draft.delete(key);
            return Ok(());
        }
        self.draft.put(key, &LevelRow { stream, level })
    }

    /// Keeps until when a chat or a topic is muted.
    pub(super) fn muted(&mut self, user: UserId, fact: &UserFact) -> Result<(), IndexFault> {
        let Some((conv, until)) = fact.muted() else { return Ok(()) };
        let stream = conv.into();
        let key = keys::conversation_muted(user, stream);
        match until {
            Some(until) => self.draft.put(key, &MuteRow { stream, until }),
            None => {
                self.draft.delete(key);
                Ok(())
            }
        }
    }

    /// Keeps until when everything is muted.
    pub(super) fn mute_all(
        &mut self,
        user: UserId,
        until: Option<Timestamp>,
    ) -> Result<(), IndexFault> {
        let key = keys::all_muted(user);
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
    /// Returns the notices that a user wants of a conversation: the level and the mutes.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn wanted_notices(
        &self,
        user: UserId,
        conv: Conversation,
    ) -> Result<WantedNotices, IndexFault> {
        let muted = match conv {
            // A mute of a group is one of its topics, too.
            Conversation::Group(group) => {
                let of_group = self.member(group, user)?.and_then(|member| member.muted_until());
                of_group.max(self.conversation_muted(user, conv)?)
            }
            Conversation::Chat(_) => self.conversation_muted(user, conv)?,
        };
        let level = self.level(user, conv)?;
        let all_muted = self.all_muted(user)?;
        Ok(WantedNotices { level, muted, all_muted })
    }

    /// Returns a user's level of notices for a conversation.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn level(&self, user: UserId, conv: Conversation) -> Result<NoticeLevel, IndexFault> {
        let row: Option<LevelRow> = self.row("notices", &keys::notice_level(user, conv.into()))?;
        Ok(row.map_or(NoticeLevel::default(), |row| row.level))
    }

    /// Returns the conversations for which a user has set another level than the default.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn levels(&self, user: UserId) -> Result<Vec<(StreamId, NoticeLevel)>, IndexFault> {
        let rows = self.rows_of("notices", &keys::notice_levels(user))?;
        Ok(rows.into_iter().map(|row: LevelRow| (row.stream, row.level)).collect())
    }

    /// Returns until when a user muted a chat or a topic; the time may be over.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn conversation_muted(
        &self,
        user: UserId,
        conv: Conversation,
    ) -> Result<Option<Timestamp>, IndexFault> {
        let key = keys::conversation_muted(user, conv.into());
        let row: Option<MuteRow> = self.row("notices", &key)?;
        Ok(row.map(|row| row.until))
    }

    /// Returns the chats and topics that a user muted, and until when; some times may be over.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn conversation_mutes(&self, user: UserId) -> Result<ConversationMutes, IndexFault> {
        let rows = self.rows_of("notices", &keys::conversations_muted(user))?;
        Ok(rows.into_iter().map(|row: MuteRow| (row.stream, row.until)).collect())
    }

    /// Returns until when a user muted everything; the time may be over.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn all_muted(&self, user: UserId) -> Result<Option<Timestamp>, IndexFault> {
        self.row("notices", &keys::all_muted(user))
    }
}
