//! Why a server does not start.

use std::io;
use std::net::SocketAddr;

use crate::cluster::living::NameTaken;
use crate::data_dir::DataDirError;
use crate::descriptors::TooFew;
use crate::index::IndexFault;
use crate::journal::JournalFault;
use crate::journal::open_error::OpenError;
use crate::journal::replicated::nats_options::LogRefusal;

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
    /// The servers of the log are not such that it can be entrusted to them.
    #[error(transparent)]
    Log(#[from] LogRefusal),
    /// The log and what lies here do not belong together.
    #[error("this node cannot join the others: {0}")]
    Join(JournalFault),
    /// Another node has the name.
    #[error(transparent)]
    Name(#[from] NameTaken),
    /// The system lacks something.
    #[error("{0}")]
    System(String),
}
