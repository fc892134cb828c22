//! Records of the journal: written by a server and broken in any place, with checksums that are
//! still right, so that their contents are decoded.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use coterie::domain::ids::StreamId;
use coterie::journal::file::{FileJournal, JournalOptions};
use coterie::journal::{Commit, Committed, Cursor, Journal, Outcome, StreamHead, verification};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::broken::{ByteChange, byte_changes};
use crate::engine::{Outcome as Tried, Surface};
use crate::memory_disk::MemoryDisk;
use crate::server::{Person, Server};

/// Bytes of a segment in these tests.
const SEGMENT: u64 = 4096;
/// Bytes before the first record of a segment.
const SEGMENT_HEAD: usize = 64;
/// Bytes before the payload of a record.
const RECORD_HEAD: usize = 80;
/// Commits in one journal.
const COMMITS: usize = 3;

/// The files of a small journal.
type Files = Vec<(String, Vec<u8>)>;

/// How often each kind of damage was reported.
type Found = BTreeMap<String, u64>;

/// Which file of which journal is changed, and how.
#[derive(Debug, Clone)]
struct Plan {
    journal: usize,
    file: usize,
    changes: Vec<ByteChange>,
    /// Whether only the used part of the file is changed, not the zeros at its end.
    is_within: bool,
    /// Whether the checksums are corrected after the changes.
    is_sealed: bool,
    /// Whether the journal is also opened and read.
    is_opened: bool,
}

fn plan() -> impl Strategy<Value = Plan> {
    let often = || prop_oneof![1 => Just(false), 9 => Just(true)];
    let rarely = prop_oneof![40 => Just(false), 1 => Just(true)];
    (any::<usize>(), any::<usize>(), byte_changes(4), often(), often(), rarely).prop_map(
        |(journal, file, changes, is_within, is_sealed, is_opened)| Plan {
            journal,
            file,
            changes,
            is_within,
            is_sealed,
            is_opened,
        },
    )
}

/// The commits that a server wrote while a user settled in.
fn written() -> Vec<Arc<Committed>> {
    let server = Server::start();
    drop(Person::settles(&server, 0));
    let data: Arc<TempDir> = server.stop();
    let (journal, _) =
        FileJournal::open(&Server::journal(&data), JournalOptions::default()).unwrap();
    let (mut all, mut from) = (Vec::new(), Cursor::START);
    loop {
        let scan = journal.scan(from, 1 << 20).unwrap();
        if scan.commits.is_empty() {
            return all;
        }
        all.extend(scan.commits);
        from = scan.next;
    }
}

/// Small journals, each with some of the commits: as they are written, and compressed.
fn journals(commits: &[Arc<Committed>]) -> Vec<Files> {
    let some = commits.chunks(COMMITS);
    let raw = some.map(|commits| journal(commits, false));
    let packed = [journal(commits, true)];
    raw.chain(packed).filter(|files| !files.is_empty()).collect()
}

fn journal(commits: &[Arc<Committed>], compress: bool) -> Files {
    let disk = Arc::new(MemoryDisk::default());
    let options = JournalOptions { segment_bytes: SEGMENT, compress, ..JournalOptions::default() };
    let (journal, _) = FileJournal::open_on(Arc::clone(&disk) as _, options).unwrap();
    let mut heads: HashMap<StreamId, StreamHead> = HashMap::new();
    for commit in commits {
        let head = heads.get(&commit.stream).copied().unwrap_or_default();
        let Committed { stream, id, at, ref entries, .. } = **commit;
        let again = Commit { stream, head, id, at, entries: entries.to_vec() };
        // A commit that is longer than such a small segment is left out.
        let Ok(ticket) = journal.submit(again) else { continue };
        let Outcome::Committed(done) = ticket.wait() else { panic!("nobody else writes here") };
        heads.insert(stream, done.after);
    }
    journal.close();
    disk.files()
}

/// Corrects the checksum of every record that can be found.
fn seal(bytes: &mut [u8]) {
    let mut at = SEGMENT_HEAD;
    while let Some(length) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let end = at.saturating_add(8).saturating_add(u32::from_le_bytes(*length) as usize);
        if !(at + RECORD_HEAD..=bytes.len()).contains(&end) {
            return;
        }
        let check = crc32c::crc32c(&bytes[at + 8..end]);
        bytes[at + 4..at + 8].copy_from_slice(&check.to_le_bytes());
        at = end;
    }
}

fn changed(files: &Files, plan: &Plan) -> Files {
    let mut files = files.clone();
    let at = plan.file % files.len();
    let (name, bytes) = &mut files[at];
    let is_raw = name.ends_with(".log");
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    if is_raw && plan.is_within {
        let (size, rest) = (bytes.len(), bytes.split_off(end));
        plan.changes.iter().for_each(|change| change.apply(bytes));
        bytes.extend(rest);
        bytes.resize(size, 0);
    } else {
        plan.changes.iter().for_each(|change| change.apply(bytes));
    }
    if is_raw && plan.is_sealed {
        seal(bytes);
    }
    files
}

/// Checks and reads the journal; both may report damage, and neither may fail in any other way.
fn looked_at(files: &Files, is_opened: bool, found: &mut Found) -> Tried {
    let disk = Arc::new(MemoryDisk::with(files));
    let checked = verification::check_on(&*disk).map_err(|error| error.to_string())?;
    for finding in checked.findings {
        let what: String =
            finding.what.chars().filter(|it| !it.is_ascii_digit()).take(30).collect();
        *found.entry(what).or_default() += 1;
    }
    if !is_opened {
        return Ok(1);
    }
    let options =
        JournalOptions { segment_bytes: SEGMENT, compress: false, ..JournalOptions::default() };
    let Ok((journal, _)) = FileJournal::open_on(disk, options) else { return Ok(1) };
    let mut from = Cursor::START;
    while let Ok(scan) = journal.scan(from, 1 << 16) {
        if scan.commits.is_empty() {
            return Ok(1);
        }
        if scan.next <= from {
            return Err(format!("reading goes from {from:?} to {:?}", scan.next));
        }
        from = scan.next;
    }
    Ok(1)
}

#[test]
fn no_record_brings_a_panic() {
    let journals = journals(&written());
    assert!(journals.len() > 4, "{} journals", journals.len());
    for files in &journals {
        let checked = verification::check_on(&MemoryDisk::with(files)).unwrap();
        assert!(checked.commits > 0 && checked.findings.is_empty(), "{:?}", checked.findings);
    }
    let mut found = Found::new();
    let surface = Surface { name: "records", usual: 5000 };
    surface.holds(&plan(), |plan| {
        let files = changed(&journals[plan.journal % journals.len()], plan);
        looked_at(&files, plan.is_opened, &mut found)
    });
    println!("found: {found:#?}");
}
