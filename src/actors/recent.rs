//! The newest messages of a conversation, held by its room: those that are durable but not yet in
//! the index, and a page of those that readers ask for most.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use domain::ids::{Conversation, MessageId};
use domain::likes::{LikeChange, Likers, Likes, LikesByUser};
use domain::message::{Message, MessageJson, ShownMessage};
use domain::time::Timestamp;
use index::archive::{Archived, Page};
use journal::Cursor;
use journal::weight;
use wire::instance::Instance;
use wire::message;

/// Messages that are kept although the index has them: a usual page, …
const KEEP: usize = 20;
/// … and after a reader asked for more, that many, up to the largest page. A thousand busy rooms
/// that all kept the largest page took 100 MB for messages that nobody read.
const KEEP_ASKED: usize = 100;
/// Bytes of messages and JSON that are kept: a hundred usual messages take half of it.
const KEEP_BYTES: usize = 256 << 10;
/// Bytes of a message's JSON beyond the weight of the message: the names of fields.
const JSON_FRAME: usize = 400;
/// Bytes of one like, together with its user in the JSON.
const LIKE: usize = 40;

/// A durable message, with its JSON made once.
#[derive(Debug, Clone)]
pub struct LoadedMessage {
    /// The message.
    pub message: Arc<Message>,
    /// The likers of the message, with the time of each like.
    pub likes: LikesByUser,
    record: Cursor,
    json: OnceLock<MessageJson>,
}

impl LoadedMessage {
    /// A message that just became durable, in the record that begins at `record`.
    fn new(ShownMessage { message, json }: ShownMessage, record: Cursor) -> Arc<Self> {
        Arc::new(Self {
            message,
            likes: LikesByUser::default(),
            record,
            json: OnceLock::from(json),
        })
    }

    /// A message that was read from the index.
    pub fn archived(archived: Archived) -> Arc<Self> {
        let Archived { message, likes } = archived;
        Arc::new(Self { message, likes, record: Cursor::START, json: OnceLock::new() })
    }

    /// A copy without attachments, for places where there is no room for them.
    #[must_use]
    pub fn in_short(&self) -> Self {
        let message = Message { attachments: Vec::new(), ..Message::clone(&self.message) };
        let likes = self.likes.clone();
        let json = OnceLock::new();
        Self { message: Arc::new(message), likes, record: self.record, json }
    }

    /// The users who like the message, earliest like first.
    fn likers(&self) -> Likers {
        self.likes.likers()
    }

    /// The message's likes, as a rule takes them.
    fn as_likes(&self) -> Likes {
        let message = &self.message;
        Likes { message: message.id, author: message.author.clone(), by: self.likes.clone() }
    }

    /// Returns the message's JSON as REST and push show it. Made again only after a like or a
    /// revision, or if the message was read from the archive.
    pub fn json(&self, conversation: impl Into<Conversation>, instance: &Instance) -> &MessageJson {
        self.json
            .get_or_init(|| message::json(conversation, &self.message, &self.likers(), instance))
    }

    /// Roughly how many bytes the message and its JSON take.
    pub(super) fn bytes(&self) -> usize {
        2 * weight::of_message(&self.message) + JSON_FRAME + self.likes.len() * LIKE
    }
}

/// Consecutive messages up to the newest durable one, oldest first.
#[derive(Debug, Default)]
pub(super) struct Recent {
    messages: VecDeque<Arc<LoadedMessage>>,
    /// Roughly the bytes of these messages.
    bytes: usize,
    /// How many durable messages the conversation has.
    count: u64,
    /// The largest number of newest messages that a reader asked for at once.
    asked: usize,
}

impl Recent {
    /// The state of a room that starts: the number of messages, and the newest one if there is any.
    pub(super) fn starting(count: u64, last: Option<Archived>) -> Self {
        let messages: VecDeque<_> = last.map(LoadedMessage::archived).into_iter().collect();
        Self { bytes: messages.iter().map(|it| it.bytes()).sum(), messages, count, asked: 0 }
    }

    /// How many durable messages the conversation has.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// The newest durable message, as readers get it.
    pub(super) fn newest(&self) -> Option<&Arc<LoadedMessage>> {
        self.messages.back()
    }

    /// Adds a message that became durable, and evicts old messages that the index has.
    pub(super) fn push(&mut self, shown: ShownMessage, record: Cursor, applied: Cursor) {
        self.count = shown.message.count;
        let loaded = LoadedMessage::new(shown, record);
        self.bytes += loaded.bytes();
        self.messages.push_back(loaded);
        while self.is_over_bound() && self.messages.front().is_some_and(|it| it.record <= applied) {
            let oldest = self.messages.pop_front();
            self.bytes -= oldest.map_or(0, |it| it.bytes());
        }
    }

    /// Notes that a reader asked for this many of the newest messages, which are kept from now on.
    pub(super) fn asked_for(&mut self, limit: usize) {
        self.asked = self.asked.max(limit.min(KEEP_ASKED));
    }

    /// How many messages are kept for readers.
    pub(super) fn kept(&self) -> usize {
        self.asked.max(KEEP)
    }

    /// Whether more is held than is kept for readers. The newest message is always kept.
    fn is_over_bound(&self) -> bool {
        let held = self.messages.len();
        held > self.kept() || (held > 1 && self.bytes > KEEP_BYTES)
    }

    /// Whether one more message is kept for readers. Half of the bytes is left to new messages, so
    /// that long ones are not fetched again after each new message.
    fn has_space(&self) -> bool {
        self.messages.len() < self.kept() && self.bytes < KEEP_BYTES / 2
    }

    /// Returns a message that is held, and its likes.
    pub(super) fn known(&self, message: MessageId) -> Option<(Arc<Message>, Likes)> {
        let loaded = &self.messages[self.place_of(message)?];
        Some((Arc::clone(&loaded.message), loaded.as_likes()))
    }

    /// Applies a revision that became durable: replaces the message by `message`, which is held
    /// until the index has the revision too.
    pub(super) fn revise(&mut self, message: &Arc<Message>, record: Cursor) {
        let Some(place) = self.place_of(message.id) else { return };
        let known = &self.messages[place];
        let likes = known.likes.clone();
        let json = OnceLock::new();
        let changed = LoadedMessage { message: Arc::clone(message), likes, record, json };
        self.replace(place, changed);
    }

    /// Removes the words of a deleted message from the system messages that quote it.
    pub(super) fn forget_quotes(&mut self, deleted: MessageId, record: Cursor) {
        let held = self.messages.iter().map(|loaded| &loaded.message);
        let quoting = held.filter(|message| message.quoted() == Some(deleted));
        let forgotten: Vec<_> = quoting.map(|it| Arc::new(it.without_quote())).collect();
        forgotten.iter().for_each(|message| self.revise(message, record));
    }

    /// Counts an answer that became durable in the thread that a message began.
    pub(super) fn answer(&mut self, base: MessageId, at: Timestamp, record: Cursor) {
        if let Some(place) = self.place_of(base) {
            let answered = Arc::new(self.messages[place].message.with_answer(at));
            self.revise(&answered, record);
        }
    }

    fn replace(&mut self, place: usize, changed: LoadedMessage) {
        self.bytes = self.bytes + changed.bytes() - self.messages[place].bytes();
        self.messages[place] = Arc::new(changed);
    }

    /// Applies a given or taken-back like that became durable.
    pub(super) fn change_like(&mut self, change: &LikeChange, is_given: bool) {
        let Some(place) = self.place_of(change.message) else { return };
        let before = self.messages[place].bytes();
        // Copied only while a response shows it: a message can have ten thousand likes.
        let loaded = Arc::make_mut(&mut self.messages[place]);
        loaded.likes.apply(change, is_given);
        loaded.json = OnceLock::new();
        self.bytes = self.bytes + loaded.bytes() - before;
    }

    fn place_of(&self, message: MessageId) -> Option<usize> {
        self.messages.binary_search_by_key(&message, |loaded| loaded.message.id).ok()
    }

    /// Whether a page of the newest messages should fetch older ones, to keep them.
    pub(super) fn wants_more(&self) -> bool {
        self.has_space() && !self.holds_all()
    }

    /// Applies older messages, newest first, as the archive returned them.
    pub(super) fn backfill(&mut self, older: &[Archived]) {
        for archived in older {
            let message = &archived.message;
            let is_next = match self.messages.front() {
                Some(oldest) => message.count + 1 == oldest.message.count,
                None => message.count == self.count,
            };
            if is_next && self.has_space() {
                let loaded = LoadedMessage::archived(archived.clone());
                self.bytes += loaded.bytes();
                self.messages.push_front(loaded);
            }
        }
    }

    /// Returns the page, if the held messages are enough for all of it.
    pub(super) fn page(&self, page: Page, limit: usize) -> Option<Vec<Arc<LoadedMessage>>> {
        let oldest = self.messages.front().map(|loaded| loaded.message.id);
        let reaches = |id: MessageId| self.holds_all() || oldest.is_some_and(|oldest| oldest <= id);
        let found = self.matching(page, limit);
        let is_whole = match page {
            Page::Newest | Page::Before(_) => found.len() == limit || self.holds_all(),
            Page::After(id) => reaches(id),
            Page::Since(id) => found.len() == limit || reaches(id),
        };
        is_whole.then_some(found)
    }

    /// Returns the held messages that belong to the page, in the page's order.
    pub(super) fn matching(&self, page: Page, limit: usize) -> Vec<Arc<LoadedMessage>> {
        let newest_first = self.messages.iter().rev();
        match page {
            Page::Newest => newest_first.take(limit).cloned().collect(),
            Page::Before(id) => {
                newest_first.skip_while(|it| it.message.id >= id).take(limit).cloned().collect()
            }
            Page::Since(id) => {
                newest_first.take_while(|it| it.message.id > id).take(limit).cloned().collect()
            }
            Page::After(id) => self
                .messages
                .iter()
                .skip_while(|it| it.message.id <= id)
                .take(limit)
                .cloned()
                .collect(),
        }
    }

    fn holds_all(&self) -> bool {
        self.messages.len() as u64 == self.count
    }
}

/// Merges messages of the archive with held ones, in the page's order.
pub(super) fn merged(
    page: Page,
    archived: Vec<Archived>,
    held: Vec<Arc<LoadedMessage>>,
    limit: usize,
) -> Vec<Arc<LoadedMessage>> {
    let mut all = held;
    for archived in archived {
        if !all.iter().any(|known| known.message.id == archived.message.id) {
            all.push(LoadedMessage::archived(archived));
        }
    }
    all.sort_unstable_by_key(|loaded| loaded.message.id);
    if !matches!(page, Page::After(_)) {
        all.reverse();
    }
    all.truncate(limit);
    all
}

#[cfg(test)]
mod tests;
