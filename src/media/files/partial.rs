//! Uploads that can be resumed after a lost connection and after a restart of the server.
//!
//! Each is a file with the bytes received so far and a note about what it is to become, so its
//! offset is the file's length. An upload expires after a day. Until then, a client whose response
//! was lost can ask which file a complete upload became.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::BytesMut;
use dashmap::DashMap;
use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex as AddingLock, Notify, OwnedMutexGuard};

use crate::bounds::Permit;
use crate::domain::file::{AttachedFile, FileId};
use crate::domain::ids::{StreamId, UserId};
use crate::domain::limits::PARTIAL_UPLOADS;
use crate::domain::time::Timestamp;
use crate::media::files::disk::FileDisk;
use crate::media::files::intake::{HELD, PIECE};
use crate::media::files::shared::{SHARED_STEP, SharedPiece};
use crate::media::files::{FileError, FileRefusal, Files, blocking, fresh_id};

/// What an upload is to become.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartialNote {
    /// The user who uploads.
    pub owner: UserId,
    /// The stream of the conversation in which the file may be sent.
    pub stream: StreamId,
    /// The name of the file.
    pub name: String,
    /// The size of the whole file in bytes, if known.
    pub length: Option<u64>,
    /// When the upload began.
    pub begun_at: Timestamp,
    /// The file that the upload became; `None` until it is complete.
    pub file: Option<AttachedFile>,
    /// The pieces that every node can fetch; empty on a single node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<SharedPiece>,
    /// The digest of the whole content, once all bytes are there and the file is being made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// One upload.
#[derive(Debug)]
pub struct PartialUpload {
    /// The upload's id: random, so that it cannot be guessed.
    pub id: FileId,
    note: Mutex<PartialNote>,
    /// Bytes received so far.
    pub(super) size: AtomicU64,
    /// How many of the bytes are on this node's disk.
    pub(super) here: AtomicU64,
    /// The version of the shared record that is known here; 0 on a single node.
    pub(super) version: AtomicU64,
    /// Held by the request that adds bytes.
    pub(super) adding: Arc<AddingLock<()>>,
    /// Notified when another request wants to add bytes: the connection of the present one was
    /// lost.
    pub(super) superseded: Notify,
}

/// How far an upload has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialState {
    /// Bytes received so far: where the client has to continue.
    pub offset: u64,
    /// The size of the whole file in bytes, if known.
    pub length: Option<u64>,
    /// The file that the upload became, once it is complete.
    pub file: Option<AttachedFile>,
}

/// Why no bytes were added.
#[derive(Debug, thiserror::Error)]
pub enum PartialError {
    /// The client did not continue at the offset, which is this one.
    #[error("upload_offset: the next byte is {0}")]
    Offset(u64),
    /// The upload is already complete.
    #[error("the upload is complete")]
    Complete,
    /// The bytes do not fit the announced length, which is this one.
    #[error("upload_length: {0} bytes were announced")]
    Length(u64),
    /// A refusal or fault as for any file.
    #[error(transparent)]
    File(#[from] FileError),
}

impl PartialUpload {
    /// Returns how far the upload has come.
    pub fn state(&self) -> PartialState {
        let note = self.note();
        let file = note.file.clone();
        let here = self.size.load(Ordering::Acquire);
        let offset = file.as_ref().map_or(here, |file| file.size);
        PartialState { offset, length: note.length, file }
    }

    pub(super) fn note(&self) -> MutexGuard<'_, PartialNote> {
        self.note.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes that count towards the owner's quota; 0 once the upload became a file.
    pub(super) fn held(&self) -> u64 {
        let PartialState { offset, length, file } = self.state();
        if file.is_some() { 0 } else { offset.max(length.unwrap_or_default()) }
    }

    pub(super) fn is_over(&self, now: u64) -> bool {
        self.note().is_over(now)
    }
}

/// All resumable uploads that this node knows.
#[derive(Debug)]
pub(super) struct PartialUploads {
    pub(super) disk: Arc<FileDisk>,
    pub(super) by_id: DashMap<FileId, Arc<PartialUpload>>,
    /// Uploads of all nodes as the shared records tell of them, each with its record's version.
    pub(super) others: DashMap<FileId, (u64, PartialNote)>,
}

impl PartialUploads {
    /// Reads the uploads on this disk. A note that cannot be parsed is skipped.
    ///
    /// # Errors
    /// If the disk cannot be read.
    pub(super) fn open(disk: Arc<FileDisk>) -> io::Result<Self> {
        let by_id = DashMap::new();
        for (name, text) in disk.partial_notes()? {
            let read = FileId::parse(&name).zip(serde_json::from_slice(&text).ok());
            let Some((id, note)) = read else { continue };
            let size = disk.partial_size(id.as_str())?;
            by_id.insert(id.clone(), Arc::new(PartialUpload::new(id, note, size)));
        }
        Ok(Self { disk, by_id, others: DashMap::new() })
    }

    /// Bytes of all uploads of a user that count towards the quota.
    pub(super) fn held_for(&self, owner: UserId) -> u64 {
        let here: u64 = self.of(owner).map(|upload| upload.held()).sum();
        here + self.others_of(owner).map(|(_, note)| note.held()).sum::<u64>()
    }

    /// How many uploads a user has begun.
    fn count_of(&self, owner: UserId) -> usize {
        self.of(owner).count() + self.others_of(owner).count()
    }

    fn of(&self, owner: UserId) -> impl Iterator<Item = Arc<PartialUpload>> {
        let all = self.by_id.iter().map(|upload| Arc::clone(&upload));
        all.filter(move |upload| upload.note().owner == owner)
    }

    pub(super) fn remove(&self, upload: &PartialUpload) -> io::Result<()> {
        self.disk.remove_partial(upload.id.as_str())?;
        self.by_id.remove(&upload.id);
        Ok(())
    }

    /// Removes expired uploads. Blocks.
    pub(super) fn sweep(&self, now: u64) -> io::Result<()> {
        let over: Vec<Arc<PartialUpload>> =
            self.by_id.iter().filter(|it| it.is_over(now)).map(|it| Arc::clone(&it)).collect();
        over.iter().try_for_each(|upload| self.remove(upload))
    }
}

impl PartialUpload {
    pub(super) fn new(id: FileId, note: PartialNote, size: u64) -> Self {
        Self {
            id,
            note: Mutex::new(note),
            size: AtomicU64::new(size),
            here: AtomicU64::new(size),
            version: AtomicU64::new(0),
            adding: Arc::default(),
            superseded: Notify::new(),
        }
    }
}

/// A request to begin an upload.
#[derive(Debug)]
pub struct NewPartial {
    /// The user who uploads.
    pub owner: UserId,
    /// The stream of the conversation in which the file may be sent.
    pub stream: StreamId,
    /// The name of the file.
    pub name: String,
    /// The size of the whole file in bytes, if known.
    pub length: Option<u64>,
}

impl Files {
    /// Begins a resumable upload.
    ///
    /// # Errors
    /// If the file or the user's files are too large, the user has too many uploads, or on a fault.
    pub async fn begin_partial(
        self: &Arc<Self>,
        new: NewPartial,
    ) -> Result<Arc<PartialUpload>, FileError> {
        let NewPartial { owner, stream, name, length } = new;
        let announced = length.unwrap_or_default();
        self.admits(owner, announced).await?;
        if self.partial.count_of(owner) >= PARTIAL_UPLOADS {
            return Err(FileRefusal::TooManyPartial.into());
        }
        let begun_at = self.clock.now().wall;
        let (file, pieces, digest) = (None, Vec::new(), None);
        let note = PartialNote { owner, stream, name, length, begun_at, file, pieces, digest };
        let (files, id) = (Arc::clone(self), fresh_id());
        let version = self.share_partial(&id, &note, 0).await?.unwrap_or_default();
        blocking(move || {
            files.partial.disk.begin_partial(id.as_str(), &written(&note)?)?;
            let upload = Arc::new(PartialUpload::new(id.clone(), note, 0));
            upload.version.store(version, Ordering::Release);
            files.partial.by_id.insert(id, Arc::clone(&upload));
            Ok(upload)
        })
        .await
    }

    /// Finds an upload of a user; `None` if it is unknown, another user's, or expired.
    ///
    /// # Errors
    /// If the shared records cannot be read.
    pub async fn partial(
        &self,
        owner: UserId,
        id: &FileId,
    ) -> Result<Option<Arc<PartialUpload>>, FileError> {
        self.look_at_partial(owner, id).await?;
        let found = self.partial.by_id.get(id).map(|upload| Arc::clone(&upload));
        let now = self.clock.now().wall.millis();
        Ok(found.filter(|it| it.note().owner == owner && !it.is_over(now)))
    }

    /// Ends an upload; the file that it became stays.
    ///
    /// # Errors
    /// On a fault.
    pub async fn end_partial(
        self: &Arc<Self>,
        upload: Arc<PartialUpload>,
    ) -> Result<(), FileError> {
        upload.superseded.notify_waiters();
        self.unshare_partial(&upload).await?;
        let files = Arc::clone(self);
        blocking(move || Ok(files.partial.remove(&upload)?)).await
    }

    /// Resumes an upload, and stops a request that still adds to it, whose connection must be lost.
    ///
    /// # Errors
    /// If the upload is complete, `offset` is not its end, there is no room, or on a fault.
    pub async fn add_to_partial(
        self: &Arc<Self>,
        upload: Arc<PartialUpload>,
        offset: u64,
    ) -> Result<PartialWriter, PartialError> {
        upload.superseded.notify_waiters();
        let adding = Arc::clone(&upload.adding).lock_owned().await;
        let state = upload.state();
        if state.file.is_some() {
            return Err(PartialError::Complete);
        }
        if state.offset != offset {
            return Err(PartialError::Offset(state.offset));
        }
        self.take_partial_over(&upload).await?;
        let owner = upload.note().owner;
        let others = self.owned(owner).await?.saturating_sub(upload.held());
        let room = self.limits.quota.saturating_sub(others).min(self.limits.file);
        let permit = self.room.try_hold(HELD).map_err(|_| FileError::from(FileRefusal::Busy))?;
        let gathered = BytesMut::new();
        let files = Arc::clone(self);
        Ok(PartialWriter { files, upload, room, gathered, _adding: adding, _held: permit })
    }
}

/// Adds bytes to an upload.
pub struct PartialWriter {
    files: Arc<Files>,
    upload: Arc<PartialUpload>,
    /// Bytes that the whole file may have.
    room: u64,
    gathered: BytesMut,
    _adding: OwnedMutexGuard<()>,
    _held: Permit,
}

impl PartialWriter {
    /// Resolves when another request resumes the upload.
    pub async fn superseded(&self) {
        self.upload.superseded.notified().await;
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// If the file becomes too large or longer than announced, the disk is nearly full, or the
    /// write fails.
    pub async fn add(&mut self, more: &[u8]) -> Result<(), PartialError> {
        let PartialState { offset, length, .. } = self.upload.state();
        let end = offset + (self.gathered.len() + more.len()) as u64;
        if let Some(length) = length.filter(|length| end > *length) {
            return Err(PartialError::Length(length));
        }
        if end > self.room {
            let limits = self.files.limits;
            let is_limit = end > limits.file;
            let refusal = match is_limit {
                true => FileRefusal::TooLarge(limits.file),
                false => FileRefusal::OverQuota(limits.quota),
            };
            return Err(FileError::from(refusal).into());
        }
        self.gathered.extend_from_slice(more);
        if self.gathered.len() < PIECE { Ok(()) } else { self.write().await }
    }

    /// Stops before the end: what was received stays. Returns how far the upload has come.
    ///
    /// # Errors
    /// If the disk or the shared store fails.
    pub async fn stop(mut self) -> Result<PartialState, PartialError> {
        self.write().await?;
        let (disk, upload) = (Arc::clone(&self.files.partial.disk), Arc::clone(&self.upload));
        blocking(move || Ok(disk.sync_partial(upload.id.as_str())?)).await?;
        self.files.share_added(&self.upload, None).await?;
        Ok(self.upload.state())
    }

    /// Completes the upload. Returns the file that it became.
    ///
    /// # Errors
    /// If more bytes were announced, the disk is nearly full, or the disk or the shared store
    /// fails.
    pub async fn finish(mut self) -> Result<AttachedFile, PartialError> {
        self.write().await?;
        let PartialState { offset, length, .. } = self.upload.state();
        if let Some(length) = length.filter(|length| *length != offset) {
            return Err(PartialError::Length(length));
        }
        let (files, upload) = (Arc::clone(&self.files), Arc::clone(&self.upload));
        let whole = blocking(move || Ok(files.partial.disk.written_partial(upload.id.as_str())?));
        let whole = whole.await?;
        self.files.share_added(&self.upload, Some(&whole.content.digest)).await?;
        let note = self.upload.note().clone();
        let ready = self.files.sharing.is_some().then(|| note.pieces.clone());
        let place = (note.owner, note.stream);
        let file = self.files.admit(whole, place, (note.name.clone(), ready)).await?;
        let note = PartialNote { file: Some(file.clone()), pieces: Vec::new(), ..note };
        self.files.share_change(&self.upload, note.clone()).await?;
        let (files, upload) = (Arc::clone(&self.files), Arc::clone(&self.upload));
        let keep = move || {
            files.partial.disk.note_partial(upload.id.as_str(), &written(&note)?)?;
            *upload.note() = note;
            Ok(())
        };
        blocking(keep).await?;
        Ok(file)
    }

    async fn write(&mut self) -> Result<(), PartialError> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        if self.files.space.is_low() {
            return Err(FileError::from(FileRefusal::Busy).into());
        }
        let (disk, upload) = (Arc::clone(&self.files.partial.disk), Arc::clone(&self.upload));
        let piece = self.gathered.split();
        let append = move || {
            let size = disk.append_partial(upload.id.as_str(), upload.state().offset, &piece)?;
            upload.size.store(size, Ordering::Release);
            upload.here.store(size, Ordering::Release);
            Ok(())
        };
        blocking(append).await?;
        match self.upload.unshared() {
            0..SHARED_STEP => Ok(()),
            _ => self.files.share_added(&self.upload, None).await,
        }
    }
}

pub(super) fn written(note: &PartialNote) -> io::Result<Vec<u8>> {
    Ok(serde_json::to_vec(note)?)
}
