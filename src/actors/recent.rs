//! The newest messages of a conversation, held by its room: what is durable but not
//! yet in the index, and a page of what readers ask for most.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};

use crate::domain::ids::{Conversation, MessageId, UserId};
use crate::domain::likes::{self, Like, LikeChange, Likers, Likes};
use crate::domain::message::{Message, MessageJson, ShownMessage};
use crate::domain::time::Timestamp;
use crate::index::archive::{Archived, Page};
use crate::journal::Cursor;
use crate::journal::weight;
use crate::wire::instance::Instance;
use crate::wire::message;

/// Messages that are kept although the index has them: a usual page, …
const KEEP: usize = 20;
/// … and once somebody asked for more, as many, up to the largest page. A thousand busy rooms
/// that all kept the largest took 100 MB for what nobody read.
const KEEP_ASKED: usize = 100;
/// Bytes of them and their JSON: a hundred usual messages take the half.
const KEEP_BYTES: usize = 256 << 10;
/// Bytes of a message's JSON beside what the message itself weighs: names of fields.
const JSON_FRAME: usize = 400;
/// Bytes of one like, and of who gave it in JSON.
const LIKE: usize = 40;

/// A durable message, with its JSON made once.
#[derive(Debug)]
pub struct Logged {
    /// The message.
    pub message: Arc<Message>,
    /// Who likes it, and since when.
    pub likes: BTreeMap<UserId, Like>,
    record: Cursor,
    json: OnceLock<MessageJson>,
}

impl Logged {
    /// A message whose record begins at `record`, as it was when it became durable.
    fn new(ShownMessage { message, json }: ShownMessage, record: Cursor) -> Arc<Self> {
        Arc::new(Self { message, likes: BTreeMap::new(), record, json: OnceLock::from(json) })
    }

    /// A message that the index has.
    pub fn archived(archived: Archived) -> Arc<Self> {
        let Archived { message, likes } = archived;
        Arc::new(Self { message, likes, record: Cursor::START, json: OnceLock::new() })
    }

    /// The same message without its attachments, where there is no room for them.
    #[must_use]
    pub fn in_short(&self) -> Self {
        let message = Message { attachments: Vec::new(), ..Message::clone(&self.message) };
        let (likes, json) = (self.likes.clone(), OnceLock::new());
        Self { message: Arc::new(message), likes, record: self.record, json }
    }

    /// Who likes it, earliest like first.
    fn likers(&self) -> Likers {
        Likers::of(&self.likes)
    }

    /// The message and who likes it, as a rule wants them.
    fn as_likes(&self) -> Likes {
        let message = &self.message;
        Likes { message: message.id, author: message.author.clone(), by: self.likes.clone() }
    }

    /// The message in JSON, as REST and push give it: made anew only after somebody liked
    /// it, or where it was read from the archive.
    pub fn json(&self, conversation: impl Into<Conversation>, instance: &Instance) -> &MessageJson {
        self.json
            .get_or_init(|| message::json(conversation, &self.message, &self.likers(), instance))
    }

    /// The same for clients from before the specification.
    pub fn json_in_old_form(
        &self,
        conversation: impl Into<Conversation>,
        instance: &Instance,
    ) -> MessageJson {
        let conversation = conversation.into();
        if !message::has_old_form(&self.message) {
            return self.json(conversation, instance).clone();
        }
        message::in_old_form(conversation, &self.message, &self.likers(), instance)
    }

    /// About the bytes that it takes with its JSON.
    pub(super) fn bytes(&self) -> usize {
        2 * weight::of_message(&self.message) + JSON_FRAME + self.likes.len() * LIKE
    }
}

/// A stretch of messages without a hole, up to the newest durable one; oldest first.
#[derive(Debug, Default)]
pub(super) struct Recent {
    messages: VecDeque<Arc<Logged>>,
    /// About the bytes of them.
    bytes: usize,
    /// How many durable messages the conversation has.
    count: u64,
    /// How many of the newest somebody asked for at once.
    asked: usize,
}

impl Recent {
    /// Knows of `count` messages, and holds the newest if there is one.
    pub(super) fn starting(count: u64, last: Option<Archived>) -> Self {
        let messages: VecDeque<_> = last.map(Logged::archived).into_iter().collect();
        Self { bytes: messages.iter().map(|it| it.bytes()).sum(), messages, count, asked: 0 }
    }

    /// How many durable messages there are.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// The newest durable message, as readers get it.
    pub(super) fn newest(&self) -> Option<&Arc<Logged>> {
        self.messages.back()
    }

    /// Adds a message that became durable; forgets old ones that the index has.
    pub(super) fn push(&mut self, shown: ShownMessage, record: Cursor, applied: Cursor) {
        self.count = shown.message.count;
        let logged = Logged::new(shown, record);
        self.bytes += logged.bytes();
        self.messages.push_back(logged);
        while self.is_over_bound() && self.messages.front().is_some_and(|it| it.record <= applied) {
            let oldest = self.messages.pop_front();
            self.bytes -= oldest.map_or(0, |it| it.bytes());
        }
    }

    /// Somebody asks for so many of the newest: they are kept from now on.
    pub(super) fn asked_for(&mut self, limit: usize) {
        self.asked = self.asked.max(limit.min(KEEP_ASKED));
    }

    /// How many messages are kept for readers.
    pub(super) fn kept(&self) -> usize {
        self.asked.max(KEEP)
    }

    /// Whether more is held than is kept for readers. The newest message always is.
    fn is_over_bound(&self) -> bool {
        let held = self.messages.len();
        held > self.kept() || (held > 1 && self.bytes > KEEP_BYTES)
    }

    /// Whether one more is kept for readers. Of the bytes, half is left to what comes, so
    /// that long messages are not fetched again after each new one.
    fn has_room(&self) -> bool {
        self.messages.len() < self.kept() && self.bytes < KEEP_BYTES / 2
    }

    /// A message that is held here, and its likes.
    pub(super) fn known(&self, message: MessageId) -> Option<(Arc<Message>, Likes)> {
        let logged = &self.messages[self.place_of(message)?];
        Some((Arc::clone(&logged.message), logged.as_likes()))
    }

    /// Takes in a revision that became durable: the message is this one now. It stays here
    /// until the index has the revision too.
    pub(super) fn revise(&mut self, message: &Arc<Message>, record: Cursor) {
        let Some(place) = self.place_of(message.id) else { return };
        let known = &self.messages[place];
        let (likes, json) = (known.likes.clone(), OnceLock::new());
        let changed = Logged { message: Arc::clone(message), likes, record, json };
        self.replace(place, changed);
    }

    /// Takes in an answer that became durable in the thread that a message began.
    pub(super) fn answer(&mut self, base: MessageId, at: Timestamp, record: Cursor) {
        if let Some(place) = self.place_of(base) {
            let answered = Arc::new(self.messages[place].message.with_answer(at));
            self.revise(&answered, record);
        }
    }

    fn replace(&mut self, place: usize, changed: Logged) {
        self.bytes = self.bytes + changed.bytes() - self.messages[place].bytes();
        self.messages[place] = Arc::new(changed);
    }

    /// Takes in a like, or the end of one, that became durable.
    pub(super) fn change_like(&mut self, change: &LikeChange, is_given: bool) {
        let Some(place) = self.place_of(change.message) else { return };
        let known = &self.messages[place];
        let mut likes = known.likes.clone();
        likes::apply(&mut likes, change, is_given);
        let (message, record) = (Arc::clone(&known.message), known.record);
        let json = OnceLock::new();
        self.replace(place, Logged { message, likes, record, json });
    }

    fn place_of(&self, message: MessageId) -> Option<usize> {
        self.messages.binary_search_by_key(&message, |logged| logged.message.id).ok()
    }

    /// Whether older messages should be fetched to answer a page of the newest.
    pub(super) fn wants_more(&self) -> bool {
        self.has_room() && !self.holds_all()
    }

    /// Takes in older messages, newest first, as the archive gave them.
    pub(super) fn backfill(&mut self, older: &[Archived]) {
        for archived in older {
            let message = &archived.message;
            let is_next = match self.messages.front() {
                Some(oldest) => message.count + 1 == oldest.message.count,
                None => message.count == self.count,
            };
            if is_next && self.has_room() {
                let logged = Logged::archived(archived.clone());
                self.bytes += logged.bytes();
                self.messages.push_front(logged);
            }
        }
    }

    /// The page, if it can be answered from here alone.
    pub(super) fn page(&self, page: Page, limit: usize) -> Option<Vec<Arc<Logged>>> {
        let oldest = self.messages.front().map(|logged| logged.message.id);
        let reaches = |id: MessageId| self.holds_all() || oldest.is_some_and(|oldest| oldest <= id);
        let found = self.matching(page, limit);
        let is_whole = match page {
            Page::Newest | Page::Before(_) => found.len() == limit || self.holds_all(),
            Page::After(id) => reaches(id),
            Page::Since(id) => found.len() == limit || reaches(id),
        };
        is_whole.then_some(found)
    }

    /// What belongs to the page of what is held here, in the page's order.
    pub(super) fn matching(&self, page: Page, limit: usize) -> Vec<Arc<Logged>> {
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

/// Joins what the archive has with what the room holds, in the page's order.
pub(super) fn merged(
    page: Page,
    archived: Vec<Archived>,
    held: Vec<Arc<Logged>>,
    limit: usize,
) -> Vec<Arc<Logged>> {
    let mut all = held;
    for archived in archived {
        if !all.iter().any(|known| known.message.id == archived.message.id) {
            all.push(Logged::archived(archived));
        }
    }
    all.sort_unstable_by_key(|logged| logged.message.id);
    if !matches!(page, Page::After(_)) {
        all.reverse();
    }
    all.truncate(limit);
    all
}

#[cfg(test)]
mod tests;
