//! Deduplication: which `source_guid`s were used in the last minute, and for which message.
//!
//! Times are on the monotonic clock; a room that starts refills the memory from the messages of the
//! last minute. A busy group has hundreds of thousands of guids in a minute, so they are kept as
//! 96-bit hashes under keys of this process, and forgotten a whole span of time at once instead of
//! one by one.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::sync::Arc;

use crate::ids::MessageId;
use crate::limits::DEDUP_MILLIS;
use crate::message::{Author, Message};
use crate::time::Monotonic;

/// Milliseconds for which one span collects guids. Shorter spans forget guids sooner after their
/// minute, but there are more of them to search.
const SPAN_MILLIS: u64 = DEDUP_MILLIS / 3;

/// The guids of the last minute of one conversation, each with a value about its message.
#[derive(Debug, Clone)]
pub struct GuidMemory<V> {
    /// Oldest first; `forget_old` drops whole spans.
    spans: VecDeque<Span<V>>,
    hashers: (RandomState, RandomState),
}

/// The guids used within one span of time.
#[derive(Debug, Clone)]
struct Span<V> {
    from: Monotonic,
    known: HashMap<u64, Known<V>, BuildHasherDefault<AlreadyHashed>>,
}

/// A guid that was used.
#[derive(Debug, Clone)]
struct Known<V> {
    /// The part of the hash beyond the key of the map.
    rest: u32,
    /// When the guid was used, in milliseconds from the beginning of the span.
    after_millis: u32,
    value: V,
}

/// The 96-bit hash of an author and a guid, in two parts.
#[derive(Debug, Clone, Copy)]
struct Key {
    found_under: u64,
    rest: u32,
}

/// A hasher that takes keys as they are: they are already hashes, made with secret keys.
#[derive(Debug, Clone, Copy, Default)]
struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, key: &[u8]) {
        self.0 = key.first_chunk().copied().map_or(0, u64::from_ne_bytes);
    }
}

impl<V> Default for GuidMemory<V> {
    fn default() -> Self {
        Self { spans: VecDeque::new(), hashers: (RandomState::new(), RandomState::new()) }
    }
}

impl From<&Arc<Message>> for MessageId {
    fn from(message: &Arc<Message>) -> Self {
        message.id
    }
}

impl<V: for<'a> From<&'a Arc<Message>>> GuidMemory<V> {
    /// Returns the value kept for the message that this author sent with this guid within the last
    /// minute.
    pub fn recall(&self, author: &Author, guid: &str, now: Monotonic) -> Option<&V> {
        let key = self.key(author, guid);
        let (at, value) = self.spans.iter().rev().find_map(|span| span.recall(key))?;
        (now.millis_since(at) < DEDUP_MILLIS).then_some(value)
    }

    /// Adds a message, and forgets guids whose minute is over.
    pub fn remember(&mut self, message: &Arc<Message>, now: Monotonic) {
        self.forget_old(now);
        let key = self.key(&message.author, &message.source_guid);
        let newest = match self.spans.back_mut() {
            Some(span) if now.millis_since(span.from) < SPAN_MILLIS => span,
            _ => self.spans.push_back_mut(Span::from(now)),
        };
        newest.remember(key, V::from(message), now);
    }

    /// Adds a message older than all those known, for a room that starts and reads its messages
    /// backwards.
    pub fn remember_earlier(&mut self, message: &Arc<Message>, at: Monotonic) {
        let key = self.key(&message.author, &message.source_guid);
        let oldest = match self.spans.front_mut() {
            Some(span) if span.from <= at => span,
            _ => self.spans.push_front_mut(Span::from(at.minus_millis(SPAN_MILLIS - 1))),
        };
        oldest.remember(key, V::from(message), at);
    }

    /// All values kept.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        let known = self.spans.iter_mut().flat_map(|span| span.known.values_mut());
        known.map(|known| &mut known.value)
    }

    fn key(&self, author: &Author, guid: &str) -> Key {
        let (one, other) = &self.hashers;
        let hash = |hasher: &RandomState| hasher.hash_one((author, guid));
        Key { found_under: hash(one), rest: (hash(other) >> 32) as u32 }
    }

    fn forget_old(&mut self, now: Monotonic) {
        let is_over = |span: &Span<V>| now.millis_since(span.from) >= SPAN_MILLIS + DEDUP_MILLIS;
        while self.spans.front().is_some_and(is_over) {
            self.spans.pop_front();
        }
    }
}

impl<V> Span<V> {
    fn from(from: Monotonic) -> Self {
        Self { from, known: HashMap::default() }
    }

    fn recall(&self, key: Key) -> Option<(Monotonic, &V)> {
        let known = self.known.get(&key.found_under).filter(|known| known.rest == key.rest)?;
        Some((self.from.plus_millis(known.after_millis.into()), &known.value))
    }

    fn remember(&mut self, Key { found_under, rest }: Key, value: V, now: Monotonic) {
        let after_millis = now.millis_since(self.from) as u32;
        self.known.insert(found_under, Known { rest, after_millis, value });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(number: u64) -> Arc<Message> {
        let source_guid = format!("guid {number}");
        Arc::new(Message { source_guid, ..Message::unlogged(MessageId::new(1_000 + number)) })
    }

    const fn second(at: u64) -> Monotonic {
        Monotonic::from_millis(at * 1000)
    }

    /// Checks that at time `at`, of the messages said each second since `first`, exactly those of
    /// the last minute are known.
    fn knows_the_last_minute(guids: &GuidMemory<MessageId>, first: u64, at: u64) {
        for before in first..=at {
            let message = said(before);
            let known = guids.recall(&message.author, &message.source_guid, second(at));
            let expected = (at - before < 60).then_some(message.id);
            assert_eq!(known.copied(), expected, "said at {before}, asked at {at}");
        }
    }

    #[test]
    fn guid_is_reusable_after_a_minute() {
        let mut guids = GuidMemory::<MessageId>::default();
        for at in 0..300 {
            guids.remember(&said(at), second(at));
            knows_the_last_minute(&guids, 0, at);
            assert!(guids.values_mut().count() <= 80, "what is over is forgotten");
        }
    }

    #[test]
    fn dedup_loaded_from_index_equals_live_one() {
        let mut guids = GuidMemory::<MessageId>::default();
        for at in (40..100).rev() {
            guids.remember_earlier(&said(at), second(at));
        }
        for at in 100..200 {
            guids.remember(&said(at), second(at));
            knows_the_last_minute(&guids, 40, at);
        }
    }

    #[test]
    fn reused_guid_refers_to_the_newer_message() {
        let mut guids = GuidMemory::<MessageId>::default();
        let first = said(1);
        let again = Arc::new(Message { id: MessageId::new(9), ..Message::clone(&first) });
        guids.remember(&first, Monotonic::from_millis(0));
        guids.remember(&again, Monotonic::from_millis(DEDUP_MILLIS));
        let later = Monotonic::from_millis(DEDUP_MILLIS + 5_000);
        assert_eq!(guids.recall(&first.author, &first.source_guid, later), Some(&again.id));
    }
}
