//! Rows of likes: who likes a message, what a user liked, which of a user's messages were liked,
//! and the rank of each liked message among those of its day.
//!
//! Who liked a message after any past event is read from the same rows and from those of likes that
//! are over: a reader that catches up later is told what others were told live. Only the end of a
//! like costs a row for that.
//!
//! A leaderboard merges the best of at most 31 days, so it costs the same in a group of a hundred
//! messages and in one of a million.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::draft::BatchDraft;
use crate::{Flow, Index, IndexFault, Walk, keys, rows};
use domain::ids::{MessageId, StreamId, UserId};
use domain::likes::{Like, LikeChange, Likes, LikesByUser};
use domain::message::Author;
use domain::reaction::Reaction;
use domain::time::Timestamp;

/// Messages in one list of likes at most (see decisions: "at most 100").
pub const LISTED: usize = 100;

/// A like that is in force, or one that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LikeRow {
    /// When the message was liked.
    pub liked_at: Timestamp,
    /// The number of the event that gave the like.
    pub n: u64,
    /// The sign of the like: a heart or an emoji.
    #[serde(default, skip_serializing_if = "Reaction::is_heart")]
    reaction: Reaction,
}

impl From<LikeRow> for Like {
    fn from(row: LikeRow) -> Self {
        Self { at: row.liked_at, reaction: row.reaction }
    }
}

/// Whether a like is given or taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LikeDelta {
    /// The like is given.
    Given,
    /// The like is taken back.
    TakenBack,
}

/// Writes the rows for one change of a like, which is event `n` of the stream.
pub(super) fn derive(
    draft: &mut BatchDraft<'_>,
    stream: StreamId,
    n: u64,
    like: &LikeChange,
    change: LikeDelta,
) -> Result<(), IndexFault> {
    let message = like.message;
    let by = like.by;
    let key = keys::like(stream, message, by);
    let mine = keys::liked_by(by, stream, like.liked_at, message);
    match change {
        LikeDelta::Given => {
            let before = draft.get::<LikeRow>("like", &key)?;
            let liked_at = like.liked_at;
            let reaction = like.reaction.clone();
            draft.put(key, &LikeRow { liked_at, n, reaction })?;
            if let Some(before) = before {
                // The message was liked already; only the sign changes.
                return draft.put(keys::ended_like(stream, message, by, n), &before);
            }
            draft.put(mine, &())?;
        }
        LikeDelta::TakenBack => {
            if let Some(given) = draft.get::<LikeRow>("like", &key)? {
                draft.put(keys::ended_like(stream, message, by, n), &given)?;
            }
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

/// Counts a row up or down and deletes it at zero. Returns the counts before and after.
fn count(
    draft: &mut BatchDraft<'_>,
    key: Vec<u8>,
    change: LikeDelta,
) -> Result<(u32, u32), IndexFault> {
    let before: u32 = draft.get("like count", &key)?.unwrap_or(0);
    let now = match change {
        LikeDelta::Given => before.saturating_add(1),
        LikeDelta::TakenBack => before.saturating_sub(1),
    };
    if now == 0 {
        draft.delete(key);
    } else {
        draft.put(key, &now)?;
    }
    Ok((before, now))
}

impl Index {
    /// Returns the likes of a message.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every read here.
    pub fn likes(
        &self,
        stream: StreamId,
        message: MessageId,
        author: Author,
    ) -> Result<Likes, IndexFault> {
        let mut by = LikesByUser::default();
        self.each_like(stream, message, &mut |user, like| {
            by.insert(user, like.into());
        })?;
        Ok(Likes { message, author, by })
    }

    /// Returns the likes of a message as they were right after event `n` of its stream.
    pub fn likes_then(
        &self,
        stream: StreamId,
        message: MessageId,
        author: Author,
        n: u64,
    ) -> Result<Likes, IndexFault> {
        let mut by = LikesByUser::default();
        // Likes in force are read first: one that is taken back meanwhile is found among those that
        // are over, and finding it twice does no harm.
        self.each_like(stream, message, &mut |user, like| {
            if like.n <= n {
                by.insert(user, like.into());
            }
        })?;
        self.each_over_after(stream, message, n, &mut |user, like| {
            if like.n <= n {
                by.insert(user, like.into());
            }
        })?;
        Ok(Likes { message, author, by })
    }

    fn each_like(
        &self,
        stream: StreamId,
        message: MessageId,
        visit: &mut dyn FnMut(UserId, LikeRow),
    ) -> Result<(), IndexFault> {
        let prefix = keys::likes(stream, message);
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, value| {
            visit(UserId::new(keys::last_number(key)), rows::decode("like", value)?);
            Ok(Flow::Continue)
        })
    }

    /// Visits each user's like that was the first to end after event `n`. Jumps from user to user,
    /// so that somebody who likes and unlikes a thousand times costs two steps.
    fn each_over_after(
        &self,
        stream: StreamId,
        message: MessageId,
        n: u64,
        visit: &mut dyn FnMut(UserId, LikeRow),
    ) -> Result<(), IndexFault> {
        let end = keys::end_of(&keys::ended_likes(stream, message));
        let after = n.saturating_add(1);
        let mut from = keys::ended_likes(stream, message);
        loop {
            let mut found = None;
            self.rows.scan(&from, &end, Walk::Up, &mut |key, value| {
                let (user, over) = keys::last_two_numbers(key);
                found = Some((UserId::new(user), over, rows::decode("like", value)?));
                Ok(Flow::Stop)
            })?;
            let Some((user, over, like)) = found else { return Ok(()) };
            let next = if over < after {
                after
            } else {
                visit(user, like);
                u64::MAX
            };
            from = keys::ended_like(stream, message, user, next);
        }
    }

    /// Returns the likes of all messages from `first` to `last`, both included.
    pub(super) fn likes_between(
        &self,
        stream: StreamId,
        first: MessageId,
        last: MessageId,
    ) -> Result<BTreeMap<MessageId, LikesByUser>, IndexFault> {
        let mut found: BTreeMap<MessageId, LikesByUser> = BTreeMap::new();
        let low = keys::likes(stream, first);
        let high = keys::end_of(&keys::likes(stream, last));
        self.rows.scan(&low, &high, Walk::Up, &mut |key, value| {
            let like: LikeRow = rows::decode("like", value)?;
            let (message, user) = keys::last_two_numbers(key);
            let of_message = found.entry(MessageId::new(message)).or_default();
            of_message.insert(UserId::new(user), like.into());
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }

    /// Returns what a user liked in a conversation and when, newest like first.
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
            Ok(if found.len() < LISTED { Flow::Continue } else { Flow::Stop })
        })?;
        Ok(found)
    }

    /// Returns the messages of a user that others like, newest message first.
    pub fn liked_of(&self, user: UserId, stream: StreamId) -> Result<Vec<MessageId>, IndexFault> {
        let mut found = Vec::new();
        let prefix = keys::liked_of_all(user, stream);
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Down, &mut |key, _| {
            found.push(MessageId::new(keys::last_number(key)));
            Ok(if found.len() < LISTED { Flow::Continue } else { Flow::Stop })
        })?;
        Ok(found)
    }

    /// Returns the most liked messages written in the second `from` or later: most likes first,
    /// then newest. `now` is the present second.
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
                Ok(if of_day < LISTED { Flow::Continue } else { Flow::Stop })
            })?;
        }
        best.sort_unstable_by(|one, other| other.cmp(one));
        best.truncate(LISTED);
        Ok(best.into_iter().map(|(_, message)| message).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fastrand::Rng;

    use super::*;
    use crate::memory::MemoryRows;
    use crate::moment::IndexPosition;
    use crate::{Rows, Shared, WakeIndexer};
    use base::threads::Threads;
    use domain::ids::{GroupId, Pair};
    use journal::Cursor;

    const MESSAGES: u64 = 3;

    fn index(rows: &Arc<MemoryRows>) -> Index {
        let (_, applied) = crate::progress::channel(Cursor::START);
        let moment = Arc::new(IndexPosition::new(Threads::System));
        let shared =
            Shared { applied, moment, notes: Arc::default(), pending_marks: Arc::default() };
        let rows = Arc::clone(rows) as Arc<dyn Rows>;
        Index::new(rows, shared, WakeIndexer(Box::new(|| {})), Threads::System)
    }

    /// A random user likes one of the messages, with one sign or another, or takes the like back.
    fn acts(
        draft: &mut BatchDraft<'_>,
        place: (StreamId, u64),
        now: &mut [Likes],
        random: &mut Rng,
    ) {
        let likes = &mut now[random.usize(..MESSAGES as usize)];
        let by = UserId::new(random.u64(1..6));
        // Some times are equal, and some are earlier than those of previous events.
        let at = Timestamp::from_millis(random.u64(100..110));
        let sign =
            if random.bool() { Reaction::default() } else { Reaction::emoji("🔥").unwrap() };
        let (change, like) = match likes.give(by, sign, at) {
            Some(like) => (LikeDelta::Given, like),
            None => (LikeDelta::TakenBack, likes.take_back(by).unwrap()),
        };
        likes.by.apply(&like, change == LikeDelta::Given);
        derive(draft, place.0, place.1, &like, change).unwrap();
    }

    #[test]
    fn likers_at_each_event_are_reconstructed() {
        let streams = [
            StreamId::Group(GroupId::new(7)),
            StreamId::Chat(Pair::of(UserId::new(1), UserId::new(2)).unwrap()),
        ];
        let rows = Arc::new(MemoryRows::default());
        let mut random = Rng::with_seed(7);
        let fresh = |id| Likes {
            message: MessageId::new(id),
            author: Author::System,
            by: LikesByUser::default(),
        };
        let mut now = streams.map(|_| (1..=MESSAGES).map(fresh).collect::<Vec<_>>());
        let mut past = Vec::new();
        for n in 1..=400 {
            let mut draft = BatchDraft::on(&*rows);
            for (stream, now) in streams.into_iter().zip(&mut now) {
                acts(&mut draft, (stream, n), now, &mut random);
            }
            rows.apply(draft.finish()).unwrap();
            past.push((n, now.clone()));
        }
        let index = index(&rows);
        for (n, then) in past {
            for (stream, then) in streams.iter().zip(then) {
                for likes in then {
                    let author = likes.author.clone();
                    let told = index.likes_then(*stream, likes.message, author, n).unwrap();
                    assert_eq!(told, likes, "{stream} after {n}");
                }
            }
        }
    }
}
