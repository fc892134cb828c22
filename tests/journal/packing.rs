//! Full segments are compressed: reads return the same, whichever step of it a crash interrupts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, thread};

use coterie::journal::file::{FileJournal, JournalOptions};
use coterie::journal::open_error::OpenError;
use coterie::journal::recovery::OpenReport;
use coterie::journal::view::View;
use coterie::journal::{Committed, Cursor, Journal, JournalFault, StreamHead};
use tempfile::TempDir;

use crate::sample::{assert_all_same, assert_same, commit, group, said, scan_all, write};

const SEGMENT: u64 = 96 << 10;

fn open(directory: &Path, compress: bool) -> Result<(FileJournal, OpenReport), OpenError> {
    let options = JournalOptions { segment_bytes: SEGMENT, compress, ..JournalOptions::default() };
    FileJournal::open(&directory.join("journal"), options)
}

/// Writes until some segments are full, without compressing them.
fn written_uncompressed() -> (TempDir, Vec<Arc<Committed>>) {
    let directory = tempfile::tempdir().unwrap();
    let (journal, _) = open(directory.path(), false).unwrap();
    let (mut head, mut written) = (StreamHead::default(), Vec::new());
    while journal.end().get() < 4 * SEGMENT {
        let text = format!("line {} ", head.n).repeat(1 + head.n as usize * 37 % 400);
        written.push(write(&journal, commit(group(1), head, vec![said(&text)])));
        head = written.last().unwrap().after;
    }
    (directory, written)
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory.join("journal")).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Opens with compression and waits until all full segments are compressed.
fn open_and_compress(directory: &Path) -> FileJournal {
    let (journal, _) = open(directory, true).unwrap();
    let full = (journal.end().get() / SEGMENT) as usize;
    let is_packed = |name: &String| name.ends_with(".zst");
    for _ in 0..20_000 {
        if names(directory).iter().take(full).all(is_packed) {
            return journal;
        }
        thread::sleep(Duration::from_millis(1));
    }
    panic!("only these are there: {:?}", names(directory));
}

fn packed(directory: &Path) -> PathBuf {
    directory.join("journal").join("0000000000000000.zst")
}

fn raw(directory: &Path) -> PathBuf {
    directory.join("journal").join("0000000000000000.log")
}

#[test]
fn compressed_segments_are_read_like_any_other() {
    let (directory, written) = written_uncompressed();
    let original = fs::read(raw(directory.path())).unwrap();
    let journal = open_and_compress(directory.path());
    for step in [0, 5000, 1 << 20] {
        assert_all_same(&scan_all(&journal, step), &written);
    }
    written.iter().rev().for_each(|commit| {
        assert_same(&journal.read(commit.cursor).unwrap(), commit);
    });
    let nowhere = Cursor::new(written[3].cursor.get() + 1);
    journal.read(nowhere).unwrap_err();
    journal.close();

    let small = fs::metadata(packed(directory.path())).unwrap().len();
    assert!(small < SEGMENT / 3, "{small} bytes");
    let (journal, report) = open(directory.path(), true).unwrap();
    assert_eq!(report.removed, [""; 0]);
    assert_all_same(&scan_all(&journal, 5000), &written);
    let unpacked = zstd::decode_all(fs::File::open(packed(directory.path())).unwrap()).unwrap();
    assert!(original.starts_with(&unpacked));
    assert!(original[unpacked.len()..].iter().all(|byte| *byte == 0));
}

#[test]
fn check_finds_damage_under_cached_blocks() {
    let (directory, written) = written_uncompressed();
    open_and_compress(directory.path()).close();
    let view = View::open(&directory.path().join("journal"), None).unwrap();
    assert_all_same(&scan_all(&view, 5000), &written);
    view.sum().unwrap();
    let mut bytes = fs::read(packed(directory.path())).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(packed(directory.path()), bytes).unwrap();
    assert!(matches!(view.sum(), Err(JournalFault::Damaged { .. })));
    assert_eq!(view.holes().len(), 1);
}

#[test]
fn segments_are_compressed_while_they_are_read_and_written() {
    let directory = tempfile::tempdir().unwrap();
    let (journal, _) = open(directory.path(), true).unwrap();
    let (mut head, mut written) = (StreamHead::default(), Vec::new());
    while journal.end().get() < 10 * SEGMENT {
        let text = "word ".repeat(head.n as usize % 900);
        written.push(write(&journal, commit(group(1), head, vec![said(&text)])));
        head = written.last().unwrap().after;
        let some = &written[head.n as usize * 7 % written.len()];
        assert_same(&journal.read(some.cursor).unwrap(), some);
    }
    assert_all_same(&scan_all(&journal, 100_000), &written);
}

#[test]
fn compressed_file_wins_over_raw_one() {
    let (directory, written) = written_uncompressed();
    let original = fs::read(raw(directory.path())).unwrap();
    open_and_compress(directory.path()).close();
    fs::write(raw(directory.path()), &original).unwrap();
    let (journal, report) = open(directory.path(), false).unwrap();
    assert_eq!(report.removed, ["0000000000000000.log"]);
    assert!(!raw(directory.path()).exists());
    assert_all_same(&scan_all(&journal, 5000), &written);
}

#[test]
fn a_compressed_file_that_is_not_whole_gives_way_to_the_raw_one() {
    let (directory, written) = written_uncompressed();
    let original = fs::read(raw(directory.path())).unwrap();
    open_and_compress(directory.path()).close();
    let whole = fs::read(packed(directory.path())).unwrap();
    for length in [0, 10, 47, 48, 500, whole.len() / 2, whole.len() - 1] {
        fs::write(packed(directory.path()), &whole[..length]).unwrap();
        fs::write(raw(directory.path()), &original).unwrap();
        let (journal, report) = open(directory.path(), false).unwrap();
        assert_eq!(report.removed, ["0000000000000000.zst"]);
        assert_all_same(&scan_all(&journal, 5000), &written);
    }
}

#[test]
fn unfinished_compressed_file_is_rebuilt() {
    let (directory, written) = written_uncompressed();
    let unfinished = directory.path().join("journal").join("0000000000000000.zst.tmp");
    fs::write(&unfinished, b"half").unwrap();
    let journal = open_and_compress(directory.path());
    assert_all_same(&scan_all(&journal, 5000), &written);
    assert!(packed(directory.path()).exists() && !unfinished.exists());
}

#[test]
fn damage_in_compressed_file_is_reported() {
    let (directory, written) = written_uncompressed();
    open_and_compress(directory.path()).close();
    let whole = fs::read(packed(directory.path())).unwrap();
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let places = (0..60).chain(whole.len() - 40..whole.len());
    let some: Vec<usize> = places.chain((0..200).map(|_| random.usize(..whole.len()))).collect();
    for flipped in some {
        let mut spoiled = whole.clone();
        spoiled[flipped] ^= 1 << random.u8(..8);
        fs::write(packed(directory.path()), spoiled).unwrap();
        let Ok((journal, _)) = open(directory.path(), false) else { continue };
        let reads = written.iter().map(|commit| (commit, journal.read(commit.cursor)));
        let mut failed = 0;
        for (commit, read) in reads {
            match read {
                Ok(read) => assert_same(&read, commit),
                Err(_) => failed += 1,
            }
        }
        assert!(failed > 0, "byte {flipped} is damaged, and nobody noticed");
    }
}

/// All commits that a journal shows, without those that cannot be read.
fn readable(journal: &dyn Journal) -> Vec<Arc<Committed>> {
    let (mut commits, mut from) = (Vec::new(), Cursor::START);
    loop {
        match journal.scan(from, 10_000) {
            Ok(scan) if scan.commits.is_empty() => return commits,
            Ok(scan) => {
                commits.extend(scan.commits);
                from = scan.next;
            }
            Err(JournalFault::Damaged { at, .. }) => from = journal.next_whole(Cursor::new(at)),
            Err(fault) => panic!("{fault}"),
        }
    }
}

#[test]
fn damaged_block_hides_only_its_records() {
    const BLOCK: u64 = 16 << 10;
    let (directory, written) = written_uncompressed();
    drop(open_and_compress(directory.path()));
    let path = packed(directory.path());
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    let (journal, _) = open(directory.path(), true).unwrap();
    let lost: Vec<&Arc<Committed>> =
        written.iter().filter(|it| journal.read(it.cursor).is_err()).collect();
    let from = lost[0].cursor;
    let after = lost.last().unwrap();
    let next = written.iter().find(|it| it.cursor > after.cursor).unwrap().cursor;
    assert!(next.bytes_since(from) < 3 * BLOCK, "records that reach into it, too");
    assert_eq!(journal.next_whole(from), next);
    let kept = written.iter().filter(|it| journal.read(it.cursor).is_ok());
    assert_all_same(&readable(&journal), &kept.cloned().collect::<Vec<_>>());
    journal.close();
    let view = View::open(&directory.path().join("journal"), None).unwrap();
    let [hole] = &view.holes()[..] else { panic!("one hole") };
    assert_eq!((hole.from, hole.next), (from, next));
    assert!(hole.after.is_some() && hole.before.is_some());
}

#[test]
fn reading_continues_behind_an_unreadable_segment() {
    let (directory, written) = written_uncompressed();
    let path = directory.path().join("journal").join("0000000000000000.log");
    let mut bytes = fs::read(&path).unwrap();
    bytes[40_000..].fill(0x55);
    fs::write(&path, bytes).unwrap();
    let (journal, _) = open(directory.path(), false).unwrap();
    let kept = |it: &&Arc<Committed>| journal.read(it.cursor).is_ok();
    let kept: Vec<_> = written.iter().filter(kept).cloned().collect();
    assert!(kept.len() < written.len() && kept.len() > written.len() / 2);
    assert_all_same(&readable(&journal), &kept);
}
