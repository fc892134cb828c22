//! Whether a node's copy has caught up with the log as it was when the copy was opened.

use crate::journal::JournalFault;
use crate::threads::{Monitor, Threads};

/// The result of catching up, set once: the copy is current, or the fault that prevents it.
#[derive(Debug)]
pub(super) struct CatchUp(Monitor<Option<Result<(), JournalFault>>>);

impl CatchUp {
    pub(super) fn new(threads: Threads) -> Self {
        Self(Monitor::new(None, threads))
    }

    /// Notes that the copy is current.
    pub(super) fn is_current(&self) {
        self.tell(Ok(()));
    }

    /// Notes that the copy will never be current.
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

    /// Blocks until the result is known.
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
