//! Segment files: their names, their headers, and how a new one is made.
//!
//! Positions run through the whole journal. A segment covers a fixed range of positions and is
//! named by the first; the next segment begins where it ends, so a missing file is noticed. A
//! record never crosses into the next segment; an end mark states that the rest of the range was
//! left empty on purpose.
//!
//! New segments are filled with zeros before they are used. Merely reserving the space would be
//! enough, but then each sync also has to record which parts are written: measured, 1.3 to 1.5
//! times the time of a sync for batches from 40 kB on.

use std::io;
use std::sync::Arc;

use crate::disk::{Disk, DiskFile};
use crate::record::END_MARK_BYTES;

/// Bytes of a segment's header, before the first record.
pub(super) const HEADER: u64 = 64;
/// The magic bytes of a segment file.
const MAGIC: &[u8; 8] = b"COTERIEJ";
/// Version of the segment layout.
const VERSION: u32 = 1;
/// Bytes of zeros written, and synced, at a time.
const STRIDE: usize = 1 << 20;
/// The suffix of an unfinished file's name.
const UNFINISHED: &str = ".tmp";

/// An open, uncompressed segment.
#[derive(Debug)]
pub(super) struct RawSegment {
    /// The segment's first position.
    pub(super) base: u64,
    /// How many positions the segment covers; also the file's length in bytes.
    pub(super) capacity: u64,
    /// The segment's file.
    pub(super) file: Arc<dyn DiskFile>,
}

impl RawSegment {
    /// Makes a segment, durably. The file has another name until all of it is on stable storage.
    pub(super) fn create(disk: &dyn Disk, base: u64, capacity: u64) -> io::Result<Self> {
        let (unfinished, file) = Self::draft(disk, base, capacity)?;
        disk.rename(&unfinished, &raw_name(base))?;
        disk.sync()?;
        Ok(Self { base, capacity, file })
    }

    /// Makes the file of an empty segment; returns it and the name that it has until it is
    /// finished.
    pub(super) fn draft(
        disk: &dyn Disk,
        base: u64,
        capacity: u64,
    ) -> io::Result<(String, Arc<dyn DiskFile>)> {
        if !disk.has_space_for(capacity) {
            let reason = format!("a segment of {capacity} bytes cannot be preallocated");
            return Err(io::Error::new(io::ErrorKind::StorageFull, reason));
        }
        let unfinished = unfinished(&raw_name(base));
        let file = disk.create(&unfinished)?;
        let filled = fill(&*file, base, capacity);
        if filled.is_err() {
            // Frees the space; an error of the removal matters less than the one returned below.
            drop(disk.remove(&unfinished));
        }
        filled.map(|()| (unfinished, file))
    }

    /// Reads bytes from a position on; fewer than wanted at the end of the segment.
    pub(super) fn read(&self, into: &mut [u8], at: u64) -> io::Result<usize> {
        let left = usize::try_from(self.base + self.capacity - at).unwrap_or(usize::MAX);
        let wanted = into.len().min(left);
        self.file.read_at(&mut into[..wanted], at - self.base)
    }

    /// Whether a record of this length at this position leaves space for an end mark.
    pub(super) fn has_space(&self, at: u64, length: usize) -> bool {
        at + length as u64 + END_MARK_BYTES as u64 <= self.base + self.capacity
    }

    /// The longest record that fits into an empty segment of this capacity.
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
        // Synced in strides, so that the sync of a commit never waits behind the whole segment.
        file.sync()?;
        at += stride;
    }
    file.write_at(&header(base, capacity), 0)?;
    file.sync()
}

/// The kind and position of a segment, from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SegmentName {
    /// An uncompressed segment that begins at this position.
    Raw(u64),
    /// A compressed segment that begins at this position.
    Packed(u64),
    /// A file that was not finished.
    Unfinished,
    /// A file that does not belong to a journal.
    Foreign,
}

/// Parses a file's name.
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

/// The name of an uncompressed segment's file.
pub(super) fn raw_name(base: u64) -> String {
    format!("{base:016x}.log")
}

/// The name of a compressed segment's file.
pub(super) fn packed_name(base: u64) -> String {
    format!("{base:016x}.zst")
}

/// The name of a file until it is finished.
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

/// Checks a segment's header and returns its capacity, or what is wrong with the header.
pub(super) fn read_header(bytes: &[u8], base: u64) -> Result<u64, String> {
    let Some(bytes) = bytes.first_chunk::<{ HEADER as usize }>() else {
        return Err("the file is shorter than its header".to_owned());
    };
    let word = |at: usize| {
        bytes[at..].first_chunk().map_or(0, |chunk: &[u8; 8]| u64::from_le_bytes(*chunk))
    };
    if &bytes[..8] != MAGIC {
        return Err("it does not begin with the header of a segment".to_owned());
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
