//! Why a server does not start.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::cluster::living::NameTaken;
use crate::data_dir::DataDirError;
use crate::descriptors::TooFew;
use crate::http::acme::UnusableAuthority;
use crate::http::acme::store::StoreFault;
use crate::http::certificate::CertificateFault;
use crate::index::IndexFault;
use crate::journal::JournalFault;
use crate::journal::open_error::OpenError;
use crate::journal::replicated::nats_refusals::LogRefusal;

/// Why the server cannot start: one line for the operator.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The system allows too few file descriptors.
    #[error(transparent)]
    Descriptors(#[from] TooFew),
    /// The address is in use, or not one of this machine.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address from the options.
        address: SocketAddr,
        /// The error that the operating system reported.
        source: io::Error,
    },
    /// The certificate or its key cannot be used.
    #[error(transparent)]
    Certificate(#[from] CertificateFault),
    /// The server speaks HTTPS, and links would lead to HTTP.
    #[error("--public-url must begin with https:// when --tls-cert or --domain is set")]
    PlainPublicUrl,
    /// The server would have no certificate for the links to it.
    #[error("the host of --public-url must be one of --domain, and {host} is not")]
    OtherDomain {
        /// The host of the public URL.
        host: String,
    },
    /// The roots of the authority cannot be read.
    #[error(transparent)]
    Authority(#[from] UnusableAuthority),
    /// The folder of the certificate cannot be used.
    #[error("storing the certificate failed: {0}")]
    AcmeStore(#[from] StoreFault),
    /// The certificates for the mail server cannot be used.
    #[error("the certificates for the mail server cannot be used: {0}")]
    Mail(String),
    /// The data directory cannot be used.
    #[error(transparent)]
    Data(#[from] DataDirError),
    /// The journal cannot be opened.
    #[error("{0}")]
    Journal(#[from] OpenError),
    /// The journal is damaged.
    #[error(
        "the journal is damaged, and nothing was changed: {0}; restore a backup, or start once \
         with --accept-lost-journal to continue without the events behind the damage (the damaged \
         files are moved to another folder)"
    )]
    JournalDamaged(OpenError),
    /// The index has to be made, and a part of the journal in the middle is damaged.
    #[error(
        "the index cannot be built, since a part of the journal is damaged: {0}; restore a \
         backup, or start once with --accept-lost-journal to continue without the damaged part"
    )]
    Hole(JournalFault),
    /// The journal lost its end.
    #[error("{0}")]
    JournalLost(OpenError),
    /// The index cannot be opened or rebuilt.
    #[error("the index cannot be opened: {0}")]
    Index(#[from] IndexFault),
    /// The folder of the images cannot be opened.
    #[error("the images cannot be opened: {}: {source}", folder.display())]
    Images {
        /// The folder.
        folder: PathBuf,
        /// The error that the operating system reported.
        source: io::Error,
    },
    /// The folder of the files cannot be opened.
    #[error("the files of conversations cannot be opened: {}: {source}", folder.display())]
    Files {
        /// The folder.
        folder: PathBuf,
        /// The error that the operating system reported.
        source: io::Error,
    },
    /// The log's servers do not meet its requirements.
    #[error(transparent)]
    Log(#[from] LogRefusal),
    /// The file with the key of the installation cannot be used.
    #[error("the key of the installation cannot be used: {}: {reason}", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The log and this node's copy do not belong together.
    #[error("this node cannot join the others: {0}")]
    Join(JournalFault),
    /// Another live node has the same name.
    #[error(transparent)]
    Name(#[from] NameTaken),
    /// The operating system refused something else, such as a thread.
    #[error("{0}")]
    System(String),
}
