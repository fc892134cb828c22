//! Objects in a store, and the faults of a store.

use std::io;

/// Why an operation on a store failed.
#[derive(Debug, thiserror::Error)]
pub enum BackupStoreFault {
    /// There is no object of this name.
    #[error("{0} is missing")]
    Absent(String),
    /// A file could not be read or written, or a content is damaged.
    #[error("{what}: {source}")]
    File {
        /// The name of the object or the path of the file.
        what: String,
        /// The reason.
        source: io::Error,
    },
    /// The service of the bucket failed or refused.
    #[error("{what}: {reason}")]
    Service {
        /// The name of the object.
        what: String,
        /// The reason.
        reason: String,
    },
    /// The bucket cannot be used as it is named.
    #[error("{0}")]
    Unusable(String),
}

impl BackupStoreFault {
    /// A fault of a file or of a content.
    pub fn file(what: &str, source: io::Error) -> Self {
        Self::File { what: what.to_owned(), source }
    }
}

/// An object in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredObject {
    /// The name.
    pub name: String,
    /// The number of bytes.
    pub bytes: u64,
}
