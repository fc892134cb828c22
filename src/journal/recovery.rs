//! Opens a journal's directory: which segments exist, whether they are whole, where writing goes
//! on.
//!
//! Only the last segment can have a torn tail: bytes of a batch that was being written when the
//! machine stopped, and that was never acknowledged. They are cut, with a report. Any other flaw is
//! an error, and then no record is changed.
//!
//! A torn tail and damage look alike at the bad record. What follows it tells them apart: each
//! record states where its batch begins, and everything before that was durable when the record was
//! written. So a whole record of a later batch behind a bad one proves that the bad one was once
//! good.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use crate::Cursor;
use crate::disk::Disk;
use crate::inventory::{self, Inventory};
use crate::open_error::OpenError;
use crate::record::{self, END_MARK_BYTES, Flaw};
use crate::segment::{self, HEADER, RawSegment};
use crate::segments::{Segment, Segments};
use crate::segments_writer::WritePosition;

/// Bytes that are read at a time while the end of a segment is searched.
const STRIDE: usize = 64 << 10;
/// Zeros that are read behind the last written byte: more than a header or an end mark takes.
const ZEROS_BEHIND: usize = 4 << 10;

/// The findings and changes of an opening.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenReport {
    /// Number of segment files.
    pub segments: usize,
    /// The first position after the last whole record.
    pub end: Cursor,
    /// The torn tail that was cut, if there was one.
    pub torn: Option<TornTail>,
    /// Names of the removed files: unfinished ones, and one of two that held the same segment.
    pub removed: Vec<String>,
}

/// Bytes that were being written when the machine stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornTail {
    /// The name of the file.
    pub file: String,
    /// The offset in the file at which the tail begins.
    pub offset: u64,
    /// The position at which the tail begins.
    pub position: Cursor,
    /// How many bytes were cut.
    pub bytes: u64,
    /// The problem of the first record of the tail.
    pub reason: String,
    /// Whether whole records lie behind the first bad one.
    pub hides_records: bool,
}

/// An opened journal, before its threads run.
#[derive(Debug)]
pub(super) struct OpenedJournal {
    pub(super) segments: Arc<Segments>,
    pub(super) place: WritePosition,
    pub(super) report: OpenReport,
}

/// Opens the journal on a disk, or makes a new one on an empty disk.
///
/// A journal that ends before the record `known` to have been in it is refused, and its tail is not
/// cut: it may hold what can be saved.
pub(super) fn open(
    disk: &Arc<dyn Disk>,
    first_capacity: u64,
    known: Option<Cursor>,
) -> Result<OpenedJournal, OpenError> {
    let mut report = OpenReport::default();
    let Inventory { mut segments, removed } = inventory::take(&**disk)?;
    if segments.is_empty() {
        refuse_lost(known, 0)?;
        let first = RawSegment::create(&**disk, 0, first_capacity)
            .map_err(|source| OpenError::refused(&segment::raw_name(0), source))?;
        segments.insert(0, Segment::Raw(Arc::new(first)));
    }
    report.segments = segments.len();
    report.removed = removed;
    let JournalEnd { active, at, next, torn } = find_end(&segments, |raw| {
        let tail = SegmentTail::of(raw)?;
        tail.write_again(raw)?;
        Ok(tail)
    })?;
    refuse_lost(known, at)?;
    if let Some(torn) = &torn {
        cut(&active, torn)?;
    }
    report.torn = torn;
    report.end = Cursor::new(at);
    let next = next.map(|next| {
        segments.remove(&next.base);
        RawSegment { base: next.base, capacity: next.capacity, file: Arc::clone(&next.file) }
    });
    let place = WritePosition { active, at, next };
    let segments = Segments::new(Arc::clone(disk), segments, at);
    Ok(OpenedJournal { segments: Arc::new(segments), place, report })
}

fn refuse_lost(known: Option<Cursor>, end: u64) -> Result<(), OpenError> {
    let lost = known.and_then(|known| OpenError::if_lost(known, Cursor::new(end)));
    lost.map_or(Ok(()), Err)
}

/// The end of the records of a journal.
pub(super) struct JournalEnd {
    /// The segment that is being filled.
    active: Arc<RawSegment>,
    /// The position after the last whole record.
    pub(super) at: u64,
    /// The segment that was made ahead and is empty, if there is one.
    next: Option<Arc<RawSegment>>,
    /// The bytes at the end that are no whole record, if there are any.
    torn: Option<TornTail>,
}

/// Finds where records end. The last segment may have been made ahead and be empty; then the one
/// before it is still being filled. `tail_of` tells how a segment ends.
///
/// # Errors
/// If the last segment is missing or is damaged: what whole records it has is then not the end.
pub(super) fn find_end(
    segments: &BTreeMap<u64, Segment>,
    tail_of: impl Fn(&RawSegment) -> Result<SegmentTail, OpenError>,
) -> Result<JournalEnd, OpenError> {
    let mut newest_first = segments.values().rev();
    let Some(Segment::Raw(last)) = newest_first.next() else {
        return Err(no_successor(segments));
    };
    let tail = tail_of(last)?;
    if tail.is_untouched(last)
        && let Some(Segment::Raw(before)) = newest_first.next()
    {
        let earlier = tail_of(before)?;
        if !earlier.is_sealed {
            return ahead(last, &tail, before, earlier);
        }
    }
    if tail.is_sealed {
        return Err(no_successor(segments));
    }
    Ok(JournalEnd { active: Arc::clone(last), at: tail.end, next: None, torn: tail.torn })
}

/// The error for a last segment that is full: its successor is missing, since that is always made
/// first.
fn no_successor(segments: &BTreeMap<u64, Segment>) -> OpenError {
    let last = segments.last_key_value();
    let position = last.map_or(0, |(base, segment)| base + segment.capacity());
    OpenError::Missing { file: segment::raw_name(position), position }
}

/// The end of a journal whose last but one segment is still being filled; the last one must be
/// empty.
fn ahead(
    last: &Arc<RawSegment>,
    tail: &SegmentTail,
    before: &Arc<RawSegment>,
    earlier: SegmentTail,
) -> Result<JournalEnd, OpenError> {
    if tail.torn.is_some() {
        let reason = "it does not end with an end mark, but the next file was begun";
        let offset = earlier.end - before.base;
        return Err(OpenError::damaged(segment::raw_name(before.base), offset, reason));
    }
    let active = Arc::clone(before);
    let next = Some(Arc::clone(last));
    Ok(JournalEnd { active, at: earlier.end, next, torn: earlier.torn })
}

/// How a segment ends.
pub(super) struct SegmentTail {
    /// The position after the segment's last whole record.
    end: u64,
    /// Whether an end mark stands at `end`.
    is_sealed: bool,
    /// The bytes at `end`, if they are neither zeros nor an end mark.
    torn: Option<TornTail>,
    /// The offset of the last batch, and its bytes with the end mark.
    last: (usize, Vec<u8>),
}

impl SegmentTail {
    /// Reads how a segment ends. Changes nothing.
    pub(super) fn of(raw: &RawSegment) -> Result<Self, OpenError> {
        let name = segment::raw_name(raw.base);
        let bytes = needed(raw).map_err(|source| OpenError::refused(&name, source))?;
        let (batch, offset, flaw) = last_whole(&bytes, raw.base);
        let end = raw.base + offset as u64;
        if flaw == Flaw::End && record::is_end_mark(&bytes[offset..], end) {
            let last = (batch, bytes[batch..offset + END_MARK_BYTES].to_vec());
            return Ok(Self { end, is_sealed: true, torn: None, last });
        }
        let last = (batch, bytes[batch..offset].to_vec());
        let Some(dirty) = last_dirty(&bytes[offset..]) else {
            return Ok(Self { end, is_sealed: false, torn: None, last });
        };
        let behind = behind(&bytes[offset..], dirty, end);
        if behind == Behind::Durable {
            return Err(OpenError::damaged(name, offset as u64, flaw));
        }
        let torn = TornTail {
            file: name,
            offset: offset as u64,
            position: Cursor::new(end),
            bytes: dirty as u64 + 1,
            reason: flaw.to_string(),
            hides_records: behind == Behind::Records,
        };
        Ok(Self { end, is_sealed: false, torn: Some(torn), last })
    }

    fn is_untouched(&self, raw: &RawSegment) -> bool {
        self.end == raw.base + HEADER && !self.is_sealed
    }

    /// Writes the last batch once more and syncs it.
    ///
    /// If its sync failed before, the page cache may still show bytes that will never reach the
    /// disk. Everything earlier was synced, or the writer would have stopped before.
    fn write_again(&self, raw: &RawSegment) -> Result<(), OpenError> {
        let (offset, bytes) = &self.last;
        let written = raw.file.write_at(bytes, *offset as u64).and_then(|()| raw.file.sync());
        written.map_err(|source| OpenError::refused(&segment::raw_name(raw.base), source))
    }
}

/// Reads as much of a segment as its end has to be judged by. Of one that ends well, these are the
/// written bytes and some zeros behind them, since most of it was never used.
fn needed(raw: &RawSegment) -> io::Result<Vec<u8>> {
    let capacity = usize::try_from(raw.capacity).unwrap_or(usize::MAX);
    let bytes = read(raw, (written(raw, capacity)? + ZEROS_BEHIND).min(capacity))?;
    let (_, offset, flaw) = last_whole(&bytes, raw.base);
    let tail = &bytes[offset..];
    let is_sealed = flaw == Flaw::End && record::is_end_mark(tail, raw.base + offset as u64);
    let is_unfinished = flaw == Flaw::Blank && last_dirty(tail).is_none();
    if is_sealed || is_unfinished { Ok(bytes) } else { read(raw, capacity) }
}

fn read(raw: &RawSegment, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    raw.file.read_at(&mut bytes, 0)?;
    Ok(bytes)
}

/// The length of a segment up to its last byte that is not zero, read from the end.
fn written(raw: &RawSegment, capacity: usize) -> io::Result<usize> {
    let mut stride = vec![0; STRIDE];
    for start in (0..capacity).step_by(STRIDE).rev() {
        let bytes = &mut stride[..STRIDE.min(capacity - start)];
        let length = raw.file.read_at(bytes, start as u64)?;
        if let Some(dirty) = last_dirty(&bytes[..length]) {
            return Ok(start + dirty + 1);
        }
    }
    Ok(0)
}

/// The offsets at which a segment's last batch begins and at which its whole records end, and what
/// is wrong with the bytes there.
fn last_whole(bytes: &[u8], base: u64) -> (usize, usize, Flaw) {
    let mut batch = base;
    let mut offset = HEADER as usize;
    loop {
        let at = base + offset as u64;
        match record::verify(&bytes[offset..], at) {
            Ok(length) => {
                batch = record::batch_start(&bytes[offset..], at);
                offset += length;
            }
            Err(flaw) => {
                let batch = usize::try_from(batch.saturating_sub(base)).unwrap_or(offset);
                return (batch.min(offset), offset, flaw);
            }
        }
    }
}

/// The offset of the last byte that is not zero.
pub(super) fn last_dirty(bytes: &[u8]) -> Option<usize> {
    const ZEROS: [u8; 4096] = [0; 4096];
    // Compares whole pages at once, since most of a segment was never used.
    let used = bytes.chunks(ZEROS.len()).rposition(|chunk| *chunk != ZEROS[..chunk.len()])?;
    let from = used * ZEROS.len();
    let page = &bytes[from..bytes.len().min(from + ZEROS.len())];
    page.iter().rposition(|byte| *byte != 0).map(|at| from + at)
}

/// The bytes behind a bad record, as evidence of whether it was durable once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Behind {
    /// No whole record and no end mark.
    Nothing,
    /// Whole records, but only of the bad record's own batch.
    Records,
    /// Proof that the bad record was durable once: an end mark, or a whole record of a batch that
    /// began after it.
    Durable,
}

/// Searches the bytes behind a bad record. `start` is the position of `tail`, and `dirty` the
/// offset of its last byte that is not zero.
pub(super) fn behind(tail: &[u8], dirty: usize, start: u64) -> Behind {
    let mut most = Behind::Nothing;
    for skipped in 1..=dirty {
        let bytes = &tail[skipped..];
        let at = start + skipped as u64;
        if !record::names_its_place(bytes, at) {
            continue;
        }
        let found = match record::verify(bytes, at) {
            Ok(_) if record::batch_start(bytes, at) > start => Behind::Durable,
            Ok(_) => Behind::Records,
            Err(_) if record::is_end_mark(bytes, at) => Behind::Durable,
            Err(_) => Behind::Nothing,
        };
        most = most.max(found);
        if most == Behind::Durable {
            break;
        }
    }
    most
}

/// Overwrites a torn tail with zeros, so that no part of it can later be taken for a record.
fn cut(active: &RawSegment, torn: &TornTail) -> Result<(), OpenError> {
    let zeros = vec![0; usize::try_from(torn.bytes).unwrap_or(0)];
    let cut = active.file.write_at(&zeros, torn.offset).and_then(|()| active.file.sync());
    cut.map_err(|source| OpenError::refused(&torn.file, source))
}
