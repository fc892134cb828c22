//! Whether everything can be asked and written now, and what stands against it if not.

use std::time::Duration;

use crate::actors::room_context::RoomContext;
use crate::journal::Standing;

/// How long the index may take to follow before it counts as behind.
const PATIENCE: Duration = Duration::from_secs(5);

/// How journal and index stand, each in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Readiness {
    /// `open`, `full` (it takes what is vital) or `stopped`.
    pub journal: &'static str,
    /// `current`, `in trouble` (its store cannot be written), `stopped` or `behind`.
    pub index: &'static str,
}

impl Readiness {
    /// Whether nothing stands against anything.
    pub fn is_given(self) -> bool {
        self == Self { journal: "open", index: "current" }
    }
}

impl RoomContext {
    /// How storage stands now.
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
