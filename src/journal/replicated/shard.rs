//! Shards: subjects of the log. A node leads once it took the first one over, and writes there.
//! Earlier versions divided the streams among all shards; so a leader also closes every shard that
//! was last taken over by such a version, which keeps out what a node of it still sends there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Number of shards.
pub const SHARDS: u16 = 64;

/// A subject of the log that one node writes at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard(u16);

impl Shard {
    /// The shard on which a leader writes.
    pub const FIRST: Self = Self(0);

    /// The shard of this number, if it is below [`SHARDS`].
    pub fn new(number: u16) -> Option<Self> {
        (number < SHARDS).then_some(Self(number))
    }

    /// The shard's number.
    pub const fn get(self) -> u16 {
        self.0
    }

    /// All shards in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..SHARDS).map(Self)
    }
}

/// A take-over of the first shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakeOver {
    /// The run of the node that leads from there on.
    pub run: u64,
    /// The sequence of the message in the log. From there to the next take-over, the fence keeps
    /// out what other runs send.
    pub sequence: u64,
}

/// Whether this node leads, and the last take-over.
#[derive(Debug, Default)]
pub(super) struct Leading {
    leads: AtomicBool,
    last: Mutex<Option<TakeOver>>,
}

impl Leading {
    /// Whether this node took over last, and does not hand over.
    pub(super) fn leads(&self) -> bool {
        self.leads.load(Ordering::SeqCst)
    }

    /// Sets whether this node leads. Returns whether that is a change.
    pub(super) fn set(&self, leads: bool) -> bool {
        self.leads.swap(leads, Ordering::SeqCst) != leads
    }

    /// Notes a take-over, which came after every other one.
    pub(super) fn taken_over(&self, by: TakeOver) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(by);
    }

    /// The last take-over, if one was read from the log.
    pub(super) fn last(&self) -> Option<TakeOver> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
