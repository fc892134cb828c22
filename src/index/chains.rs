//! Broken chains of commits in the journal, logged and counted.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::journal::{Committed, StreamHead};

/// Counts commits in the journal that do not continue where their stream ended: records in between
/// are missing, or two rooms wrote. Their rows are made anyway, since the commits were
/// acknowledged; `coterie check` lists every one.
#[derive(Debug, Default)]
pub struct BrokenChains(AtomicU64);

impl BrokenChains {
    /// How many were found since the start.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Counts a broken chain, and logs it if it is among the first 100.
    pub(super) fn tell(&self, commit: &Committed, end: StreamHead) {
        const TOLD: u64 = 100;
        if self.0.fetch_add(1, Ordering::Relaxed) < TOLD {
            let (stream, at) = (commit.stream, commit.cursor.get());
            let (ended, follows) = (end.n, commit.before.n);
            tracing::error!(
                %stream, at, ended, follows,
                "a commit does not follow the end of its stream; run `coterie check`"
            );
        }
    }
}
