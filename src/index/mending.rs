//! Mends the store of the index while the server runs.
//!
//! A store that could not be written (the disk was full, the system was out of files) is opened
//! again once there is room, and catches up from the journal. A damaged one is set aside and made
//! anew. Meanwhile the shelter shows what it kept.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use crate::index::IndexFault;
use crate::index::applying::State;
use crate::index::indexer::{IndexerMessage, Worker};
use crate::index::shelter::{Shelter, Trouble};
use crate::threads::Threads;

/// How often mending a store in trouble is tried.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How often the queue is checked in between.
const SLICE: Duration = Duration::from_millis(10);

impl Worker {
    /// Returns the next message from the queue; `None` once all senders are gone. While the store
    /// is in trouble, tries to mend it in between.
    pub(super) fn next(
        &mut self,
        heard: &Receiver<IndexerMessage>,
        threads: &Threads,
    ) -> Option<IndexerMessage> {
        let mut waited = LOOK_EVERY;
        while let Some(shelter) = self.shelter.clone().filter(|it| it.is_troubled()) {
            if waited >= LOOK_EVERY {
                waited = Duration::ZERO;
                self.mend(&shelter, threads);
            }
            match heard.try_recv() {
                Ok(next) => return Some(next),
                Err(TryRecvError::Empty) => threads.sleep(SLICE),
                Err(TryRecvError::Disconnected) => return None,
            }
            waited += SLICE;
        }
        threads.receive(heard)
    }

    /// Whether the indexer can go on after this fault: what was not written is read from the
    /// journal again once the store is mended.
    pub(super) fn survives(&self, fault: &IndexFault) -> bool {
        let is_of_store = match fault {
            IndexFault::System(_) | IndexFault::Store(_) | IndexFault::Mending => true,
            IndexFault::Row { .. }
            | IndexFault::Journal(_)
            | IndexFault::Ahead { .. }
            | IndexFault::Stopped => false,
        };
        let survives = is_of_store && self.shelter.is_some();
        if survives {
            self.lost.store(true, Ordering::SeqCst);
        }
        survives
    }

    fn mend(&mut self, shelter: &Arc<Shelter>, threads: &Threads) {
        let done = match shelter.trouble() {
            None => return,
            Some(Trouble::Refused(_)) if !shelter.source().has_space() => return,
            Some(Trouble::Refused(_)) => self.open_again(shelter, threads),
            Some(Trouble::Damaged(_)) => self.make_anew(shelter, threads),
        };
        match done {
            Ok(commits) => tracing::warn!(commits, "the index is mended"),
            Err(fault) => tracing::debug!(%fault, "the index cannot be mended yet"),
        }
    }

    fn make_anew(&mut self, shelter: &Arc<Shelter>, threads: &Threads) -> Result<u64, IndexFault> {
        shelter.take_store();
        shelter.source().set_aside()?;
        tracing::warn!("the index is damaged; it is set aside and made anew");
        shelter.note_set_aside();
        self.open_again(shelter, threads)
    }

    /// Opens the store and brings it up to the journal's end before readers see it; it replaces the
    /// old one together with the moment.
    fn open_again(&mut self, shelter: &Arc<Shelter>, threads: &Threads) -> Result<u64, IndexFault> {
        shelter.take_store();
        let store = shelter.noted(shelter.source().open())?;
        let journal = Arc::clone(&self.state.journal);
        let on_damage = self.state.on_damage;
        let mut state = State::load(Arc::clone(&store), journal, threads.clone(), on_damage)?;
        state.begin()?;
        let replayed = shelter.noted(state.catch_up(&mut |_| {}))?;
        let last = state.moment.hold().cursor();
        state.moment = Arc::clone(&self.state.moment);
        state.broken_chains = Arc::clone(&self.state.broken_chains);
        state.rows = Arc::clone(shelter) as _;
        self.state = state;
        self.state.moment.advance(last, || {
            shelter.put_store(store);
            Ok(())
        })?;
        self.tell.advance(self.state.newest());
        Ok(replayed)
    }
}
