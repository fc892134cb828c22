//! How many durable appends a second: this journal, and sled made durable, in turns.
//!
//! 1,024 writers, each of which submits its next record of 600 bytes when the last one is durable.
//! Both sides gather the waiting records into one batch and sync once for it. The machine may be
//! busy, so rounds alternate, and the ratio of medians is what counts.
//!
//! `cargo bench --bench journal [-- SECONDS_PER_ROUND ROUNDS DIRECTORY]`

#![expect(clippy::disallowed_methods, reason = "a bench reads the clock and its arguments")]
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on should say where")]

use std::cell::RefCell;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use coterie::domain::event::{Entry, Event, Fact};
use coterie::domain::group::GroupFact;
use coterie::domain::ids::{GroupId, MessageId, StreamId, UserId};
use coterie::domain::message::{Author, Message};
use coterie::domain::revision::MessageState;
use coterie::domain::time::Timestamp;
use coterie::journal::file::{FileJournal, JournalOptions};
use coterie::journal::{Commit, CommitId, Journal, Outcome, StreamHead};
use tokio::sync::oneshot;

const WRITERS: u64 = 1024;
const RECORD: usize = 600;

fn main() {
    let arguments: Vec<String> = std::env::args().filter(|word| word != "--bench").collect();
    let number = |at: usize, usual| arguments.get(at).map_or(usual, |text| text.parse().unwrap());
    let (seconds, rounds) = (number(1, 4), number(2, 5));
    let parent = arguments.get(3).map_or_else(|| PathBuf::from("."), PathBuf::from);
    let (mut ours, mut sleds) = (Vec::new(), Vec::new());
    for round in 1..=rounds {
        let directory = tempfile::tempdir_in(&parent).unwrap();
        let journal = journal_round(directory.path(), Duration::from_secs(seconds));
        let directory = tempfile::tempdir_in(&parent).unwrap();
        let sled = sled_round(directory.path(), Duration::from_secs(seconds));
        println!("round {round}: journal {journal:>9.0}/s   sled {sled:>9.0}/s");
        ours.push(journal);
        sleds.push(sled);
    }
    let (ours, sleds) = (median(ours), median(sleds));
    println!("median:  journal {ours:>9.0}/s   sled {sleds:>9.0}/s   ratio {:.2}", ours / sleds);
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// Runs all writers on one thread for `span`.
fn drive<F>(span: Duration, append: impl Fn(u64, u64) -> F + Clone + 'static)
where
    F: Future<Output = ()> + 'static,
{
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let tasks = tokio::task::LocalSet::new();
    let until = Instant::now() + span;
    for writer in 0..WRITERS {
        let append = append.clone();
        tasks.spawn_local(async move {
            for number in 0.. {
                if Instant::now() >= until {
                    return;
                }
                append(writer, number).await;
            }
        });
    }
    runtime.block_on(tasks);
}

fn journal_round(directory: &Path, span: Duration) -> f64 {
    let (journal, _) =
        FileJournal::open(&directory.join("journal"), JournalOptions::default()).unwrap();
    let (journal, done) = (Arc::new(journal), Arc::new(AtomicU64::new(0)));
    let filler = Arc::new(message(record_filler()));
    let (started, counter, journal_used) = (Instant::now(), done.clone(), journal.clone());
    let heads = Rc::new(RefCell::new(vec![StreamHead::default(); WRITERS as usize]));
    drive(span, move |writer, number| {
        let (journal, done, event) = (journal_used.clone(), counter.clone(), filler.clone());
        let heads = Rc::clone(&heads);
        async move {
            let head = heads.borrow()[writer as usize];
            let entries = vec![Entry::stored(event)];
            let (stream, at) = (StreamId::Group(GroupId::new(writer)), Timestamp::default());
            let commit = Commit { stream, head, id: CommitId(u128::from(number)), at, entries };
            let outcome = journal.submit(commit).unwrap().await;
            let Outcome::Committed(committed) = outcome else { panic!("{outcome:?}") };
            heads.borrow_mut()[writer as usize] = committed.after;
            done.fetch_add(1, Ordering::Relaxed);
        }
    });
    let appends = done.load(Ordering::Relaxed);
    let bytes = journal.end().get() / appends.max(1);
    assert!((RECORD as u64 - 10..RECORD as u64 + 20).contains(&bytes), "{bytes} bytes a record");
    appends as f64 / started.elapsed().as_secs_f64()
}

fn message(text: String) -> Event {
    let message = Message {
        id: MessageId::new(170_000_000_000_000_001),
        author: Author::Member(UserId::new(10_000_007)),
        name: "Ana".to_owned(),
        avatar: None,
        source_guid: "5a1b9c1e-2d3f-4e5a-8b6c-7d8e9f0a1b2c".to_owned(),
        text: Some(text),
        attachments: Vec::new(),
        count: 1,
        line: None,
        written_at: None,
        parent: None,
        state: MessageState::default(),
    };
    Event { at: Timestamp::default(), fact: Fact::Group(GroupFact::Posted(Arc::new(message))) }
}

/// Text of the length that makes a record 600 bytes long.
fn record_filler() -> String {
    let random = std::iter::repeat_with(fastrand::alphanumeric);
    random.take(RECORD - 170).collect()
}

/// Measures sled, made durable: waiting records become one batch, then `flush`, then `fdatasync` of
/// its file, since its flush does not reach the drive's own cache.
fn sled_round(directory: &Path, span: Duration) -> f64 {
    let config = sled::Config::new().path(directory.join("sled")).flush_every_ms(None);
    let database = config.open().unwrap();
    let file = File::open(directory.join("sled").join("db")).unwrap();
    let (queue, waiting) = mpsc::channel::<(Vec<u8>, Vec<u8>, oneshot::Sender<()>)>();
    let flusher = thread::spawn(move || {
        while let Ok(first) = waiting.recv() {
            let (mut batch, mut resolves) = (sled::Batch::default(), Vec::new());
            for (key, value, resolve) in std::iter::once(first).chain(waiting.try_iter()) {
                batch.insert(key, value);
                resolves.push(resolve);
            }
            database.apply_batch(batch).unwrap();
            database.flush().unwrap();
            rustix::fs::fdatasync(&file).unwrap();
            for resolve in resolves {
                resolve.send(()).unwrap();
            }
        }
    });
    let (started, done) = (Instant::now(), Arc::new(AtomicU64::new(0)));
    let (counter, filler) = (done.clone(), vec![7_u8; RECORD - 16]);
    drive(span, move |writer, number| {
        let (queue, done, value) = (queue.clone(), counter.clone(), filler.clone());
        async move {
            let key = [writer.to_be_bytes(), number.to_be_bytes()].concat();
            let (resolve, durable) = oneshot::channel();
            queue.send((key, value, resolve)).unwrap();
            durable.await.unwrap();
            done.fetch_add(1, Ordering::Relaxed);
        }
    });
    let appends = done.load(Ordering::Relaxed);
    let rate = appends as f64 / started.elapsed().as_secs_f64();
    flusher.join().unwrap();
    rate
}
