//! Which `source_guid`s were used less than a minute ago, and for which message.
//!
//! Measured on the monotonic clock; a room that starts again refills it from the
//! messages of the last minute.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::domain::ids::MessageId;
use crate::domain::limits::DEDUP_MILLIS;
use crate::domain::message::{Author, Message};
use crate::domain::time::Monotonic;

/// The guids of the last minute of one conversation.
#[derive(Debug, Clone, Default)]
pub struct GuidMemory {
    known: HashMap<Key, (Monotonic, Arc<Message>)>,
    order: VecDeque<(Monotonic, Key)>,
}

type Key = (Author, String);

impl GuidMemory {
    /// The message that this author sent under this guid within the last minute.
    pub fn recall(&self, author: &Author, guid: &str, now: Monotonic) -> Option<&Arc<Message>> {
        // Two small allocations for the look-up; a borrowed pair cannot be a HashMap key.
        let (at, message) = self.known.get(&(author.clone(), guid.to_owned()))?;
        (now.millis_since(*at) < DEDUP_MILLIS).then_some(message)
    }

    /// Notes a message, and forgets those whose minute is over.
    pub fn remember(&mut self, message: &Arc<Message>, now: Monotonic) {
        self.forget_old(now);
        let key = (message.author.clone(), message.source_guid.clone());
        self.known.insert(key.clone(), (now, Arc::clone(message)));
        self.order.push_back((now, key));
    }

    /// Drops the message that could not be stored.
    pub fn forget(&mut self, id: MessageId) {
        self.known.retain(|_, (_, message)| message.id != id);
    }

    fn forget_old(&mut self, now: Monotonic) {
        while let Some((at, _)) = self.order.front() {
            if now.millis_since(*at) < DEDUP_MILLIS {
                return;
            }
            let Some((at, key)) = self.order.pop_front() else { return };
            if self.known.get(&key).is_some_and(|(known_at, _)| *known_at == at) {
                self.known.remove(&key);
            }
        }
    }
}
