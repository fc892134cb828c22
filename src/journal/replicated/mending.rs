//! Mending a copy: a segment that is not what it was is thrown away with all that follows,
//! and the log tells it again.
//!
//! A server that finds damage notes the segment, durably, and stops: what was read of it may
//! be in the index or on somebody's screen. Then it starts again, and opening cuts. That can be
//! interrupted anywhere and is done again from the note.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::clock::Deadline;
use crate::journal::disk::Disk;
use crate::journal::open_error::OpenError;
use crate::journal::reader;
use crate::journal::segment::{self, HEADER, RawSegment, SegmentName};
use crate::journal::segments::Segments;
use crate::journal::{COMPARISON, JournalFault};

/// What the note is called.
const NOTE: &str = "distrusted";
/// How often somebody who asks for what never was there has a segment looked through.
const LOOK: Duration = Duration::from_secs(10);

/// Looks through segments of which something could not be read.
#[derive(Debug)]
pub(super) struct Suspicion {
    disk: Arc<dyn Disk>,
    segments: Arc<Segments>,
    next_look: Mutex<Option<Deadline>>,
}

impl Suspicion {
    pub(super) fn new(disk: Arc<dyn Disk>, segments: Arc<Segments>) -> Self {
        Self { disk, segments, next_look: Mutex::default() }
    }

    /// Something could not be read here. If the segment is damaged, and not the question
    /// wrong, it is noted; tells why the journal has to stop then.
    pub(super) fn look(&self, at: u64) -> Option<JournalFault> {
        let mut next_look = self.next_look.lock().unwrap_or_else(PoisonError::into_inner);
        if next_look.is_some_and(|it| !it.left().is_zero()) {
            return None;
        }
        *next_look = Some(Deadline::after(LOOK));
        let (base, found) = self.segments.covering(at)?;
        let end = self.segments.end().min(base + found.capacity());
        let damage = reader::each(&self.segments, base + HEADER, end, |_, _| {}).err()?;
        Some(self.distrust(base, &damage.to_string()))
    }

    /// Notes the segment that covers this position.
    pub(super) fn distrust(&self, at: u64, what: &str) -> JournalFault {
        let Some((base, found)) = self.segments.covering(at) else {
            return stopped("read", what);
        };
        tracing::error!(
            file = segment::raw_name(base),
            what,
            "this node's journal is not what it must be: the node starts again, cuts it there \
             and reads it anew from the log"
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

/// Cuts what was noted, if something was. Tells from which position.
///
/// # Errors
/// When the system refuses.
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
    let (base, capacity) = (word(0), word(8));
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
    tracing::warn!(file = segment::raw_name(base), "cut; it is read anew from the log");
    Ok(Some(base))
}
