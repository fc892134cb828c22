//! Opens journal and index of a data directory, and tells a broken index from a journal that is not
//! whole.
//!
//! The index is opened first: it knows how far it has followed the journal, and so whether the
//! journal still has its end. A journal that lost its end is refused with nothing changed: its tail
//! is not cut, and the index, the only proof, is not set aside.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::watch;

use crate::boot::data_dir::{self, DataDir, DataDirError};
use crate::cli::when;
use crate::config::Options;
use crate::http::acme::UnusableAuthority;
use crate::http::acme::store::StoreFault;
use crate::http::certificate::CertificateFault;
use base::descriptors::TooFew;
use base::space::{Space, Watch};
use cluster::liveness::NameTaken;
use domain::highest_ids::HighestIds;
use index::applier::{BrokenChains, OnDamage};
use index::archive::Archive;
use index::indexer::{self, Indexer, OpenedIndex};
use index::overlay::{OverlayRows, StoreSource};
use index::sled_index::SledRows;
use index::{IndexFault, Rows};
use journal::file::{FileJournal, JournalOptions};
use journal::open_error::OpenError;
use journal::own::OwnJournal;
use journal::recovery::OpenReport;
use journal::replicated::ReplicatedJournal;
use journal::replicated::nats_refusals::LogRefusal;
use journal::salvage::Salvage;
use journal::status::JournalCounts;
use journal::view::{Hole, View};
use journal::{Cursor, Journal, JournalFault};

/// Wraps the journal that all others use: tests make it fail there.
pub(crate) type BeforeJournal = Arc<dyn Fn(Arc<dyn Journal>) -> Arc<dyn Journal> + Send + Sync>;

/// Journal and index, with what keeps them current and counts them.
pub(crate) struct Storage {
    pub(crate) archive: Archive,
    pub(crate) highs: HighestIds,
    pub(crate) indexer: Indexer,
    pub(crate) counts: Arc<JournalCounts>,
    /// The journal itself, to be closed at the end.
    pub(crate) journal: OwnJournal,
    pub(crate) space: Space,
    /// Set when the journal stops for good.
    pub(crate) stopped: watch::Receiver<Option<JournalFault>>,
    /// The thread that watches the free space of the disk.
    pub(crate) watch: Watch,
    pub(crate) broken_chains: Arc<BrokenChains>,
}

impl Storage {
    /// Opens index and journal. An index that cannot be used is no error: it is set aside and
    /// rebuilt.
    ///
    /// # Errors
    /// If the operating system reports an error, or the journal is damaged, not whole, or a node's.
    pub(crate) fn open(
        data: &DataDir,
        options: &Options,
        before_journal: &BeforeJournal,
        shared: Option<SharedJournal>,
    ) -> Result<Self, StartError> {
        let (space, watch, shared) = match shared {
            Some(SharedJournal { space, watch, journal }) => (space, watch, Some(journal)),
            None => {
                data.refuse_node()?;
                data.refuse_lost_journal()?;
                let (space, watch) = watch_space(data)?;
                (space, watch, None)
            }
        };
        let store = Store::of(data, options.index_cache.0, space.clone());
        let on_damage =
            if options.accept_lost_journal { OnDamage::PassOver } else { OnDamage::Fail };
        let (overlay, known) = open_rows(&store)?;
        let own = match shared {
            Some(journal) => OwnJournal::Shared(journal),
            None => OwnJournal::File(Arc::new(open_file(data, &space, known)?)),
        };
        let counts = own.counts();
        let stopped = own.stopped();
        let journal = before_journal(own.journal());
        let opened = match indexer::open_over(overlay, Arc::clone(&journal), on_damage) {
            Err(fault) if is_mended_by_making_anew(&fault) => {
                tracing::warn!(%fault, "the index is unusable; setting it aside and rebuilding it");
                store.set_aside()?;
                let overlay = Arc::new(OverlayRows::open(Box::new(store))?);
                indexer::open_over(overlay, Arc::clone(&journal), on_damage)
            }
            opened => opened,
        };
        let opened = opened.map_err(|fault| {
            if let IndexFault::Journal(fault @ JournalFault::Damaged { .. }) = fault {
                StartError::Hole(fault)
            } else {
                fault.into()
            }
        })?;
        if opened.replayed > 0 {
            tracing::info!(commits = opened.replayed, "replayed the journal into the index");
        }
        let OpenedIndex { index, highs, indexer, broken_chains, .. } = opened;
        let archive = Archive::new(index, journal);
        Ok(Self {
            archive,
            highs,
            indexer,
            counts,
            journal: own,
            space,
            stopped,
            watch,
            broken_chains,
        })
    }
}

/// The journal of a node, opened already, and the disk on which it lies.
#[derive(Debug)]
pub(crate) struct SharedJournal {
    pub(crate) journal: Arc<ReplicatedJournal>,
    pub(crate) space: Space,
    pub(crate) watch: Watch,
}

/// Starts to watch the disk of this directory.
///
/// # Errors
/// If the disk cannot be measured.
pub(crate) fn watch_space(data: &DataDir) -> Result<(Space, Watch), StartError> {
    Space::watch(data.path()).map_err(|error| {
        StartError::System(format!("reading the free space of the disk failed: {error}"))
    })
}

fn open_file(
    data: &DataDir,
    space: &Space,
    known: Option<Cursor>,
) -> Result<FileJournal, StartError> {
    let options =
        JournalOptions { space: space.clone(), must_have: known, ..JournalOptions::default() };
    let (journal, report) = FileJournal::open(&data.journal(), options).map_err(explained)?;
    tell(&report);
    Ok(journal)
}

/// Continues with a journal that is damaged or lost its end or its folder, because an operator says
/// so. Damaged files and an index that knows more are set aside, and a new history begins, so that
/// clients that received what is lost are told to start over. Damage in the middle stays where it
/// is: the index is rebuilt without it.
///
/// # Errors
/// If a file of the data directory cannot be read or written.
pub(crate) fn accept_lost_journal(data: &mut DataDir, cache_bytes: u64) -> Result<(), StartError> {
    data.refuse_node()?;
    let mut damaged = Salvage::prepare(&data.journal())?;
    let store = Store::of(data, cache_bytes, Space::endless());
    let (_, known) = open_rows(&store)?;
    let is_lost = data.refuse_lost_journal().is_err();
    // None are found in a journal that does not open.
    let mut holes = find_holes(data);
    let is_whole = damaged.is_none() && !is_lost && holes.is_empty();
    if is_whole && known.is_none_or(|known| has(data, known)) {
        tracing::info!("the journal is complete; --accept-lost-journal changes nothing");
        return Ok(());
    }
    tracing::warn!(
        known = known.map(Cursor::get),
        "a part of the journal is lost; continuing without it"
    );
    data.begin_history()?;
    while let Some(salvage) = damaged {
        set_damage_aside(data, salvage)?;
        damaged = Salvage::prepare(&data.journal())?;
        holes = find_holes(data);
    }
    holes.iter().for_each(tell_hole);
    // If there is no journal, this begins an empty one.
    FileJournal::open(&data.journal(), JournalOptions::default())?.0.close();
    // Rows of what cannot be read any more would lead nowhere.
    if known.is_some_and(|known| !holes.is_empty() || !has(data, known)) {
        store.set_aside()?;
    }
    Ok(())
}

/// Moves the damaged files of a journal out of the way, and says what is kept.
fn set_damage_aside(data: &DataDir, salvage: Salvage) -> Result<(), StartError> {
    let folder = data_dir::free_name(data.path(), "journal.broken");
    let end = salvage.end.get();
    let why = salvage.why.to_string();
    let last = salvage.last.map(when::iso8601);
    let done = salvage.carry_out(&folder);
    done.map_err(|source| DataDirError::File { path: folder.clone(), source })?;
    tracing::warn!(
        why,
        end,
        last,
        folder = %folder.display(),
        "keeping the journal up to the damage; the damaged file and later ones are in this \
         folder now"
    );
    Ok(())
}

/// The parts of the journal that cannot be read although it opens.
fn find_holes(data: &DataDir) -> Vec<Hole> {
    View::open(&data.journal(), None).map(|view| view.holes()).unwrap_or_default()
}

fn tell_hole(hole: &Hole) {
    let from = hole.from.get();
    let next = hole.next.get();
    let why = &hole.why;
    let after = hole.after.map(when::iso8601);
    let before = hole.before.map(when::iso8601);
    tracing::warn!(
        why,
        from,
        next,
        after,
        before,
        "a part of the journal cannot be read; leaving it out"
    );
}

/// Whether the journal of a data directory has this record.
fn has(data: &DataDir, known: Cursor) -> bool {
    let view = View::open(&data.journal(), None);
    view.is_ok_and(|view| view.read(known).is_ok())
}

/// Opens the store of the index, and returns with it how far it has followed the journal. A damaged
/// store is set aside, and its position is unknown.
fn open_rows(store: &Store) -> Result<(Arc<OverlayRows>, Option<Cursor>), StartError> {
    let opened = OverlayRows::open(Box::new(store.clone())).and_then(|overlay| {
        let known = indexer::applied_in_any_layout(&overlay)?;
        Ok((Arc::new(overlay), known))
    });
    match opened {
        Err(fault) if is_mended_by_making_anew(&fault) => {
            tracing::warn!(%fault, "the index is unusable; setting it aside and rebuilding it");
            store.set_aside()?;
            Ok((Arc::new(OverlayRows::open(Box::new(store.clone()))?), None))
        }
        opened => Ok(opened?),
    }
}

/// Whether a rebuilt index would be without this fault. What the operating system refuses, it
/// would refuse to a new index too.
fn is_mended_by_making_anew(fault: &IndexFault) -> bool {
    match fault {
        IndexFault::Store(_) | IndexFault::Row { .. } => true,
        IndexFault::System(_)
        | IndexFault::Ahead { .. }
        | IndexFault::Mending
        | IndexFault::Journal(_)
        | IndexFault::Stopped => false,
    }
}

fn explained(error: OpenError) -> StartError {
    match error {
        OpenError::Lost { .. } => StartError::JournalLost(error),
        OpenError::Damaged { .. } | OpenError::Missing { .. } => StartError::JournalDamaged(error),
        OpenError::Refused { .. } => error.into(),
    }
}

/// Logs in which state the journal was found.
pub(crate) fn tell(report: &OpenReport) {
    if let Some(torn) = &report.torn {
        tracing::warn!(
            file = torn.file,
            offset = torn.offset,
            bytes = torn.bytes,
            reason = torn.reason,
            "removed an incomplete write at the end of the journal; it was never acknowledged"
        );
    }
    for file in &report.removed {
        tracing::info!(file, "removed an unfinished journal file");
    }
    tracing::debug!(?report, "opened the journal");
}

/// The folder of the index.
#[derive(Debug, Clone)]
struct Store {
    data: PathBuf,
    folder: PathBuf,
    cache_bytes: u64,
    space: Space,
}

impl Store {
    fn of(data: &DataDir, cache_bytes: u64, space: Space) -> Self {
        Self { data: data.path().to_owned(), folder: data.index(), cache_bytes, space }
    }
}

impl StoreSource for Store {
    fn open(&self) -> Result<Arc<dyn Rows>, IndexFault> {
        match SledRows::open(&self.folder, self.cache_bytes) {
            Ok(rows) => Ok(Arc::new(rows)),
            Err(IndexFault::System(why)) => {
                Err(IndexFault::System(format!("{}: {why}", self.folder.display())))
            }
            Err(fault) => Err(fault),
        }
    }

    fn set_aside(&self) -> Result<(), IndexFault> {
        let aside = data_dir::set_index_aside(&self.data)
            .map_err(|error| IndexFault::System(error.to_string()))?;
        tracing::warn!(folder = %aside.display(), "moved the unusable index to this folder");
        Ok(())
    }

    fn has_space(&self) -> bool {
        self.space.has_some()
    }
}

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
    /// The key or the credentials of backups cannot be used.
    #[error("{0}")]
    Backups(String),
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
