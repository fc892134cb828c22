//! A check of a whole journal finds all damage, and changes nothing.

use std::fs;
use std::path::{Path, PathBuf};

use coterie::journal::StreamHead;
use coterie::journal::file::{FileJournal, JournalOptions};
use coterie::journal::verification::{Checked, check};
use tempfile::TempDir;

use crate::sample::{commit, group, said, silent, until, write};

const SEGMENT: u64 = 8192;

/// A journal with three streams in some segments; the first segment is compressed if `compress` is
/// set.
fn journal(compress: bool) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal");
    let mut heads = [StreamHead::default(); 3];
    for compress in [false, compress] {
        let options =
            JournalOptions { segment_bytes: SEGMENT, compress, ..JournalOptions::default() };
        let (journal, _) = FileJournal::open(&path, options).unwrap();
        let first = path.join("0000000000000000.zst");
        for n in 0..60 {
            let stream = n % 3;
            let facts = vec![said(&"hello ".repeat(n)), silent()];
            heads[stream] =
                write(&journal, commit(group(stream as u64), heads[stream], facts)).after;
        }
        until("the first segment is compressed", || !compress || first.exists());
    }
    (directory, path)
}

fn spoil(file: &Path, offset: usize) {
    let mut bytes = fs::read(file).unwrap();
    bytes[offset] ^= 0x10;
    fs::write(file, bytes).unwrap();
}

fn findings(seen: &Checked) -> Vec<String> {
    seen.findings.iter().map(ToString::to_string).collect()
}

#[test]
fn a_whole_journal_has_no_findings() {
    for compress in [false, true] {
        let (_directory, path) = journal(compress);
        let seen = check(&path).unwrap();
        assert_eq!(findings(&seen), [""; 0]);
        assert_eq!((seen.commits, seen.events, seen.streams), (120, 240, 3));
        assert!(seen.segments >= 5 && seen.torn.is_none());
    }
    assert!(check(Path::new("/nowhere/at/all")).is_err());
}

#[test]
fn check_finds_damaged_record_and_broken_chain() {
    let (_directory, path) = journal(false);
    let file = path.join("0000000000002000.log");
    spoil(&file, 400);
    let before = fs::read(&file).unwrap();
    let seen = check(&path).unwrap();
    let found = findings(&seen);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("0000000000002000.log at byte"), "{found:?}");
    assert!(found[0].ends_with("its checksum is wrong") && found[1].contains("the chain of g:"));
    assert_eq!((seen.commits, fs::read(&file).unwrap()), (119, before));
}

#[test]
fn a_missing_and_a_spoiled_file_are_found() {
    let (_directory, path) = journal(false);
    fs::remove_file(path.join("0000000000002000.log")).unwrap();
    spoil(&path.join("0000000000006000.log"), 20);
    let found = findings(&check(&path).unwrap());
    assert_eq!(found[0], "0000000000002000.log at byte 0: it is missing");
    let spoiled = "0000000000006000.log at byte 0: the header's checksum is wrong";
    assert!(found.iter().any(|finding| finding == spoiled), "{found:?}");
}

#[test]
fn a_segment_without_its_end_mark_is_found() {
    let (_directory, path) = journal(false);
    let file = path.join("0000000000002000.log");
    let mut bytes = fs::read(&file).unwrap();
    let end = bytes.iter().rposition(|byte| *byte != 0).unwrap() + 1;
    bytes[end - 12..end].fill(0);
    bytes[end - 16..].fill(0);
    fs::write(&file, bytes).unwrap();
    let found = findings(&check(&path).unwrap());
    assert!(found.iter().any(|finding| finding.contains("no end mark")), "{found:?}");
}

#[test]
fn torn_tail_differs_from_damage() {
    let (_directory, path) = journal(false);
    let mut names: Vec<_> =
        fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let is_used = |file: &PathBuf| fs::read(file).unwrap()[100..].iter().any(|byte| *byte != 0);
    let last = names.iter().rfind(|file| is_used(file)).unwrap();
    let end = fs::read(last).unwrap().iter().rposition(|byte| *byte != 0).unwrap();
    spoil(last, end);
    let seen = check(&path).unwrap();
    assert_eq!(findings(&seen), [""; 0]);
    assert_eq!(seen.torn.unwrap().reason, "its checksum is wrong");
    assert_eq!(seen.commits, 119);
}

#[test]
fn damage_in_a_compressed_file_is_found() {
    let (_directory, path) = journal(true);
    let packed = path.join("0000000000000000.zst");
    let length = fs::metadata(&packed).unwrap().len() as usize;
    spoil(&packed, length / 2);
    let found = findings(&check(&path).unwrap());
    assert!(found[0].starts_with("0000000000000000.zst at byte 0"), "{found:?}");
}
