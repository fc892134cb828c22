//! Chains of streams: what the indexer does with a commit that does not follow the last one of its
//! stream. It never takes such a commit for the next one silently.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use coterie::domain::chat::ChatFact;
use coterie::domain::event::{Entry, Event, Fact};
use coterie::domain::ids::{MessageId, Pair, StreamId, UserId};
use coterie::domain::message::Message;
use coterie::domain::time::Timestamp;
use coterie::index::archive::{Archive, Page};
use coterie::index::indexer::{self, OpenedIndex};
use coterie::index::memory::MemoryRows;
use coterie::journal::memory::MemoryJournal;
use coterie::journal::{
    Commit, CommitId, Committed, Cursor, Follower, Journal, JournalFault, Scan, StreamHead, Ticket,
    Unsent,
};

use crate::history::written;

const ANA: UserId = UserId::new(1);

fn chat() -> StreamId {
    StreamId::Chat(Pair::of(ANA, UserId::new(2)).unwrap())
}

fn said(head: StreamHead, count: u64) -> Commit {
    let message = Arc::new(Message { count, ..Message::unlogged(MessageId::new(count)) });
    let event = Event { at: Timestamp::default(), fact: Fact::Chat(ChatFact::Posted(message)) };
    let entries = vec![Entry::stored(Arc::new(event))];
    let (id, at) = (CommitId(u128::from(count)), Timestamp::default());
    Commit { stream: chat(), head, id, at, entries }
}

fn opens(journal: &Arc<dyn Journal>) -> OpenedIndex {
    indexer::open(Arc::new(MemoryRows::default()), Arc::clone(journal)).unwrap()
}

/// The numbers of the newest messages of the chat, once all rows are there.
fn counts(opened: &OpenedIndex, journal: &Arc<dyn Journal>) -> Vec<u64> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(opened.index.reached(journal.newest())).unwrap();
    let archive = Archive::new(Arc::clone(&opened.index), Arc::clone(journal));
    let page = archive.page(chat(), Page::Newest, 100).unwrap();
    page.iter().map(|it| it.message.count).collect()
}

/// A journal that loses one batch on the way to its followers.
#[derive(Debug)]
struct Forgetful {
    inner: MemoryJournal,
    lost: usize,
}

struct Losing {
    follower: Box<dyn Follower>,
    heard: AtomicUsize,
    lost: usize,
}

impl Follower for Losing {
    fn durable(&mut self, batch: &Arc<[Arc<Committed>]>) {
        if self.heard.fetch_add(1, Ordering::SeqCst) != self.lost {
            self.follower.durable(batch);
        }
    }
}

impl Journal for Forgetful {
    fn submit(&self, commit: Commit) -> Result<Ticket, Unsent> {
        self.inner.submit(commit)
    }

    fn end(&self) -> Cursor {
        self.inner.end()
    }

    fn newest(&self) -> Cursor {
        self.inner.newest()
    }

    fn read(&self, at: Cursor) -> Result<Arc<Committed>, JournalFault> {
        self.inner.read(at)
    }

    fn scan(&self, from: Cursor, max_bytes: usize) -> Result<Scan, JournalFault> {
        self.inner.scan(from, max_bytes)
    }

    fn next_whole(&self, at: Cursor) -> Cursor {
        self.inner.next_whole(at)
    }

    fn since(&self, at: Timestamp) -> Result<Cursor, JournalFault> {
        self.inner.since(at)
    }

    fn follow(&self, follower: Box<dyn Follower>) -> Cursor {
        let heard = AtomicUsize::new(0);
        self.inner.follow(Box::new(Losing { follower, heard, lost: self.lost }))
    }
}

#[test]
fn indexer_reads_missed_commits_from_journal() {
    for lost in 0..4 {
        let inner = MemoryJournal::new();
        let journal: Arc<dyn Journal> = Arc::new(Forgetful { inner, lost });
        let opened = opens(&journal);
        let mut head = StreamHead::default();
        for count in 1..=5 {
            head = written(&*journal, said(head, count)).after;
        }
        assert_eq!(counts(&opened, &journal), [5, 4, 3, 2, 1], "batch {lost} was lost");
        assert_eq!(opened.broken_chains.count(), 0, "the journal is whole");
    }
}

#[test]
fn broken_chain_is_reported_and_shown() {
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    // As if the three messages before this one were lost.
    let first = written(&*journal, said(StreamHead { n: 3, token: 9 }, 4));
    written(&*journal, said(first.after, 5));
    let opened = opens(&journal);
    assert_eq!(opened.broken_chains.count(), 1);
    assert_eq!(counts(&opened, &journal), [5, 4]);
    let tail = opened.index.tail(chat()).unwrap().unwrap();
    assert_eq!(tail.n, 5, "its room goes on behind it");
}
