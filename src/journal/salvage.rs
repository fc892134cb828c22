//! Makes a damaged journal one that opens: keeps the whole records before the damage, and sets
//! aside the files that hold the rest.
//!
//! Only for an operator who says so. Nothing is deleted: every file that is replaced or removed
//! lies in a folder beside the journal before. A crash in between leaves a journal that is still
//! damaged, or whole.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, DiskDirectory, DiskFile};
use crate::file::JournalOptions;
use crate::open_error::OpenError;
use crate::record::{self, END_MARK_BYTES};
use crate::segment::{self, HEADER, RawSegment, SegmentName};
use crate::view::View;
use crate::{Cursor, segments_writer};
use base::space::Space;
use domain::time::Timestamp;

/// A damaged journal, and what of it can be kept. Nothing is changed yet.
#[derive(Debug)]
pub struct Salvage {
    folder: PathBuf,
    /// The file that replaces the first damaged one; it has another name until it is whole.
    draft: String,
    /// The first position of that file.
    base: u64,
    /// Names of the files from this position on, newest first.
    others: Vec<String>,
    /// Why the journal does not open.
    pub why: OpenError,
    /// The position up to which the journal is kept.
    pub end: Cursor,
    /// When the last commit of the damaged file that is kept was made.
    pub last: Option<Timestamp>,
}

impl Salvage {
    /// Looks at the journal in this folder; `None` if it opens. Writes the file that is to replace
    /// the first damaged one, so that it is known that there is room.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn prepare(folder: &Path) -> Result<Option<Self>, OpenError> {
        let (base, why) = match View::open(folder, None) {
            Ok(_) => return Ok(None),
            Err(OpenError::Refused { source, .. }) if source.kind() == ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(why) => match begins(&why) {
                Some(base) => (base, why),
                None => return Err(why),
            },
        };
        let disk = DiskDirectory::open(folder, Space::endless());
        let disk = disk.map_err(|source| OpenError::refused("journal", source))?;
        let mut others = disk.list().map_err(|source| OpenError::refused("journal", source))?;
        others.retain(|name| match segment::named(name) {
            SegmentName::Raw(other) | SegmentName::Packed(other) => other >= base,
            SegmentName::Unfinished | SegmentName::Foreign => false,
        });
        others.sort();
        others.reverse();
        let name = segment::raw_name(base);
        let refused = |source| OpenError::refused(&name, source);
        let kept = if others.contains(&name) {
            Kept::of(&*disk.open(&name).map_err(refused)?, base).map_err(refused)?
        } else {
            Kept::default()
        };
        let draft = write(&disk, base, &kept).map_err(refused)?;
        let end = Cursor::new(base + HEADER + kept.records.len() as u64);
        let folder = folder.to_owned();
        Ok(Some(Self { folder, draft, base, others, why, end, last: kept.last }))
    }

    /// Sets the damaged files aside in this folder, and puts the prepared one in place.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn carry_out(self, aside: &Path) -> io::Result<()> {
        let name = segment::raw_name(self.base);
        DirBuilder::new().recursive(true).mode(0o700).create(aside)?;
        for other in &self.others {
            keep(&self.folder.join(other), &aside.join(other))?;
        }
        File::open(aside)?.sync_all()?;
        if let Some(parent) = aside.parent() {
            File::open(parent)?.sync_all()?;
        }
        for other in self.others.iter().filter(|other| **other != name) {
            fs::remove_file(self.folder.join(other))?;
        }
        fs::rename(self.folder.join(&self.draft), self.folder.join(&name))?;
        File::open(&self.folder)?.sync_all()
    }
}

/// The position at which the damaged or missing file begins; `None` if the operating system
/// refused something.
fn begins(why: &OpenError) -> Option<u64> {
    match why {
        OpenError::Damaged { file, .. } => match segment::named(file) {
            SegmentName::Raw(base) | SegmentName::Packed(base) => Some(base),
            SegmentName::Unfinished | SegmentName::Foreign => None,
        },
        OpenError::Missing { position, .. } => Some(*position),
        OpenError::Refused { .. } | OpenError::Lost { .. } => None,
    }
}

/// The part of a damaged file that is kept.
#[derive(Debug, Default)]
struct Kept {
    /// Its whole records before the damage.
    records: Vec<u8>,
    /// When the last commit among them was made.
    last: Option<Timestamp>,
    /// How many positions the file covers, if its header tells.
    capacity: Option<u64>,
}

impl Kept {
    fn of(file: &dyn DiskFile, base: u64) -> io::Result<Self> {
        let mut bytes = vec![0; usize::try_from(file.size()?).unwrap_or(usize::MAX)];
        let got = file.read_at(&mut bytes, 0)?;
        bytes.truncate(got);
        let mut offset = HEADER as usize;
        let mut last = None;
        while let Some(rest) = bytes.get(offset..) {
            let at = base + offset as u64;
            let Ok(length) = record::verify(rest, at) else { break };
            last = record::decode(rest, at).map_or(last, |commit| Some(commit.at));
            offset += length;
        }
        let capacity = segment::read_header(&bytes, base).ok();
        let records = bytes.get(HEADER as usize..offset).unwrap_or_default().to_vec();
        Ok(Self { records, last, capacity })
    }
}

/// Writes a segment with these records under the name of an unfinished file, which it returns.
fn write(disk: &dyn Disk, base: u64, kept: &Kept) -> io::Result<String> {
    let least = HEADER + kept.records.len() as u64 + END_MARK_BYTES as u64;
    let first = segments_writer::first_capacity(JournalOptions::default().segment_bytes);
    let capacity = kept.capacity.unwrap_or(first).max(least);
    let (draft, file) = RawSegment::draft(disk, base, capacity)?;
    file.write_at(&kept.records, HEADER)?;
    file.sync()?;
    disk.sync()?;
    Ok(draft)
}

/// Gives a file another name too, durably; where that cannot be, copies it.
fn keep(from: &Path, to: &Path) -> io::Result<()> {
    if fs::hard_link(from, to).is_err() {
        fs::copy(from, to)?;
    }
    File::open(to)?.sync_all()
}
