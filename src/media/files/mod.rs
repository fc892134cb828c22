//! Files that people send each other: streamed to the disk and from there, kept once for each
//! content, and removed with the last message that carried them.
//!
//! What was sent is told by the journal, through the index; what was not sent yet is noted
//! beside the files. Who may upload where is not decided here.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dashmap::DashMap;

use crate::bounds::places::Places;
use crate::bounds::{Bound, Budget};
use crate::clock::Clock;
use crate::domain::file::{AttachedFile, FileId};
use crate::domain::ids::{Conversation, StreamId, UserId};
use crate::domain::limits::{PARTIAL_UPLOADS, UNSENT_FILES};
use crate::index::IndexFault;
use crate::index::archive::Archive;
use crate::random::random;
use crate::space::Space;

pub mod disk;
pub mod intake;
pub mod kind;
pub mod links;
pub mod named;
pub mod partial;
mod partial_disk;
mod partial_shared;
pub mod shared;
pub mod sharing;
mod sweeping;
pub mod unsent;

use disk::FileDisk;
use intake::FileIntake;
use links::LinkKey;
use partial::PartialUploads;
use sharing::{FileSharing, Sharing};
use unsent::{UnsentFile, UnsentFiles};

/// Files that are on their way in at the same time, and the memory for them: what is
/// gathered before it is written, twice.
const UNDER_WAY: Bound = Bound { items: 256, bytes: 256 * intake::HELD };

/// How much may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLimits {
    /// Bytes of one file.
    pub file: u64,
    /// Bytes of all files of one user.
    pub quota: u64,
}

/// Why a file is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileRefusal {
    /// It has too many bytes.
    #[error("file_limit: a file may have {0} bytes at most")]
    TooLarge(u64),
    /// All files of its owner together have.
    #[error("file_quota: your files may have {0} bytes at most, all together")]
    OverQuota(u64),
    /// Too many of theirs wait to be sent.
    #[error("file_quota: {UNSENT_FILES} of your files wait to be sent already")]
    TooManyUnsent,
    /// Too many of theirs have only begun.
    #[error("file_quota: {PARTIAL_UPLOADS} of your uploads are not complete already")]
    TooManyPartial,
    /// There is no room for it.
    #[error("no more files are taken in now")]
    Busy,
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Because of the file.
    #[error(transparent)]
    Refused(#[from] FileRefusal),
    /// Our own trouble.
    #[error("a file cannot be kept or shown: {0}")]
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
    /// Where other nodes find them, if there are any.
    sharing: Option<Sharing>,
    archive: Archive,
    clock: Arc<dyn Clock>,
    space: Space,
    /// How much may be kept.
    pub limits: FileLimits,
    /// With which links are signed.
    pub link_key: LinkKey,
    room: Budget,
    /// Bytes of each user that are on their way in.
    coming: DashMap<UserId, u64>,
    /// Held while a content gets a name, and while one is removed that nobody names.
    naming: Mutex<()>,
}

/// What files stand on.
pub struct FileSources {
    /// What was sent.
    pub archive: Archive,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Room on the disk.
    pub space: Space,
    /// The other nodes, if there are any.
    pub sharing: Option<FileSharing>,
}

impl Files {
    /// Those in this folder.
    ///
    /// # Errors
    /// When the folder cannot be used.
    pub fn open(
        folder: &Path,
        limits: FileLimits,
        sources: FileSources,
        places: &Places,
    ) -> io::Result<Arc<Self>> {
        let disk = Arc::new(FileDisk::open(folder)?);
        let FileSources { archive, clock, space, sharing } = sources;
        let unsent = Arc::new(UnsentFiles::open(Arc::clone(&disk))?);
        let partial = Arc::new(PartialUploads::open(Arc::clone(&disk))?);
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
            coming: DashMap::new(),
            naming: Mutex::default(),
        }))
    }

    /// Begins to take a file of somebody in, of which so many bytes are announced.
    ///
    /// # Errors
    /// When it is too large or too much, or on our own trouble.
    pub async fn intake(
        self: &Arc<Self>,
        owner: UserId,
        announced: Option<u64>,
    ) -> Result<FileIntake, FileError> {
        let announced = announced.unwrap_or_default();
        let permit = self.room.try_hold(intake::HELD).map_err(|_| FileRefusal::Busy)?;
        let owned = self.admits(owner, announced).await?;
        FileIntake::begin(Arc::clone(self), owner, (owned, announced), permit).await
    }

    /// Whether a file with so many bytes may begin to come in; how many bytes its owner has.
    async fn admits(&self, owner: UserId, announced: u64) -> Result<u64, FileError> {
        let FileLimits { file, quota } = self.limits;
        if announced > file {
            return Err(FileRefusal::TooLarge(file).into());
        }
        if self.unsent.is_full(owner) {
            return Err(FileRefusal::TooManyUnsent.into());
        }
        let owned = self.owned(owner).await?;
        if owned.saturating_add(announced) > quota {
            return Err(FileRefusal::OverQuota(quota).into());
        }
        if self.space.has_room_for(announced) { Ok(owned) } else { Err(FileRefusal::Busy.into()) }
    }

    /// Bytes of somebody's files, sent or not, and of what they are uploading in parts.
    ///
    /// # Errors
    /// On our own trouble.
    pub async fn owned(&self, owner: UserId) -> Result<u64, FileError> {
        let (unsent, partial) = (self.unsent.of(owner), self.partial.held_for(owner));
        let read = move |archive: &Archive| {
            let mut bytes = archive.index.owned_bytes(owner)? + partial;
            for it in unsent {
                // Sent by now, so that it is counted already.
                if archive.index.file(it.stream, &it.file.id)?.is_none() {
                    bytes += it.file.size;
                }
            }
            Ok(bytes)
        };
        Ok(self.archive.currently(read).await?)
    }

    /// The file of this id that somebody sees in a conversation: one of a message, or one of
    /// theirs that they have not sent yet. Whether they see the conversation at all is asked
    /// elsewhere of a chat without messages.
    ///
    /// # Errors
    /// On our own trouble.
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
        let (stream, wanted) = (StreamId::from(conversation), id.clone());
        let own = self.unsent.find(reader, id).filter(|it| it.stream == stream);
        let now = self.clock.now().wall;
        let read = move |archive: &Archive| match archive.index.file(stream, &wanted)? {
            Some(row) => {
                let may_read = archive.index.is_in(reader, conversation)?;
                Ok((may_read && row.messages > 0).then_some(row.file))
            }
            None => match own {
                Some(own) if own.waits(&archive.index, now)? => Ok(Some(own.file.clone())),
                Some(_) | None => Ok(None),
            },
        };
        Ok(self.archive.currently(read).await?)
    }

    /// Opens the content of a file.
    ///
    /// # Errors
    /// When it is not there or not whole, or on other trouble of ours.
    pub async fn read(self: &Arc<Self>, file: &AttachedFile) -> Result<File, FileError> {
        if let Some(found) = self.here(file).await? {
            return Ok(found);
        }
        self.bring(file).await?;
        self.here(file).await?.ok_or_else(|| {
            FileError::Fault(format!(
                "the content {} is not there as it was stored; `coterie check` tells more",
                file.digest
            ))
        })
    }

    async fn here(&self, file: &AttachedFile) -> Result<Option<File>, FileError> {
        let (disk, digest) = (Arc::clone(&self.disk), file.digest.clone());
        let found = blocking(move || Ok(disk.read(&digest)?)).await?;
        Ok(found.filter(|(_, size)| *size == file.size).map(|(file, _)| file))
    }

    /// Names a file that was written, and notes that it waits to be sent: at every node.
    async fn admit(
        self: &Arc<Self>,
        written: disk::Written,
        (owner, stream): (UserId, StreamId),
        (name, ready): (String, Option<Vec<shared::SharedPiece>>),
    ) -> Result<AttachedFile, FileError> {
        let disk::FileContent { digest, size, mime_type } = written.content.clone();
        let (id, mime_type, duration) = (fresh_id(), mime_type.to_owned(), None);
        let file = AttachedFile { id, name, size, mime_type, digest, owner: Some(owner), duration };
        let uploaded_at = self.clock.now().wall;
        let unsent = UnsentFile { file: file.clone(), stream, uploaded_at };
        self.share(&written, &unsent, ready).await?;
        let files = Arc::clone(self);
        blocking(move || {
            let _held = files.naming();
            files.disk.keep(&written)?;
            match files.sharing {
                Some(_) => files.unsent.hold(owner, unsent),
                None => files.unsent.add(owner, unsent)?,
            }
            Ok(())
        })
        .await?;
        Ok(file)
    }

    fn naming(&self) -> MutexGuard<'_, ()> {
        self.naming.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An id that nobody guesses.
fn fresh_id() -> FileId {
    FileId::new(random())
}

/// Works on a thread that may wait for the disk.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, FileError> + Send + 'static,
) -> Result<T, FileError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| FileError::Fault(error.to_string()))?
}
