//! Rows of read marks, and how many messages users have not read. A mark holds the number of
//! messages that the conversation had at that place, so unread messages are counted by a
//! subtraction, however many there are.

use std::collections::HashMap;

use dashmap::DashMap;
use serde::{Deserialize, Serialize};

use crate::archive::Archive;
use crate::draft::BatchDraft;
use crate::rows::Tail;
use crate::runs::LocatedMessage;
use crate::{Flow, Index, IndexFault, Walk, keys};
use domain::event::Fact;
use domain::group::GroupFact;
use domain::ids::{Conversation, GroupId, MessageId, Pair, StreamId, UserId};
use domain::limits::READ_BY_MEMBERS;
use domain::time::Timestamp;
use domain::user::{ReadByRefusal, ReadMark, Unread, UpTo, UserFact};
use journal::Committed;

/// How far a user has read a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadRow {
    /// The number of the newest event that was read.
    pub n: u64,
    /// How many messages the conversation had up to that event.
    pub count: u64,
    /// When it was read.
    pub at: Timestamp,
}

/// The marks that move in one batch; many moves of one mark cost a single row.
pub(super) type Moved = HashMap<(UserId, StreamId), Move>;

/// Where a mark moves in one batch.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Move {
    to: ReadRow,
    /// Whether it was set back in the batch: then its stored row does not count.
    is_set_back: bool,
}

/// Marks that were answered and whose rows may be missing. Readers see them at once, so nobody has
/// to wait for their rows.
#[derive(Debug, Default)]
pub struct PendingMarks(DashMap<(UserId, StreamId), PendingMark>);

#[derive(Debug, Clone, Copy)]
struct PendingMark {
    row: ReadRow,
    /// Whether the mark was set back and the stored row may be from before: then that does not count.
    is_set_back: bool,
}

impl PendingMark {
    /// The mark that counts, with the stored one.
    fn or_stored(self, stored: Option<ReadRow>) -> ReadRow {
        match stored {
            Some(stored) if !self.is_set_back && stored.n > self.row.n => stored,
            _ => self.row,
        }
    }
}

impl PendingMarks {
    /// Notes a mark that the user's room decided, or that became durable.
    pub fn note(&self, user: UserId, mark: &ReadMark, at: Timestamp) {
        let row = ReadRow { n: mark.n, count: mark.count, at };
        let noted = PendingMark { row, is_set_back: mark.is_set_back };
        let mut pending = self.0.entry((user, mark.conv.into())).or_insert(noted);
        if mark.is_set_back {
            *pending = noted;
        } else if pending.row.n < row.n {
            pending.row = row;
        }
    }

    /// Forgets a mark that could not be written.
    pub fn forget(&self, user: UserId, mark: &ReadMark) {
        self.0.remove_if(&(user, mark.conv.into()), |_, pending| pending.row.n <= mark.n);
    }

    /// Drops marks that the rows have.
    pub(super) fn settle(&self, moved: &Moved) {
        if self.0.is_empty() {
            return;
        }
        for (key, moved) in moved {
            self.0.remove_if(key, |_, pending| pending.row.n <= moved.to.n);
        }
    }

    /// Notes the marks of a durable commit.
    pub(super) fn take(&self, commit: &Committed) {
        let StreamId::User(user) = commit.stream else { return };
        for entry in &commit.entries {
            if let Fact::User(UserFact::ReadUpTo(mark)) = &entry.event.fact {
                self.note(user, mark, entry.event.at);
            }
        }
    }

    /// Returns the pending mark of a user in a conversation.
    pub fn known(&self, user: UserId, conv: Conversation) -> Option<ReadMark> {
        let PendingMark { row, .. } = self.get(user, conv.into())?;
        Some(ReadMark::forward(conv, row.n, row.count))
    }

    fn get(&self, user: UserId, stream: StreamId) -> Option<PendingMark> {
        self.0.get(&(user, stream)).map(|pending| *pending)
    }
}

/// Moves a mark forward.
pub(super) fn raise(moved: &mut Moved, user: UserId, stream: StreamId, to: ReadRow) {
    let moved = moved.entry((user, stream)).or_default();
    if moved.to.n < to.n {
        moved.to = to;
    }
}

/// Notes the marks that a fact moves. `tail` is the end of its stream, with the fact.
pub(super) fn derive(
    moved: &mut Moved,
    stream: StreamId,
    n: u64,
    at: Timestamp,
    fact: &Fact,
    tail: &Tail,
) {
    let mut raise = |user, stream, to| raise(moved, user, stream, to);
    let here = ReadRow { n, count: tail.count, at };
    match (fact, stream) {
        (Fact::Group(GroupFact::Created { owner, .. }), _) => raise(owner.user_id, stream, here),
        (Fact::Group(GroupFact::MembersJoined { members, .. }), _) => {
            members.iter().for_each(|member| raise(member.user_id, stream, here));
        }
        (Fact::User(UserFact::ReadUpTo(mark)), StreamId::User(user)) => {
            let to = ReadRow { n: mark.n, count: mark.count, at };
            if mark.is_set_back {
                moved.insert((user, mark.conv.into()), Move { to, is_set_back: true });
            } else {
                raise(user, mark.conv.into(), to);
            }
        }
        _ => {
            if let Some(user) = fact.message().and_then(|message| message.caused_by()) {
                raise(user, stream, here);
            }
        }
    }
}

/// Writes the marks that moved, except where the stored mark is already further and was not set
/// back.
pub(super) fn write(draft: &mut BatchDraft<'_>, moved: &Moved) -> Result<(), IndexFault> {
    for ((user, stream), Move { to, is_set_back }) in moved {
        let key = keys::read(*user, *stream);
        let known: Option<ReadRow> = draft.get("read", &key)?;
        if known.is_none_or(|known| *is_set_back || known.n < to.n) {
            draft.put(key, to)?;
        }
    }
    Ok(())
}

/// How far a user has read a conversation, as the newest message that they have read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadReceipt {
    /// The conversation.
    pub conv: Conversation,
    /// The newest message up to the user's mark.
    pub message: MessageId,
    /// When the mark last moved.
    pub at: Timestamp,
}

/// The users who have read up to a message, and when each of them got there.
pub type Readers = Vec<(UserId, Timestamp)>;

impl Archive {
    /// Returns who has read a group up to a message, without the message's author, the earliest
    /// first.
    ///
    /// # Errors
    /// If index or journal cannot be read. The inner error is the refusal to tell: the reader is
    /// not a member, there is no such message, or the group has too many members.
    pub fn read_by(
        &self,
        reader: UserId,
        group: GroupId,
        message: MessageId,
    ) -> Result<Result<Readers, ReadByRefusal>, IndexFault> {
        let index = &self.index;
        let stream = StreamId::Group(group);
        if !index.is_in(reader, group.into())? {
            return Ok(Err(ReadByRefusal::NotAMember));
        }
        let Some(at) = index.message(stream, message)? else {
            return Ok(Err(ReadByRefusal::NoMessage));
        };
        let members = index.members(group)?;
        if members.len() > READ_BY_MEMBERS {
            return Ok(Err(ReadByRefusal::TooMany));
        }
        let author = self.message_at(&at)?.author.user();
        let mut readers = Readers::new();
        for member in members.iter().filter(|member| Some(member.user_id) != author) {
            let row = index.read_row(member.user_id, stream)?;
            readers.extend(row.filter(|row| row.n >= at.n).map(|row| (member.user_id, row.at)));
        }
        readers.sort_unstable_by_key(|(user, at)| (*at, *user));
        Ok(Ok(readers))
    }
}

impl Index {
    /// Returns how far a user has read a conversation.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every read here.
    pub fn read_mark(
        &self,
        user: UserId,
        conv: Conversation,
    ) -> Result<Option<ReadMark>, IndexFault> {
        let row = self.read_row(user, conv.into())?;
        Ok(row.map(|row| ReadMark::forward(conv, row.n, row.count)))
    }

    pub(super) fn read_row(
        &self,
        user: UserId,
        stream: StreamId,
    ) -> Result<Option<ReadRow>, IndexFault> {
        // The pending mark is read first: it is dropped only once its row is there.
        let pending = self.pending_marks.get(user, stream);
        let row: Option<ReadRow> = self.row("read", &keys::read(user, stream))?;
        Ok(pending.map(|pending| pending.or_stored(row)).or(row))
    }

    /// Returns how much of a conversation a user has not read, as far as it is indexed.
    pub fn unread(&self, user: UserId, conv: Conversation) -> Result<Unread, IndexFault> {
        let row = self.read_row(user, conv.into())?;
        self.unread_after_row(row.unwrap_or_default(), user, conv)
    }

    /// Returns how much of its conversation a user has not read who has read up to `mark`, as far
    /// as it is indexed.
    pub fn unread_after(&self, user: UserId, mark: &ReadMark) -> Result<Unread, IndexFault> {
        let row = ReadRow { n: mark.n, count: mark.count, ..ReadRow::default() };
        self.unread_after_row(row, user, mark.conv)
    }

    /// Like [`Self::unread`], without marks whose rows are missing: as of one moment of the rows.
    pub fn unread_in_rows(&self, user: UserId, conv: Conversation) -> Result<Unread, IndexFault> {
        let row: Option<ReadRow> = self.row("read", &keys::read(user, conv.into()))?;
        self.unread_after_row(row.unwrap_or_default(), user, conv)
    }

    fn unread_after_row(
        &self,
        row: ReadRow,
        user: UserId,
        conv: Conversation,
    ) -> Result<Unread, IndexFault> {
        let stream = StreamId::from(conv);
        let count = self.tail(stream)?.unwrap_or_default().count;
        let unread = count.saturating_sub(row.count);
        let mentions = if unread == 0 { 0 } else { self.mentions_after(user, stream, row.n)? };
        Ok(Unread { read_n: row.n, unread, mentions })
    }

    /// Whether neither user of a chat learns when the other one is online or types: one blocks
    /// the other, or has not accepted their message request. `false` for groups.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn are_kept_apart(&self, conv: Conversation) -> Result<bool, IndexFault> {
        let Conversation::Chat(pair) = conv else { return Ok(false) };
        for (user, other) in [(pair.low(), pair.high()), (pair.high(), pair.low())] {
            let is_apart =
                self.has_blocked(user, other)? || self.dm_rules(user)?.state(other).is_some();
            if is_apart {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a user is in a conversation now. A chat counts once something was said in it.
    pub fn is_in(&self, user: UserId, conv: Conversation) -> Result<bool, IndexFault> {
        match conv {
            Conversation::Group(id) => {
                Ok(self.seat(user, id)?.is_some_and(|seat| seat.is_active()))
            }
            Conversation::Chat(pair) => {
                Ok(pair.other(user).is_some() && self.chat(pair)?.is_some())
            }
        }
    }
}

impl Index {
    /// Returns how far a user has read a conversation; `None` if they have read no message of it.
    pub fn read_receipt(
        &self,
        user: UserId,
        conv: Conversation,
    ) -> Result<Option<ReadReceipt>, IndexFault> {
        let stream = StreamId::from(conv);
        let Some(row) = self.read_row(user, stream)? else { return Ok(None) };
        let newest = self.newest_message_at(stream, row.n)?;
        Ok(newest.map(|message| ReadReceipt { conv, message: message.id, at: row.at }))
    }

    /// Returns the conversations that a user is in now.
    pub fn conversations_of(&self, user: UserId) -> Result<Vec<Conversation>, IndexFault> {
        let topics = self.topics_for(user)?.into_iter();
        let groups = self.groups_of(user)?.into_iter().chain(topics).map(Conversation::Group);
        let chats = self.chats(user)?.into_iter();
        let chats = chats.filter_map(|(other, _)| Pair::of(user, other).map(Conversation::Chat));
        Ok(groups.chain(chats).collect())
    }

    /// Returns how far a user has read each conversation that they are in now.
    pub fn read_receipts(&self, user: UserId) -> Result<Vec<ReadReceipt>, IndexFault> {
        let mut receipts = Vec::new();
        for conv in self.conversations_of(user)? {
            receipts.extend(self.read_receipt(user, conv)?);
        }
        Ok(receipts)
    }

    /// Returns the newest message of a stream whose event has at most this number.
    pub(super) fn newest_message_at(
        &self,
        stream: StreamId,
        n: u64,
    ) -> Result<Option<LocatedMessage>, IndexFault> {
        let tail = self.tail(stream)?.unwrap_or_default();
        let past = self.first_message(stream, &tail, &|at| at.n > n)?;
        let mut newest = None;
        self.messages(stream, (0, past), Walk::Down, &mut |message| {
            newest = Some(message).filter(|message| message.at.n <= n);
            Ok(if newest.is_some() { Flow::Stop } else { Flow::Continue })
        })?;
        Ok(newest)
    }
}

impl Index {
    /// Returns the mark for a place in a conversation; `None` if the conversation does not have the
    /// given message.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn mark_at(&self, conv: Conversation, upto: UpTo) -> Result<Option<ReadMark>, IndexFault> {
        let stream = StreamId::from(conv);
        match upto {
            UpTo::Message(id) => {
                let message = self.located(stream, id)?;
                Ok(message.map(|message| ReadMark::forward(conv, message.at.n, message.count)))
            }
            UpTo::Event(n) => {
                let n = n.min(self.tail(stream)?.unwrap_or_default().n);
                let newest = self.newest_message_at(stream, n)?;
                Ok(Some(ReadMark::forward(conv, n, newest.map_or(0, |message| message.count))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: UserId = UserId::new(1);
    const CLIMBERS: Conversation = Conversation::Group(GroupId::new(7));

    fn mark(n: u64) -> ReadMark {
        ReadMark::forward(CLIMBERS, n, n)
    }

    fn pending_n(marks: &PendingMarks) -> Option<u64> {
        marks.get(ANA, CLIMBERS.into()).map(|pending| pending.row.n)
    }

    #[test]
    fn pending_mark_stays_until_its_row_is_there() {
        let marks = PendingMarks::default();
        for n in [5, 3] {
            marks.note(ANA, &mark(n), Timestamp::default());
        }
        assert_eq!(pending_n(&marks), Some(5));
        let moved = |n| {
            let to = ReadRow { n, ..ReadRow::default() };
            HashMap::from([((ANA, CLIMBERS.into()), Move { to, ..Move::default() })])
        };
        marks.settle(&moved(4));
        assert_eq!(pending_n(&marks), Some(5));
        marks.settle(&moved(5));
        assert_eq!(pending_n(&marks), None);
    }

    #[test]
    fn pending_mark_that_was_set_back_hides_the_stored_one() {
        let marks = PendingMarks::default();
        let counts = |marks: &PendingMarks| {
            let stored = Some(ReadRow { n: 8, ..ReadRow::default() });
            marks.get(ANA, CLIMBERS.into()).unwrap().or_stored(stored).n
        };
        marks.note(ANA, &mark(6), Timestamp::default());
        assert_eq!(counts(&marks), 8);
        marks.note(ANA, &mark(3).before_its_message(), Timestamp::default());
        assert_eq!(counts(&marks), 2);
        marks.note(ANA, &mark(5), Timestamp::default());
        assert_eq!(counts(&marks), 5);
    }

    #[test]
    fn failed_mark_does_not_hide_a_newer_one() {
        let marks = PendingMarks::default();
        marks.note(ANA, &mark(6), Timestamp::default());
        marks.forget(ANA, &mark(5));
        assert_eq!(pending_n(&marks), Some(6));
        marks.forget(ANA, &mark(6));
        assert_eq!(pending_n(&marks), None);
    }
}
