//! Uploads that may be gone on with: after a cut line, and after a restart of the server.
//!
//! Each is a file with what came so far and a note about what it is to become, so that its
//! offset is how long the file is and nothing has to be kept in memory. One that is not
//! complete within a day is gone; of a complete one, the file that it became can be asked for
//! as long, since the answer may have been lost on its way.

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
    /// Who uploads it.
    pub owner: UserId,
    /// In which conversation it may be sent.
    pub stream: StreamId,
    /// What the file is called.
    pub name: String,
    /// How many bytes it will have, if that is known.
    pub length: Option<u64>,
    /// When it began.
    pub begun_at: Timestamp,
    /// What it became.
    pub file: Option<AttachedFile>,
    /// Where every node finds what is here, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<SharedPiece>,
    /// What all of it is, once it is there and on its way to becoming a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// One upload.
#[derive(Debug)]
pub struct PartialUpload {
    /// Names it: random, so that nobody finds it by trying.
    pub id: FileId,
    note: Mutex<PartialNote>,
    /// How many bytes there are.
    pub(super) size: AtomicU64,
    /// How many of them are on this disk.
    pub(super) here: AtomicU64,
    /// Which of the changes that all nodes know was the last.
    pub(super) version: AtomicU64,
    /// Held by whoever adds to it.
    pub(super) adding: Arc<AddingLock<()>>,
    /// Told when somebody else wants to add: the line of whoever does was cut.
    pub(super) superseded: Notify,
}

/// How an upload stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialState {
    /// Bytes that are here.
    pub offset: u64,
    /// How many there will be, if that is known.
    pub length: Option<u64>,
    /// What it became, once it is complete.
    pub file: Option<AttachedFile>,
}

/// Why nothing was added.
#[derive(Debug, thiserror::Error)]
pub enum PartialError {
    /// Other bytes come next.
    #[error("upload_offset: the next byte is {0}")]
    Offset(u64),
    /// Nothing comes next.
    #[error("the upload is complete")]
    Complete,
    /// It ends elsewhere than was said.
    #[error("upload_length: {0} bytes were announced")]
    Length(u64),
    /// As with every file.
    #[error(transparent)]
    File(#[from] FileError),
}

impl PartialUpload {
    /// How it stands.
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

    /// Bytes that are kept for it, beside what it became.
    pub(super) fn held(&self) -> u64 {
        let PartialState { offset, length, file } = self.state();
        if file.is_some() { 0 } else { offset.max(length.unwrap_or_default()) }
    }

    pub(super) fn is_over(&self, now: u64) -> bool {
        self.note().is_over(now)
    }
}

/// All of them.
#[derive(Debug)]
pub(super) struct PartialUploads {
    pub(super) disk: Arc<FileDisk>,
    pub(super) by_id: DashMap<FileId, Arc<PartialUpload>>,
    /// Those that were begun at any node, as far as it was heard, by which change of it.
    pub(super) others: DashMap<FileId, (u64, PartialNote)>,
}

impl PartialUploads {
    /// Those that are noted on this disk. A note that cannot be read is none.
    ///
    /// # Errors
    /// When the disk cannot be read.
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

    /// Bytes that are kept for somebody's.
    pub(super) fn held_for(&self, owner: UserId) -> u64 {
        let here: u64 = self.of(owner).map(|upload| upload.held()).sum();
        here + self.others_of(owner).map(|(_, note)| note.held()).sum::<u64>()
    }

    /// How many somebody has begun.
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

    /// Removes those whose day is over. Blocks.
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

/// Where an upload goes, and what is said of it.
#[derive(Debug)]
pub struct NewPartial {
    /// Who uploads it.
    pub owner: UserId,
    /// In which conversation it may be sent.
    pub stream: StreamId,
    /// What the file is called.
    pub name: String,
    /// How many bytes it will have, if that is known.
    pub length: Option<u64>,
}

impl Files {
    /// Begins an upload that may be gone on with.
    ///
    /// # Errors
    /// When it is too large or too much, or on our own trouble.
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

    /// The upload of this id, if it is somebody's and its day is not over.
    ///
    /// # Errors
    /// On our own trouble.
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

    /// Ends an upload; what it became stays.
    ///
    /// # Errors
    /// On our own trouble.
    pub async fn end_partial(
        self: &Arc<Self>,
        upload: Arc<PartialUpload>,
    ) -> Result<(), FileError> {
        upload.superseded.notify_waiters();
        self.unshare_partial(&upload).await?;
        let files = Arc::clone(self);
        blocking(move || Ok(files.partial.remove(&upload)?)).await
    }

    /// Goes on with an upload. Whoever added to it until now stops: their line was cut, or
    /// nobody would begin anew.
    ///
    /// # Errors
    /// When other bytes come next, it is complete, or on our own trouble.
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

/// Adds to an upload.
pub struct PartialWriter {
    files: Arc<Files>,
    upload: Arc<PartialUpload>,
    /// How long it may become.
    room: u64,
    gathered: BytesMut,
    _adding: OwnedMutexGuard<()>,
    _held: Permit,
}

impl PartialWriter {
    /// Resolves when somebody else goes on with it.
    pub async fn superseded(&self) {
        self.upload.superseded.notified().await;
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// When there are too many, or the disk refuses.
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

    /// What came so far stays; how the upload stands then.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn stop(mut self) -> Result<PartialState, PartialError> {
        self.write().await?;
        let (disk, upload) = (Arc::clone(&self.files.partial.disk), Arc::clone(&self.upload));
        blocking(move || Ok(disk.sync_partial(upload.id.as_str())?)).await?;
        self.files.share_added(&self.upload, None).await?;
        Ok(self.upload.state())
    }

    /// These are all: what the upload became.
    ///
    /// # Errors
    /// When more were announced, or the disk refuses.
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
