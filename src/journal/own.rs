//! The journal of this server: one of its own, or its copy of the log that several nodes share.

use std::sync::Arc;

use tokio::sync::watch;

use crate::file::FileJournal;
use crate::replicated::ReplicatedJournal;
use crate::replicated::counts::LogCounts;
use crate::status::JournalCounts;
use crate::{Journal, JournalFault};
use base::bounds::places::Fullness;

/// The journal that was opened, for callers that count and close it. Cheap to clone.
#[derive(Debug, Clone)]
pub enum OwnJournal {
    /// The journal of one machine.
    File(Arc<FileJournal>),
    /// A node's copy of the shared log.
    Shared(Arc<ReplicatedJournal>),
}

impl OwnJournal {
    /// The journal behind the trait that everything above uses.
    pub fn journal(&self) -> Arc<dyn Journal> {
        match self {
            Self::File(journal) => Arc::clone(journal) as _,
            Self::Shared(journal) => Arc::clone(journal) as _,
        }
    }

    /// The journal's counters.
    pub fn counts(&self) -> Arc<JournalCounts> {
        match self {
            Self::File(journal) => journal.counts(),
            Self::Shared(journal) => journal.counts(),
        }
    }

    /// The counters of the shared log, if the journal is a copy of one.
    pub fn log_counts(&self) -> Option<Arc<LogCounts>> {
        match self {
            Self::File(_) => None,
            Self::Shared(journal) => Some(journal.log_counts()),
        }
    }

    /// How full the journal's queue of commits is.
    pub fn fullness(&self) -> Fullness {
        match self {
            Self::File(journal) => journal.fullness(),
            Self::Shared(journal) => journal.fullness(),
        }
    }

    /// Watches for the fault that stops the journal for good. None until then.
    pub fn stopped(&self) -> watch::Receiver<Option<JournalFault>> {
        match self {
            Self::File(journal) => journal.stopped(),
            Self::Shared(journal) => journal.stopped(),
        }
    }

    /// Lets the submitted commits end, and closes the journal, even if others still hold it.
    pub fn finish(&self) {
        match self {
            Self::File(journal) => journal.finish(),
            Self::Shared(journal) => journal.finish(),
        }
    }
}
