//! Why a server does not start.

use std::io;
use std::net::SocketAddr;

use crate::data_dir::DataDirError;
use crate::descriptors::TooFew;
use crate::index::IndexFault;
use crate::journal::open_error::OpenError;

/// Why the server cannot start: one line for the operator.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The system gives too few descriptors.
    #[error(transparent)]
    Descriptors(#[from] TooFew),
    /// The address is taken or not ours.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// What was asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The data directory cannot be used.
    #[error(transparent)]
    Data(#[from] DataDirError),
    /// The journal cannot be opened.
    #[error("{0}")]
    Journal(#[from] OpenError),
    /// The journal is not whole.
    #[error("{0}")]
    JournalLost(OpenError),
    /// The index cannot be opened or made anew.
    #[error("the index cannot be opened: {0}")]
    Index(#[from] IndexFault),
    /// The images cannot be kept.
    #[error("the images cannot be opened: {0}")]
    Images(io::Error),
    /// The files of conversations cannot be kept.
    #[error("the files of conversations cannot be opened: {0}")]
    Files(io::Error),
    /// The system lacks something.
    #[error("{0}")]
    System(String),
}
