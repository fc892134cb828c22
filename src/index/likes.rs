//! Rows of likes: who likes a message, what a user liked, what of a user's was liked,
//! and the rank of each liked message among those of its day.
//!
//! A leaderboard merges the best of at most 31 days, so it costs the same in a group
//! of a hundred messages and in one of a million.

use std::collections::BTreeMap;

use crate::domain::ids::{MessageId, StreamId, UserId};
use crate::domain::likes::{LikeChange, Likes};
use crate::domain::message::Author;
use crate::domain::time::Timestamp;
use crate::index::draft::Draft;
use crate::index::{Go, Index, IndexFault, Walk, keys, rows};

/// Messages of one list of likes at most (see decisions: "at most 100").
pub const LISTED: usize = 100;

/// How a like changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// Given.
    Given,
    /// Taken back.
    TakenBack,
}

/// Writes the rows of one change.
pub(super) fn derive(
    draft: &mut Draft<'_>,
    stream: StreamId,
    like: &LikeChange,
    change: Change,
) -> Result<(), IndexFault> {
    let (message, by) = (like.message, like.by);
    let key = keys::like(stream, message, by);
    let mine = keys::liked_by(by, stream, like.liked_at, message);
    match change {
        Change::Given => {
            draft.put(key, &like.liked_at)?;
            draft.put(mine, &())?;
        }
        Change::TakenBack => {
            draft.delete(key);
            draft.delete(mine);
        }
    }
    let all = keys::like_count(stream, message);
    let (before, now) = count(draft, all, change)?;
    if before > 0 {
        draft.delete(keys::rank(stream, message, before));
    }
    if now > 0 {
        draft.put(keys::rank(stream, message, now), &())?;
    }
    match like.author {
        Author::Member(author) if author != by => {
            count(draft, keys::liked_of(author, stream, message), change)?;
            Ok(())
        }
        Author::Member(_) | Author::Bot(_) | Author::System => Ok(()),
    }
}

/// Counts up or down; at zero the row goes. The number before and after.
fn count(draft: &mut Draft<'_>, key: Vec<u8>, change: Change) -> Result<(u32, u32), IndexFault> {
    let before: u32 = draft.get("like count", &key)?.unwrap_or(0);
    let now = match change {
        Change::Given => before.saturating_add(1),
        Change::TakenBack => before.saturating_sub(1),
    };
    if now == 0 {
        draft.delete(key);
    } else {
        draft.put(key, &now)?;
    }
    Ok((before, now))
}

impl Index {
    /// Who likes a message.
    ///
    /// # Errors
    /// When the index cannot be read; so for every question here.
    pub fn likes(
        &self,
        stream: StreamId,
        message: MessageId,
        author: Author,
    ) -> Result<Likes, IndexFault> {
        let mut by = BTreeMap::new();
        let prefix = keys::likes(stream, message);
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, value| {
            let liked_at: Timestamp = rows::decode("like", value)?;
            by.insert(UserId::new(keys::last_number(key)), liked_at);
            Ok(Go::On)
        })?;
        Ok(Likes { message, author, by })
    }

    /// Who likes which of the messages between two, both included.
    pub(super) fn likes_between(
        &self,
        stream: StreamId,
        first: MessageId,
        last: MessageId,
    ) -> Result<BTreeMap<MessageId, BTreeMap<UserId, Timestamp>>, IndexFault> {
        let mut found: BTreeMap<MessageId, BTreeMap<_, _>> = BTreeMap::new();
        let (low, high) = (keys::likes(stream, first), keys::end_of(&keys::likes(stream, last)));
        self.rows.scan(&low, &high, Walk::Up, &mut |key, value| {
            let liked_at: Timestamp = rows::decode("like", value)?;
            let (message, user) = keys::last_two_numbers(key);
            let of_message = found.entry(MessageId::new(message)).or_default();
            of_message.insert(UserId::new(user), liked_at);
            Ok(Go::On)
        })?;
        Ok(found)
    }

    /// What a user liked in a conversation, newest like first, and when.
    pub fn liked_by(
        &self,
        user: UserId,
        stream: StreamId,
    ) -> Result<Vec<(MessageId, Timestamp)>, IndexFault> {
        let mut found = Vec::new();
        let prefix = keys::liked_by_all(user, stream);
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Down, &mut |key, _| {
            let (liked_at, message) = keys::last_two_numbers(key);
            found.push((MessageId::new(message), Timestamp::from_millis(liked_at)));
            Ok(if found.len() < LISTED { Go::On } else { Go::Stop })
        })?;
        Ok(found)
    }

    /// What of a user's messages others liked, newest message first.
    pub fn liked_of(&self, user: UserId, stream: StreamId) -> Result<Vec<MessageId>, IndexFault> {
        let mut found = Vec::new();
        let prefix = keys::liked_of_all(user, stream);
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Down, &mut |key, _| {
            found.push(MessageId::new(keys::last_number(key)));
            Ok(if found.len() < LISTED { Go::On } else { Go::Stop })
        })?;
        Ok(found)
    }

    /// The most liked messages written in this second or later: most likes first, then
    /// newest.
    pub fn leaders(
        &self,
        stream: StreamId,
        from: u64,
        now: u64,
    ) -> Result<Vec<MessageId>, IndexFault> {
        let mut best: Vec<(u32, MessageId)> = Vec::new();
        for day in from / keys::DAY..=now / keys::DAY {
            let mut of_day = 0;
            let prefix = keys::ranks(stream, day);
            self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Down, &mut |key, _| {
                let (count, message) = keys::rank_of(key);
                if message.second() >= from {
                    best.push((count, message));
                    of_day += 1;
                }
                Ok(if of_day < LISTED { Go::On } else { Go::Stop })
            })?;
        }
        best.sort_unstable_by(|one, other| other.cmp(one));
        best.truncate(LISTED);
        Ok(best.into_iter().map(|(_, message)| message).collect())
    }
}
