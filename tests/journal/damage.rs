//! Files that were cut or changed behind the journal's back. A torn tail is cut with a report; any
//! other damage is reported and left alone; nothing panics.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use coterie::journal::file::{FileJournal, JournalOptions};
use coterie::journal::open_error::OpenError;
use coterie::journal::recovery::OpenReport;
use coterie::journal::{Committed, Cursor, Journal, StreamHead};
use tempfile::TempDir;

use crate::sample::{assert_all_same, commit, group, said, scan_all, write, write_chain};

/// Bytes of a segment in these tests.
const SEGMENT: u64 = 8192;

/// A closed journal whose files can be damaged.
struct Closed {
    directory: TempDir,
    written: Vec<Arc<Committed>>,
    end: u64,
}

impl Closed {
    /// A journal with so many records, each in a batch of its own.
    fn with_records(count: usize) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (journal, _) = open(directory.path()).unwrap();
        let texts: Vec<String> = (0..count).map(|n| format!("number {n}").repeat(9)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let written = write_chain(&journal, group(1), &texts);
        let end = journal.end().get();
        Self { directory, written, end }
    }

    fn open(&self) -> Result<(FileJournal, OpenReport), OpenError> {
        open(self.directory.path())
    }

    fn file(&self, base: u64) -> PathBuf {
        self.directory.path().join("journal").join(format!("{base:016x}.log"))
    }

    fn spoil(&self, base: u64, change: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = fs::read(self.file(base)).unwrap();
        change(&mut bytes);
        fs::write(self.file(base), bytes).unwrap();
    }

    /// The offset of the record at this index.
    fn at(&self, index: usize) -> usize {
        self.written[index].cursor.get() as usize
    }
}

fn open(directory: &Path) -> Result<(FileJournal, OpenReport), OpenError> {
    let options =
        JournalOptions { segment_bytes: SEGMENT, compress: false, ..JournalOptions::default() };
    FileJournal::open(&directory.join("journal"), options)
}

#[test]
fn a_tail_torn_at_any_byte_is_cut_with_a_report() {
    let closed = Closed::with_records(4);
    let whole = fs::read(closed.file(0)).unwrap();
    for torn_at in closed.at(2)..closed.end as usize {
        fs::write(closed.file(0), &whole).unwrap();
        closed.spoil(0, |bytes| bytes[torn_at..].fill(0));
        let kept = if torn_at < closed.at(3) { 2 } else { 3 };
        let (journal, report) = closed.open().unwrap();
        assert_eq!(report.end.get() as usize, closed.at(kept));
        assert_all_same(&scan_all(&journal, 1000), &closed.written[..kept]);
        let is_clean = whole[closed.at(kept)..torn_at].iter().all(|byte| *byte == 0);
        assert_eq!(report.torn.is_none(), is_clean, "torn at {torn_at}");
        if let Some(torn) = report.torn {
            assert_eq!(torn.offset as usize, closed.at(kept));
            assert!(torn.offset + torn.bytes <= torn_at as u64);
        }
        let head = closed.written[kept - 1].after;
        let next = write(&journal, commit(group(1), head, vec![said("again")]));
        assert_eq!(next.cursor.get() as usize, closed.at(kept));
        journal.close();
        let (journal, report) = closed.open().unwrap();
        assert_eq!(report.torn, None);
        assert_eq!(scan_all(&journal, 1000).len(), kept + 1);
    }
}

#[test]
fn flipped_byte_in_last_record_cuts_only_it() {
    let closed = Closed::with_records(3);
    let whole = fs::read(closed.file(0)).unwrap();
    for flipped in closed.at(2)..closed.end as usize {
        fs::write(closed.file(0), &whole).unwrap();
        closed.spoil(0, |bytes| bytes[flipped] ^= 1 << (flipped % 8));
        let (journal, report) = closed.open().unwrap();
        assert_eq!(report.torn.unwrap().offset as usize, closed.at(2));
        assert_all_same(&scan_all(&journal, 1000), &closed.written[..2]);
    }
}

#[test]
fn flipped_byte_before_durable_records_is_reported() {
    let closed = Closed::with_records(4);
    let whole = fs::read(closed.file(0)).unwrap();
    for flipped in 0..closed.at(3) {
        let mut spoiled = whole.clone();
        spoiled[flipped] ^= 1 << (flipped % 8);
        fs::write(closed.file(0), &spoiled).unwrap();
        let Err(OpenError::Damaged { file, offset, .. }) = closed.open() else {
            panic!("byte {flipped} is damaged, and nobody noticed");
        };
        assert_eq!(file, "0000000000000000.log");
        let begins = (0..3).rev().map(|n| closed.at(n)).find(|at| *at <= flipped).unwrap_or(0);
        assert_eq!(offset as usize, begins, "byte {flipped}");
        assert_eq!(fs::read(closed.file(0)).unwrap(), spoiled);
    }
}

#[test]
fn stray_bytes_behind_the_end_are_cut_with_a_report() {
    for stray in [0, 1, 79, 80, 500] {
        let closed = Closed::with_records(2);
        let at = closed.end as usize + stray;
        closed.spoil(0, |bytes| bytes[at] = 0x55);
        let (journal, report) = closed.open().unwrap();
        assert_eq!(report.torn.unwrap().bytes, stray as u64 + 1);
        assert_all_same(&scan_all(&journal, 1000), &closed.written);
    }
}

#[test]
fn a_record_behind_a_hole_of_its_own_batch_never_comes_back() {
    let closed = Closed::with_records(3);
    let (hole, last) = (closed.at(1), closed.at(2));
    let one_batch_with_a_hole = |bytes: &mut Vec<u8>| {
        bytes[last + 16..last + 20].copy_from_slice(&((last - hole) as u32).to_le_bytes());
        let crc = crc32c::crc32c(&bytes[last + 8..closed.end as usize]);
        bytes[last + 4..last + 8].copy_from_slice(&crc.to_le_bytes());
        bytes[hole..last].fill(0);
    };
    closed.spoil(0, one_batch_with_a_hole);
    let (journal, report) = closed.open().unwrap();
    assert_eq!(report.torn.unwrap().bytes, closed.end - hole as u64);
    // The new record is as long as the one in the hole, so that the old record would follow it if
    // it were still there.
    let [first, second, _] = &closed.written[..] else { panic!("three were written") };
    let facts = second.entries.iter().map(|entry| entry.event.fact.clone()).collect();
    write(&journal, commit(group(1), first.after, facts));
    assert_eq!(journal.end().get() as usize, last);
    journal.close();
    assert_eq!(scan_all(&closed.open().unwrap().0, 5000).len(), 2);
}

#[test]
fn a_file_of_the_wrong_length_is_reported() {
    for length in [0, 10, 64, 5000, SEGMENT - 1, SEGMENT + 1] {
        let closed = Closed::with_records(2);
        closed.spoil(0, |bytes| bytes.resize(length as usize, 0));
        assert!(matches!(closed.open(), Err(OpenError::Damaged { .. })), "{length} bytes");
    }
}

#[test]
fn a_missing_file_is_named() {
    let closed = Closed::with_records(150);
    assert!(closed.end > 3 * SEGMENT);
    for base in [0, SEGMENT, 2 * SEGMENT] {
        let (from, away) = (closed.file(base), closed.directory.path().join("away"));
        fs::rename(&from, &away).unwrap();
        let Err(OpenError::Missing { file, position }) = closed.open() else {
            panic!("nobody missed the file at {base}");
        };
        assert_eq!((file, position), (format!("{base:016x}.log"), base));
        fs::rename(&away, &from).unwrap();
    }
    closed.open().unwrap();
}

#[test]
fn a_file_in_the_place_of_another_is_reported() {
    let closed = Closed::with_records(150);
    fs::copy(closed.file(SEGMENT), closed.file(2 * SEGMENT)).unwrap();
    assert!(matches!(closed.open(), Err(OpenError::Damaged { offset: 0, .. })));
}

#[test]
fn damage_in_earlier_file_fails_its_readers() {
    let closed = Closed::with_records(150);
    let spoiled = closed.written.iter().position(|commit| commit.cursor.get() > SEGMENT).unwrap();
    let offset = closed.at(spoiled) - SEGMENT as usize + 100;
    closed.spoil(SEGMENT, |bytes| bytes[offset] ^= 4);
    let (journal, _) = closed.open().unwrap();
    let (before, spoiled) = (&closed.written[..spoiled], &closed.written[spoiled]);
    assert!(journal.read(spoiled.cursor).is_err());
    let scan = journal.scan(Cursor::START, 1 << 20).unwrap();
    assert_all_same(&scan.commits, before);
    let scan = journal.scan(scan.next, 1 << 20);
    assert!(scan.unwrap_err().to_string().contains(&spoiled.cursor.get().to_string()));
}

#[test]
fn an_unfinished_file_is_removed_with_a_report() {
    let closed = Closed::with_records(2);
    let name = "0000000000002000.log.tmp";
    fs::write(closed.directory.path().join("journal").join(name), b"half").unwrap();
    let (_, report) = closed.open().unwrap();
    assert_eq!(report.removed, [name]);
}

#[test]
fn random_damage_never_panics_and_never_hides() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let closed = Closed::with_records(90);
    let bases = [0, SEGMENT, 2 * SEGMENT];
    let whole = bases.map(|base| fs::read(closed.file(base)).unwrap());
    for _ in 0..400 {
        for (base, bytes) in bases.iter().zip(&whole) {
            fs::write(closed.file(*base), bytes).unwrap();
        }
        let base = bases[random.usize(..bases.len())];
        let (from, length) = (random.usize(..SEGMENT as usize), random.usize(1..600));
        let until = (from + length).min(SEGMENT as usize);
        closed.spoil(base, |bytes| random.fill(&mut bytes[from..until]));
        let Ok((journal, _)) = closed.open() else { continue };
        let mut at = Cursor::START;
        let mut read = Vec::new();
        while let Ok(scan) = journal.scan(at, 3000) {
            if scan.commits.is_empty() {
                break;
            }
            read.extend(scan.commits);
            at = scan.next;
        }
        assert_all_same(&read, &closed.written[..read.len()]);
    }
}

#[test]
fn stream_heads_are_kept() {
    let closed = Closed::with_records(1);
    let (journal, _) = closed.open().unwrap();
    let odd = StreamHead { n: u64::MAX - 9, token: u64::MAX };
    let done = write(&journal, commit(group(1), odd, vec![said("odd")]));
    assert_eq!(journal.read(done.cursor).unwrap().before, odd);
}
