//! Checks a whole journal: every byte of every segment, and the chain of every stream.
//!
//! Changes nothing. For a journal that no process has open; of a journal that a server is writing,
//! the durable part can be checked through a view.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::{fmt, io};

use crate::disk::{Disk, DiskDirectory};
use crate::open_error::OpenError;
use crate::packed::Packed;
use crate::record::{self, END_MARK_BYTES, Flaw};
use crate::recovery::{self, Behind, TornTail};
use crate::segment::{self, HEADER, SegmentName};
use crate::{Committed, Cursor, Journal, StreamHead};
use domain::ids::StreamId;

/// Most findings listed; a journal in ruins has no end of them.
const MAX_FINDINGS: usize = 1000;

/// The result of a check: what was counted, and what is wrong.
#[derive(Debug, Default)]
pub struct Checked {
    /// Number of segments.
    pub segments: usize,
    /// Number of commits that are whole.
    pub commits: u64,
    /// Number of events in those commits.
    pub events: u64,
    /// Number of streams that have a commit.
    pub streams: usize,
    /// The torn tail that the next opening will cut; it is no damage.
    pub torn: Option<TornTail>,
    /// The findings; at most a thousand.
    pub findings: Vec<Finding>,
}

/// One thing that is wrong with the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The name of the file.
    pub file: String,
    /// The byte offset in the uncompressed segment.
    pub offset: u64,
    /// The problem.
    pub what: String,
}

impl Finding {
    /// The position in the journal.
    pub fn position(&self) -> u64 {
        match segment::named(&self.file) {
            SegmentName::Raw(base) | SegmentName::Packed(base) => base + self.offset,
            SegmentName::Unfinished | SegmentName::Foreign => self.offset,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} at byte {}: {}", self.file, self.offset, self.what)
    }
}

/// Checks the journal in this directory.
///
/// # Errors
/// If the directory cannot be read. What is wrong inside is no error but a finding.
pub fn check(dir: &Path) -> Result<Checked, OpenError> {
    let disk =
        DiskDirectory::existing(dir).map_err(|source| OpenError::refused("journal", source))?;
    check_on(&disk)
}

/// Checks the journal on this disk.
///
/// # Errors
/// If the disk's files cannot be listed.
pub fn check_on(disk: &dyn Disk) -> Result<Checked, OpenError> {
    let names = disk.list().map_err(|source| OpenError::refused("journal", source))?;
    let mut files: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for name in names {
        if let SegmentName::Raw(base) | SegmentName::Packed(base) = segment::named(&name) {
            files.entry(base).or_default().push(name);
        }
    }
    let mut check = Check { next: Some(0), ..Check::default() };
    for (base, names) in files {
        check.segment(disk, base, names);
    }
    Ok(check.finish())
}

/// Checks what a view shows of a journal that a server may be writing: every record and the chain
/// of every stream, up to the first record that is damaged.
pub fn check_view(view: &dyn Journal) -> Checked {
    const AT_ONCE: usize = 1 << 20;
    let mut check = Check::default();
    let mut from = Cursor::START;
    loop {
        match view.scan(from, AT_ONCE) {
            Ok(stretch) if stretch.commits.is_empty() => return check.finish_view(),
            Ok(stretch) => {
                for commit in &stretch.commits {
                    check.chain("journal", commit.cursor.get() as usize, commit);
                }
                from = stretch.next;
            }
            Err(fault) => {
                let what = format!("{fault}; nothing behind it was checked");
                check.find("journal", from.get() as usize, what);
                return check.finish_view();
            }
        }
    }
}

/// The state of a check on its way through the segments.
#[derive(Default)]
struct Check {
    seen: Checked,
    heads: HashMap<StreamId, StreamHead>,
    /// The expected beginning of the next segment; None after a segment that could not be read.
    next: Option<u64>,
    /// The segment that has no end mark, and where its records end: no record may follow it.
    open: Option<(String, u64)>,
}

impl Check {
    fn segment(&mut self, disk: &dyn Disk, base: u64, mut names: Vec<String>) {
        if let Some(missing) = self.next.filter(|next| *next != base) {
            self.find(&segment::raw_name(missing), 0, "it is missing");
        }
        self.seen.segments += 1;
        // The last name is the compressed file, if there are two; it was compared with the raw one
        // before it got its name.
        names.sort();
        let Some(name) = names.pop() else { return };
        match load(disk, base, &name) {
            Ok((bytes, capacity)) => {
                self.next = Some(base + capacity);
                self.walk(&name, &bytes, base);
            }
            Err(what) => {
                self.find(&name, 0, what);
                self.next = None;
            }
        }
    }

    fn walk(&mut self, name: &str, bytes: &[u8], base: u64) {
        let mut offset = HEADER as usize;
        loop {
            let at = base + offset as u64;
            match record::verify(&bytes[offset..], at) {
                Ok(length) => {
                    self.record(name, &bytes[offset..], offset, at);
                    offset += length;
                }
                Err(Flaw::End) if record::is_end_mark(&bytes[offset..], at) => {
                    if recovery::last_dirty(&bytes[offset + END_MARK_BYTES..]).is_some() {
                        self.find(name, offset + END_MARK_BYTES, "bytes behind the end mark");
                    }
                    return;
                }
                Err(flaw) => match next_whole(bytes, offset, base) {
                    Some(next) if was_durable(&bytes[offset..], at) => {
                        self.find(name, offset, flaw);
                        offset = next;
                    }
                    Some(_) | None => return self.end(name, &bytes[offset..], offset, at, flaw),
                },
            }
        }
    }

    fn record(&mut self, name: &str, bytes: &[u8], offset: usize, at: u64) {
        if let Some((open, end)) = self.open.take() {
            self.find(&open, end as usize, "it has no end mark, but another segment follows");
        }
        if record::is_mark(bytes) {
            return;
        }
        match record::decode(bytes, at) {
            Ok(commit) => self.chain(name, offset, &commit),
            Err(flaw) => self.find(name, offset, flaw),
        }
    }

    fn chain(&mut self, name: &str, offset: usize, commit: &Committed) {
        self.seen.commits += 1;
        self.seen.events += commit.entries.len() as u64;
        let known = self.heads.insert(commit.stream, commit.after).unwrap_or_default();
        if commit.before != known {
            let stream = commit.stream;
            let before = commit.before;
            let what = format!(
                "the chain of {stream} is broken: it stood at {} with mark {:08x}, \
                 and this record follows {} with mark {:08x}",
                known.n, known.token, before.n, before.token
            );
            self.find(name, offset, what);
        }
    }

    /// Handles a segment that ends without an end mark: it is the one being filled, or it is
    /// damaged.
    fn end(&mut self, name: &str, tail: &[u8], offset: usize, at: u64, flaw: Flaw) {
        let dirty = recovery::last_dirty(tail);
        if self.open.is_some() && dirty.is_none() && offset == HEADER as usize {
            return;
        }
        if let Some((open, end)) = self.open.replace((name.to_owned(), offset as u64)) {
            self.find(&open, end as usize, "it has no end mark, but another segment follows");
        }
        self.seen.torn = dirty.map(|dirty| TornTail {
            hides_records: recovery::behind(tail, dirty, at) == Behind::Records,
            file: name.to_owned(),
            offset: offset as u64,
            position: Cursor::new(at),
            bytes: dirty as u64 + 1,
            reason: flaw.to_string(),
        });
    }

    fn finish(mut self) -> Checked {
        // The next segment is made before the last one gets its end mark.
        let is_being_filled = self.open.is_some() || self.seen.segments == 0;
        if let Some(missing) = self.next.filter(|_| !is_being_filled) {
            self.find(&segment::raw_name(missing), 0, "it is missing");
        }
        self.seen.streams = self.heads.len();
        self.seen
    }

    fn finish_view(mut self) -> Checked {
        self.seen.streams = self.heads.len();
        self.seen
    }

    fn find(&mut self, file: &str, offset: usize, what: impl ToString) {
        if self.seen.findings.len() < MAX_FINDINGS {
            let file = file.to_owned();
            let offset = offset as u64;
            self.seen.findings.push(Finding { file, offset, what: what.to_string() });
        }
    }
}

/// Reads a segment's uncompressed bytes, and how many positions it covers.
fn load(disk: &dyn Disk, base: u64, name: &str) -> Result<(Vec<u8>, u64), String> {
    let plain = |error: io::Error| error.to_string();
    let file = disk.open(name).map_err(plain)?;
    if segment::named(name) == SegmentName::Packed(base) {
        let bytes = Packed::open(file, base).and_then(|packed| packed.unpack()).map_err(plain)?;
        let capacity = segment::read_header(&bytes, base)?;
        return Ok((bytes, capacity));
    }
    let size = file.size().map_err(plain)?;
    let mut header = [0; HEADER as usize];
    file.read_at(&mut header, 0).map_err(plain)?;
    let capacity = segment::read_header(&header, base)?;
    if size != capacity {
        return Err(format!("it has {size} bytes instead of {capacity}"));
    }
    let mut bytes = vec![0; usize::try_from(size).unwrap_or(usize::MAX)];
    file.read_at(&mut bytes, 0).map_err(plain)?;
    Ok((bytes, capacity))
}

fn was_durable(tail: &[u8], at: u64) -> bool {
    recovery::behind(tail, tail.len().saturating_sub(1), at) == Behind::Durable
}

/// The offset of the next whole record or end mark behind a bad place.
fn next_whole(bytes: &[u8], offset: usize, base: u64) -> Option<usize> {
    (offset + 1..bytes.len()).find(|next| {
        let tail = &bytes[*next..];
        let at = base + *next as u64;
        let is_whole = || record::is_end_mark(tail, at) || record::verify(tail, at).is_ok();
        record::names_its_place(tail, at) && is_whole()
    })
}
