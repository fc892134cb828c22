//! Rows of messages that were edited, deleted, pinned, answered in a thread or given previews. They
//! hold places and no words: what a message says is read from the journal, and nothing is read of a
//! deleted one.
//!
//! Rows of their own tell which messages are pinned, and from which event on they were: a reader
//! that catches up later is told what others were told live.
//!
//! A message that was never revised has no row, so for a page of such messages this costs one empty
//! scan.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::archive::{Archive, RecordReader};
use crate::draft::BatchDraft;
use crate::rows::{self, EventPosition};
use crate::{Flow, Index, IndexFault, Walk, keys, revisions};
use domain::addressees::answer_of;
use domain::chat::ChatFact;
use domain::event::{Event, Fact};
use domain::group::GroupFact;
use domain::ids::{MessageId, StreamId};
use domain::message::Message;
use domain::message_state::ThreadState;
use domain::revision::{Deleter, MessagePin, Revision, RevisionKind};
use domain::time::Timestamp;
use journal::Cursor;

/// The changes of a message after it was posted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevisionRow {
    /// The positions of its edits, oldest first: record, index in the record, number in the stream.
    /// Empty once it is deleted.
    edits: Vec<(u64, u16, u64)>,
    /// When it was deleted, and in which role the deleting user acted.
    deleted: Option<(Timestamp, Deleter)>,
    /// Its pin, while it is pinned.
    pinned: Option<MessagePin>,
    /// Whether it was ever pinned or unpinned, so that rows of its pins exist.
    was_pinned: bool,
    /// How many answers its thread has, and when the newest came.
    thread: ThreadState,
    /// The positions of the previews of its links, oldest first, like `edits`. Empty once it is
    /// deleted.
    previews: Vec<(u64, u16, u64)>,
}

/// The version of its text that a message shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownText {
    /// The text with which it was posted.
    Posted,
    /// The text of the edit at this cursor.
    Edited(Cursor),
    /// No text, since it was deleted.
    Deleted,
}

/// A message as it is now, and its earlier versions, newest first.
pub type Past = (Arc<Message>, Vec<Message>);

impl RevisionRow {
    /// The places of the edits up to event `n`, included.
    fn edits_until(&self, n: u64) -> impl DoubleEndedIterator<Item = EventPosition> {
        until(&self.edits, n)
    }

    /// The place of the previews that the message shows right after event `n`, if they are newer
    /// than its newest edit; an edit itself says which previews stay.
    fn previews_then(&self, n: u64) -> Option<EventPosition> {
        let edited = self.edits_until(n).next_back().map_or(0, |edit| edit.n);
        until(&self.previews, n).next_back().filter(|place| place.n > edited)
    }
}

/// Those of the places that are at event `n` or before it.
fn until(places: &[(u64, u16, u64)], n: u64) -> impl DoubleEndedIterator<Item = EventPosition> {
    let places = places.iter().filter(move |place| place.2 <= n);
    places.map(|(record, index, n)| EventPosition {
        record: Cursor::new(*record),
        index: *index,
        n: *n,
    })
}

/// Updates the row of a message for one revision, which is the event at `place`.
pub(super) fn derive(
    draft: &mut BatchDraft<'_>,
    stream: StreamId,
    place: EventPosition,
    at: Timestamp,
    revision: &Revision,
) -> Result<(), IndexFault> {
    let key = keys::revision(stream, revision.message);
    let mut row: RevisionRow = draft.get("revision", &key)?.unwrap_or_default();
    match revision.kind {
        RevisionKind::Edited { .. } => {
            row.edits.push((place.record.get(), place.index, place.n));
        }
        RevisionKind::Previewed { .. } => {
            row.previews.push((place.record.get(), place.index, place.n));
        }
        RevisionKind::Deleted { actor } => {
            forget_pins(draft, stream, revision.message, &row)?;
            let thread = row.thread;
            row = RevisionRow { deleted: Some((at, actor)), thread, ..RevisionRow::default() };
        }
        RevisionKind::Pinned | RevisionKind::Unpinned => {
            let pin = revision.by.user().map(|by| MessagePin { at, by });
            row.pinned = pin.filter(|_| revision.kind == RevisionKind::Pinned);
            row.was_pinned = true;
            note_pin(draft, stream, place.n, revision.message, row.pinned)?;
        }
    }
    draft.put(key, &row)
}

/// Counts one more answer for the message that began a thread.
pub(super) fn answered(
    draft: &mut BatchDraft<'_>,
    stream: StreamId,
    base: MessageId,
    at: Timestamp,
) -> Result<(), IndexFault> {
    let key = keys::revision(stream, base);
    let mut row: RevisionRow = draft.get("revision", &key)?.unwrap_or_default();
    row.thread = row.thread.with_one(at);
    draft.put(key, &row)
}

/// Notes a message's pin from event `n` on, or that it has none.
fn note_pin(
    draft: &mut BatchDraft<'_>,
    stream: StreamId,
    n: u64,
    message: MessageId,
    pin: Option<MessagePin>,
) -> Result<(), IndexFault> {
    draft.put(keys::pin_then(stream, message, n), &pin)?;
    let now = keys::pinned(stream, message);
    match pin {
        Some(pin) => draft.put(now, &pin),
        None => {
            draft.delete(now);
            Ok(())
        }
    }
}

/// Deletes the rows of a deleted message's pins, so that no response shows them any more.
fn forget_pins(
    draft: &mut BatchDraft<'_>,
    stream: StreamId,
    message: MessageId,
    row: &RevisionRow,
) -> Result<(), IndexFault> {
    if row.was_pinned {
        draft.delete(keys::pinned(stream, message));
        for key in draft.keys_below(&keys::pins_then(stream, message))? {
            draft.delete(key);
        }
    }
    Ok(())
}

impl Index {
    /// Returns the pinned messages of a conversation, the newest pin first.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn pinned(&self, stream: StreamId) -> Result<Vec<MessageId>, IndexFault> {
        let mut found: Vec<(MessagePin, MessageId)> = Vec::new();
        let prefix = keys::all_pinned(stream);
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, value| {
            let message = MessageId::new(keys::last_number(key));
            found.push((rows::decode("pinned", value)?, message));
            Ok(Flow::Continue)
        })?;
        found.sort_unstable_by_key(|(pin, message)| std::cmp::Reverse((pin.at, *message)));
        Ok(found.into_iter().map(|(_, message)| message).collect())
    }

    /// Returns the pin of a message right after event `n` of its conversation.
    fn pin_then(
        &self,
        stream: StreamId,
        message: MessageId,
        n: u64,
    ) -> Result<Option<MessagePin>, IndexFault> {
        let mut found = None;
        let first = keys::pin_then(stream, message, 0);
        let last = keys::pin_then(stream, message, n);
        self.rows.scan(&first, &last, Walk::Down, &mut |_, value| {
            found = rows::decode("pin", value)?;
            Ok(Flow::Stop)
        })?;
        Ok(found)
    }

    /// Returns the changes of a message; `None` if it is as it was posted.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every read here.
    fn revision(&self, stream: StreamId, id: MessageId) -> Result<Option<RevisionRow>, IndexFault> {
        self.row("revision", &keys::revision(stream, id))
    }

    /// Returns which of its texts a message shows; [`ShownText::Posted`] if there is no such
    /// message.
    pub fn shown_text(&self, stream: StreamId, id: MessageId) -> Result<ShownText, IndexFault> {
        let Some(row) = self.revision(stream, id)? else { return Ok(ShownText::Posted) };
        let newest = row.edits_until(u64::MAX).next_back();
        Ok(match (row.deleted, newest) {
            (Some(_), _) => ShownText::Deleted,
            (None, Some(edit)) => ShownText::Edited(edit.cursor()),
            (None, None) => ShownText::Posted,
        })
    }

    fn revisions_between(
        &self,
        stream: StreamId,
        first: MessageId,
        last: MessageId,
    ) -> Result<BTreeMap<MessageId, RevisionRow>, IndexFault> {
        let mut found = BTreeMap::new();
        let low = keys::revision(stream, first);
        let high = keys::revision(stream, last);
        self.rows.scan(&low, &high, Walk::Up, &mut |key, value| {
            let message = MessageId::new(keys::last_number(key));
            found.insert(message, rows::decode("revision", value)?);
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }
}

impl Archive {
    /// Returns these messages of a conversation as they are now.
    pub(super) fn current(
        &self,
        stream: StreamId,
        messages: Vec<Arc<Message>>,
    ) -> Result<Vec<Arc<Message>>, IndexFault> {
        let ids = || messages.iter().map(|message| message.id);
        let (Some(first), Some(last)) = (ids().min(), ids().max()) else { return Ok(messages) };
        let rows = self.index.revisions_between(stream, first, last)?;
        let revised = |message: Arc<Message>| {
            let message = match rows.get(&message.id) {
                Some(row) => Arc::new(self.after(stream, &message, row, u64::MAX)?),
                None => message,
            };
            self.without_deleted_quote(stream, message)
        };
        messages.into_iter().map(revised).collect()
    }

    /// Returns a message as it is now.
    ///
    /// # Errors
    /// If index or journal cannot be read.
    pub fn current_one(
        &self,
        stream: StreamId,
        message: Arc<Message>,
    ) -> Result<Arc<Message>, IndexFault> {
        self.then(stream, message, u64::MAX)
    }

    /// Returns a message as it was right after event `n`, or what remains of it if it has been
    /// deleted since: nobody is told any more what a deleted message said, however long they were
    /// away.
    ///
    /// # Errors
    /// If index or journal cannot be read.
    pub fn then(
        &self,
        stream: StreamId,
        message: Arc<Message>,
        n: u64,
    ) -> Result<Arc<Message>, IndexFault> {
        let message = match self.index.revision(stream, message.id)? {
            Some(row) => Arc::new(self.after(stream, &message, &row, n)?),
            None => message,
        };
        self.without_deleted_quote(stream, message)
    }

    /// Returns a message without what it quotes of a message that has been deleted.
    fn without_deleted_quote(
        &self,
        stream: StreamId,
        message: Arc<Message>,
    ) -> Result<Arc<Message>, IndexFault> {
        let Some(quoted) = message.quoted() else { return Ok(message) };
        Ok(match self.index.shown_text(stream, quoted)? {
            ShownText::Deleted => Arc::new(message.without_quote()),
            ShownText::Posted | ShownText::Edited(_) => message,
        })
    }

    /// Returns the message that event `n` revises, as it was right after the event.
    ///
    /// # Errors
    /// If index or journal cannot be read.
    pub fn revised_then(
        &self,
        stream: StreamId,
        id: MessageId,
        n: u64,
    ) -> Result<Option<Arc<Message>>, IndexFault> {
        let Some(at) = self.index.message(stream, id)? else { return Ok(None) };
        Ok(Some(self.then(stream, self.message_at(&at)?, n)?))
    }

    /// Returns an event as it may be told now: if the message that it posts or quotes has been
    /// deleted since, it has only what remains of the message.
    ///
    /// # Errors
    /// If index or journal cannot be read.
    pub fn without_deleted(
        &self,
        stream: StreamId,
        event: Arc<Event>,
    ) -> Result<Arc<Event>, IndexFault> {
        let Some(message) = event.fact.message() else { return Ok(event) };
        let deleted = self.index.revision(stream, message.id)?.and_then(|row| row.deleted);
        let remainder = match deleted {
            Some(deleted) => {
                let mut remainder = Message::clone(message);
                remainder.forget(deleted);
                Arc::new(remainder)
            }
            None => self.without_deleted_quote(stream, Arc::clone(message))?,
        };
        if Arc::ptr_eq(&remainder, message) {
            return Ok(event);
        }
        let message = remainder;
        let fact = if matches!(event.fact, Fact::Chat(_)) {
            Fact::Chat(ChatFact::Posted(message))
        } else {
            Fact::Group(GroupFact::Posted(message))
        };
        Ok(Arc::new(Event { at: event.at, fact }))
    }

    /// Returns a message as it is now with its earlier versions, newest first, of which a deleted
    /// message has none; `None` if there is no such message.
    ///
    /// # Errors
    /// If index or journal cannot be read.
    pub fn history(&self, stream: StreamId, id: MessageId) -> Result<Option<Past>, IndexFault> {
        let Some(at) = self.index.message(stream, id)? else { return Ok(None) };
        let posted = self.message_at(&at)?;
        let Some(row) = self.index.revision(stream, id)? else {
            return Ok(Some((posted, Vec::new())));
        };
        let mut now = Message::clone(&posted);
        let mut earlier = Vec::with_capacity(row.edits.len());
        let mut reader = RecordReader::over(&*self.journal);
        for place in row.edits_until(u64::MAX) {
            let after = revised(&now, &*reader.event(&place)?);
            earlier.push(std::mem::replace(&mut now, after));
        }
        earlier.reverse();
        if let Some(deleted) = row.deleted {
            now.forget(deleted);
            earlier.clear();
        }
        Ok(Some((Arc::new(now), earlier)))
    }

    fn after(
        &self,
        stream: StreamId,
        posted: &Message,
        row: &RevisionRow,
        n: u64,
    ) -> Result<Message, IndexFault> {
        let mut message = posted.clone();
        message.state.thread = match (row.thread.count, n) {
            (0, _) | (_, u64::MAX) => row.thread,
            (_, n) => self.index.thread_then(stream, posted.id, n)?,
        };
        if let Some(deleted) = row.deleted {
            message.forget(deleted);
            return Ok(message);
        }
        let count = row.edits_until(n).count();
        if let Some(newest) = row.edits_until(n).next_back() {
            message = revised(&message, &*RecordReader::over(&*self.journal).event(&newest)?);
        }
        if let Some(place) = row.previews_then(n) {
            message = revised(&message, &*RecordReader::over(&*self.journal).event(&place)?);
        }
        message.state.edits = u32::try_from(count).unwrap_or(u32::MAX);
        message.state.pinned = match (row.was_pinned, n) {
            (false, _) | (true, u64::MAX) => row.pinned,
            (true, n) => self.index.pin_then(stream, message.id, n)?,
        };
        Ok(message)
    }
}

/// Applies the revision in an event to a message.
fn revised(message: &Message, event: &Event) -> Message {
    match event.fact.revision() {
        Some(revision) => message.revised(revision, event.at),
        None => message.clone(),
    }
}

/// Notes a message, posted by event `n`, in the thread that it answers in, if any.
pub(super) fn posted(
    draft: &mut BatchDraft<'_>,
    stream: StreamId,
    n: u64,
    message: &Message,
    at: Timestamp,
) -> Result<(), IndexFault> {
    if message.attachments.is_empty() {
        return Ok(());
    }
    let Some(base) = answer_of(message) else { return Ok(()) };
    draft.put(keys::thread_answer(stream, base, message.id), &(n, at))?;
    revisions::answered(draft, stream, base, at)
}

impl Index {
    /// Returns the number of answers and the time of the newest as they were right after event `n`
    /// of the conversation.
    pub(super) fn thread_then(
        &self,
        stream: StreamId,
        base: MessageId,
        n: u64,
    ) -> Result<ThreadState, IndexFault> {
        let mut thread = ThreadState::default();
        let prefix = keys::thread_answers(stream, base);
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |_, value| {
            let (answer_n, at): (u64, Timestamp) = rows::decode("answer in a thread", value)?;
            if answer_n > n {
                return Ok(Flow::Stop);
            }
            thread = thread.with_one(at);
            Ok(Flow::Continue)
        })?;
        Ok(thread)
    }

    /// Returns up to `most` answers of a thread after the message `after`, oldest first.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn answers(
        &self,
        stream: StreamId,
        base: MessageId,
        (after, most): (MessageId, usize),
    ) -> Result<Vec<MessageId>, IndexFault> {
        let mut found = Vec::new();
        let first = MessageId::new(after.get().saturating_add(1));
        let low = keys::thread_answer(stream, base, first);
        let high = keys::end_of(&keys::thread_answers(stream, base));
        self.rows.scan(&low, &high, Walk::Up, &mut |key, _| {
            found.push(MessageId::new(keys::last_number(key)));
            Ok(if found.len() < most { Flow::Continue } else { Flow::Stop })
        })?;
        Ok(found)
    }
}
