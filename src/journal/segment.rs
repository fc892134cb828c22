//! Segment files: what they are called, how they begin, how a new one is made.
//!
//! Positions run through the whole journal. A segment covers a fixed stretch of them,
//! is named by the first, and the next one begins where it ends, so a missing file
//! shows. Records never cross from one into the next; an end mark says that the rest
//! of a stretch was left empty on purpose.
//!
//! New segments are filled with zeros before they are used. Space that is only
//! reserved would do, but then each sync also has to note which parts are written:
//! measured, 1.3 to 1.5 times the time of a sync for batches from 40 kB on.

use std::io;
use std::sync::Arc;

use crate::journal::disk::{Disk, DiskFile};
use crate::journal::record::END_MARK_BYTES;

/// Bytes before the first record.
pub(super) const HEADER: u64 = 64;
/// What a segment file begins with.
const MAGIC: &[u8; 8] = b"COTERIEJ";
/// How segments are laid out today.
const VERSION: u32 = 1;
/// Zeros written, and synced, at once.
const STRIDE: usize = 1 << 20;
/// What an unfinished file is called.
const UNFINISHED: &str = ".tmp";

/// An open segment whose records lie as they were written.
#[derive(Debug)]
pub(super) struct RawSegment {
    /// Its first position.
    pub(super) base: u64,
    /// How many positions it covers.
    pub(super) capacity: u64,
    /// Its file.
    pub(super) file: Arc<dyn DiskFile>,
}

impl RawSegment {
    /// Makes one, durably: under another name until all of it is on stable storage.
    pub(super) fn create(disk: &dyn Disk, base: u64, capacity: u64) -> io::Result<Self> {
        if !disk.has_room_for(capacity) {
            let reason = format!("a segment of {capacity} bytes cannot be preallocated");
            return Err(io::Error::new(io::ErrorKind::StorageFull, reason));
        }
        let name = raw_name(base);
        let unfinished = unfinished(&name);
        let file = disk.create(&unfinished)?;
        let filled = fill(&*file, base, capacity);
        if filled.is_err() {
            // Give the space back; what went wrong is more worth telling than this.
            drop(disk.remove(&unfinished));
        }
        filled?;
        disk.rename(&unfinished, &name)?;
        disk.sync()?;
        Ok(Self { base, capacity, file })
    }

    /// Whether a record of this length that begins here leaves space for an end mark.
    pub(super) fn has_room(&self, at: u64, length: usize) -> bool {
        at + length as u64 + END_MARK_BYTES as u64 <= self.base + self.capacity
    }

    /// The longest record for which an empty segment has room.
    pub(super) fn longest_record(capacity: u64) -> u64 {
        capacity.saturating_sub(HEADER + END_MARK_BYTES as u64)
    }
}

fn fill(file: &dyn DiskFile, base: u64, capacity: u64) -> io::Result<()> {
    file.reserve(capacity)?;
    let zeros = vec![0; STRIDE];
    let mut at = 0;
    while at < capacity {
        let stride = (capacity - at).min(STRIDE as u64);
        file.write_at(&zeros[..stride as usize], at)?;
        // In strides, so that the sync of a commit never waits behind all of it.
        file.sync()?;
        at += stride;
    }
    file.write_at(&header(base, capacity), 0)?;
    file.sync()
}

/// What a segment's name says about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SegmentName {
    /// Records as they were written, from this position on.
    Raw(u64),
    /// Compressed records, from this position on.
    Packed(u64),
    /// A file that nobody finished.
    Unfinished,
    /// None of ours.
    Foreign,
}

/// Reads a file's name.
pub(super) fn named(name: &str) -> SegmentName {
    if name.ends_with(UNFINISHED) {
        return SegmentName::Unfinished;
    }
    let base = name.get(..16).and_then(|digits| u64::from_str_radix(digits, 16).ok());
    match base {
        Some(base) if name == raw_name(base) => SegmentName::Raw(base),
        Some(base) if name == packed_name(base) => SegmentName::Packed(base),
        Some(_) | None => SegmentName::Foreign,
    }
}

/// What a segment as written is called.
pub(super) fn raw_name(base: u64) -> String {
    format!("{base:016x}.log")
}

/// What a compressed segment is called.
pub(super) fn packed_name(base: u64) -> String {
    format!("{base:016x}.zst")
}

/// What a file is called until it is finished.
pub(super) fn unfinished(name: &str) -> String {
    format!("{name}{UNFINISHED}")
}

fn header(base: u64, capacity: u64) -> [u8; HEADER as usize] {
    let mut header = [0; HEADER as usize];
    header[..8].copy_from_slice(MAGIC);
    header[12..16].copy_from_slice(&VERSION.to_le_bytes());
    header[16..24].copy_from_slice(&base.to_le_bytes());
    header[24..32].copy_from_slice(&capacity.to_le_bytes());
    let crc = crc32c::crc32c(&header[12..]);
    header[8..12].copy_from_slice(&crc.to_le_bytes());
    header
}

/// The capacity that a segment's header names, or what is wrong with the header.
pub(super) fn read_header(bytes: &[u8], base: u64) -> Result<u64, String> {
    let Some(bytes) = bytes.first_chunk::<{ HEADER as usize }>() else {
        return Err("the file is shorter than its header".to_owned());
    };
    let word = |at: usize| {
        bytes[at..].first_chunk().map_or(0, |chunk: &[u8; 8]| u64::from_le_bytes(*chunk))
    };
    if &bytes[..8] != MAGIC {
        return Err("it does not begin as a segment does".to_owned());
    }
    if bytes[8..12] != crc32c::crc32c(&bytes[12..]).to_le_bytes() {
        return Err("the header's checksum is wrong".to_owned());
    }
    if bytes[12..16] != VERSION.to_le_bytes() {
        return Err("a later version of the server wrote it".to_owned());
    }
    if word(16) != base {
        return Err(format!("its header belongs to position {}", word(16)));
    }
    Ok(word(24))
}
