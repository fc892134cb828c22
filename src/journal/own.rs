//! The journal of this server: a file of its own, or its copy of the log that nodes share.

use std::sync::Arc;

use tokio::sync::watch;

use crate::bounds::places::Fullness;
use crate::journal::counts::JournalCounts;
use crate::journal::file::FileJournal;
use crate::journal::replicated::ReplicatedJournal;
use crate::journal::replicated::counts::LogCounts;
use crate::journal::{Journal, JournalFault};

/// What was opened, for whoever has to count and close it. Cheap to clone.
#[derive(Debug, Clone)]
pub enum OwnJournal {
    /// One machine has it alone.
    File(Arc<FileJournal>),
    /// Several nodes have it.
    Shared(Arc<ReplicatedJournal>),
}

impl OwnJournal {
    /// As everybody above uses it.
    pub fn journal(&self) -> Arc<dyn Journal> {
        match self {
            Self::File(journal) => Arc::clone(journal) as _,
            Self::Shared(journal) => Arc::clone(journal) as _,
        }
    }

    /// What it counts of itself.
    pub fn counts(&self) -> Arc<JournalCounts> {
        match self {
            Self::File(journal) => journal.counts(),
            Self::Shared(journal) => journal.counts(),
        }
    }

    /// What it counts of the log that nodes share, if it is one's copy.
    pub fn log_counts(&self) -> Option<Arc<LogCounts>> {
        match self {
            Self::File(_) => None,
            Self::Shared(journal) => Some(journal.log_counts()),
        }
    }

    /// How much waits in it.
    pub fn fullness(&self) -> Fullness {
        match self {
            Self::File(journal) => journal.fullness(),
            Self::Shared(journal) => journal.fullness(),
        }
    }

    /// Learns when it stops for good: the reason, once there is one.
    pub fn stopped(&self) -> watch::Receiver<Option<JournalFault>> {
        match self {
            Self::File(journal) => journal.stopped(),
            Self::Shared(journal) => journal.stopped(),
        }
    }

    /// Writes out what was handed in, and ends, whoever else still holds it.
    pub fn finish(&self) {
        match self {
            Self::File(journal) => journal.finish(),
            Self::Shared(journal) => journal.finish(),
        }
    }
}
