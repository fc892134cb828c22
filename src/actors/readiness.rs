//! Whether storage can be read and written now, and what is in the way if not.

use std::time::Duration;

use crate::actors::room_context::RoomContext;
use crate::journal::Standing;

/// How long the index may take to catch up before it counts as behind.
const PATIENCE: Duration = Duration::from_secs(5);

/// The states of journal and index, each in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Readiness {
    /// `open`, `full` (takes only what is vital) or `stopped`.
    pub journal: &'static str,
    /// `current`, `in trouble` (its store cannot be written), `stopped` or `behind`.
    pub index: &'static str,
}

impl Readiness {
    /// Whether the journal is open and the index current.
    pub fn is_given(self) -> bool {
        self == Self { journal: "open", index: "current" }
    }
}

impl RoomContext {
    /// Returns the state of storage now. Waits up to 5 seconds for the index.
    pub async fn readiness(&self) -> Readiness {
        let journal = match self.archive.journal.standing() {
            Standing::Open => "open",
            Standing::Full => "full",
            Standing::Stopped => "stopped",
        };
        let index = match tokio::time::timeout(PATIENCE, self.archive.index.current()).await {
            Ok(Ok(())) if self.archive.index.is_well() => "current",
            Ok(Ok(())) => "in trouble",
            Ok(Err(_)) => "stopped",
            Err(_) => "behind",
        };
        Readiness { journal, index }
    }
}
