//! Files at several nodes: a file that one node receives can be shown and sent at every other node,
//! also when the first one is gone. The disk of each node is a cache of the shared store.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use dashmap::DashMap;
use tokio::sync::Mutex as Turn;

use crate::files::disk::{self, FileContent, Written};
use crate::files::partial::PartialUploads;
use crate::files::shared::{SharedFiles, SharedPiece, UnsentClaim, parse_record};
use crate::files::sweeper::SPARED_MILLIS;
use crate::files::unsent::{UnsentFile, UnsentFiles};
use crate::files::{FileError, FileRefusal, Files, blocking, fresh_id};
use crate::replication::{SHARED, share_once};
use cluster::bus::Bus;
use cluster::records::{Record, RecordEvent};
use domain::file::{AttachedFile, FileId};
use domain::ids::UserId;
use domain::time::Timestamp;

/// Milliseconds that a sweep of the shared store looks back at most: for so long the other nodes
/// may have been away when a content was let go of.
const AWAY_MILLIS: u64 = 7 * 24 * 3_600_000;

/// The connection to the other nodes.
pub struct FileSharing {
    /// The bus that leads to the shared store.
    pub bus: Arc<Bus>,
    /// Whether this node knows everything that the other nodes know.
    pub is_current: Box<dyn Fn() -> bool + Send + Sync>,
    /// The installation's number.
    pub installation: u64,
}

/// The parts that files at several nodes need beside the disk.
pub(super) struct Sharing {
    pub(super) files: SharedFiles,
    nodes: FileSharing,
    /// Locks for contents that are being fetched, so that each is fetched once.
    coming: DashMap<String, Arc<Turn<()>>>,
    /// Files that the last sweep found to be sent.
    sent: Mutex<HashSet<FileId>>,
}

impl Sharing {
    pub(super) fn of(nodes: FileSharing) -> Self {
        let files = SharedFiles::over(&nodes.bus);
        Self { files, nodes, coming: DashMap::new(), sent: Mutex::default() }
    }
}

impl Files {
    /// Starts following the records of files that wait at all nodes, and shares the files that this
    /// node had before there were others. To be called once.
    pub fn keep_shared(self: &Arc<Self>) {
        let Some(sharing) = &self.sharing else { return };
        let unsent = Arc::clone(&self.unsent);
        let partial = Arc::clone(&self.partial);
        sharing.files.waiting.follow(move |told| hear(&unsent, &partial, told));
        share_once(self, "files", Self::share_what_was_here);
    }

    async fn share_what_was_here(self: Arc<Self>) -> Result<(), FileError> {
        let Some(sharing) = &self.sharing else { return Ok(()) };
        let files = Arc::clone(&self);
        let installation = sharing.nodes.installation.to_string();
        let known = installation.clone();
        let look = move || -> Result<_, FileError> {
            let folder = files.disk.folder();
            if std::fs::read_to_string(folder.join(SHARED)).is_ok_and(|text| text == known) {
                return Ok(None);
            }
            Ok(Some((files.disk.notes()?, disk::contents(folder)?)))
        };
        let Some((notes, contents)) = blocking(look).await? else { return Ok(()) };
        self.archive.index.reached(self.archive.journal.newest()).await?;
        for (digest, size) in contents {
            let archive = self.archive.clone();
            let asked = digest.clone();
            if blocking(move || Ok(archive.index.has_content(&asked)?)).await? {
                let written = self.lying(digest, size);
                sharing.files.keep(&written, None, None).await?;
            }
        }
        for unsent in
            notes.iter().filter_map(|note| serde_json::from_slice::<UnsentFile>(note).ok())
        {
            let written = self.lying(unsent.file.digest.clone(), unsent.file.size);
            if written.path.exists() {
                self.share(&written, &unsent, None).await?;
            }
        }
        let files = Arc::clone(&self);
        let note =
            move || Ok(files.disk.note_in(Path::new(""), SHARED, installation.as_bytes())?);
        blocking(note).await
    }

    /// A content that lies on this disk under its digest.
    fn lying(&self, digest: String, size: u64) -> Written {
        let path: PathBuf = disk::path_in(self.disk.folder(), &digest);
        // The type is not needed.
        Written::lying(path, FileContent { digest, size, mime_type: "" })
    }

    /// Makes a content available to every node, and notes that it waits to be sent.
    pub(super) async fn share(
        &self,
        written: &Written,
        unsent: &UnsentFile,
        ready: Option<Vec<SharedPiece>>,
    ) -> Result<(), FileError> {
        let (Some(sharing), Some(owner)) = (&self.sharing, unsent.file.owner) else {
            return Ok(());
        };
        let id = unsent.file.id.clone();
        let since = self.clock.now().wall;
        sharing.files.keep(written, Some(UnsentClaim { owner, id, since }), ready).await?;
        sharing.files.note(unsent, owner).await
    }

    /// Looks for a user's unsent file among the shared records, if it is not known here. Returns
    /// whether one was found; it is known here from then on.
    pub(super) async fn finds_unsent(&self, owner: UserId, id: &FileId) -> Result<bool, FileError> {
        let Some(sharing) = &self.sharing else { return Ok(false) };
        if self.unsent.find(owner, id).is_some() {
            return Ok(false);
        }
        let Some(unsent) = sharing.files.unsent(owner, id).await? else { return Ok(false) };
        self.unsent.hold(owner, unsent);
        Ok(true)
    }

    /// Whether a content is on this disk, after fetching it from the shared store if it was not.
    ///
    /// # Errors
    /// If the disk has no room for the content, or on a fault.
    pub async fn bring_content(
        self: &Arc<Self>,
        digest: String,
        size: u64,
    ) -> Result<bool, FileError> {
        let file = AttachedFile { digest, size, ..AttachedFile::unresolved(fresh_id(), None) };
        self.bring(&file).await?;
        Ok(self.here(&file).await?.is_some())
    }

    /// Fetches a content from the shared store, if it is there.
    pub(super) async fn bring(self: &Arc<Self>, file: &AttachedFile) -> Result<(), FileError> {
        let Some(sharing) = &self.sharing else { return Ok(()) };
        let turn = Arc::clone(&sharing.coming.entry(file.digest.clone()).or_default());
        let held = turn.lock().await;
        let brought = self.bring_once(sharing, file).await;
        drop(held);
        sharing.coming.remove_if(&file.digest, |_, turn| Arc::strong_count(turn) <= 2);
        brought
    }

    async fn bring_once(
        self: &Arc<Self>,
        sharing: &Sharing,
        file: &AttachedFile,
    ) -> Result<(), FileError> {
        if self.here(file).await?.is_some() {
            return Ok(());
        }
        if !self.space.has_space_for(file.size) {
            return Err(FileRefusal::Busy.into());
        }
        let fetched = sharing.files.fetch(&file.digest, &self.disk).await?;
        let Some(written) = fetched else { return Ok(()) };
        let files = Arc::clone(self);
        blocking(move || {
            let _held = files.naming();
            Ok(files.disk.keep(&written)?)
        })
        .await
    }

    /// Removes from the shared store what is no longer needed. Every node does so by the same
    /// rules; whichever is first does the work.
    pub(super) async fn sweep_shared(self: &Arc<Self>, since: Timestamp) -> Result<(), FileError> {
        let Some(sharing) = &self.sharing else { return Ok(()) };
        if !(sharing.nodes.is_current)() {
            return Ok(());
        }
        let now = self.clock.now().wall;
        let (sent, over, forgotten) = {
            let files = Arc::clone(self);
            blocking(move || files.due(since)).await?
        };
        let now_sent = sent.iter().map(|it| it.file.id.clone()).collect();
        let before = std::mem::replace(
            &mut *sharing.sent.lock().unwrap_or_else(PoisonError::into_inner),
            now_sent,
        );
        // A file must be found sent by two sweeps: a node that was briefly behind knows of the
        // message by the second one.
        let sent = sent.into_iter().filter(|it| before.contains(&it.file.id));
        let over: Vec<Arc<UnsentFile>> = over.into_iter().chain(sent).collect();
        for unsent in &over {
            sharing.files.forget(unsent).await?;
            let owner = unsent.file.owner;
            owner.into_iter().for_each(|owner| self.unsent.drop_held(owner, &unsent.file.id));
        }
        let until = Timestamp::from_millis(now.millis().saturating_sub(SPARED_MILLIS));
        let files = Arc::clone(self);
        let spared = blocking(move || files.spared_contents(until)).await?;
        let digests = over.into_iter().map(|unsent| unsent.file.digest.clone());
        let digests = digests.filter(|digest| !spared.contains(digest));
        for digest in digests.chain(forgotten) {
            let is_named = || {
                let is_current = (sharing.nodes.is_current)();
                Ok(!is_current || self.archive.index.has_content(&digest)?)
            };
            sharing.files.let_go(&digest, now, is_named).await?;
        }
        self.sweep_shared_partial(now).await
    }

    /// Returns the files that were sent, those that expired, and the contents that messages let go
    /// of. Blocks.
    fn due(&self, since: Timestamp) -> Result<Due, FileError> {
        let mut sent = Vec::new();
        let mut over = Vec::new();
        let now = self.clock.now().wall.millis();
        let until = Timestamp::from_millis(now.saturating_sub(SPARED_MILLIS));
        for unsent in self.unsent.all() {
            if self.archive.index.file(unsent.stream, &unsent.file.id)?.is_some() {
                sent.push(unsent);
            } else if !unsent.waits(&self.archive.index, until)? {
                over.push(unsent);
            }
        }
        let since = since.max(Timestamp::from_millis(now.saturating_sub(AWAY_MILLIS)));
        Ok((sent, over, self.archive.index.forgotten_contents(since, until)?))
    }
}

type Due = (Vec<Arc<UnsentFile>>, Vec<Arc<UnsentFile>>, Vec<String>);

/// Applies a change of a record of a waiting file or an upload.
fn hear(unsent: &UnsentFiles, partial: &Arc<PartialUploads>, told: RecordEvent) {
    let (key, record) = match told {
        RecordEvent::Restarted => {
            unsent.clear();
            return partial.forget_others();
        }
        RecordEvent::Changed { key, record } => (key, record),
    };
    let mut parts = key.splitn(3, '.');
    let kind = parts.next();
    let owner = parts.next();
    let id = parts.next();
    let owner = owner.and_then(|it| it.parse::<UserId>().ok());
    let (Some(owner), Some(id)) = (owner, id.and_then(FileId::parse)) else { return };
    let Record { version, text } = record;
    match (kind, parse_record(text.as_ref())) {
        (Some("unsent"), Some(file)) => unsent.hold(owner, file),
        (Some("unsent"), None) => unsent.drop_held(owner, &id),
        _ => partial.record_changed(id, version, parse_record(text.as_ref())),
    }
}

impl Written {
    /// A written file that lies under its digest already.
    const fn lying(path: PathBuf, content: FileContent) -> Self {
        Self { path, content }
    }
}
