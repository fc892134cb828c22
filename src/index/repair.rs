//! Repairs the store of the index while the server runs.
//!
//! A store that could not be written (the disk was full, the system was out of files) is opened
//! again once there is room, and catches up from the journal. A damaged one is set aside and made
//! again. Meanwhile readers see the changes in memory.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use crate::IndexFault;
use crate::applier::State;
use crate::indexer::{IndexerMessage, Worker};
use crate::overlay::{OverlayRows, Trouble};
use base::threads::Threads;

/// How long the indexer is idle before it writes what is only in memory. After a crash, those rows
/// are derived from the journal again.
const IDLE: Duration = Duration::from_millis(250);
/// How often the repair of a store is tried.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How often the queue is checked in between.
const SLICE: Duration = Duration::from_millis(10);

impl Worker {
    /// Returns the next message from the queue; `None` once all senders are gone. While the store
    /// is in trouble, tries to repair it in between; while nothing happens, writes what is only in
    /// memory.
    pub(super) fn next(
        &mut self,
        heard: &Receiver<IndexerMessage>,
        threads: &Threads,
    ) -> Option<IndexerMessage> {
        let mut waited = LOOK_EVERY;
        while let Some(overlay) = self.overlay.clone().filter(|it| it.is_troubled()) {
            if waited >= LOOK_EVERY {
                waited = Duration::ZERO;
                self.repair(&overlay, threads);
            }
            match heard.try_recv() {
                Ok(next) => return Some(next),
                Err(TryRecvError::Empty) => threads.sleep(SLICE),
                Err(TryRecvError::Disconnected) => return None,
            }
            waited += SLICE;
        }
        while self.state.rows.has_unwritten() && self.state.rows.is_well() {
            match threads.receive_within(heard, IDLE) {
                Ok(next) => return Some(next),
                Err(RecvTimeoutError::Timeout) => self.state.write_out(),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        threads.receive(heard)
    }

    /// Whether the indexer can continue after this fault: what was not written is read from the
    /// journal again once the store is repaired.
    pub(super) fn survives(&self, fault: &IndexFault) -> bool {
        let is_of_store = match fault {
            IndexFault::System(_) | IndexFault::Store(_) | IndexFault::Mending => true,
            IndexFault::Row { .. }
            | IndexFault::Journal(_)
            | IndexFault::Ahead { .. }
            | IndexFault::Stopped => false,
        };
        let survives = is_of_store && self.overlay.is_some();
        if survives {
            self.lost.store(true, Ordering::SeqCst);
        }
        survives
    }

    fn repair(&mut self, overlay: &Arc<OverlayRows>, threads: &Threads) {
        let done = match overlay.trouble() {
            None => return,
            Some(Trouble::Refused(_)) if !overlay.source().has_space() => return,
            Some(Trouble::Refused(_)) => self.open_again(overlay, threads),
            Some(Trouble::Damaged(_)) => self.make_anew(overlay, threads),
        };
        match done {
            Ok(commits) => tracing::warn!(commits, "repaired the index"),
            Err(fault) => tracing::debug!(%fault, "repairing the index failed; retrying"),
        }
    }

    fn make_anew(
        &mut self,
        overlay: &Arc<OverlayRows>,
        threads: &Threads,
    ) -> Result<u64, IndexFault> {
        overlay.take_store();
        overlay.source().set_aside()?;
        tracing::warn!("the index is damaged; setting it aside and rebuilding it");
        overlay.note_set_aside();
        self.open_again(overlay, threads)
    }

    /// Opens the store and brings it up to the journal's end before readers see it; it replaces the
    /// old one together with the moment.
    fn open_again(
        &mut self,
        overlay: &Arc<OverlayRows>,
        threads: &Threads,
    ) -> Result<u64, IndexFault> {
        overlay.take_store();
        let store = overlay.noted(overlay.source().open())?;
        let journal = Arc::clone(&self.state.journal);
        let on_damage = self.state.on_damage;
        let mut state = State::load(Arc::clone(&store), journal, threads.clone(), on_damage)?;
        state.begin()?;
        let replayed = overlay.noted(state.catch_up(&mut |_| {}))?;
        let last = state.moment.hold().cursor();
        state.moment = Arc::clone(&self.state.moment);
        state.broken_chains = Arc::clone(&self.state.broken_chains);
        state.pending_marks = Arc::clone(&self.state.pending_marks);
        state.rows = Arc::clone(overlay) as _;
        self.state = state;
        self.state.moment.advance(last, || {
            overlay.put_store(store);
            Ok(())
        })?;
        self.tell.advance(self.state.newest());
        Ok(replayed)
    }
}
