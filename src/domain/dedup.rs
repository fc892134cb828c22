//! Which `source_guid`s were used less than a minute ago, and for which message.
//!
//! Measured on the monotonic clock; a room that starts again refills it from the
//! messages of the last minute. Guids are kept as 128-bit hashes under keys of this
//! process: a busy group has hundreds of thousands of them in a minute.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::sync::Arc;

use crate::domain::ids::MessageId;
use crate::domain::limits::DEDUP_MILLIS;
use crate::domain::message::{Author, Message};
use crate::domain::time::Monotonic;

/// The guids of the last minute of one conversation, each with what is to be known of
/// its message.
#[derive(Debug, Clone)]
pub struct GuidMemory<V> {
    known: HashMap<u128, (Monotonic, V), BuildHasherDefault<AlreadyHashed>>,
    order: VecDeque<(Monotonic, u128)>,
    hashers: (RandomState, RandomState),
}

/// Takes keys as they are: they were hashed by secret keys already.
#[derive(Debug, Clone, Copy, Default)]
struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    /// One half of a hash is a hash.
    fn write(&mut self, key: &[u8]) {
        self.0 = key.first_chunk().copied().map_or(0, u64::from_ne_bytes);
    }
}

impl<V> Default for GuidMemory<V> {
    fn default() -> Self {
        let hashers = (RandomState::new(), RandomState::new());
        Self { known: HashMap::default(), order: VecDeque::new(), hashers }
    }
}

impl From<&Arc<Message>> for MessageId {
    fn from(message: &Arc<Message>) -> Self {
        message.id
    }
}

impl<V: for<'a> From<&'a Arc<Message>>> GuidMemory<V> {
    /// What is known of the message that this author sent under this guid within the
    /// last minute.
    pub fn recall(&self, author: &Author, guid: &str, now: Monotonic) -> Option<&V> {
        let (at, known) = self.known.get(&self.key(author, guid))?;
        (now.millis_since(*at) < DEDUP_MILLIS).then_some(known)
    }

    /// Notes a message, and forgets those whose minute is over.
    pub fn remember(&mut self, message: &Arc<Message>, now: Monotonic) {
        self.forget_old(now);
        let key = self.key(&message.author, &message.source_guid);
        self.known.insert(key, (now, V::from(message)));
        self.order.push_back((now, key));
    }

    /// What is known of each message.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.known.values_mut().map(|(_, known)| known)
    }

    fn key(&self, author: &Author, guid: &str) -> u128 {
        let (one, other) = &self.hashers;
        let half = |hasher: &RandomState| u128::from(hasher.hash_one((author, guid)));
        half(one) << 64 | half(other)
    }

    fn forget_old(&mut self, now: Monotonic) {
        while let Some((at, key)) = self.order.front().copied() {
            if now.millis_since(at) < DEDUP_MILLIS {
                return;
            }
            self.order.pop_front();
            if self.known.get(&key).is_some_and(|(known_at, _)| *known_at == at) {
                self.known.remove(&key);
            }
        }
    }
}
