//! All segments, by position: where a position's bytes are found.
//!
//! Shared by the writer, which adds segments and moves the end, and by everybody who
//! reads. Bytes only; what they mean is the business of `reader`.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use crate::journal::segment::RawSegment;

/// The segments of an open journal.
#[derive(Debug)]
pub(super) struct Segments {
    known: RwLock<BTreeMap<u64, Segment>>,
    end: AtomicU64,
    newest: AtomicU64,
}

/// One segment, wherever its bytes are.
#[derive(Debug, Clone)]
pub(super) enum Segment {
    /// As written.
    Raw(Arc<RawSegment>),
}

impl Segments {
    /// These segments, in which everything before `end` is durable.
    pub(super) fn new(known: BTreeMap<u64, Segment>, end: u64) -> Self {
        Self { known: RwLock::new(known), end: AtomicU64::new(end), newest: AtomicU64::new(0) }
    }

    /// The first position after everything durable.
    pub(super) fn end(&self) -> u64 {
        self.end.load(Ordering::Acquire)
    }

    /// Shows everything before this position to readers.
    pub(super) fn show_until(&self, end: u64) {
        self.end.store(end, Ordering::Release);
    }

    /// Where the newest record begins that became durable since opening.
    pub(super) fn newest(&self) -> u64 {
        self.newest.load(Ordering::SeqCst)
    }

    /// Notes the newest record, before anybody is told of it.
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

    /// Where the segment after the one that begins here begins.
    pub(super) fn after(&self, base: u64) -> Option<u64> {
        self.known().range(base + 1..).next().map(|(next, _)| *next)
    }

    /// Reads bytes from a position on; fewer than wanted where the segment ends.
    pub(super) fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize> {
        match self.covering(at) {
            Some((base, Segment::Raw(raw))) => {
                let left = usize::try_from(base + raw.capacity - at).unwrap_or(usize::MAX);
                let wanted = into.len().min(left);
                raw.file.read_at(&mut into[..wanted], at - base)
            }
            None => Ok(0),
        }
    }

    fn known(&self) -> RwLockReadGuard<'_, BTreeMap<u64, Segment>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Segment {
    /// How many positions it covers.
    pub(super) fn capacity(&self) -> u64 {
        match self {
            Self::Raw(raw) => raw.capacity,
        }
    }
}
