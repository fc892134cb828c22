//! The existing segment files, and whether they form one sequence.
//!
//! Removes unfinished files, and one of two files that hold the same segment.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::disk::Disk;
use crate::open_error::OpenError;
use crate::packed::{Packed, PackedHeader};
use crate::segment::{self, HEADER, RawSegment, SegmentName};
use crate::segments::Segment;
use crate::segments_writer;

/// The segment files of a journal.
#[derive(Debug, Default)]
pub(super) struct Inventory {
    /// The segments by their first position, without a gap.
    pub(super) segments: BTreeMap<u64, Segment>,
    /// Names of the files that were removed.
    pub(super) removed: Vec<String>,
}

/// Whether a file of this name does not belong to a journal.
pub fn is_foreign(name: &str) -> bool {
    segment::named(name) == SegmentName::Foreign
}

/// Takes the inventory of the directory, and removes unfinished and duplicate files.
pub(super) fn take(disk: &dyn Disk) -> Result<Inventory, OpenError> {
    let mut found = Inventory::default();
    let mut names = disk.list().map_err(|source| OpenError::refused("journal", source))?;
    // Sorted by position; of one position the raw file comes first.
    names.sort();
    for name in names {
        match segment::named(&name) {
            SegmentName::Raw(base) => {
                let raw = Arc::new(open_raw(disk, base, &name)?);
                found.segments.insert(base, Segment::Raw(raw));
            }
            SegmentName::Packed(base) => match found.segments.remove(&base) {
                Some(Segment::Raw(raw)) => {
                    let (kept, other) = one_of_two(disk, raw)?;
                    found.segments.insert(base, kept);
                    remove(disk, other, &mut found.removed)?;
                }
                Some(Segment::Packed { .. }) | None => {
                    found.segments.insert(base, open_packed(disk, base, &name)?);
                }
            },
            SegmentName::Unfinished => remove(disk, name, &mut found.removed)?,
            SegmentName::Foreign => {}
        }
    }
    check_sequence(&found.segments)?;
    Ok(found)
}

/// Chooses between the raw and the compressed file of one segment: keeps the compressed file if it
/// holds the same bytes, or if it is whole and the raw file is damaged. Also returns the name of
/// the other file.
fn one_of_two(disk: &dyn Disk, raw: Arc<RawSegment>) -> Result<(Segment, String), OpenError> {
    let name = segment::packed_name(raw.base);
    let file = disk.open(&name).map_err(|source| OpenError::refused(&name, source))?;
    let packed = Packed::open(file, raw.base);
    match segments_writer::content(&raw) {
        Ok(content) => {
            let is_same = packed.and_then(|packed| packed.holds(&content));
            let is_kept = is_same.is_ok_and(|is_same| is_same);
            if is_kept { Ok(instead_of(&raw)) } else { Ok((Segment::Raw(raw), name)) }
        }
        Err(flaw) => match packed.and_then(|packed| packed.unpack()) {
            Ok(_) => Ok(instead_of(&raw)),
            Err(error) => {
                let reason = format!("{error}; and the file it was made of: {flaw}");
                Err(OpenError::damaged(name, 0, reason))
            }
        },
    }
}

/// The compressed segment, and the name of the raw one that it replaces.
fn instead_of(raw: &RawSegment) -> (Segment, String) {
    (Segment::Packed { capacity: raw.capacity }, segment::raw_name(raw.base))
}

pub(super) fn open_packed(disk: &dyn Disk, base: u64, name: &str) -> Result<Segment, OpenError> {
    let file = disk.open(name).map_err(|source| OpenError::refused(name, source))?;
    let head = PackedHeader::read(&*file, base)
        .map_err(|error| OpenError::damaged(name.to_owned(), 0, error))?;
    Ok(Segment::Packed { capacity: head.capacity })
}

pub(super) fn open_raw(disk: &dyn Disk, base: u64, name: &str) -> Result<RawSegment, OpenError> {
    let refused = |source| OpenError::refused(name, source);
    let file = disk.open(name).map_err(refused)?;
    let mut header = [0; HEADER as usize];
    let got = file.read_at(&mut header, 0).map_err(refused)?;
    let capacity = segment::read_header(&header[..got], base)
        .map_err(|reason| OpenError::damaged(name.to_owned(), 0, reason))?;
    let size = file.size().map_err(refused)?;
    if size != capacity {
        let reason = format!("it has {size} bytes instead of {capacity}");
        return Err(OpenError::damaged(name.to_owned(), size.min(capacity), reason));
    }
    Ok(RawSegment { base, capacity, file })
}

fn remove(disk: &dyn Disk, name: String, removed: &mut Vec<String>) -> Result<(), OpenError> {
    let gone = disk.remove(&name).and_then(|()| disk.sync());
    gone.map_err(|source| OpenError::refused(&name, source))?;
    removed.push(name);
    Ok(())
}

/// Checks that the first segment begins at 0 and each other one where its predecessor ends.
pub(super) fn check_sequence(segments: &BTreeMap<u64, Segment>) -> Result<(), OpenError> {
    let mut position = 0;
    for (base, segment) in segments {
        if *base != position {
            return Err(OpenError::Missing { file: segment::raw_name(position), position });
        }
        position = base + segment.capacity();
    }
    Ok(())
}
