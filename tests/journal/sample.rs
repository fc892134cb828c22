//! Sample commits, and functions that wait for their outcome.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use coterie::clock::Deadline;
use coterie::domain::audience::Audience;
use coterie::domain::event::{Entry, Event, Fact};
use coterie::domain::group::{AddResults, GroupFact};
use coterie::domain::ids::{AddId, GroupId, MessageId, StreamId, UserId};
use coterie::domain::message::{Author, Message};
use coterie::domain::revision::MessageState;
use coterie::domain::time::Timestamp;
use coterie::journal::{
    Commit, CommitId, Committed, Cursor, Journal, JournalFault, Outcome, StreamHead,
};

/// The stream of a group.
pub(crate) fn group(id: u64) -> StreamId {
    StreamId::Group(GroupId::new(id))
}

/// A message with this text.
pub(crate) fn said(text: &str) -> Fact {
    Fact::Group(GroupFact::Posted(Arc::new(Message {
        id: MessageId::new(170_000_000_000_000_001),
        author: Author::Member(UserId::new(7)),
        name: "Ana".to_owned(),
        avatar: None,
        source_guid: "guid".to_owned(),
        text: Some(text.to_owned()),
        attachments: Vec::new(),
        count: 1,
        line: None,
        written_at: None,
        parent: None,
        state: MessageState::default(),
    })))
}

/// A fact that is sent to nobody.
pub(crate) fn silent() -> Fact {
    let results = AddResults::default();
    Fact::Group(GroupFact::AddSettled { request: AddId::new(5), results })
}

/// A commit of these facts.
pub(crate) fn commit(stream: StreamId, head: StreamHead, facts: Vec<Fact>) -> Commit {
    let at = Timestamp::from_millis(1_700_000_000_123);
    let entry = |fact| Entry {
        audience: Audience::of([UserId::new(7), UserId::new(8)]),
        ..Entry::stored(Arc::new(Event { at, fact }))
    };
    Commit {
        stream,
        head,
        id: CommitId(u128::MAX - u128::from(head.n)),
        at: Timestamp::from_millis(1_700_000_000_456),
        entries: facts.into_iter().map(entry).collect(),
    }
}

/// Submits a commit and waits until it is durable.
pub(crate) fn write(journal: &dyn Journal, commit: Commit) -> Arc<Committed> {
    try_write(journal, commit).unwrap()
}

/// Submits a commit and waits for its outcome.
pub(crate) fn try_write(
    journal: &dyn Journal,
    commit: Commit,
) -> Result<Arc<Committed>, JournalFault> {
    match journal.submit(commit)?.wait() {
        Outcome::Committed(commit) => Ok(commit),
        Outcome::Unknown(fault) => Err(fault),
        Outcome::Conflict => panic!("nobody else writes this stream"),
    }
}

/// Writes messages with these texts into one stream, one after the other.
pub(crate) fn write_chain(
    journal: &dyn Journal,
    stream: StreamId,
    texts: &[&str],
) -> Vec<Arc<Committed>> {
    let mut head = StreamHead::default();
    let write_one = |text: &&str| {
        let done = write(journal, commit(stream, head, vec![said(text)]));
        head = done.after;
        done
    };
    texts.iter().map(write_one).collect()
}

/// Reads the whole journal, in steps of so many bytes.
pub(crate) fn scan_all(journal: &dyn Journal, step: usize) -> Vec<Arc<Committed>> {
    let (mut all, mut from) = (Vec::new(), Cursor::START);
    loop {
        let scan = journal.scan(from, step).unwrap();
        if scan.commits.is_empty() {
            return all;
        }
        all.extend(scan.commits);
        from = scan.next;
    }
}

/// Checks that two commits are the same, except for their audiences.
#[track_caller]
pub(crate) fn assert_same(left: &Committed, right: &Committed) {
    let plain = |commit: &Committed| {
        let events: Vec<_> = commit.entries.iter().map(|entry| entry.event.clone()).collect();
        let Committed { cursor, stream, id, at, before, after, .. } = *commit;
        (cursor, stream, id, at, before, after, events)
    };
    assert_eq!(plain(left), plain(right));
}

/// Checks that two lists of commits are the same.
#[track_caller]
pub(crate) fn assert_all_same(left: &[Arc<Committed>], right: &[Arc<Committed>]) {
    assert_eq!(left.len(), right.len());
    left.iter().zip(right).for_each(|(left, right)| assert_same(left, right));
}

/// How long anything may take, however slow the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until `holds` returns true.
pub(crate) fn until(what: &str, holds: impl Fn() -> bool) {
    waits(what, holds, || thread::sleep(Duration::from_millis(1)));
}

/// Waits until `holds` returns true, and returns at that very moment, for a test that needs what is
/// true only then.
pub(crate) fn until_just(what: &str, holds: impl Fn() -> bool) {
    waits(what, holds, thread::yield_now);
}

fn waits(what: &str, holds: impl Fn() -> bool, pauses: impl Fn()) {
    let patience = Deadline::after(PATIENCE);
    while !holds() {
        assert!(!patience.left().is_zero(), "{what}");
        pauses();
    }
}
