//! A journal that is read from outside while it is written: what a view shows, and what a copy made
//! of it holds.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, thread};

use coterie::journal::file::{FileJournal, JournalOptions};
use coterie::journal::view::View;
use coterie::journal::{Committed, Cursor, Journal, StreamHead, verification};
use tempfile::TempDir;

use crate::sample::{assert_all_same, commit, group, said, scan_all, until_just, write};

const SEGMENT: u64 = 96 << 10;
/// How many copies are taken while the journal grows.
const COPIES: usize = 30;

fn open(directory: &Path, compress: bool) -> FileJournal {
    let options = JournalOptions { segment_bytes: SEGMENT, compress, ..JournalOptions::default() };
    FileJournal::open(directory, options).unwrap().0
}

/// Writes commits of all lengths until told to stop.
fn writes(journal: &FileJournal, is_over: &AtomicBool) {
    let mut head = StreamHead::default();
    while !is_over.load(Ordering::SeqCst) {
        let text = format!("line {} ", head.n).repeat(1 + head.n as usize * 37 % 400);
        head = write(journal, commit(group(1), head, vec![said(&text)])).after;
    }
}

/// Writes the files that a view shows into a folder.
fn copy(view: &View, to: &Path) {
    fs::create_dir(to).unwrap();
    for mut part in view.parts().unwrap() {
        let mut bytes = Vec::new();
        part.read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes.len() as u64, part.length, "{}", part.name);
        fs::write(to.join(&part.name), bytes).unwrap();
    }
}

fn before(all: &[Arc<Committed>], end: Cursor) -> Vec<Arc<Committed>> {
    all.iter().filter(|it| it.cursor < end).cloned().collect()
}

#[test]
fn copies_of_growing_journal_hold_durable_data_only() {
    let folder = TempDir::new().unwrap();
    let directory = folder.path().join("journal");
    let journal = Arc::new(open(&directory, true));
    let is_over = Arc::new(AtomicBool::new(false));
    let (writer, stop) = (Arc::clone(&journal), Arc::clone(&is_over));
    let writer = thread::spawn(move || writes(&writer, &stop));
    let mut ends = Vec::new();
    for number in 0..COPIES {
        // At another offset of a segment each time, and sometimes just after the step from one
        // segment to the next.
        until_just("more is written", || journal.end().get() >= number as u64 * SEGMENT / 7);
        let end = journal.end();
        if number % 3 == 0 {
            // When the copy is made, the writer may be far ahead, and the segment may be
            // compressed.
            until_just("two segments more are written", || {
                journal.end().get() >= end.get() + 2 * SEGMENT
            });
        }
        let view = View::open(&directory, Some(end)).unwrap();
        copy(&view, &folder.path().join(number.to_string()));
        ends.push(end);
    }
    is_over.store(true, Ordering::SeqCst);
    writer.join().unwrap();
    let all = scan_all(&*journal, 1 << 20);
    assert!(journal.end().get() > 4 * SEGMENT, "it went through several segments");
    for (number, end) in ends.into_iter().enumerate() {
        let copied = folder.path().join(number.to_string());
        let checked = verification::check(&copied).unwrap();
        assert_eq!((checked.findings, checked.torn), (Vec::new(), None), "copy {number}");
        let wanted = before(&all, end);
        let (opened, report) = FileJournal::open(
            &copied,
            JournalOptions { segment_bytes: SEGMENT, ..JournalOptions::default() },
        )
        .unwrap();
        assert_eq!((report.torn, report.removed), (None, Vec::<String>::new()));
        assert_all_same(&scan_all(&opened, 1 << 20), &wanted);
        // The copy can be written to.
        let head = wanted.last().map(|it| it.after).unwrap_or_default();
        write(&opened, commit(group(1), head, vec![said("one more")]));
    }
}

#[test]
fn a_view_of_a_stopped_journal_ends_where_whole_records_do() {
    for compress in [false, true] {
        let folder = TempDir::new().unwrap();
        let journal = open(folder.path(), compress);
        let mut head = StreamHead::default();
        let mut steps = 0;
        while steps < 3 {
            let text = "a line of some length ".repeat(40);
            let base = journal.end().get() / SEGMENT;
            head = write(&journal, commit(group(1), head, vec![said(&text)])).after;
            // A view is opened at each step from one segment to the next, and in between.
            if journal.end().get() / SEGMENT > base || head.n % 50 == 0 {
                steps += u64::from(journal.end().get() / SEGMENT > base);
                let (end, all) = (journal.end(), scan_all(&journal, 1 << 20));
                let view = View::open(folder.path(), None).unwrap();
                assert_eq!(view.end(), end);
                assert_all_same(&scan_all(&view, 1000), &all);
            }
        }
    }
}

#[test]
fn a_view_changes_nothing() {
    let folder = TempDir::new().unwrap();
    let journal = open(folder.path(), false);
    let done = write(&journal, commit(group(1), StreamHead::default(), vec![said("rope")]));
    let end = journal.end();
    journal.close();
    let file = folder.path().join("0000000000000000.log");
    let mut bytes = fs::read(&file).unwrap();
    // A record that was being written when the machine stopped.
    bytes[end.get() as usize..][..40].fill(7);
    fs::write(&file, &bytes).unwrap();
    fs::write(folder.path().join("half.tmp"), "half").unwrap();
    let view = View::open(folder.path(), None).unwrap();
    assert_eq!(view.end(), end);
    assert_all_same(&scan_all(&view, 1000), &[done]);
    assert!(view.submit(commit(group(1), StreamHead::default(), vec![said("no")])).is_err());
    assert_eq!(fs::read(&file).unwrap(), bytes);
    assert!(folder.path().join("half.tmp").exists());
}
