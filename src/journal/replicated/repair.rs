//! Repairs a copy: a damaged segment is removed together with all later ones, and its messages are
//! read again from the log.
//!
//! A server that finds damage notes the segment, durably, and stops, since what was read of the
//! segment may be in the index or on somebody's screen. It starts again, and opening the copy cuts.
//! If the cut is interrupted, the note makes the next opening repeat it.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::disk::Disk;
use crate::open_error::OpenError;
use crate::segment::{self, HEADER, RawSegment, SegmentName};
use crate::segments::Segments;
use crate::{COMPARISON, JournalFault, reader};
use base::clock::Deadline;

/// The file with the noted segment's first position and capacity.
const NOTE: &str = "distrusted";
/// The least time between two checks for callers, so that those who ask for positions which never
/// existed do not have segments read all the time.
const LOOK: Duration = Duration::from_secs(10);

/// Checks segments in which a read failed.
#[derive(Debug)]
pub(super) struct DamageCheck {
    disk: Arc<dyn Disk>,
    segments: Arc<Segments>,
    next_look: Mutex<Option<Deadline>>,
}

impl DamageCheck {
    pub(super) fn new(disk: Arc<dyn Disk>, segments: Arc<Segments>) -> Self {
        Self { disk, segments, next_look: Mutex::default() }
    }

    /// Checks the segment in which a caller's read failed at this position, as `check` does, unless
    /// one was checked for a caller a short while ago.
    pub(super) fn look(&self, at: u64) -> Option<JournalFault> {
        let mut next_look = self.next_look.lock().unwrap_or_else(PoisonError::into_inner);
        if next_look.is_some_and(|it| !it.left().is_zero()) {
            return None;
        }
        *next_look = Some(Deadline::after(LOOK));
        self.check(at)
    }

    /// Checks the segment in which a read failed at this position. If the segment itself is
    /// damaged, notes it and returns the fault with which the journal has to stop; None if only the
    /// position was wrong.
    pub(super) fn check(&self, at: u64) -> Option<JournalFault> {
        let (base, found) = self.segments.covering(at)?;
        let end = self.segments.end().min(base + found.capacity());
        let damage = reader::each(&self.segments, base + HEADER, end, |_, _| {}).err()?;
        Some(self.distrust(base, &damage.to_string()))
    }

    /// Notes the segment that covers this position as damaged; returns the fault with which the
    /// journal has to stop.
    pub(super) fn distrust(&self, at: u64, what: &str) -> JournalFault {
        let Some((base, found)) = self.segments.covering(at) else {
            return stopped("read", what);
        };
        tracing::error!(
            file = segment::raw_name(base),
            what,
            "this node's journal is damaged: the node restarts, cuts the journal there and \
             reads the rest from the log"
        );
        match note(&*self.disk, base, found.capacity()) {
            Ok(()) => stopped(COMPARISON, what),
            Err(error) => {
                stopped("write", &format!("{what}; and that could not be noted: {error}"))
            }
        }
    }
}

fn stopped(operation: &'static str, what: &str) -> JournalFault {
    JournalFault::Stopped { operation, reason: what.to_owned() }
}

fn note(disk: &dyn Disk, base: u64, capacity: u64) -> io::Result<()> {
    let unfinished = segment::unfinished(NOTE);
    let file = disk.create(&unfinished)?;
    file.write_at(&[base.to_le_bytes(), capacity.to_le_bytes()].concat(), 0)?;
    file.sync()?;
    disk.rename(&unfinished, NOTE)?;
    disk.sync()
}

/// Cuts the copy at the noted segment, if there is a note. Returns the position of the cut.
///
/// # Errors
/// If a file operation fails.
pub(super) fn cut_noted(disk: &dyn Disk) -> Result<Option<u64>, OpenError> {
    cut(disk).map_err(|source| OpenError::refused(NOTE, source))
}

fn cut(disk: &dyn Disk) -> io::Result<Option<u64>> {
    let names = disk.list()?;
    if !names.iter().any(|name| name == NOTE) {
        return Ok(None);
    }
    let mut bytes = [0; 16];
    disk.open(NOTE)?.read_at(&mut bytes, 0)?;
    let word = |at: usize| {
        bytes[at..].first_chunk().map_or(0, |chunk: &[u8; 8]| u64::from_le_bytes(*chunk))
    };
    let base = word(0);
    let capacity = word(8);
    for name in names {
        if let SegmentName::Raw(at) | SegmentName::Packed(at) = segment::named(&name)
            && at >= base
        {
            disk.remove(&name)?;
        }
    }
    RawSegment::create(disk, base, capacity)?;
    disk.remove(NOTE)?;
    disk.sync()?;
    tracing::warn!(
        file = segment::raw_name(base),
        "cut the damaged journal; reading the rest from the log"
    );
    Ok(Some(base))
}
