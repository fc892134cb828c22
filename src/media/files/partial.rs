//! Uploads that can be resumed after a lost connection and after a restart of the server.
//!
//! Each is a file with the bytes received so far and a note about what it is to become, so its
//! offset is the file's length. An upload expires after a day. Until then, a client whose response
//! was lost can ask which file a complete upload became.
//!
//! Requests take turns: only the request that has the turn changes an upload's file and note. Each
//! request that wants the turn ends the one that has it. An upload that ended gives no more turns,
//! and a request whose client has hung up gets none. So an offset that was announced stays the
//! place where the client continues, also if an earlier part comes late: the next part replaces
//! bytes that no response has announced.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::BytesMut;
use dashmap::DashMap;
use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex as TurnLock, OwnedMutexGuard, watch};

use crate::files::disk::FileDisk;
use crate::files::intake::{HELD, PIECE};
use crate::files::reservations::{Counts, Reservation, Reservations};
use crate::files::shared::{SHARED_STEP, SharedPiece};
use crate::files::{FileError, FileRefusal, Files, NewFile, blocking, fresh_id};
use base::bounds::Permit;
use domain::file::{AttachedFile, FileId};
use domain::ids::{Conversation, StreamId, UserId};
use domain::limits::PARTIAL_UPLOADS;
use domain::time::Timestamp;

/// The target of an upload.
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
    /// Bytes and places of the owner that this upload holds.
    pub(super) share: Arc<Reservation>,
    /// Held by the request that has the turn.
    turn: Arc<TurnLock<()>>,
    /// The number of the newest request that wants the turn.
    turns: watch::Sender<u64>,
    /// Whether the upload ended. Set by the request that has the turn.
    ended: AtomicBool,
    /// The offset that was announced last, until a later part is complete.
    announced: Mutex<Option<u64>>,
}

/// The turn of one request at an upload.
#[derive(Debug)]
pub(super) struct UploadTurn {
    number: u64,
    turns: watch::Receiver<u64>,
    /// Shared with the work on the disk, which may outlive the request.
    hold: Arc<OwnedMutexGuard<()>>,
}

impl UploadTurn {
    /// Waits until another request wants the turn.
    async fn superseded(&mut self) {
        let own = self.number;
        // The sender lives as long as the upload, which the request holds.
        drop(self.turns.wait_for(|newest| *newest != own).await);
    }
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
    /// The upload ended.
    #[error("there is no such upload")]
    Ended,
    /// The client hung up.
    #[error("the client hung up")]
    HungUp,
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

    /// The conversation in which the file may be sent.
    pub fn conversation(&self) -> Option<Conversation> {
        self.note().stream.conversation()
    }

    pub(super) fn note(&self) -> MutexGuard<'_, PartialNote> {
        self.note.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes that count towards the owner's quota; 0 once the upload became a file.
    pub(super) fn held(&self) -> u64 {
        let PartialState { offset, length, file } = self.state();
        if file.is_some() { 0 } else { offset.max(length.unwrap_or_default()) }
    }

    /// Waits for the turn, and ends the request that has it; `None` if the upload ended.
    pub(super) async fn take_turn(&self) -> Option<UploadTurn> {
        let number = self.want_turn();
        self.turn_of(number).await
    }

    /// Takes the turn for a part, unless its client has hung up.
    async fn take_turn_of_part(
        &self,
        has_hung_up: impl Fn() -> bool,
    ) -> Result<UploadTurn, PartialError> {
        let number = self.want_turn_unless(has_hung_up).ok_or(PartialError::HungUp)?;
        self.turn_of(number).await.ok_or(PartialError::Ended)
    }

    async fn turn_of(&self, number: u64) -> Option<UploadTurn> {
        let turns = self.turns.subscribe();
        let hold = Arc::new(Arc::clone(&self.turn).lock_owned().await);
        (!self.has_ended()).then_some(UploadTurn { number, turns, hold })
    }

    /// Ends the request that has the turn. Returns the number of the next turn.
    fn want_turn(&self) -> u64 {
        self.want_turn_unless(|| false).unwrap_or_default()
    }

    /// Ends the request that has the turn, unless `has_hung_up` returns true. It is called between
    /// two numbers: what a client asks after it has hung up gets a later number.
    fn want_turn_unless(&self, has_hung_up: impl Fn() -> bool) -> Option<u64> {
        let mut number = None;
        self.turns.send_if_modified(|newest| {
            if has_hung_up() {
                return false;
            }
            *newest += 1;
            number = Some(*newest);
            true
        });
        number
    }

    /// Notes the offset that a response announces; `None` once a later part is complete.
    pub(super) fn announce(&self, offset: Option<u64>) {
        *self.announced.lock().unwrap_or_else(PoisonError::into_inner) = offset;
    }

    fn is_announced(&self, offset: u64) -> bool {
        *self.announced.lock().unwrap_or_else(PoisonError::into_inner) == Some(offset)
    }

    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
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
    pub(super) reservations: Arc<Reservations>,
    /// Uploads of all nodes as the shared records tell of them, each with its record's version.
    pub(super) others: DashMap<FileId, (u64, PartialNote)>,
}

impl PartialUploads {
    /// Reads the uploads on this disk. A note that cannot be parsed is skipped.
    ///
    /// # Errors
    /// If the disk cannot be read.
    pub(super) fn open(disk: Arc<FileDisk>, reservations: Arc<Reservations>) -> io::Result<Self> {
        let uploads = Self { disk, by_id: DashMap::new(), reservations, others: DashMap::new() };
        for (name, text) in uploads.disk.partial_notes()? {
            let read = FileId::parse(&name).zip(serde_json::from_slice(&text).ok());
            let Some((id, note)) = read else { continue };
            let size = uploads.disk.partial_size(id.as_str())?;
            uploads.by_id.insert(id.clone(), Arc::new(uploads.existing(id, note, size)));
        }
        Ok(uploads)
    }

    /// An upload that exists already; it holds its share whatever the limits are.
    pub(super) fn existing(&self, id: FileId, note: PartialNote, size: u64) -> PartialUpload {
        let places = if note.file.is_some() { Counts::default() } else { Counts::UPLOAD };
        let share = self.reservations.hold(note.owner, places);
        let upload = PartialUpload::new(id, note, size, share);
        upload.share.set_bytes(upload.held());
        upload
    }

    /// A user's uploads that only other nodes have: their number, and their bytes.
    pub(super) fn elsewhere(&self, owner: UserId) -> OtherUploads {
        self.others_of(owner).filter(|(_, note)| note.file.is_none()).fold(
            OtherUploads::default(),
            |sum, (_, note)| OtherUploads {
                count: sum.count + 1,
                bytes: sum.bytes.saturating_add(note.held()),
            },
        )
    }

    /// Removes an upload: nothing of it stays on this disk, and it accepts nothing more. To be
    /// called by the request that has the turn. Blocks.
    pub(super) fn remove(&self, upload: &PartialUpload, turn: UploadTurn) -> io::Result<()> {
        self.remove_held(upload, &turn.hold)
    }

    fn remove_held(&self, upload: &PartialUpload, _: &OwnedMutexGuard<()>) -> io::Result<()> {
        upload.ended.store(true, Ordering::Release);
        self.disk.remove_partial(upload.id.as_str())?;
        self.by_id.remove(&upload.id);
        upload.share.release();
        Ok(())
    }

    /// Removes an upload, unless a request has the turn; then that request is ended. Blocks.
    fn remove_if_idle(&self, upload: &PartialUpload) -> io::Result<()> {
        upload.want_turn();
        match Arc::clone(&upload.turn).try_lock_owned() {
            Ok(hold) => self.remove_held(upload, &hold),
            Err(_) => Ok(()),
        }
    }

    /// Removes an upload once the request that has the turn ended. Blocks.
    pub(super) fn remove_next(&self, upload: &PartialUpload) -> io::Result<()> {
        upload.want_turn();
        self.remove_held(upload, &Arc::clone(&upload.turn).blocking_lock_owned())
    }

    /// Removes expired uploads, the oldest of those that are complete and too many, and files
    /// without a note. Blocks.
    pub(super) fn sweep(&self, now: u64) -> io::Result<()> {
        let all: Vec<Arc<PartialUpload>> = self.by_id.iter().map(|it| Arc::clone(&it)).collect();
        let over = all.iter().filter(|it| it.is_over(now));
        over.chain(&too_many_complete(&all)).try_for_each(|upload| self.remove_if_idle(upload))?;
        self.disk.remove_partial_without_note(|name| {
            FileId::parse(name).is_some_and(|id| self.by_id.contains_key(&id))
        })
    }
}

/// The oldest complete uploads of each owner beyond as many as may be incomplete.
fn too_many_complete(all: &[Arc<PartialUpload>]) -> Vec<Arc<PartialUpload>> {
    let mut by_owner: HashMap<UserId, Vec<(Timestamp, &Arc<PartialUpload>)>> = HashMap::new();
    for upload in all {
        let note = upload.note();
        if note.file.is_some() {
            by_owner.entry(note.owner).or_default().push((note.begun_at, upload));
        }
    }
    let mut found = Vec::new();
    for mut complete in by_owner.into_values() {
        let over = complete.len().saturating_sub(PARTIAL_UPLOADS);
        complete.sort_by_key(|(begun_at, _)| *begun_at);
        found.extend(complete.into_iter().take(over).map(|(_, upload)| Arc::clone(upload)));
    }
    found
}

/// Uploads that only other nodes have.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct OtherUploads {
    pub(super) count: usize,
    /// Bytes that count towards the quota.
    pub(super) bytes: u64,
}

impl PartialUpload {
    pub(super) fn new(id: FileId, note: PartialNote, size: u64, share: Arc<Reservation>) -> Self {
        Self {
            id,
            note: Mutex::new(note),
            size: AtomicU64::new(size),
            here: AtomicU64::new(size),
            version: AtomicU64::new(0),
            share,
            turn: Arc::default(),
            turns: watch::Sender::new(0),
            ended: AtomicBool::new(false),
            announced: Mutex::default(),
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
        let share = self.reserve_places(owner, Counts::UPLOAD)?;
        self.admits(&share, length.unwrap_or_default()).await?;
        let begun_at = self.clock.now().wall;
        let file = None;
        let pieces = Vec::new();
        let digest = None;
        let note = PartialNote { owner, stream, name, length, begun_at, file, pieces, digest };
        let files = Arc::clone(self);
        let id = fresh_id();
        let version = self.share_partial(&id, &note, 0).await?.unwrap_or_default();
        blocking(move || {
            let text = written(&note)?;
            let upload = Arc::new(PartialUpload::new(id.clone(), note, 0, share));
            upload.version.store(version, Ordering::Release);
            // It is known before its file exists: a sweep removes files of unknown uploads.
            files.partial.by_id.insert(id.clone(), Arc::clone(&upload));
            if let Err(error) = files.partial.disk.begin_partial(id.as_str(), &text) {
                files.partial.by_id.remove(&id);
                return Err(error.into());
            }
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

    /// Ends the request that adds to an upload. Returns the upload's state, which only a later
    /// request changes.
    ///
    /// # Errors
    /// If the upload ended, or the shared records fail.
    pub async fn pause_partial(
        &self,
        upload: &Arc<PartialUpload>,
    ) -> Result<PartialState, PartialError> {
        let turn = upload.take_turn().await.ok_or(PartialError::Ended)?;
        match self.claim_partial(upload).await {
            // Another node ended it.
            Err(PartialError::Ended) => {
                let partial = Arc::clone(&self.partial);
                let upload = Arc::clone(upload);
                blocking(move || Ok(partial.remove(&upload, turn)?)).await?;
                return Err(PartialError::Ended);
            }
            claimed => claimed?,
        }
        let state = upload.state();
        upload.announce(Some(state.offset));
        Ok(state)
    }

    /// Ends an upload, and the request that adds to it; the file that it became stays.
    ///
    /// # Errors
    /// On a fault.
    pub async fn end_partial(
        self: &Arc<Self>,
        upload: Arc<PartialUpload>,
    ) -> Result<(), FileError> {
        let Some(turn) = upload.take_turn().await else { return Ok(()) };
        self.unshare_partial(&upload).await?;
        let files = Arc::clone(self);
        blocking(move || Ok(files.partial.remove(&upload, turn)?)).await
    }

    /// Holds the place of a request that will add to an upload.
    ///
    /// # Errors
    /// If too many requests bring bytes, of this user or of all.
    pub fn adding_place(&self, owner: UserId) -> Result<AddingPlace, FileError> {
        let share = self.reserve_places(owner, Counts::REQUEST)?;
        let permit = self.room.try_hold(HELD).map_err(|_| FileRefusal::Busy)?;
        Ok(AddingPlace { _share: share, _permit: permit })
    }

    /// Resumes an upload, and ends the request that still adds to it, whose connection must be
    /// lost. An `offset` that was announced last is accepted although a late part grew the upload
    /// since then.
    ///
    /// # Errors
    /// If the upload is complete or ended, `offset` is not its end, the client has hung up, or on a
    /// fault.
    pub async fn add_to_partial(
        self: &Arc<Self>,
        upload: Arc<PartialUpload>,
        offset: u64,
        place: AddingPlace,
        has_hung_up: impl Fn() -> bool,
    ) -> Result<PartialWriter, PartialError> {
        let turn = upload.take_turn_of_part(has_hung_up).await?;
        let state = upload.state();
        if state.file.is_some() {
            return Err(PartialError::Complete);
        }
        let is_late = state.offset > offset && upload.is_announced(offset);
        if state.offset != offset && !is_late {
            upload.announce(Some(state.offset));
            return Err(PartialError::Offset(state.offset));
        }
        self.take_partial_over(&upload).await?;
        if is_late {
            self.rewind_partial(&upload, offset, &turn).await?;
        }
        let files = Arc::clone(self);
        let gathered = BytesMut::new();
        Ok(PartialWriter { files, upload, turn, gathered, _place: place })
    }

    /// Drops the bytes after this offset, which no response has announced.
    async fn rewind_partial(
        &self,
        upload: &Arc<PartialUpload>,
        offset: u64,
        turn: &UploadTurn,
    ) -> Result<(), PartialError> {
        let dropped = self.drop_shared_after(upload, offset).await?;
        let disk = Arc::clone(&self.partial.disk);
        let hold = Arc::clone(&turn.hold);
        let shortened = Arc::clone(upload);
        let shorten = move || {
            let _hold = hold;
            let size = disk.append_partial(shortened.id.as_str(), offset, &[])?;
            shortened.size.store(size, Ordering::Release);
            shortened.here.store(size, Ordering::Release);
            Ok(())
        };
        blocking(shorten).await?;
        upload.share.set_bytes(upload.held());
        self.discard_pieces(&dropped).await;
        Ok(())
    }
}

/// The place of a request that adds to an upload.
#[derive(Debug)]
pub struct AddingPlace {
    _share: Arc<Reservation>,
    _permit: Permit,
}

/// Adds bytes to an upload.
pub struct PartialWriter {
    files: Arc<Files>,
    upload: Arc<PartialUpload>,
    turn: UploadTurn,
    gathered: BytesMut,
    _place: AddingPlace,
}

impl PartialWriter {
    /// Waits until another request wants to change the upload.
    pub async fn superseded(&mut self) {
        self.turn.superseded().await;
    }

    /// Reserves the quota for this many bytes more, before any of them is read.
    ///
    /// # Errors
    /// If the file or the owner's files become too large.
    pub async fn expect(&mut self, bytes: u64) -> Result<(), PartialError> {
        let PartialState { offset, length, .. } = self.upload.state();
        // More than the announced length is refused when it comes.
        let end = offset.saturating_add(bytes).min(length.unwrap_or(u64::MAX));
        Ok(self.files.make_room(&self.upload.share, end).await?)
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// If the bytes exceed the announced length, the file or the owner's files become too large,
    /// the disk is nearly full, or the write fails.
    pub async fn add(&mut self, more: &[u8]) -> Result<(), PartialError> {
        let PartialState { offset, length, .. } = self.upload.state();
        let end = offset + (self.gathered.len() + more.len()) as u64;
        if let Some(length) = length.filter(|length| end > *length) {
            return Err(PartialError::Length(length));
        }
        self.files.make_room(&self.upload.share, end).await?;
        self.gathered.extend_from_slice(more);
        if self.gathered.len() < PIECE { Ok(()) } else { self.write().await }
    }

    /// Stops before the end: what was received stays. Returns how far the upload has come. `is_whole`
    /// says whether the part arrived completely, so that the response announces this.
    ///
    /// # Errors
    /// If the disk or the shared store fails.
    pub async fn stop(mut self, is_whole: bool) -> Result<PartialState, PartialError> {
        if is_whole {
            self.upload.announce(None);
        }
        let state = self.upload.state();
        if state.file.is_some() {
            return Ok(state);
        }
        self.write().await?;
        let disk = Arc::clone(&self.files.partial.disk);
        let upload = Arc::clone(&self.upload);
        blocking(move || Ok(disk.sync_partial(upload.id.as_str())?)).await?;
        self.files.share_added(&self.upload, None).await?;
        self.upload.share.set_bytes(self.upload.held());
        Ok(self.upload.state())
    }

    /// Completes the upload: it becomes a file.
    ///
    /// # Errors
    /// If more bytes were announced, the disk is nearly full, or the disk or the shared store
    /// fails.
    pub async fn finish(&mut self) -> Result<(), PartialError> {
        self.write().await?;
        let PartialState { offset, length, .. } = self.upload.state();
        if let Some(length) = length.filter(|length| *length != offset) {
            return Err(PartialError::Length(length));
        }
        let files = Arc::clone(&self.files);
        let upload = Arc::clone(&self.upload);
        let whole = blocking(move || Ok(files.partial.disk.written_partial(upload.id.as_str())?));
        let whole = whole.await?;
        self.files.share_added(&self.upload, Some(&whole.content.digest)).await?;
        let note = self.upload.note().clone();
        let pieces = self.files.sharing.is_some().then(|| note.pieces.clone());
        let share = Arc::clone(&self.upload.share);
        let new = NewFile { share, stream: note.stream, name: note.name.clone(), pieces };
        let file = self.files.admit(whole, new).await?;
        let note = PartialNote { file: Some(file), pieces: Vec::new(), ..note };
        self.files.share_change(&self.upload, note.clone()).await?;
        let files = Arc::clone(&self.files);
        let upload = Arc::clone(&self.upload);
        let hold = Arc::clone(&self.turn.hold);
        let keep = move || {
            let _hold = hold;
            files.partial.disk.note_partial(upload.id.as_str(), &written(&note)?)?;
            *upload.note() = note;
            Ok(())
        };
        Ok(blocking(keep).await?)
    }

    async fn write(&mut self) -> Result<(), PartialError> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        if self.files.space.is_low() {
            return Err(FileError::from(FileRefusal::Busy).into());
        }
        let disk = Arc::clone(&self.files.partial.disk);
        let upload = Arc::clone(&self.upload);
        let piece = self.gathered.split();
        let hold = Arc::clone(&self.turn.hold);
        let append = move || {
            let _hold = hold;
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

#[cfg(test)]
pub(super) mod tests {
    use futures_util::FutureExt;

    use super::*;
    use domain::ids::StreamId;

    /// The note of an upload that has just begun.
    pub(in crate::files) fn begun() -> PartialNote {
        PartialNote {
            owner: UserId::new(1),
            stream: StreamId::User(UserId::new(1)),
            name: "rope.bin".to_owned(),
            length: None,
            begun_at: Timestamp::from_seconds(1),
            file: None,
            pieces: Vec::new(),
            digest: None,
        }
    }

    /// A request that reached the server late, after its client hung up and sent the part again,
    /// ended the later request.
    #[test]
    fn disconnected_upload_ends_no_other_request() {
        let folder = tempfile::TempDir::new().unwrap();
        let disk = Arc::new(FileDisk::open(folder.path()).unwrap());
        let uploads = PartialUploads::open(disk, Arc::default()).unwrap();
        let upload = uploads.existing(FileId::new([7; 16]), begun(), 0);
        let taken = |has_hung_up: bool| upload.take_turn_of_part(move || has_hung_up);
        let mut running = taken(false).now_or_never().unwrap().unwrap();
        let late = taken(true).now_or_never().unwrap();
        assert!(matches!(late, Err(PartialError::HungUp)));
        assert!(running.superseded().now_or_never().is_none());
        assert!(taken(false).now_or_never().is_none(), "it waits for the turn");
        assert!(running.superseded().now_or_never().is_some());
    }
}
