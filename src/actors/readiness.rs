//! Whether the server reads and writes now, and what is in the way if not.

use std::time::Duration;

use futures_util::future::join3;
use tokio::time::{sleep, timeout};

use crate::room_context::RoomContext;
use base::bounds::turns::Owner;
use domain::ids::StreamId;
use journal::JournalState;

/// How long the index may take to catch up, a read to be answered, and a commit to become durable.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a probe checks whether the commits that it found became durable.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The result of a probe, each part as a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Readiness {
    /// `open`, `full` (takes only what is vital) or `stopped`.
    pub journal: &'static str,
    /// `current`, `in trouble` (its store cannot be written), `stopped` or `behind`.
    pub index: &'static str,
    /// `answered`, or `waiting`: a read got no place or no answer.
    pub reads: &'static str,
    /// `durable`, or `waiting`: commits are under way, and none of them becomes durable.
    pub writes: &'static str,
}

/// The result of a probe of a healthy server.
const READY: Readiness =
    Readiness { journal: "open", index: "current", reads: "answered", writes: "durable" };

impl Readiness {
    /// Whether nothing is in the way.
    pub fn is_given(self) -> bool {
        self == READY
    }
}

impl RoomContext {
    /// Probes storage: performs a read as requests do, and waits for the commits that are under way.
    /// Takes 5 seconds at most.
    pub async fn readiness(&self) -> Readiness {
        let journal = match self.archive.journal.state() {
            JournalState::Open => "open",
            JournalState::Full => "full",
            JournalState::Stopped => "stopped",
        };
        let index = timeout(PATIENCE, self.archive.index.current());
        let read = self.archive.blocking(Owner::Server, |it| it.index.tail(StreamId::Callbacks));
        let (index, read, write) =
            join3(index, timeout(PATIENCE, read), timeout(PATIENCE, self.write_comes_back())).await;
        let index = match index {
            Ok(Ok(())) if self.archive.index.is_well() => "current",
            Ok(Ok(())) => "in trouble",
            Ok(Err(_)) => "stopped",
            Err(_) => "behind",
        };
        let reads = if matches!(read, Ok(Ok(_))) { READY.reads } else { "waiting" };
        let writes = if write.is_ok() { READY.writes } else { "waiting" };
        Readiness { journal, index, reads, writes }
    }

    /// Waits until a commit becomes durable, unless none is under way.
    async fn write_comes_back(&self) {
        let before = self.archive.journal.newest();
        while self.undurable.held().items > 0 && self.archive.journal.newest() == before {
            sleep(LOOK_EVERY).await;
        }
    }
}
