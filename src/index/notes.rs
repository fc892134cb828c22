//! Notes of what is durable and may not have its rows yet: what readers have to wait for.
//!
//! The notes are updated with each batch of the journal before any reader receives it. So a client
//! that was answered, or received a change in any other way, finds the change in every list, and
//! rooms need not report anything.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use dashmap::DashMap;

use crate::{Index, IndexFault};
use domain::audience::Audience;
use domain::event::Fact;
use domain::ids::{Conversation, GroupId, MessageId, StreamId, UserId};
use domain::user::{ReadMark, UpTo, UserFact};
use journal::{Committed, Cursor};

/// The newest commits that readers may have to wait for.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// The newest commit that changed a row which lists or look-ups read.
    structural: AtomicU64,
    /// The newest commit of any chat: it changes the order in which chats are listed.
    chats: AtomicU64,
    /// The newest draft without attachments, which only lists of drafts show.
    drafts: AtomicU64,
    /// The newest messages of groups.
    pub(super) activity: Activity,
}

impl Notes {
    /// The newest commit that changed a row which lists or look-ups read.
    pub(super) fn structural(&self) -> Cursor {
        Cursor::new(self.structural.load(Ordering::SeqCst))
    }

    /// The newest commit of any chat.
    pub(super) fn chats(&self) -> Cursor {
        Cursor::new(self.chats.load(Ordering::SeqCst))
    }

    /// The newest commit that lists of drafts show.
    pub(super) fn drafts(&self) -> Cursor {
        self.structural().max(Cursor::new(self.drafts.load(Ordering::SeqCst)))
    }

    /// Notes the commits of a batch. `applied` is the position up to which rows are there.
    pub(super) fn take(&self, commits: &[Arc<Committed>], applied: Cursor) {
        for commit in commits {
            match commit.stream {
                StreamId::Group(group) => self.take_group(group, commit, applied),
                StreamId::User(_) => {
                    if commit.entries.iter().any(|entry| is_structural(&entry.event.fact)) {
                        self.note_structural(commit.cursor);
                    }
                    if commit.entries.iter().any(|entry| entry.event.fact.is_text_draft()) {
                        self.drafts.fetch_max(commit.cursor.get(), Ordering::SeqCst);
                    }
                }
                StreamId::Chat(_) => {
                    self.chats.fetch_max(commit.cursor.get(), Ordering::SeqCst);
                }
                // Lists show the settings, the acts of operators and who has an address.
                StreamId::Audit | StreamId::Instance | StreamId::Name(_) => {
                    self.note_structural(commit.cursor);
                }
                StreamId::Callbacks => {}
            }
        }
    }

    fn take_group(&self, group: GroupId, commit: &Committed, applied: Cursor) {
        let mut has_message = false;
        let mut newest = None;
        let mut is_shaped = false;
        for (entry, (_, n, event)) in commit.entries.iter().zip(commit.numbered()) {
            if let Some(message) = event.fact.message() {
                has_message = true;
                newest = n.map(|n| NewestMessage {
                    id: message.id,
                    n,
                    count: message.count,
                    author: message.caused_by(),
                    audience: entry.audience.clone(),
                });
            } else if is_structural(&event.fact) {
                is_shaped = true;
                newest = None;
            }
        }
        if has_message {
            self.activity.note(group, ActivityNote { record: commit.cursor, newest }, applied);
        } else if is_shaped {
            self.activity.forget_newest(group);
        }
        if is_shaped {
            self.note_structural(commit.cursor);
        }
    }

    fn note_structural(&self, at: Cursor) {
        self.structural.fetch_max(at.get(), Ordering::SeqCst);
    }
}

/// Whether a fact of a group or a user changes more than messages, likes, read marks and drafts
/// without attachments.
fn is_structural(fact: &Fact) -> bool {
    let is_mark = matches!(fact, Fact::User(UserFact::ReadUpTo(_)));
    !is_mark
        && !fact.is_text_draft()
        && fact.message().is_none()
        && fact.like().is_none()
        && !fact.is_answer()
}

/// What is noted of a group with a message whose row may be missing.
#[derive(Debug)]
pub(super) struct ActivityNote {
    /// The commit of the newest message.
    record: Cursor,
    /// The newest message, unless the group changed in any other way since.
    newest: Option<NewestMessage>,
}

/// The newest message of a group, with what a read mark of it needs.
#[derive(Debug)]
struct NewestMessage {
    id: MessageId,
    n: u64,
    count: u64,
    /// The user whose mark the message moved.
    author: Option<UserId>,
    /// The members since the message, because nobody came or went.
    audience: Audience,
}

/// How many notes are kept before a sweep drops those whose rows are there.
const SWEEP_AT: usize = 4096;

/// The newest message of each group, as far as its row may be missing: cursors of records.
#[derive(Debug)]
pub(super) struct Activity {
    newest: DashMap<GroupId, ActivityNote>,
    sweep_at: AtomicUsize,
}

impl Default for Activity {
    fn default() -> Self {
        Self { newest: DashMap::new(), sweep_at: AtomicUsize::new(SWEEP_AT) }
    }
}

impl Activity {
    pub(super) fn note(&self, group: GroupId, note: ActivityNote, applied: Cursor) {
        self.newest.insert(group, note);
        if self.newest.len() < self.sweep_at.load(Ordering::Relaxed) {
            return;
        }
        self.newest.retain(|_, note| note.record > applied);
        // Twice what is left, so that sweeps stay rare while the indexer is behind.
        let next = (self.newest.len() * 2).max(SWEEP_AT);
        self.sweep_at.store(next, Ordering::Relaxed);
    }

    fn of(&self, group: GroupId) -> Option<Cursor> {
        self.newest.get(&group).map(|note| note.record)
    }

    fn mark(&self, user: UserId, group: GroupId, upto: UpTo) -> Option<ReadMark> {
        let note = self.newest.get(&group)?;
        let newest = note.newest.as_ref().filter(|newest| newest.audience.has(user))?;
        let is_there = match upto {
            UpTo::Message(id) => id == newest.id,
            UpTo::Event(n) => n == newest.n,
        };
        let is_new = is_there && newest.author != Some(user);
        is_new.then_some(ReadMark::forward(group.into(), newest.n, newest.count))
    }

    fn forget_newest(&self, group: GroupId) {
        if let Some(mut note) = self.newest.get_mut(&group) {
            note.newest = None;
        }
    }
}

impl Index {
    /// Waits until the rows have every message of these conversations that was answered or heard
    /// of. Groups are looked at one by one, so a quiet one is shown at once; all chats share one
    /// note, so for a chat the newest message of any chat counts.
    ///
    /// # Errors
    /// If the indexer has stopped.
    pub async fn messages_reached(&self, conversations: &[Conversation]) -> Result<(), IndexFault> {
        let newest = conversations.iter().map(|conversation| self.newest_of(*conversation));
        self.reached(newest.max().unwrap_or(Cursor::START)).await
    }

    /// Returns the mark of a member at the newest message of a group, from memory; `None` if the
    /// place is another one, or not noted.
    pub fn mark_at_newest(&self, user: UserId, conv: Conversation, upto: UpTo) -> Option<ReadMark> {
        let Conversation::Group(group) = conv else { return None };
        self.notes.activity.mark(user, group, upto)
    }

    /// Whether the rows have every message of a conversation that was answered or sent.
    pub fn has_messages_of(&self, conversation: Conversation) -> bool {
        self.applied() >= self.newest_of(conversation)
    }

    fn newest_of(&self, conversation: Conversation) -> Cursor {
        match conversation {
            Conversation::Group(id) => self.notes.activity.of(id).unwrap_or(Cursor::START),
            Conversation::Chat(_) => self.notes.chats(),
        }
    }

    /// Returns the groups that a user is in now, the one with the newest message first, in the
    /// order of commits; a group without messages counts from its beginning. Memberships are read
    /// from the rows ([`Self::current`]); the rows of messages need not be there yet.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn groups_of(&self, user: UserId) -> Result<Vec<GroupId>, IndexFault> {
        let mut groups = Vec::new();
        for (group, seat) in self.seats(user)? {
            if seat.is_active() {
                groups.push((self.active_at(group)?, group));
            }
        }
        groups.sort_unstable_by_key(|it| std::cmp::Reverse(*it));
        Ok(groups.into_iter().map(|(_, group)| group).collect())
    }

    /// Returns the cursor of a group's newest message, or of its beginning.
    fn active_at(&self, group: GroupId) -> Result<u64, IndexFault> {
        // The note is read first: it is dropped only once its row is there.
        let noted = self.notes.activity.of(group).map_or(0, Cursor::get);
        let tail = self.tail(StreamId::Group(group))?.unwrap_or_default();
        Ok(noted.max(tail.spoke))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::attachment::Attachment;
    use domain::event::{Entry, Event, Origin};
    use domain::time::Timestamp;
    use domain::user::Draft;
    use journal::{CommitId, StreamHead};

    const ANA: UserId = UserId::new(1);
    const BEN: UserId = UserId::new(2);
    const CARA: UserId = UserId::new(3);

    fn noted(record: u64) -> ActivityNote {
        ActivityNote { record: Cursor::new(record), newest: None }
    }

    fn commit(stream: StreamId, record: u64) -> Arc<Committed> {
        Arc::new(Committed {
            cursor: Cursor::new(record),
            stream,
            id: CommitId(1),
            at: Timestamp::default(),
            before: StreamHead::default(),
            after: StreamHead::default(),
            entries: Vec::new(),
            origin: Origin::Here,
        })
    }

    /// A response could show the settings from before the change that it answered.
    #[test]
    fn lists_wait_for_settings_and_acts_of_operators() {
        let notes = Notes::default();
        let streams = [StreamId::Instance, StreamId::Audit, StreamId::Callbacks];
        for (record, stream) in (1..).zip(streams) {
            notes.take(&[commit(stream, record)], Cursor::START);
        }
        assert_eq!(notes.structural(), Cursor::new(2));
    }

    /// People type drafts all the time. Images of drafts have rows of their own.
    #[test]
    fn only_lists_of_drafts_wait_for_drafts_without_attachments() {
        let notes = Notes::default();
        let bill = Attachment::Split { token: "t".to_owned() };
        let drafts = [(1, Vec::new()), (2, vec![bill]), (3, Vec::new())];
        for (record, attachments) in drafts {
            let draft = Draft { text: "rope".to_owned(), attachments, at: Timestamp::default() };
            let fact = Fact::User(UserFact::Drafted { conv: GroupId::new(7).into(), draft });
            let event = Event { at: Timestamp::default(), fact };
            let entries = vec![Entry::stored(Arc::new(event))];
            let mut commit = commit(StreamId::User(ANA), record);
            Arc::get_mut(&mut commit).unwrap().entries = entries;
            notes.take(&[commit], Cursor::START);
            assert_eq!(notes.drafts(), Cursor::new(record));
        }
        assert_eq!(notes.structural(), Cursor::new(2));
    }

    #[test]
    fn newest_message_is_marked_from_memory() {
        let activity = Activity::default();
        let group = GroupId::new(7);
        let id = MessageId::new(9);
        let audience = Audience::of([ANA, BEN]);
        let newest = NewestMessage { id, n: 5, count: 3, author: Some(ANA), audience };
        let note = ActivityNote { newest: Some(newest), ..noted(8) };
        activity.note(group, note, Cursor::START);
        let mark = Some(ReadMark::forward(group.into(), 5, 3));
        for upto in [UpTo::Message(id), UpTo::Event(5)] {
            assert_eq!(activity.mark(BEN, group, upto), mark);
            assert_eq!(activity.mark(ANA, group, upto), None, "the post moved the author's mark");
            assert_eq!(activity.mark(CARA, group, upto), None, "not a member");
        }
        for upto in [UpTo::Message(MessageId::new(8)), UpTo::Event(4), UpTo::Event(6)] {
            assert_eq!(activity.mark(BEN, group, upto), None, "{upto:?}");
        }
        activity.forget_newest(group);
        assert_eq!(activity.mark(BEN, group, UpTo::Message(id)), None, "somebody came or went");
        assert_eq!(activity.of(group), Some(Cursor::new(8)));
    }

    #[test]
    fn notes_are_dropped_once_their_rows_are_there() {
        let activity = Activity::default();
        let note = |number: u64, applied: u64| {
            activity.note(GroupId::new(number), noted(number), Cursor::new(applied));
        };
        (1..SWEEP_AT as u64).for_each(|number| note(number, 0));
        note(SWEEP_AT as u64, 1000);
        assert_eq!(activity.of(GroupId::new(1000)), None);
        assert_eq!(activity.of(GroupId::new(1001)), Some(Cursor::new(1001)));
        assert_eq!(activity.newest.len(), SWEEP_AT - 1000);
    }

    #[test]
    fn the_newest_message_of_a_group_counts() {
        let activity = Activity::default();
        for record in [7, 8] {
            activity.note(GroupId::new(1), noted(record), Cursor::START);
        }
        assert_eq!(activity.of(GroupId::new(1)), Some(Cursor::new(8)));
    }
}
