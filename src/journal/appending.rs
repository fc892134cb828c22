//! Appending to a journal: the segment that is being filled, and the step into the next.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use crate::journal::disk::Disk;
use crate::journal::preparing::{Preparer, SegmentRange};
use crate::journal::sealing::Sealer;
use crate::journal::segment::{HEADER, RawSegment};
use crate::journal::segments::{Segment, Segments};
use crate::threads::Threads;

/// Largest size of the first segment in bytes: a small installation stays small, since segments
/// grow by steps.
const FIRST_SEGMENT: u64 = 16 << 20;

/// The position at which writing continues after opening.
#[derive(Debug)]
pub(super) struct WritePosition {
    /// The segment that is being filled.
    pub(super) active: Arc<RawSegment>,
    /// The position of the next record.
    pub(super) at: u64,
    /// The segment after it, if it was made ahead.
    pub(super) next: Option<RawSegment>,
}

/// The sizes of new segments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Bytes of a full-grown segment; the first ones are smaller.
    pub(super) segment_bytes: u64,
    /// Whether a smaller segment may be made if the disk has no space for a larger one.
    pub(super) may_shrink: bool,
}

/// Writes at the end of a journal's files.
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
    /// Continues at `place`; compresses full segments if `compress` is set.
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

    /// The position of the first record of the active segment.
    pub(super) fn begins(&self) -> u64 {
        self.active.base + HEADER
    }

    /// Writes bytes at the end; [`advance`](Self::advance) makes them count.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        self.active.file.write_at(bytes, self.at - self.active.base)
    }

    /// Brings what is written to stable storage.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.active.file.sync()
    }

    /// Moves the end: the `bytes` written last belong to the journal from now on.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.at += bytes as u64;
    }

    /// Takes the next segment from the preparer; waits until it is made.
    pub(super) fn next(&self) -> io::Result<Arc<RawSegment>> {
        let wanted = self.next_stretch();
        let mut next = self.preparer.take(wanted)?;
        // A journal that may shrink its segments may have made this one, before the last restart.
        let is_wanted = (next.base, next.capacity) == (wanted.base, wanted.capacity);
        if !self.sizes.may_shrink && !is_wanted {
            next = self.preparer.take(wanted)?;
        }
        Ok(Arc::new(next))
    }

    /// Continues in `next`, after the end mark of the present segment was written.
    pub(super) fn turn_to(&mut self, next: Arc<RawSegment>) {
        self.segments.put(next.base, Segment::Raw(Arc::clone(&next)));
        self.at = next.base + HEADER;
        let full = std::mem::replace(&mut self.active, next);
        self.segments.show_until(self.at);
        self.sealer.iter().for_each(|sealer| sealer.add(Arc::clone(&full)));
    }

    /// Asks for the next segment once a quarter of this one is used.
    pub(super) fn prepare_next(&self) {
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

/// The size of a journal's first segment.
pub(super) fn first_capacity(segment_bytes: u64) -> u64 {
    segment_bytes.min(FIRST_SEGMENT)
}

/// The longest record that every segment of a journal with this segment size can hold.
pub(super) fn longest_record(segment_bytes: u64) -> usize {
    let longest = RawSegment::longest_record(first_capacity(segment_bytes));
    usize::try_from(longest).unwrap_or(usize::MAX)
}

/// Whether the error means that the disk or a quota is full.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}
