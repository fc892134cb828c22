//! Where a journal grows: the segment that is being filled, and the step into the next.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use crate::journal::disk::Disk;
use crate::journal::preparing::{Preparer, SegmentRange};
use crate::journal::sealing::Sealer;
use crate::journal::segment::{HEADER, RawSegment};
use crate::journal::segments::{Segment, Segments};
use crate::threads::Threads;

/// The first segments are not larger than this, so that a small installation stays so.
const FIRST_SEGMENT: u64 = 16 << 20;

/// Where writing goes on.
#[derive(Debug)]
pub(super) struct WritePosition {
    /// The segment that is being filled.
    pub(super) active: Arc<RawSegment>,
    /// The position of the next record.
    pub(super) at: u64,
    /// The segment after it, if one was made already.
    pub(super) next: Option<RawSegment>,
}

/// How large segments are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Bytes of a segment; the first ones are smaller.
    pub(super) segment_bytes: u64,
    /// Whether a smaller one will do where there is no room on the disk.
    pub(super) may_shrink: bool,
}

/// The end of a journal's files.
#[derive(Debug)]
pub(super) struct Appender {
    segments: Arc<Segments>,
    preparer: Preparer,
    sealer: Option<Sealer>,
    sizes: Sizes,
    active: Arc<RawSegment>,
    at: u64,
}

impl Appender {
    /// Goes on at this place; compresses full segments if asked to.
    pub(super) fn start(
        disk: Arc<dyn Disk>,
        segments: Arc<Segments>,
        mut place: WritePosition,
        sizes: Sizes,
        compress: bool,
        threads: &Threads,
    ) -> io::Result<Self> {
        let sealer = compress
            .then(|| Sealer::start(Arc::clone(&disk), Arc::clone(&segments), threads.clone()));
        let sealer = sealer.transpose()?;
        for full in segments.raws_before(place.active.base) {
            sealer.iter().for_each(|sealer| sealer.add(Arc::clone(&full)));
        }
        let preparer = Preparer::start(disk, place.next.take(), threads)?;
        let WritePosition { active, at, .. } = place;
        Ok(Self { segments, preparer, sealer, sizes, active, at })
    }

    /// The position of the next record.
    pub(super) const fn at(&self) -> u64 {
        self.at
    }

    /// The segment that is being filled.
    pub(super) const fn active(&self) -> &Arc<RawSegment> {
        &self.active
    }

    /// The position of the first record of this segment.
    pub(super) fn begins(&self) -> u64 {
        self.active.base + HEADER
    }

    /// Writes bytes at the end; they do not count yet.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        self.active.file.write_at(bytes, self.at - self.active.base)
    }

    /// Brings what is written to stable storage.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.active.file.sync()
    }

    /// So many bytes at the end count from now on.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.at += bytes as u64;
    }

    /// The next segment, to go on in; waits until it is made.
    pub(super) fn next(&self) -> io::Result<Arc<RawSegment>> {
        let wanted = self.next_stretch();
        let mut next = self.preparer.take(wanted)?;
        // One that was made ahead by somebody who might make it smaller.
        let is_wanted = (next.base, next.capacity) == (wanted.base, wanted.capacity);
        if !self.sizes.may_shrink && !is_wanted {
            next = self.preparer.take(wanted)?;
        }
        Ok(Arc::new(next))
    }

    /// Goes on in this segment; the one before has its end mark.
    pub(super) fn turn_to(&mut self, next: Arc<RawSegment>) {
        self.segments.put(next.base, Segment::Raw(Arc::clone(&next)));
        self.at = next.base + HEADER;
        let full = std::mem::replace(&mut self.active, next);
        self.segments.show_until(self.at);
        self.sealer.iter().for_each(|sealer| sealer.add(Arc::clone(&full)));
    }

    /// Has the next segment made once a quarter of this one is used.
    pub(super) fn think_ahead(&self) {
        let used = self.at - self.active.base;
        if used >= self.active.capacity / 4 {
            self.preparer.ask(self.next_stretch());
        }
    }

    fn next_stretch(&self) -> SegmentRange {
        let base = self.active.base + self.active.capacity;
        let grown = self.active.capacity.saturating_mul(4);
        let least = first_capacity(self.sizes.segment_bytes);
        let capacity = grown.clamp(least, self.sizes.segment_bytes);
        let least = if self.sizes.may_shrink { least } else { capacity };
        SegmentRange { base, capacity, least }
    }
}

/// How large the first segment of a journal is.
pub(super) fn first_capacity(segment_bytes: u64) -> u64 {
    segment_bytes.min(FIRST_SEGMENT)
}

/// The longest record that every segment of such a journal can hold.
pub(super) fn longest_record(segment_bytes: u64) -> usize {
    let longest = RawSegment::longest_record(first_capacity(segment_bytes));
    usize::try_from(longest).unwrap_or(usize::MAX)
}

/// Whether there is no room on the disk.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}
