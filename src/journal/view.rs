//! A read-only view of a journal, for tools, also while a server is writing the journal.
//!
//! Opening changes nothing: no torn tail is cut, no file is removed. Raw files that a running
//! server compresses and removes meanwhile stay readable, since the view holds them open.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use crate::disk::{Disk, DiskDirectory, DiskFile};
use crate::open_error::OpenError;
use crate::recovery::{self, SegmentTail};
use crate::segment::{self, SegmentName};
use crate::segments::{Segment, Segments};
use crate::{
    Commit, Committed, Cursor, Follower, Journal, JournalFault, Scan, Ticket, Unsent, inventory,
    reader,
};
use domain::time::Timestamp;

/// How often the directory is listed if files vanish between listing and opening, or if a listing
/// has neither of the two files of a segment, since one came and the other went while it was made.
const ATTEMPTS: usize = 5;

/// A read-only journal that ends at some position.
#[derive(Debug)]
pub struct View {
    disk: Arc<dyn Disk>,
    known: BTreeMap<u64, Segment>,
    segments: Segments,
}

impl View {
    /// Opens the journal in this directory up to `end`; if that is None, up to where whole records
    /// end, as a server would find it: a torn tail is left out.
    ///
    /// # Errors
    /// If a file is missing or cannot be read, or if there is damage with whole records behind it,
    /// since what lies before it is not the journal.
    pub fn open(dir: &Path, end: Option<Cursor>) -> Result<Self, OpenError> {
        let disk =
            DiskDirectory::existing(dir).map_err(|source| OpenError::refused("journal", source))?;
        let disk: Arc<dyn Disk> = Arc::new(disk);
        let known = list(&*disk)?;
        let end = match end {
            Some(end) => end.get(),
            None if known.is_empty() => 0,
            None => recovery::find_end(&known, SegmentTail::of)?.at,
        };
        let segments = Segments::new(Arc::clone(&disk), known.clone(), end);
        Ok(Self { disk, known, segments })
    }

    /// Moves the end of the view: records from `end` on are not shown.
    pub fn set_end(&self, end: Cursor) {
        self.segments.show_until(end.get());
    }

    /// The running check value of every record that the view shows: two journals that end at the
    /// same position are the same if it is.
    ///
    /// # Errors
    /// If a record is damaged.
    pub fn sum(&self) -> Result<u64, JournalFault> {
        reader::sum_of(&self.segments, 0, self.segments.end(), 0)
    }

    /// The parts that cannot be read, in order. Reads everything.
    pub fn holes(&self) -> Vec<Hole> {
        let mut holes = Vec::new();
        let mut from = 0;
        let end = self.segments.end();
        loop {
            let mut last = None;
            let read = reader::each(&self.segments, from, end, |at, _| last = Some(at));
            let (begin, why) = match read {
                Err(
                    JournalFault::Damaged { at, reason } | JournalFault::Unreadable { at, reason },
                ) => (at, reason),
                Ok(_) | Err(_) => return holes,
            };
            let next = reader::next_whole(&self.segments, begin);
            let time = |at: u64| Some(self.scan(Cursor::new(at), 1).ok()?.commits.first()?.at);
            let after = last.and_then(time);
            let before = time(next);
            holes.push(Hole {
                from: Cursor::new(begin),
                next: Cursor::new(next),
                after,
                before,
                why,
            });
            from = next;
        }
    }

    /// The files of a journal that holds exactly what this view shows.
    ///
    /// # Errors
    /// If a file cannot be opened.
    pub fn parts(&self) -> io::Result<Vec<Part<'_>>> {
        let end = self.segments.end();
        let shown = self.known.range(..end.max(1));
        shown.map(|(base, segment)| self.part(*base, segment, end)).collect()
    }

    /// The positions where the files of such a journal begin.
    pub fn bases(&self) -> Vec<u64> {
        self.known.range(..self.segments.end().max(1)).map(|(base, _)| *base).collect()
    }

    /// The file of such a journal that begins at this position.
    ///
    /// # Errors
    /// If no file begins there, or it cannot be opened.
    pub fn part_at(&self, base: u64) -> io::Result<Part<'_>> {
        let segment = self.known.get(&base).ok_or(ErrorKind::NotFound)?;
        self.part(base, segment, self.segments.end())
    }

    fn part(&self, base: u64, segment: &Segment, end: u64) -> io::Result<Part<'_>> {
        let raw = segment::raw_name(base);
        let length = segment.capacity();
        // The segment that holds the end is composed again, since the server may have written on.
        if end < base + segment.capacity() {
            let content = Content::Until { segments: &self.segments, base, end };
            return Ok(Part { name: raw, length, at: 0, content });
        }
        match segment {
            Segment::Raw(segment) => {
                let content = Content::File(Arc::clone(&segment.file));
                Ok(Part { name: raw, length, at: 0, content })
            }
            Segment::Packed { .. } => {
                let name = segment::packed_name(base);
                let file = self.disk.open(&name)?;
                let length = file.size()?;
                Ok(Part { name, length, at: 0, content: Content::File(file) })
            }
        }
    }
}

/// A part of a journal that cannot be read, with whole records behind it.
#[derive(Debug)]
pub struct Hole {
    /// The position where it begins.
    pub from: Cursor,
    /// The position of the next whole record; the journal's end if there is none.
    pub next: Cursor,
    /// When the last commit before it was made; `None` if that is not known.
    pub after: Option<Timestamp>,
    /// When the first commit behind it was made; `None` if there is none.
    pub before: Option<Timestamp>,
    /// The reason.
    pub why: String,
}

/// A file of a copy of the journal, read from its beginning to its end.
#[derive(Debug)]
pub struct Part<'view> {
    /// The file's name.
    pub name: String,
    /// The file's length in bytes.
    pub length: u64,
    at: u64,
    content: Content<'view>,
}

#[derive(Debug)]
enum Content<'view> {
    /// The file as it is on disk.
    File(Arc<dyn DiskFile>),
    /// A segment whose records end at `end`, followed by zeros.
    Until { segments: &'view Segments, base: u64, end: u64 },
}

impl Read for Part<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.length - self.at).unwrap_or(usize::MAX);
        let wanted = into.len().min(left);
        let into = &mut into[..wanted];
        let got = match &self.content {
            Content::File(file) => file.read_at(into, self.at)?,
            Content::Until { segments, base, end } => {
                let shown = usize::try_from(end.saturating_sub(base + self.at)).unwrap_or(wanted);
                if shown == 0 {
                    into.fill(0);
                    wanted
                } else {
                    segments.read_at(&mut into[..shown.min(wanted)], base + self.at)?
                }
            }
        };
        if got == 0 && wanted > 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.at += got as u64;
        Ok(got)
    }
}

/// Lists the segments. If a segment has both files, the compressed one is taken: it was compared
/// with the raw one before it got its name.
fn list(disk: &dyn Disk) -> Result<BTreeMap<u64, Segment>, OpenError> {
    let mut attempt = 1;
    loop {
        match list_once(disk) {
            Err(error) if may_pass(&error) && attempt < ATTEMPTS => attempt += 1,
            listed => return listed,
        }
    }
}

/// Whether the error may come from a server that compressed a segment at the same moment.
fn may_pass(error: &OpenError) -> bool {
    match error {
        OpenError::Refused { source, .. } => source.kind() == ErrorKind::NotFound,
        OpenError::Missing { .. } => true,
        OpenError::Damaged { .. } | OpenError::Lost { .. } => false,
    }
}

fn list_once(disk: &dyn Disk) -> Result<BTreeMap<u64, Segment>, OpenError> {
    let mut known = BTreeMap::new();
    let mut names = disk.list().map_err(|source| OpenError::refused("journal", source))?;
    // Of one position the raw file comes first.
    names.sort();
    for name in names {
        match segment::named(&name) {
            SegmentName::Raw(base) => {
                let raw = inventory::open_raw(disk, base, &name)?;
                known.insert(base, Segment::Raw(Arc::new(raw)));
            }
            SegmentName::Packed(base) => {
                known.insert(base, inventory::open_packed(disk, base, &name)?);
            }
            SegmentName::Unfinished | SegmentName::Foreign => {}
        }
    }
    inventory::check_sequence(&known)?;
    Ok(known)
}

/// A view refuses commits, and its followers never hear anything.
impl Journal for View {
    fn submit(&self, commit: Commit) -> Result<Ticket, Unsent> {
        Err(Unsent { fault: JournalFault::Closed, commit: Box::new(commit) })
    }

    fn end(&self) -> Cursor {
        Cursor::new(self.segments.end())
    }

    fn newest(&self) -> Cursor {
        Cursor::START
    }

    fn read(&self, at: Cursor) -> Result<Arc<Committed>, JournalFault> {
        reader::read(&self.segments, at)
    }

    fn scan(&self, from: Cursor, max_bytes: usize) -> Result<Scan, JournalFault> {
        reader::scan(&self.segments, from, max_bytes)
    }

    fn next_whole(&self, at: Cursor) -> Cursor {
        Cursor::new(reader::next_whole(&self.segments, at.get()))
    }

    fn since(&self, at: Timestamp) -> Result<Cursor, JournalFault> {
        reader::since(&self.segments, at)
    }

    fn follow(&self, _: Box<dyn Follower>) -> Cursor {
        self.end()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::segment::RawSegment;
    use base::space::Space;

    const CAPACITY: u64 = 4096;

    /// A directory whose first listing has neither file of the first segment, as when the segment
    /// is compressed while the listing is made.
    #[derive(Debug)]
    struct Compressing {
        within: DiskDirectory,
        is_listed: AtomicBool,
    }

    impl Disk for Compressing {
        fn list(&self) -> io::Result<Vec<String>> {
            let mut names = self.within.list()?;
            if !self.is_listed.swap(true, Ordering::SeqCst) {
                names.retain(|name| *name != segment::raw_name(0));
            }
            Ok(names)
        }

        fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
            self.within.create(name)
        }

        fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
            self.within.open(name)
        }

        fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            self.within.rename(from, to)
        }

        fn remove(&self, name: &str) -> io::Result<()> {
            self.within.remove(name)
        }

        fn sync(&self) -> io::Result<()> {
            self.within.sync()
        }
    }

    /// `coterie audit` and backups said then that a file of the journal was missing.
    #[test]
    fn segment_compressed_during_listing_is_found() {
        let folder = tempfile::TempDir::new().unwrap();
        let within = DiskDirectory::open(&folder.path().join("journal"), Space::endless()).unwrap();
        for base in [0, CAPACITY] {
            RawSegment::create(&within, base, CAPACITY).unwrap();
        }
        let disk = Compressing { within, is_listed: AtomicBool::new(false) };
        let listed = list(&disk).unwrap();
        assert_eq!(listed.keys().copied().collect::<Vec<_>>(), [0, CAPACITY]);
        disk.remove(&segment::raw_name(0)).unwrap();
        assert!(matches!(list(&disk), Err(OpenError::Missing { position: 0, .. })));
    }
}
