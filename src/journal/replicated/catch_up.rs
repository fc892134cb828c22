//! Whether a node's copy is as far as the log was when it was opened.

use crate::journal::JournalFault;
use crate::threads::{Monitor, Threads};

/// Told once, one way or the other.
#[derive(Debug)]
pub(super) struct CatchUp(Monitor<Option<Result<(), JournalFault>>>);

impl CatchUp {
    pub(super) fn new(threads: Threads) -> Self {
        Self(Monitor::new(None, threads))
    }

    /// It is.
    pub(super) fn is_current(&self) {
        self.tell(Ok(()));
    }

    /// It never will be.
    pub(super) fn stop(&self, fault: JournalFault) {
        self.tell(Err(fault));
    }

    fn tell(&self, result: Result<(), JournalFault>) {
        let mut told = self.0.lock();
        if told.is_none() {
            *told = Some(result);
            drop(told);
            self.0.notify_all();
        }
    }

    /// Waits for it.
    pub(super) fn wait(&self) -> Result<(), JournalFault> {
        let mut told = self.0.lock();
        loop {
            if let Some(result) = &*told {
                return result.clone();
            }
            told = self.0.wait(told);
        }
    }
}
