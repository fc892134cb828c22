//! Why a journal does not open.

use std::io;

use crate::Cursor;

/// Why a journal does not open.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A file operation failed.
    #[error("{file}: {source}")]
    Refused {
        /// The name of the file, or `journal` for the directory.
        file: String,
        /// The error that the operating system reported.
        source: io::Error,
    },
    /// Bytes that once were durable are damaged.
    #[error("{file} is damaged at byte {offset}: {reason}")]
    Damaged {
        /// The name of the file.
        file: String,
        /// The byte offset in the file.
        offset: u64,
        /// The problem.
        reason: String,
    },
    /// The journal ends before a record that it once had.
    #[error(
        "the journal lost its end: the index has followed it up to position {known}, and it \
         ends at {end}; bring back the missing files, or start once with --accept-lost-journal to \
         continue without the lost events"
    )]
    Lost {
        /// The position of that record.
        known: u64,
        /// The end of the journal.
        end: u64,
    },
    /// A segment file is missing from the sequence.
    #[error("{file} is missing: no file of the journal begins at position {position}")]
    Missing {
        /// The name that the missing file would have.
        file: String,
        /// The first position of the missing file.
        position: u64,
    },
}

impl OpenError {
    /// The error for a journal that ends at `end` although it once had a record at `known`; None if
    /// the record is still there.
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
