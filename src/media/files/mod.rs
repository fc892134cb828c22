//! Files that users send each other: streamed to and from the disk, stored once for each content,
//! and removed with the last message that carries them.
//!
//! Which files were sent is known from the journal, through the index; files not sent yet are noted
//! beside the contents. Who may upload where is not decided here.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::bounds::places::Places;
use base::bounds::{Bound, Budget};
use base::clock::Clock;
use base::random::random;
use base::space::Space;
use domain::file::{AttachedFile, FileId};
use domain::ids::{Conversation, StreamId, UserId};
use domain::limits::{PARTIAL_UPLOADS, UNSENT_FILES};
use index::IndexFault;
use index::archive::Archive;

pub mod disk;
pub mod intake;
pub mod kind;
pub mod links;
pub mod named;
pub mod partial;
mod partial_disk;
mod partial_shared;
pub mod replication;
mod reservations;
pub mod shared;
mod sweeper;
pub mod unsent;

use crate::files::replication::{FileSharing, Sharing};
use disk::FileDisk;
use intake::FileIntake;
use links::LinkKey;
use partial::PartialUploads;
use reservations::{Counts, Elsewhere, Reservation, Reservations, UPLOADS_AT_ONCE};
use shared::SharedPiece;
use unsent::{UnsentFile, UnsentFiles};

/// Files that may be uploaded at the same time, and the memory for them.
const UNDER_WAY: Bound = Bound { items: 256, bytes: 256 * intake::HELD };

/// How many bytes may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLimits {
    /// Bytes of one file.
    pub file: u64,
    /// Bytes of all files of one user.
    pub quota: u64,
}

/// Why a file is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileRefusal {
    /// The file has more than this many bytes.
    #[error("file_limit: a file may have at most {0} bytes")]
    TooLarge(u64),
    /// The owner's files together have more than this many bytes.
    #[error("file_quota: all your files together may have at most {0} bytes")]
    OverQuota(u64),
    /// Too many files of the owner wait to be sent.
    #[error("file_quota: at most {UNSENT_FILES} of your files may be unsent")]
    TooManyUnsent,
    /// Too many uploads of the owner are incomplete.
    #[error("file_quota: at most {PARTIAL_UPLOADS} of your uploads may be incomplete")]
    TooManyPartial,
    /// Too many requests of the owner bring files.
    #[error("file_uploads: at most {UPLOADS_AT_ONCE} of your uploads may run at once")]
    TooManyAtOnce,
    /// Too many uploads are in progress, or the disk is nearly full.
    #[error("too many uploads at once")]
    Busy,
}

/// Why a file was not kept or shown.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A refusal.
    #[error(transparent)]
    Refused(#[from] FileRefusal),
    /// A fault of the server, not a refusal.
    #[error("a file cannot be stored or read: {0}")]
    Fault(String),
}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        Self::Fault(error.to_string())
    }
}

impl From<IndexFault> for FileError {
    fn from(fault: IndexFault) -> Self {
        Self::Fault(fault.to_string())
    }
}

/// All files of this installation.
pub struct Files {
    disk: Arc<FileDisk>,
    unsent: Arc<UnsentFiles>,
    partial: Arc<PartialUploads>,
    /// The shared store of several nodes; `None` on a single node.
    sharing: Option<Sharing>,
    archive: Archive,
    clock: Arc<dyn Clock>,
    space: Space,
    /// How many bytes may be kept.
    pub limits: FileLimits,
    /// The key that signs links.
    pub link_key: LinkKey,
    room: Budget,
    /// Bytes and places that uploads hold.
    reservations: Arc<Reservations>,
    /// Held while a content gets a name, and while a content without a name is removed.
    naming: Mutex<()>,
}

/// The arguments of [`Files::open`].
pub struct FileSources {
    /// The index, which knows the files that were sent.
    pub archive: Archive,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The free space on the disk.
    pub space: Space,
    /// The other nodes; `None` on a single node.
    pub sharing: Option<FileSharing>,
}

impl Files {
    /// Opens the files in this folder.
    ///
    /// # Errors
    /// If the folder cannot be used.
    pub fn open(
        folder: &Path,
        limits: FileLimits,
        sources: FileSources,
        places: &Places,
    ) -> io::Result<Arc<Self>> {
        let disk = Arc::new(FileDisk::open(folder)?);
        let FileSources { archive, clock, space, sharing } = sources;
        let unsent = Arc::new(UnsentFiles::open(Arc::clone(&disk))?);
        let reservations = Arc::new(Reservations::default());
        let partial = PartialUploads::open(Arc::clone(&disk), Arc::clone(&reservations))?;
        let partial = Arc::new(partial);
        Ok(Arc::new(Self {
            sharing: sharing.map(Sharing::of),
            unsent,
            partial,
            disk,
            archive,
            clock,
            space,
            limits,
            link_key: LinkKey::open(folder)?,
            room: Budget::new(places, "file_uploads", UNDER_WAY),
            reservations,
            naming: Mutex::default(),
        }))
    }

    /// Begins an upload of a file; `announced` is its size in bytes, if known.
    ///
    /// # Errors
    /// If the file or the user's files are too large, if there is no room, or on a fault.
    pub async fn intake(
        self: &Arc<Self>,
        owner: UserId,
        announced: Option<u64>,
    ) -> Result<FileIntake, FileError> {
        let share = self.reserve_places(owner, Counts::INTAKE)?;
        let permit = self.room.try_hold(intake::HELD).map_err(|_| FileRefusal::Busy)?;
        self.admits(&share, announced.unwrap_or_default()).await?;
        FileIntake::begin(Arc::clone(self), share, permit).await
    }

    /// Reserves places of a user for an upload.
    fn reserve_places(
        &self,
        owner: UserId,
        wanted: Counts,
    ) -> Result<Arc<Reservation>, FileRefusal> {
        let unsent = self.unsent.of(owner).len();
        let uploads = self.partial.elsewhere(owner).count;
        self.reservations.reserve(owner, wanted, Elsewhere { unsent, uploads })
    }

    /// Reserves the bytes of a file of this size, if it may be uploaded.
    async fn admits(&self, share: &Reservation, announced: u64) -> Result<(), FileError> {
        if !self.space.has_space_for(announced) && announced <= self.limits.file {
            return Err(FileRefusal::Busy.into());
        }
        self.reserve_bytes(share, announced).await
    }

    /// Reserves the bytes of an upload up to `end`, and some more, so that not every write asks.
    async fn make_room(&self, share: &Reservation, end: u64) -> Result<(), FileError> {
        if end <= share.bytes() && end <= self.limits.file {
            return Ok(());
        }
        let ahead = end.next_multiple_of(intake::PIECE as u64).min(self.limits.file).max(end);
        match self.reserve_bytes(share, ahead).await {
            Err(FileError::Refused(FileRefusal::OverQuota(_))) if ahead > end => {
                self.reserve_bytes(share, end).await
            }
            other => other,
        }
    }

    /// Reserves this many bytes in all for an upload.
    async fn reserve_bytes(&self, share: &Reservation, bytes: u64) -> Result<(), FileError> {
        let FileLimits { file, quota } = self.limits;
        if bytes > file {
            return Err(FileRefusal::TooLarge(file).into());
        }
        let owner = share.owner();
        let (moment, unsent) = share.at_once(|| self.unsent.of(owner));
        let stored = self.stored(owner, unsent).await?;
        match share.raise(bytes, quota, stored, moment) {
            true => Ok(()),
            false => Err(FileRefusal::OverQuota(quota).into()),
        }
    }

    /// The bytes of all files of a user, sent or not, including those that uploads hold.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn owned(&self, owner: UserId) -> Result<u64, FileError> {
        let held = self.reservations.bytes(owner);
        Ok(self.stored(owner, self.unsent.of(owner)).await?.saturating_add(held))
    }

    /// The bytes of a user's files, without those that uploads at this node hold.
    async fn stored(&self, owner: UserId, unsent: Vec<Arc<UnsentFile>>) -> Result<u64, FileError> {
        let elsewhere = self.partial.elsewhere(owner).bytes;
        let read = move |archive: &Archive| {
            let mut bytes = archive.index.owned_bytes(owner)?.saturating_add(elsewhere);
            for it in unsent {
                // A file that was sent meanwhile is already counted.
                if archive.index.file(it.stream, &it.file.id)?.is_none() {
                    bytes += it.file.size;
                }
            }
            Ok(bytes)
        };
        Ok(self.archive.read_current(owner, read).await?)
    }

    /// Finds a file that a user sees in a conversation: one of a message, or one that they uploaded
    /// there and have not sent yet. For the latter, whether the user may see the conversation is
    /// not checked here.
    ///
    /// # Errors
    /// On a fault.
    pub async fn seen_by(
        &self,
        reader: UserId,
        conversation: Conversation,
        id: &FileId,
    ) -> Result<Option<AttachedFile>, FileError> {
        let found = self.seen_here(reader, conversation, id).await?;
        if found.is_none() && self.finds_unsent(reader, id).await? {
            return self.seen_here(reader, conversation, id).await;
        }
        Ok(found)
    }

    async fn seen_here(
        &self,
        reader: UserId,
        conversation: Conversation,
        id: &FileId,
    ) -> Result<Option<AttachedFile>, FileError> {
        let stream = StreamId::from(conversation);
        let wanted = id.clone();
        let own = self.unsent.find(reader, id).filter(|it| it.stream == stream);
        let now = self.clock.now().wall;
        let read = move |archive: &Archive| match archive.index.file(stream, &wanted)? {
            Some(row) => {
                // A file that edits took out of every message is in their history, which its
                // sender may read.
                let in_history = row.messages > 0 && row.file.owner == Some(reader);
                let may_read = archive.index.is_in(reader, conversation)?;
                let in_report =
                    row.reports > 0 && archive.index.resolves_reports(reader, conversation)?;
                let is_seen = row.shown > 0 || in_history || in_report;
                let by_operator = row.reports > 0
                    && archive.index.is_read_by_operator(reader, stream, &wanted)?;
                Ok((may_read && is_seen || by_operator).then_some(row.file))
            }
            None => match own {
                Some(own) if own.waits(&archive.index, now)? => Ok(Some(own.file.clone())),
                Some(_) | None => Ok(None),
            },
        };
        Ok(self.archive.read_current(reader, read).await?)
    }

    /// Opens the content of a file, fetching it from the other nodes if it is not on this disk.
    ///
    /// # Errors
    /// If the content is not there or not whole, or on another fault.
    pub async fn read(self: &Arc<Self>, file: &AttachedFile) -> Result<File, FileError> {
        if let Some(found) = self.here(file).await? {
            return Ok(found);
        }
        self.bring(file).await?;
        self.here(file).await?.ok_or_else(|| {
            FileError::Fault(format!(
                "the content {} is missing or damaged; run `coterie check`",
                file.digest
            ))
        })
    }

    async fn here(&self, file: &AttachedFile) -> Result<Option<File>, FileError> {
        let disk = Arc::clone(&self.disk);
        let digest = file.digest.clone();
        let found = blocking(move || Ok(disk.read(&digest)?)).await?;
        Ok(found.filter(|(_, size)| *size == file.size).map(|(file, _)| file))
    }

    /// Gives a written file its id, and notes at every node that the file waits to be sent. Its
    /// reservation ends.
    async fn admit(
        self: &Arc<Self>,
        written: disk::Written,
        new: NewFile,
    ) -> Result<AttachedFile, FileError> {
        let NewFile { share, stream, name, pieces } = new;
        let owner = share.owner();
        let disk::FileContent { digest, size, mime_type } = written.content.clone();
        let id = fresh_id();
        let mime_type = mime_type.to_owned();
        let duration = None;
        let file = AttachedFile { id, name, size, mime_type, digest, owner: Some(owner), duration };
        let uploaded_at = self.clock.now().wall;
        let unsent = UnsentFile { file: file.clone(), stream, uploaded_at };
        self.share(&written, &unsent, pieces).await?;
        let files = Arc::clone(self);
        blocking(move || {
            let _held = files.naming();
            files.disk.keep(&written)?;
            if files.sharing.is_none() {
                files.unsent.note(&unsent)?;
            }
            share.settle(written.content.size, || files.unsent.hold(owner, unsent));
            Ok(())
        })
        .await?;
        Ok(file)
    }

    fn naming(&self) -> MutexGuard<'_, ()> {
        self.naming.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The metadata of a written content.
struct NewFile {
    /// The upload's reservation in its owner's quota.
    share: Arc<Reservation>,
    /// The stream of the conversation in which the file may be sent.
    stream: StreamId,
    /// The name of the file.
    name: String,
    /// The pieces that every node can fetch already.
    pieces: Option<Vec<SharedPiece>>,
}

/// A random id, which cannot be guessed.
pub fn fresh_id() -> FileId {
    FileId::new(random())
}

/// Runs work that blocks on the disk, on a thread for that.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, FileError> + Send + 'static,
) -> Result<T, FileError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| FileError::Fault(error.to_string()))?
}
