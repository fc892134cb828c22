//! Shards: the parts into which the log is divided, and the shard of each stream.
//!
//! Both are fixed for the life of an installation: the log's fences are by shard, and all nodes
//! must agree on the shard of every stream, whatever their versions.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use crate::record::stream_parts;
use domain::ids::StreamId;

/// Number of shards. More of them spread evenly over nodes, fewer make larger batches.
pub const SHARDS: u16 = 64;

/// A part of the log that one node writes at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Shard(u16);

impl Shard {
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

    /// All shards in order, beginning with `first` and wrapping around.
    pub(super) fn all_from(first: Self) -> impl Iterator<Item = Self> {
        (first.0..SHARDS).chain(0..first.0).map(Self)
    }

    /// The shard of a stream's events: FNV-1a (64 bits) over the stream's kind and its two ids as
    /// they stand in a record, both halves of the hash XORed, modulo [`SHARDS`].
    pub fn of(stream: StreamId) -> Self {
        let (kind, first, second) = stream_parts(stream);
        let bytes = std::iter::once(kind).chain(first.to_le_bytes()).chain(second.to_le_bytes());
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let folded = (hash >> 32) ^ (hash & 0xffff_ffff);
        Self((folded % u64::from(SHARDS)) as u16)
    }
}

/// The owner of a shard, as this node sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShardOwner {
    /// This node owns the shard.
    ThisNode,
    /// Another node owns the shard, or this node has let it go.
    OtherNode,
}

/// A take-over of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakeOver {
    /// The run of the node that took the shard over.
    pub run: u64,
    /// The sequence of the take-over's message in the log. From there to the next take-over, the
    /// fence keeps out what other runs send to the shard.
    pub sequence: u64,
}

/// The shards that this node owns, and the last take-over of each shard.
#[derive(Debug)]
pub(super) struct OwnedShards {
    /// One bit for each shard; set if this node owns it.
    own: AtomicU64,
    /// The last take-over of each shard; None until one was read from the log.
    last: RwLock<[Option<TakeOver>; SHARDS as usize]>,
}

impl Default for OwnedShards {
    fn default() -> Self {
        Self { own: AtomicU64::new(0), last: RwLock::new([None; SHARDS as usize]) }
    }
}

const _: () = assert!(SHARDS as u32 == u64::BITS, "each shard has a bit");

impl OwnedShards {
    pub(super) fn has(&self, shard: Shard) -> bool {
        self.own.load(Ordering::SeqCst) >> shard.0 & 1 == 1
    }

    /// Notes a take-over.
    pub(super) fn taken_over(&self, shard: Shard, by: TakeOver) {
        let mut last = self.last.write().unwrap_or_else(PoisonError::into_inner);
        last[usize::from(shard.0)] = Some(by);
    }

    /// The last take-over of a shard, if one was read from the log.
    pub(super) fn last(&self, shard: Shard) -> Option<TakeOver> {
        self.last.read().unwrap_or_else(PoisonError::into_inner)[usize::from(shard.0)]
    }

    /// Sets the owner. Returns whether that is a change.
    pub(super) fn set(&self, shard: Shard, owner: ShardOwner) -> bool {
        let bit = 1 << shard.0;
        match owner {
            ShardOwner::ThisNode => self.own.fetch_or(bit, Ordering::SeqCst) & bit == 0,
            ShardOwner::OtherNode => self.own.fetch_and(!bit, Ordering::SeqCst) & bit != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::{GroupId, NameId, Pair, UserId};

    #[test]
    fn every_version_finds_a_stream_in_the_same_shard() {
        let pair = Pair::of(UserId::new(10_000_001), UserId::new(10_000_002)).unwrap();
        let golden = [
            (StreamId::Group(GroupId::new(10_000_001)), GOLDEN[0]),
            (StreamId::Group(GroupId::new(10_000_002)), GOLDEN[1]),
            (StreamId::User(UserId::new(10_000_001)), GOLDEN[2]),
            (StreamId::Chat(pair), GOLDEN[3]),
            (StreamId::Callbacks, GOLDEN[4]),
            (StreamId::Audit, GOLDEN[5]),
            (StreamId::Name(NameId::new([7; 16])), GOLDEN[6]),
            (StreamId::Instance, GOLDEN[7]),
        ];
        let found = golden.map(|(stream, _)| Shard::of(stream).get());
        assert_eq!(found, golden.map(|(_, shard)| shard));
    }

    const GOLDEN: [u16; 8] = [40, 54, 55, 14, 27, 25, 28, 60];

    #[test]
    fn groups_spread_evenly() {
        let mut counts = [0_u32; SHARDS as usize];
        for id in 10_000_000..10_064_000 {
            counts[usize::from(Shard::of(StreamId::Group(GroupId::new(id))).get())] += 1;
        }
        let least = counts.iter().min().unwrap();
        let most = counts.iter().max().unwrap();
        assert!(*least > 850 && *most < 1150, "{least} to {most} of a thousand each");
    }
}
