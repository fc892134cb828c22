//! All segments of an open journal, by position.
//!
//! Shared by the writer, which adds segments and moves the end, and by all readers. This file knows
//! only bytes; `reader` interprets them as records.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use quick_cache::sync::Cache;

use crate::disk::Disk;
use crate::packed::{BLOCK, Packed};
use crate::segment::{self, RawSegment};

/// Compressed segments kept open with their tables of blocks: 128 of them take 8 MiB.
const OPEN_SEGMENTS: usize = 128;
/// Decompressed blocks in the cache: 8 MiB of them.
const BLOCKS: usize = (8 << 20) / BLOCK;

/// The segments of an open journal.
pub(super) struct Segments {
    disk: Arc<dyn Disk>,
    known: RwLock<BTreeMap<u64, Segment>>,
    end: AtomicU64,
    newest: AtomicU64,
    opened: Cache<u64, Arc<Packed>>,
    blocks: Cache<(u64, usize), Arc<Vec<u8>>>,
}

/// One segment, uncompressed or compressed.
#[derive(Debug, Clone)]
pub(super) enum Segment {
    /// An uncompressed segment.
    Raw(Arc<RawSegment>),
    /// A compressed segment; its file is opened at the first read.
    Packed {
        /// How many positions the segment covers.
        capacity: u64,
    },
}

impl Segments {
    /// Begins with these segments, in which everything before `end` is durable.
    pub(super) fn new(disk: Arc<dyn Disk>, known: BTreeMap<u64, Segment>, end: u64) -> Self {
        Self {
            disk,
            known: RwLock::new(known),
            end: AtomicU64::new(end),
            newest: AtomicU64::new(0),
            opened: Cache::new(OPEN_SEGMENTS),
            blocks: Cache::new(BLOCKS),
        }
    }

    /// The first position after everything durable.
    pub(super) fn end(&self) -> u64 {
        self.end.load(Ordering::Acquire)
    }

    /// Makes everything before `end` visible to readers.
    pub(super) fn show_until(&self, end: u64) {
        self.end.store(end, Ordering::Release);
    }

    /// The beginning of the newest record that became durable since opening; 0 if there is none.
    pub(super) fn newest(&self) -> u64 {
        self.newest.load(Ordering::SeqCst)
    }

    /// Notes where the newest record begins; called before its ticket resolves.
    pub(super) fn note_newest(&self, at: u64) {
        self.newest.store(at, Ordering::SeqCst);
    }

    /// Adds a segment, or replaces the one that begins at the same position.
    pub(super) fn put(&self, base: u64, segment: Segment) {
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(base, segment);
    }

    /// The segment that covers a position, and where it begins.
    pub(super) fn covering(&self, at: u64) -> Option<(u64, Segment)> {
        let known = self.known();
        let (base, segment) = known.range(..=at).next_back()?;
        (at < base + segment.capacity()).then(|| (*base, segment.clone()))
    }

    /// The first position of the segment that follows the one at `base`.
    pub(super) fn after(&self, base: u64) -> Option<u64> {
        self.known().range(base + 1..).next().map(|(next, _)| *next)
    }

    /// The first positions of all segments, in order.
    pub(super) fn bases(&self) -> Vec<u64> {
        self.known().keys().copied().collect()
    }

    /// The uncompressed segments that begin before this position.
    pub(super) fn raws_before(&self, position: u64) -> Vec<Arc<RawSegment>> {
        let raw = |segment: &Segment| match segment {
            Segment::Raw(raw) => Some(Arc::clone(raw)),
            Segment::Packed { .. } => None,
        };
        self.known().range(..position).filter_map(|(_, segment)| raw(segment)).collect()
    }

    /// Reads bytes from a position on; fewer than wanted at the end of the segment, or before bytes
    /// that cannot be read.
    pub(super) fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize> {
        match self.covering(at) {
            Some((_, Segment::Raw(raw))) => raw.read(into, at),
            Some((base, Segment::Packed { .. })) => {
                let packed = self.opened(base)?;
                packed.read(into, at - base, |index| {
                    let unpack = || packed.block(index).map(Arc::new);
                    self.blocks.get_or_insert_with(&(base, index), unpack)
                })
            }
            None => Ok(0),
        }
    }

    /// Reads bytes like [`Self::read_at`], but without the cache, which would hide damage of a
    /// file. `last` holds the compressed segment of the last read.
    pub(super) fn read_from_disk(
        &self,
        into: &mut [u8],
        at: u64,
        last: &mut Option<(u64, Packed)>,
    ) -> io::Result<usize> {
        match self.covering(at) {
            Some((_, Segment::Raw(raw))) => raw.read(into, at),
            Some((base, Segment::Packed { .. })) => {
                let packed = match last.take() {
                    Some((open, packed)) if open == base => packed,
                    Some(_) | None => self.open(base)?,
                };
                let read = packed.read(into, at - base, |index| packed.block(index));
                *last = Some((base, packed));
                read
            }
            None => Ok(0),
        }
    }

    fn opened(&self, base: u64) -> io::Result<Arc<Packed>> {
        self.opened.get_or_insert_with(&base, || self.open(base).map(Arc::new))
    }

    fn open(&self, base: u64) -> io::Result<Packed> {
        Packed::open(self.disk.open(&segment::packed_name(base))?, base)
    }

    fn known(&self) -> RwLockReadGuard<'_, BTreeMap<u64, Segment>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Segment {
    /// How many positions the segment covers.
    pub(super) fn capacity(&self) -> u64 {
        match self {
            Self::Raw(raw) => raw.capacity,
            Self::Packed { capacity } => *capacity,
        }
    }
}

impl fmt::Debug for Segments {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Segments").field("known", &self.known).field("end", &self.end).finish()
    }
}
