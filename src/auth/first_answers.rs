//! First answers: which Idempotency-Keys have a request in progress, and what was answered under
//! the others. For each key one request acts at a time; a repeat meanwhile waits.
//!
//! Finished answers are in the index. The table here holds the keys in progress, and the answers
//! that are durable but not in the index yet, so that no request has to wait for the indexer.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};
use tokio::sync::watch;

use base::bounds::turns::Owner;
use base::clock::Clock;
use domain::first_answer::{AskKey, Fingerprint, FirstAnswer, is_kept};
use domain::time::Timestamp;
use index::IndexFault;
use index::archive::Archive;
use journal::Cursor;

/// Keys, and the outcome of the requests that brought them. Cheap to clone.
#[derive(Clone)]
pub struct FirstAnswers(Arc<Inner>);

struct Inner {
    archive: Archive,
    clock: Arc<dyn Clock>,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    entries: HashMap<AskKey, Entry>,
    /// The keys of finished entries, each with the record that the index must have before the entry
    /// can be removed.
    finished: VecDeque<(Cursor, AskKey)>,
}

enum Entry {
    /// A request is in progress. The watch channel closes when it is done.
    UnderWay(Fingerprint, watch::Receiver<()>),
    /// The answer is durable, and perhaps not in the index yet.
    Finished {
        /// When the answer was given.
        at: Timestamp,
        /// The record that the index must have before this entry can be removed.
        needs: Cursor,
        first: Arc<FirstAnswer>,
    },
}

/// The next step of a request with a key.
pub enum KeyClaim {
    /// It is the first: act.
    First(KeyGuard),
    /// It is a repeat: answer with this.
    Again(Arc<FirstAnswer>),
    /// The key was used for another request.
    Reused,
}

/// The right to act under a key. When it is dropped, another request may act.
pub struct KeyGuard {
    answers: FirstAnswers,
    key: AskKey,
    _over: watch::Sender<()>,
}

impl FirstAnswers {
    /// Reads finished answers in this archive.
    pub fn new(archive: Archive, clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(Inner { archive, clock, table: Mutex::default() }))
    }

    /// Begins a request under a key; waits while another request with the key is in progress.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn begin(&self, key: AskKey, request: Fingerprint) -> Result<KeyClaim, IndexFault> {
        let turn = loop {
            match self.take(key, request) {
                KeyState::Turn(turn) => break turn,
                KeyState::Known(first) => return Ok(judged(first, request)),
                KeyState::Reused => return Ok(KeyClaim::Reused),
                // The channel only closes; no value is ever sent.
                KeyState::Busy(mut over) => drop(over.changed().await),
            }
        };
        let known = self.recall(key).await?;
        Ok(known.map_or(KeyClaim::First(turn), |first| judged(first, request)))
    }

    fn take(&self, key: AskKey, request: Fingerprint) -> KeyState {
        let now = self.0.clock.now().wall;
        let mut table = self.table();
        match table.entries.get(&key) {
            Some(Entry::UnderWay(other, _)) if *other != request => return KeyState::Reused,
            Some(Entry::UnderWay(_, over)) => return KeyState::Busy(over.clone()),
            Some(Entry::Finished { at, first, .. }) if is_kept(*at, now) => {
                return KeyState::Known(Arc::clone(first));
            }
            Some(Entry::Finished { .. }) | None => {}
        }
        let (over, wait) = watch::channel(());
        table.entries.insert(key, Entry::UnderWay(request, wait));
        KeyState::Turn(KeyGuard { answers: self.clone(), key, _over: over })
    }

    /// Returns the answer that the index has under a key, if it is still given. Only for keys in
    /// progress: of any other key, the table may know a newer answer.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn recall(&self, key: AskKey) -> Result<Option<Arc<FirstAnswer>>, IndexFault> {
        let archive = &self.0.archive;
        if archive.journal.is_shared() {
            // The table of this node does not have what another node kept.
            archive.index.reached(archive.journal.newest()).await?;
        }
        let found = archive.blocking(Owner::Server, move |it| it.first_answer(key)).await?;
        let now = self.0.clock.now().wall;
        Ok(found.filter(|(at, _)| is_kept(*at, now)).map(|(_, first)| first))
    }

    /// Returns the answer under a key, including every answer that was given before this call.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn kept_by_now(&self, key: AskKey) -> Result<Option<Arc<FirstAnswer>>, IndexFault> {
        self.0.archive.index.reached(self.0.archive.journal.newest()).await?;
        self.recall(key).await
    }

    /// The archive in which answers and messages are read.
    pub(super) fn archive(&self) -> &Archive {
        &self.0.archive
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum KeyState {
    Turn(KeyGuard),
    Known(Arc<FirstAnswer>),
    Busy(watch::Receiver<()>),
    Reused,
}

fn judged(first: Arc<FirstAnswer>, request: Fingerprint) -> KeyClaim {
    match first.request == request {
        true => KeyClaim::Again(first),
        false => KeyClaim::Reused,
    }
}

impl KeyGuard {
    /// Keeps the durable answer: repeats get it from now on.
    pub fn finish(self, first: Arc<FirstAnswer>) {
        let inner = &self.answers.0;
        let at = inner.clock.now().wall;
        let needs = inner.archive.journal.newest();
        let mut table = self.answers.table();
        table.entries.insert(self.key, Entry::Finished { at, needs, first });
        table.finished.push_back((needs, self.key));
        table.forget(inner.archive.index.applied());
    }

    /// Waits, after an act of which nobody knows whether it happened, until the index would show
    /// it. Only then may a repeat act.
    pub async fn doubt(self) {
        let archive = &self.answers.0.archive;
        if archive.index.reached(archive.journal.newest()).await.is_err() {
            tracing::warn!("the index stopped while the outcome of a request was unknown");
        }
    }
}

impl Drop for KeyGuard {
    fn drop(&mut self) {
        let mut table = self.answers.table();
        if matches!(table.entries.get(&self.key), Some(Entry::UnderWay(..))) {
            table.entries.remove(&self.key);
        }
    }
}

impl Table {
    /// Removes the entries that the index has.
    fn forget(&mut self, applied: Cursor) {
        while let Some((at, key)) = self.finished.front().copied().filter(|it| it.0 <= applied) {
            self.finished.pop_front();
            // The key may have another request in progress, or another answer.
            let is_it =
                |entry: &Entry| matches!(entry, Entry::Finished { needs, .. } if *needs == at);
            if self.entries.get(&key).is_some_and(is_it) {
                self.entries.remove(&key);
            }
        }
    }
}

/// Hashes a request and the key that came with it.
pub struct Hashing(Sha256);

impl Hashing {
    /// A hash of nothing yet.
    pub fn new() -> Self {
        Self(Sha256::new())
    }

    /// Adds a part. Its length is hashed too, so that no byte can move from one part to the next.
    #[must_use]
    pub fn part(mut self, bytes: &[u8]) -> Self {
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
        self
    }

    /// The first 128 bits of the hash: enough to tell apart the requests of one caller.
    pub fn finish(self) -> u128 {
        let hash = self.0.finalize();
        hash.first_chunk().copied().map_or(0, u128::from_be_bytes)
    }
}

impl Default for Hashing {
    fn default() -> Self {
        Self::new()
    }
}
