//! Reads the journal: one record by its position, or all of them in order.
//!
//! Only durable records are shown. A record is checked each time it is read.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use crate::packed::{BLOCK, Packed};
use crate::record::{self, Flaw};
use crate::segment::HEADER;
use crate::segments::Segments;
use crate::{Committed, Cursor, JournalFault, Scan};
use domain::time::Timestamp;

/// Bytes read first for one record; most records are shorter.
const GUESS: usize = 1024;
/// Bytes read at a time during a scan.
const WINDOW: usize = 256 << 10;

/// Reads the record that begins at this position.
pub(super) fn read(segments: &Segments, at: Cursor) -> Result<Arc<Committed>, JournalFault> {
    if at.get() >= segments.end() {
        return Err(damaged(at.get(), &Flaw::Blank));
    }
    let mut window = Window::new(segments, GUESS);
    let record = window.record(at.get())?.map_err(|flaw| damaged(at.get(), &flaw))?;
    decoded(record, at.get())
}

/// Reads records from this position on, about `max_bytes` of them and at least one if there is one.
/// Skips marks. Ends before damage, which is an error only if nothing lies before it.
pub(super) fn scan(
    segments: &Segments,
    from: Cursor,
    max_bytes: usize,
) -> Result<Scan, JournalFault> {
    let end = segments.end();
    let mut window = Window::new(segments, max_bytes.clamp(GUESS, WINDOW));
    let mut commits = Vec::new();
    let mut taken = 0;
    let mut at = first_in(segments, from.get());
    while at < end {
        let read = match window.step(at) {
            Ok(Step::Over(next)) => {
                at = next;
                continue;
            }
            Ok(Step::Commit(length)) if taken > 0 && taken + length > max_bytes => break,
            Ok(Step::Commit(length)) => window.commit(at, length).map(|commit| (commit, length)),
            Err(fault) => Err(fault),
        };
        let (commit, length) = match read {
            Ok(read) => read,
            Err(fault) if commits.is_empty() => return Err(fault),
            Err(_) => break,
        };
        taken += length;
        commits.push(commit);
        at += length as u64;
    }
    Ok(Scan { commits, next: Cursor::new(at) })
}

/// The first position after `at` where something whole lies, a record or the end mark of a segment,
/// or the journal's end if there is none: where to continue behind damage. What cannot be read is
/// passed over.
pub(super) fn next_whole(segments: &Segments, at: u64) -> u64 {
    let end = segments.end();
    let mut at = at + 1;
    let mut window = Window::from_disk(segments, BLOCK);
    while at < end {
        let Some((base, segment)) = segments.covering(at) else {
            // Behind the last byte of a segment that another one follows, or of the journal.
            let Some(next) = segments.after(at) else { return end };
            at = next + HEADER;
            continue;
        };
        at = at.max(base + HEADER);
        let seen = window.bytes(at, record::HEADER);
        match seen.map(|bytes| (bytes.len(), record::names_its_place(bytes, at))) {
            Ok((length, _)) if length < record::END_MARK_BYTES => at = base + segment.capacity(),
            Ok((_, true)) if window.is_whole(at) => return at,
            Ok(_) => at += 1,
            Err(_) => at = base + ((at - base) / BLOCK as u64 + 1) * BLOCK as u64,
        }
    }
    end
}

/// The beginning of the newest segment whose first commit was submitted at this time or before; the
/// journal's start if there is none.
pub(super) fn since(segments: &Segments, at: Timestamp) -> Result<Cursor, JournalFault> {
    for base in segments.bases().into_iter().rev().map(Cursor::new) {
        let Scan { commits, .. } = scan(segments, base, 1)?;
        if commits.first().is_some_and(|first| first.at <= at) {
            return Ok(base);
        }
    }
    Ok(Cursor::START)
}

/// Calls `see` for every record between these positions, marks included, with its position; each
/// record is read from the disk and checked first. Returns the position after the last one.
pub(super) fn each(
    segments: &Segments,
    from: u64,
    end: u64,
    mut see: impl FnMut(u64, &[u8]),
) -> Result<u64, JournalFault> {
    let mut window = Window::from_disk(segments, WINDOW);
    let mut at = first_in(segments, from);
    while at < end {
        match window.record(at)? {
            Ok(record) => {
                let length = record::verify(record, at).map_err(|flaw| damaged(at, &flaw))?;
                see(at, record);
                at += length as u64;
            }
            Err(Flaw::End) => at = window.past_end_mark(at)?,
            Err(flaw) => return Err(damaged(at, &flaw)),
        }
    }
    Ok(at)
}

/// The running check value at `end`, given that it was `sum` at `from`.
pub(super) fn sum_of(
    segments: &Segments,
    from: u64,
    end: u64,
    mut sum: u64,
) -> Result<u64, JournalFault> {
    each(segments, from, end, |_, record| {
        if !record::is_mark(record) {
            sum = record::fold(sum, record::crc(record));
        }
    })?;
    Ok(sum)
}

/// The position after the last used byte of the segment that begins at `base`: after its end mark,
/// or where its records end.
pub(super) fn used_until(segments: &Segments, base: u64) -> Result<u64, JournalFault> {
    let mut window = Window::new(segments, WINDOW);
    let mut at = base + HEADER;
    let end = segments.end();
    while at < end {
        match window.record(at)? {
            Ok(record) => at += record.len() as u64,
            Err(Flaw::End) => return Ok(at + record::END_MARK_BYTES as u64),
            Err(flaw) => return Err(damaged(at, &flaw)),
        }
    }
    Ok(at)
}

/// The first position at or after `at` where a record may begin.
fn first_in(segments: &Segments, at: u64) -> u64 {
    segments.covering(at).map_or(at, |(base, _)| at.max(base + HEADER))
}

/// The content at a position.
enum Step {
    /// The record of a commit with so many bytes; it is not checked yet.
    Commit(usize),
    /// A mark or the end of a segment; the next record is at this position.
    Over(u64),
}

/// The place from which the blocks of compressed segments are read.
enum Origin {
    /// The cache, and the disk for what is not there.
    Cache,
    /// The disk alone, with the compressed segment of the last read.
    Disk(Option<(u64, Packed)>),
}

/// A buffer of bytes read ahead.
struct Window<'a> {
    segments: &'a Segments,
    origin: Origin,
    stride: usize,
    start: u64,
    bytes: Vec<u8>,
}

impl<'a> Window<'a> {
    fn new(segments: &'a Segments, stride: usize) -> Self {
        Self { segments, origin: Origin::Cache, stride, start: 0, bytes: Vec::new() }
    }

    fn from_disk(segments: &'a Segments, stride: usize) -> Self {
        Self { origin: Origin::Disk(None), ..Self::new(segments, stride) }
    }

    /// The bytes of the record that begins at `at`, or the flaw found there.
    fn record(&mut self, at: u64) -> Result<Result<&[u8], Flaw>, JournalFault> {
        let prefix = self.bytes(at, record::HEADER)?;
        let length = match record::length(prefix) {
            Ok(length) => length,
            Err(flaw) => return Ok(Err(flaw)),
        };
        Ok(self.bytes(at, length)?.get(..length).ok_or(Flaw::Cut))
    }

    /// Reads what lies at `at`.
    fn step(&mut self, at: u64) -> Result<Step, JournalFault> {
        match self.record(at)? {
            // Verified before it is skipped, since one flipped bit can make a commit look like a
            // mark.
            Ok(record) if record::is_mark(record) => {
                let length = record::verify(record, at).map_err(|flaw| damaged(at, &flaw))?;
                Ok(Step::Over(at + length as u64))
            }
            Ok(record) => Ok(Step::Commit(record.len())),
            Err(Flaw::End) => self.past_end_mark(at).map(Step::Over),
            Err(flaw) => Err(damaged(at, &flaw)),
        }
    }

    /// Decodes the commit at `at`, whose record has so many bytes.
    fn commit(&mut self, at: u64, length: usize) -> Result<Arc<Committed>, JournalFault> {
        decoded(self.bytes(at, length)?, at)
    }

    /// Whether a whole record or end mark lies at `at`.
    fn is_whole(&mut self, at: u64) -> bool {
        match self.step(at) {
            Ok(Step::Commit(length)) => self.commit(at, length).is_ok(),
            Ok(Step::Over(_)) => true,
            Err(_) => false,
        }
    }

    /// The position where reading continues after the end mark at `at`.
    fn past_end_mark(&mut self, at: u64) -> Result<u64, JournalFault> {
        let mark = self.bytes(at, record::END_MARK_BYTES)?;
        if !record::is_end_mark(mark, at) {
            return Err(damaged(at, &Flaw::Checksum));
        }
        let base = self.segments.covering(at).map(|(base, _)| base);
        let next = base.and_then(|base| self.segments.after(base));
        next.map(|next| next + HEADER).ok_or_else(|| damaged(at, &Flaw::End))
    }

    /// The bytes from `at` on: at least as many as wanted, unless the segment ends before.
    fn bytes(&mut self, at: u64, wanted: usize) -> Result<&[u8], JournalFault> {
        let is_held = at >= self.start && at + wanted as u64 <= self.start + self.len();
        if !is_held {
            self.fill(at, wanted)?;
        }
        let offset = usize::try_from(at - self.start).unwrap_or(usize::MAX);
        Ok(self.bytes.get(offset..).unwrap_or_default())
    }

    /// Reads `wanted` bytes from `at` on, or more, as far as that is one read.
    fn fill(&mut self, at: u64, wanted: usize) -> Result<(), JournalFault> {
        self.bytes.resize(wanted.max(self.stride), 0);
        self.start = at;
        let mut got = 0;
        // A read may end before something that cannot be read; only what is wanted of that is a
        // fault.
        while got < wanted {
            let into = &mut self.bytes[got..];
            let place = at + got as u64;
            let read = match &mut self.origin {
                Origin::Cache => self.segments.read_at(into, place),
                Origin::Disk(last) => self.segments.read_from_disk(into, place, last),
            };
            match read {
                Ok(0) => break,
                Ok(more) => got += more,
                Err(error) => {
                    self.bytes.clear();
                    return Err(unreadable(at, &error));
                }
            }
        }
        self.bytes.truncate(got);
        Ok(())
    }

    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }
}

fn decoded(record: &[u8], at: u64) -> Result<Arc<Committed>, JournalFault> {
    record::decode(record, at).map(Arc::new).map_err(|flaw| damaged(at, &flaw))
}

fn damaged(at: u64, flaw: &Flaw) -> JournalFault {
    JournalFault::Damaged { at, reason: flaw.to_string() }
}

/// Maps a read error: damage is permanent, whereas any other error that the operating system
/// reported may pass.
fn unreadable(at: u64, error: &io::Error) -> JournalFault {
    let reason = error.to_string();
    if matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) {
        JournalFault::Damaged { at, reason }
    } else {
        JournalFault::Unreadable { at, reason }
    }
}
