//! Faults that are planted to see that the simulation finds them. (Another one is a disk that does
//! not sync, see [`crate::disk::Temper`].)

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use coterie::domain::ids::StreamId;
use coterie::domain::time::Timestamp;
use coterie::journal::{
    Commit, Committed, Cursor, Follower, Journal, JournalFault, Outcome, Scan, StreamHead, Ticket,
    Unsent,
};

use crate::checks;

type Heads = Arc<Mutex<BTreeMap<StreamId, StreamHead>>>;

/// A journal without its fence: a commit that was decided on an outdated head of a stream is
/// written anyway.
#[derive(Debug)]
struct Fenceless {
    inner: Arc<dyn Journal>,
    heads: Heads,
}

/// Wraps this journal.
pub(crate) fn fenceless(inner: Arc<dyn Journal>) -> Arc<dyn Journal> {
    let commits = checks::all_of(&*inner);
    let ends = commits.iter().map(|commit| (commit.stream, commit.after)).collect();
    let heads = Arc::new(Mutex::new(ends));
    inner.follow(Box::new(Listening(Arc::clone(&heads))));
    Arc::new(Fenceless { inner, heads })
}

struct Listening(Heads);

impl Follower for Listening {
    fn durable(&mut self, batch: &Arc<[Arc<Committed>]>) {
        let mut heads = self.0.lock().unwrap();
        heads.extend(batch.iter().map(|commit| (commit.stream, commit.after)));
    }
}

impl Journal for Fenceless {
    fn submit(&self, commit: Commit) -> Result<Ticket, Unsent> {
        let mut submitted = self.inner.submit(commit.clone())?;
        let (tell, ticket) = Ticket::pair();
        let (inner, heads) = (Arc::clone(&self.inner), Arc::clone(&self.heads));
        actix::spawn(async move {
            let outcome = loop {
                let outcome = submitted.await;
                let Outcome::Conflict = outcome else { break outcome };
                let head = heads.lock().unwrap().get(&commit.stream).copied().unwrap_or_default();
                submitted = match inner.submit(Commit { head, ..commit.clone() }) {
                    Ok(again) => again,
                    Err(unsent) => break Outcome::Unknown(unsent.fault),
                };
            };
            // The receiver is gone if the caller gave up waiting.
            drop(tell.send(outcome));
        });
        Ok(ticket)
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
        self.inner.follow(follower)
    }
}
