//! A damaged journal that goes on because an operator says so: what lies before the damage is kept,
//! and every file that was there is kept too.

use std::fs;
use std::path::{Path, PathBuf};

use coterie::journal::file::{FileJournal, JournalOptions};
use coterie::journal::salvage::Salvage;
use tempfile::TempDir;

use crate::sample::{assert_all_same, commit, group, said, scan_all, write, write_chain};

const SEGMENT: u64 = 8192;

fn open(journal: &Path) -> FileJournal {
    let options =
        JournalOptions { segment_bytes: SEGMENT, compress: false, ..JournalOptions::default() };
    FileJournal::open(journal, options).unwrap().0
}

fn file(journal: &Path, base: u64) -> PathBuf {
    journal.join(format!("{base:016x}.log"))
}

fn spoil(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

fn contents(folder: &Path) -> Vec<Vec<u8>> {
    let paths = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    paths.map(|path| fs::read(path).unwrap()).collect()
}

/// Spoils a journal of several segments, and checks that what lies before this position goes on.
fn goes_on_until(wanted: u64, spoils: impl FnOnce(&Path)) {
    let folder = TempDir::new().unwrap();
    let journal = folder.path().join("journal");
    let opened = open(&journal);
    assert!(Salvage::prepare(&journal).unwrap().is_none(), "nothing is damaged");
    let texts: Vec<String> = (0..150).map(|n| format!("number {n}").repeat(9)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut written = write_chain(&opened, group(1), &texts);
    opened.close();
    spoils(&journal);
    let before = contents(&journal);
    let mut asides = Vec::new();
    while let Some(salvage) = Salvage::prepare(&journal).unwrap() {
        asides.push(folder.path().join(format!("aside-{}", asides.len())));
        salvage.carry_out(asides.last().unwrap()).unwrap();
    }
    let mut after = contents(&journal);
    asides.iter().for_each(|aside| after.extend(contents(aside)));
    assert!(before.iter().all(|bytes| after.contains(bytes)), "no file is lost");
    written.retain(|commit| commit.cursor.get() < wanted);
    let opened = open(&journal);
    assert_all_same(&scan_all(&opened, 1 << 20), &written);
    let head = written.last().map(|it| it.after).unwrap_or_default();
    write(&opened, commit(group(1), head, vec![said("again")]));
    opened.close();
    assert_eq!(scan_all(&open(&journal), 1 << 20).len(), written.len() + 1);
}

#[test]
fn before_a_file_that_is_missing() {
    goes_on_until(SEGMENT, |journal| fs::remove_file(file(journal, SEGMENT)).unwrap());
    goes_on_until(0, |journal| fs::remove_file(file(journal, 0)).unwrap());
}

#[test]
fn salvage_moves_a_file_with_damaged_header() {
    goes_on_until(2 * SEGMENT, |journal| spoil(&file(journal, SEGMENT), 3));
}

#[test]
fn before_the_first_of_several_damages() {
    goes_on_until(SEGMENT, |journal| {
        fs::remove_file(file(journal, SEGMENT)).unwrap();
        spoil(&file(journal, 2 * SEGMENT), 3);
    });
}

#[test]
fn without_a_last_file_that_was_lost() {
    goes_on_until(3 * SEGMENT, |journal| {
        let last = fs::read_dir(journal).unwrap().map(|it| it.unwrap().path());
        for path in last.filter(|path| *path >= file(journal, 3 * SEGMENT)) {
            fs::remove_file(path).unwrap();
        }
    });
}
