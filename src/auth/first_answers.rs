//! First answers: which keys are under way, and what was answered under those that are
//! not. For each key one request acts at a time; who repeats it meanwhile waits.
//!
//! What is finished lies in the index. The table here holds what is under way, and what
//! is durable but not in the index yet, so that nobody has to hurry the indexer.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};
use tokio::sync::watch;

use crate::clock::Clock;
use crate::domain::first_answer::{AskKey, Fingerprint, FirstAnswer, is_kept};
use crate::domain::time::Timestamp;
use crate::index::IndexFault;
use crate::index::archive::Archive;
use crate::journal::Cursor;

/// Keys, and what became of the requests that brought them. Cheap to clone.
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
    /// Finished ones, each with what it needs.
    finished: VecDeque<(Cursor, AskKey)>,
}

enum Entry {
    /// Somebody acts. The channel closes when they are done.
    UnderWay(Fingerprint, watch::Receiver<()>),
    /// It is durable, and perhaps not in the index yet.
    Finished {
        /// Since when.
        at: Timestamp,
        /// The record up to which the index must be before this can go.
        needs: Cursor,
        first: Arc<FirstAnswer>,
    },
}

/// What a request with a key has to do.
pub enum KeyClaim {
    /// It is the first: act.
    First(KeyGuard),
    /// It is a repeat: give this.
    Again(Arc<FirstAnswer>),
    /// The key was used for another request.
    Reused,
}

/// The right to act under a key. Dropped, another request may act.
pub struct KeyGuard {
    answers: FirstAnswers,
    key: AskKey,
    _over: watch::Sender<()>,
}

impl FirstAnswers {
    /// Over this storage.
    pub fn new(archive: Archive, clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(Inner { archive, clock, table: Mutex::default() }))
    }

    /// Begins a request under a key; waits while another one with it is under way.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub async fn begin(&self, key: AskKey, request: Fingerprint) -> Result<KeyClaim, IndexFault> {
        let turn = loop {
            match self.take(key, request) {
                KeyState::Turn(turn) => break turn,
                KeyState::Known(first) => return Ok(judged(first, request)),
                KeyState::Reused => return Ok(KeyClaim::Reused),
                // It closes without ever telling anything.
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

    /// What the index knows under a key, if it is still given. Asked for what is under
    /// way: for anything else the table may know more.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub async fn recall(&self, key: AskKey) -> Result<Option<Arc<FirstAnswer>>, IndexFault> {
        let archive = &self.0.archive;
        if archive.journal.is_shared() {
            // No table here knows what another node kept.
            archive.index.reached(archive.journal.newest()).await?;
        }
        let found = archive.blocking(move |archive| archive.first_answer(key)).await?;
        let now = self.0.clock.now().wall;
        Ok(found.filter(|(at, _)| is_kept(*at, now)).map(|(_, first)| first))
    }

    /// What was kept under a key by any answer that was given before this question.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub async fn kept_by_now(&self, key: AskKey) -> Result<Option<Arc<FirstAnswer>>, IndexFault> {
        self.0.archive.index.reached(self.0.archive.journal.newest()).await?;
        self.recall(key).await
    }

    /// Where answers and messages are read.
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
    /// The answer is durable: repeats get it from now on.
    pub fn finish(self, first: Arc<FirstAnswer>) {
        let inner = &self.answers.0;
        let (at, needs) = (inner.clock.now().wall, inner.archive.journal.newest());
        let mut table = self.answers.table();
        table.entries.insert(self.key, Entry::Finished { at, needs, first });
        table.finished.push_back((needs, self.key));
        table.forget(inner.archive.index.applied());
    }

    /// The act failed in a way that leaves open whether it happened: nobody may begin it
    /// again before the index would show it.
    pub async fn doubt(self) {
        let archive = &self.answers.0.archive;
        if archive.index.reached(archive.journal.newest()).await.is_err() {
            tracing::warn!("the index stopped while an act was in doubt");
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
    /// Forgets what the index has.
    fn forget(&mut self, applied: Cursor) {
        while let Some((at, key)) = self.finished.front().copied().filter(|it| it.0 <= applied) {
            self.finished.pop_front();
            // The key may be under way again, or finished anew.
            let is_it =
                |entry: &Entry| matches!(entry, Entry::Finished { needs, .. } if *needs == at);
            if self.entries.get(&key).is_some_and(is_it) {
                self.entries.remove(&key);
            }
        }
    }
}

/// Hashes a request and the key that it came with.
pub struct Hashing(Sha256);

impl Hashing {
    /// Of nothing yet.
    pub fn new() -> Self {
        Self(Sha256::new())
    }

    /// With this part; parts cannot run into each other.
    #[must_use]
    pub fn part(mut self, bytes: &[u8]) -> Self {
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
        self
    }

    /// The first half of the hash: enough to tell requests of one caller apart.
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
