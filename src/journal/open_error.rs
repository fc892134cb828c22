//! Why a journal does not open.

use std::io;

use crate::journal::Cursor;

/// Why a journal does not open.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The system said no.
    #[error("{file}: {source}")]
    Refused {
        /// About which file.
        file: String,
        /// What it said.
        source: io::Error,
    },
    /// Bytes that were durable once are not what they were.
    #[error("{file} is damaged at byte {offset}: {reason}")]
    Damaged {
        /// Which file.
        file: String,
        /// Where in it.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
    /// It ends before a record that it once had.
    #[error(
        "the journal lost its end: the index has followed it up to position {known}, and it \
         ends at {end}; bring back the missing files, or go on without what is lost by \
         starting once with --accept-lost-journal"
    )]
    Lost {
        /// Where a record once was.
        known: u64,
        /// Where the journal ends now.
        end: u64,
    },
    /// The files do not follow each other.
    #[error("{file} is missing: no file of the journal begins at position {position}")]
    Missing {
        /// What it would be called.
        file: String,
        /// Its first position.
        position: u64,
    },
}

impl OpenError {
    /// Whether a journal that ends here has lost a record that it once had.
    pub fn if_lost(known: Cursor, end: Cursor) -> Option<Self> {
        (known >= end).then(|| Self::Lost { known: known.get(), end: end.get() })
    }

    pub(super) fn refused(file: &str, source: io::Error) -> Self {
        Self::Refused { file: file.to_owned(), source }
    }

    pub(super) fn damaged(file: String, offset: u64, reason: impl ToString) -> Self {
        Self::Damaged { file, offset, reason: reason.to_string() }
    }
}
