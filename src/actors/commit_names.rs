//! What commits of a room are called, so that one of unknown outcome can be looked for.

use std::sync::Arc;

use crate::actors::id_generator::random;
use crate::index::IndexFault;
use crate::index::archive::Archive;
use crate::journal::{CommitId, Committed, Cursor};

/// The commit under way, as far as it takes to find out what became of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    /// Its name.
    pub(super) id: CommitId,
    /// Where the journal ended before.
    pub(super) since: Cursor,
}

impl Sent {
    /// The commit, if it was written.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub(super) async fn look_up(
        self,
        archive: Archive,
    ) -> Result<Option<Arc<Committed>>, IndexFault> {
        let Self { id, since } = self;
        let found = move |archive: &Archive| archive.journal.look_up(id, since);
        archive.blocking(move |archive| found(archive).map_err(IndexFault::Journal)).await
    }
}

/// Names commits: random for each start of a room, then counted, since asking the
/// system for random bits at every post would cost more than the post's own rules.
pub(super) struct CommitNames {
    start: u64,
    count: u64,
}

impl CommitNames {
    /// Of a room that starts.
    pub(super) fn fresh() -> Self {
        Self { start: u64::from_be_bytes(random()), count: 0 }
    }

    /// A name that no other commit has.
    pub(super) fn next(&mut self) -> CommitId {
        self.count += 1;
        CommitId(u128::from(self.start) << 64 | u128::from(self.count))
    }
}
