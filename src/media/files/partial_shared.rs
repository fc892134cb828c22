//! Uploads that begin at one node and continue at another: the bytes received so far are put into
//! the store that all nodes share, step by step, and so is the note about them.
//!
//! A node that continues an upload first rewrites the note. From then on, bytes that another
//! node holds of the same upload without having noted them are void.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::files::partial::{PartialError, PartialNote, PartialUpload, PartialUploads, written};
use crate::files::shared::{SHARED_PIECE, SharedPiece, parse_record, to_record};
use crate::files::{FileError, Files, blocking};
use cluster::records::Record;
use domain::file::FileId;
use domain::ids::UserId;
use domain::limits::PARTIAL_MILLIS;
use domain::time::Timestamp;

/// The number of pieces at which small pieces are merged into larger ones.
const SMALL_PIECES: usize = 128;

fn key(owner: UserId, id: &FileId) -> String {
    format!("upload.{owner}.{id}")
}

fn total(pieces: &[SharedPiece]) -> u64 {
    pieces.iter().map(|piece| piece.size).sum()
}

impl PartialNote {
    pub(super) fn is_over(&self, now: u64) -> bool {
        now >= self.begun_at.millis() + PARTIAL_MILLIS
    }

    /// Bytes that count towards the owner's quota: none once the upload became a file, which counts
    /// by itself.
    pub(super) fn held(&self) -> u64 {
        let here = total(&self.pieces).max(self.length.unwrap_or_default());
        if self.file.is_some() { 0 } else { here }
    }

    fn has_small_pieces(&self) -> bool {
        let count = self.pieces.len();
        count >= SMALL_PIECES && total(&self.pieces) / (count as u64) < SHARED_PIECE / 4
    }
}

impl PartialUpload {
    /// Bytes that are on this node's disk only.
    pub(super) fn unshared(&self) -> u64 {
        let shared = total(&self.note().pieces);
        self.size.load(Ordering::Acquire).saturating_sub(shared)
    }

    /// Takes over the shared note of this version. `in_file` is the size of the file on this disk:
    /// bytes count as here as far as this node's pieces are those of the note.
    fn takes(&self, note: PartialNote, version: u64, in_file: u64) {
        let mut own = self.note();
        let same = own.pieces.iter().zip(&note.pieces).take_while(|(own, other)| own == other);
        let mut here = 0;
        for (piece, _) in same {
            if here + piece.size > in_file {
                break;
            }
            here += piece.size;
        }
        self.here.store(here, Ordering::Release);
        self.size.store(total(&note.pieces), Ordering::Release);
        self.version.store(version, Ordering::Release);
        *own = note;
        drop(own);
        // Another node has answered the client since then.
        self.announce(None);
        self.share.set_bytes(self.held());
    }
}

impl PartialUploads {
    /// Uploads of a user that are known from the shared records and are not on this disk.
    pub(super) fn others_of(&self, owner: UserId) -> impl Iterator<Item = (FileId, PartialNote)> {
        let all = self.others.iter().map(|it| (it.key().clone(), it.value().1.clone()));
        all.filter(move |(id, note)| note.owner == owner && !self.by_id.contains_key(id))
    }

    /// Forgets the uploads known from the shared records, before they are reported again.
    pub(super) fn forget_others(&self) {
        self.others.clear();
    }

    /// Applies a change of a shared record; `None` means that the upload is gone. To be called on
    /// a runtime, whose thread for blocking work removes the upload: the bus's thread, which
    /// receives of the change, must not wait for the disk.
    pub(super) fn record_changed(
        self: &Arc<Self>,
        id: FileId,
        version: u64,
        note: Option<PartialNote>,
    ) {
        if let Some(note) = note {
            self.others.insert(id, (version, note));
            return;
        }
        self.others.remove(&id);
        if !self.by_id.contains_key(&id) {
            return;
        }
        let own = Arc::clone(self);
        drop(tokio::task::spawn_blocking(move || {
            if let Err(error) = own.remove_before(&id, version) {
                tracing::warn!(%error, "removing the local copy of a finished upload failed");
            }
        }));
    }

    /// Removes an upload from this disk, unless it is known here in this version of its record or a
    /// later one. Blocks.
    fn remove_before(&self, id: &FileId, version: u64) -> io::Result<()> {
        let here = self.by_id.get(id).map(|upload| Arc::clone(&upload));
        let over = here.filter(|it| it.version_here() < version);
        over.map_or(Ok(()), |upload| self.remove_next(&upload))
    }
}

impl Files {
    /// Writes the shared note of an upload. Returns its new version, or `None` if the record is no
    /// longer at `version`, or on a single node.
    pub(super) async fn share_partial(
        &self,
        id: &FileId,
        note: &PartialNote,
        version: u64,
    ) -> Result<Option<u64>, FileError> {
        let Some(sharing) = &self.sharing else { return Ok(None) };
        let key = key(note.owner, id);
        Ok(sharing.files.waiting.write(key, version, to_record(note)?).await?)
    }

    /// Updates an upload here to its shared record.
    pub(super) async fn look_at_partial(
        &self,
        owner: UserId,
        id: &FileId,
    ) -> Result<(), FileError> {
        let Some(sharing) = &self.sharing else { return Ok(()) };
        let Record { version, text } = sharing.files.waiting.read(key(owner, id)).await?;
        let Some(note) = parse_record::<PartialNote>(text.as_ref()) else {
            let partial = Arc::clone(&self.partial);
            let id = id.clone();
            return blocking(move || Ok(partial.remove_before(&id, version)?)).await;
        };
        let fresh = || Arc::new(self.partial.existing(id.clone(), fresh_note(&note), 0));
        let upload = Arc::clone(&self.partial.by_id.entry(id.clone()).or_insert_with(fresh));
        if upload.version_here() >= version {
            return Ok(());
        }
        // A request that adds bytes here has lost the upload to another node.
        let Some(_turn) = upload.take_turn().await else { return Ok(()) };
        if upload.version_here() < version {
            self.stands(&upload, note, version).await?;
        }
        Ok(())
    }

    async fn stands(
        &self,
        upload: &PartialUpload,
        note: PartialNote,
        version: u64,
    ) -> Result<(), FileError> {
        let disk = Arc::clone(&self.partial.disk);
        let id = upload.id.clone();
        let in_file = blocking(move || Ok(disk.partial_size(id.as_str())?)).await?;
        upload.takes(note, version, in_file);
        Ok(())
    }

    /// Continues an upload at this node: claims its record, and fetches the pieces that are not on
    /// this disk.
    pub(super) async fn take_partial_over(
        &self,
        upload: &Arc<PartialUpload>,
    ) -> Result<(), PartialError> {
        let Some(sharing) = &self.sharing else { return Ok(()) };
        let note = upload.note().clone();
        self.share_change(upload, note.clone()).await?;
        let disk = Arc::clone(&self.partial.disk);
        let id = upload.id.clone();
        blocking(move || Ok(disk.create_partial(id.as_str())?)).await?;
        let mut at = 0;
        for piece in &note.pieces {
            let here = upload.here.load(Ordering::Acquire);
            if at >= here {
                let bytes = sharing.files.piece(piece).await?;
                let disk = Arc::clone(&self.partial.disk);
                let id = upload.id.clone();
                let append = move || Ok(disk.append_partial(id.as_str(), at, &bytes)?);
                upload.here.store(blocking(append).await?, Ordering::Release);
            }
            at += piece.size;
        }
        self.note_here(upload).await?;
        Ok(())
    }

    /// Claims an upload's record, so that no other node adds to the upload before its client sends
    /// the next part.
    pub(super) async fn claim_partial(&self, upload: &PartialUpload) -> Result<(), PartialError> {
        if self.sharing.is_none() {
            return Ok(());
        }
        loop {
            let note = upload.note().clone();
            if note.file.is_some() {
                return Ok(());
            }
            // A node that adds loses the upload to the first claim after one of its changes.
            match self.share_change(upload, note).await {
                Err(PartialError::Offset(_)) => {}
                claimed => return claimed,
            }
        }
    }

    /// Removes the pieces after this offset from the shared note. Returns them.
    ///
    /// # Errors
    /// If no piece ends at this offset, or as for [`Self::share_change`].
    pub(super) async fn drop_shared_after(
        &self,
        upload: &Arc<PartialUpload>,
        offset: u64,
    ) -> Result<Vec<SharedPiece>, PartialError> {
        let mut note = upload.note().clone();
        let mut end = 0;
        let stay = note.pieces.iter().take_while(|piece| {
            end += piece.size;
            end <= offset
        });
        let dropped = note.pieces.split_off(stay.count());
        if dropped.is_empty() {
            return Ok(dropped);
        }
        if total(&note.pieces) != offset {
            return Err(PartialError::Offset(upload.state().offset));
        }
        note.digest = None;
        self.share_change(upload, note).await?;
        self.note_here(upload).await?;
        Ok(dropped)
    }

    /// Discards pieces that no note names any more.
    pub(super) async fn discard_pieces(&self, pieces: &[SharedPiece]) {
        if let Some(sharing) = &self.sharing {
            sharing.files.discard(pieces).await;
        }
    }

    async fn note_here(&self, upload: &Arc<PartialUpload>) -> Result<(), FileError> {
        let disk = Arc::clone(&self.partial.disk);
        let upload = Arc::clone(upload);
        let keep = move || {
            let text = written(&upload.note())?;
            Ok(disk.note_partial(upload.id.as_str(), &text)?)
        };
        blocking(keep).await
    }

    /// Puts the bytes received since the last time into the shared store, with the digest of the
    /// whole content if it is known.
    pub(super) async fn share_added(
        &self,
        upload: &Arc<PartialUpload>,
        digest: Option<&str>,
    ) -> Result<(), PartialError> {
        let Some(sharing) = &self.sharing else { return Ok(()) };
        if upload.unshared() == 0 && digest.is_none() {
            return Ok(());
        }
        let mut note = upload.note().clone();
        let small = match note.has_small_pieces() {
            true => std::mem::take(&mut note.pieces),
            false => Vec::new(),
        };
        let path: PathBuf = self.partial.disk.partial(upload.id.as_str());
        let size = upload.size.load(Ordering::Acquire);
        let added = sharing.files.put(&path, total(&note.pieces)..size).await?;
        note.pieces.extend(added.iter().cloned());
        note.digest = digest.map(str::to_owned);
        match self.share_change(upload, note).await {
            Ok(()) => sharing.files.discard(&small).await,
            Err(error) => {
                if matches!(error, PartialError::Offset(_) | PartialError::Ended) {
                    sharing.files.discard(&added).await;
                }
                return Err(error);
            }
        }
        Ok(self.note_here(upload).await?)
    }

    /// Writes a changed note for every node.
    ///
    /// # Errors
    /// If another node continued or ended the upload, or on a fault.
    pub(super) async fn share_change(
        &self,
        upload: &PartialUpload,
        note: PartialNote,
    ) -> Result<(), PartialError> {
        let Some(sharing) = &self.sharing else { return Ok(()) };
        if let Some(version) = self.share_partial(&upload.id, &note, upload.version_here()).await? {
            upload.version.store(version, Ordering::Release);
            *upload.note() = note;
            return Ok(());
        }
        let read = sharing.files.waiting.read(key(note.owner, &upload.id)).await;
        let Record { version, text } = read.map_err(FileError::from)?;
        let other = parse_record::<PartialNote>(text.as_ref()).ok_or(PartialError::Ended)?;
        self.stands(upload, other, version).await?;
        Err(PartialError::Offset(upload.state().offset))
    }

    /// Removes the shared record of an upload and its unused pieces.
    pub(super) async fn unshare_partial(&self, upload: &PartialUpload) -> Result<(), FileError> {
        let note = upload.note().clone();
        self.end_shared(&upload.id, &note).await
    }

    async fn end_shared(&self, id: &FileId, note: &PartialNote) -> Result<(), FileError> {
        let Some(sharing) = &self.sharing else { return Ok(()) };
        let waiting = &sharing.files.waiting;
        loop {
            let Record { version, text } = waiting.read(key(note.owner, id)).await?;
            let Some(note) = parse_record::<PartialNote>(text.as_ref()) else { return Ok(()) };
            // Another node may have claimed the record meanwhile.
            if waiting.write(key(note.owner, id), version, None).await?.is_some() {
                return sharing.files.discard_upload(&note.pieces, note.digest.as_deref()).await;
            }
        }
    }

    /// Removes expired uploads, whichever node they were begun at.
    pub(super) async fn sweep_shared_partial(&self, now: Timestamp) -> Result<(), FileError> {
        let all = self.partial.others.iter().map(|it| (it.key().clone(), it.value().1.clone()));
        let over: Vec<(FileId, PartialNote)> =
            all.filter(|(_, note)| note.is_over(now.millis())).collect();
        for (id, note) in &over {
            self.end_shared(id, note).await?;
        }
        Ok(())
    }
}

/// The same note, but with no pieces here.
fn fresh_note(note: &PartialNote) -> PartialNote {
    PartialNote { pieces: Vec::new(), ..note.clone() }
}

impl PartialUpload {
    fn version_here(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::files::disk::FileDisk;
    use crate::files::partial::tests::begun;

    /// A message of another node waited for the disk of this one.
    #[test]
    fn upload_is_removed_on_another_thread() {
        let folder = tempfile::TempDir::new().unwrap();
        let disk = Arc::new(FileDisk::open(folder.path()).unwrap());
        let partial = Arc::new(PartialUploads::open(disk, Arc::default()).unwrap());
        let note = begun();
        let id = FileId::new([7; 16]);
        partial.disk.begin_partial(id.as_str(), &written(&note).unwrap()).unwrap();
        let upload = Arc::new(partial.existing(id.clone(), note, 0));
        partial.by_id.insert(id.clone(), upload);
        let bus =
            tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
        // The one thread for blocking work is busy until it is let go.
        let (let_go, busy) = mpsc::channel::<()>();
        drop(bus.spawn_blocking(move || busy.recv()));
        let removed = bus.block_on(async {
            partial.record_changed(id.clone(), 1, None);
            assert!(partial.by_id.contains_key(&id), "it waits for the thread");
            drop(let_go);
            // Blocking work is done in the order in which it came.
            tokio::task::spawn_blocking(move || !partial.by_id.contains_key(&id)).await
        });
        assert!(removed.unwrap());
    }
}
