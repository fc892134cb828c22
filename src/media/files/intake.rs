//! A file that is being uploaded: its bytes are gathered into pieces, which are written and hashed
//! one by one. If the upload is abandoned, the file is removed.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::BytesMut;

use crate::files::disk::FileDraft;
use crate::files::reservations::Reservation;
use crate::files::{FileError, FileRefusal, Files, NewFile, blocking};
use base::bounds::Permit;
use domain::file::AttachedFile;
use domain::ids::StreamId;

/// Bytes that are written at once.
pub const PIECE: usize = 256 << 10;
/// Bytes that one upload holds in memory: a piece that is being written, one that gathers, and what
/// a connection reads beyond it.
pub(super) const HELD: usize = 2 * PIECE + (64 << 10);

/// An upload of a file in one request.
pub struct FileIntake {
    files: Arc<Files>,
    share: Arc<Reservation>,
    size: u64,
    gathered: BytesMut,
    /// `None` while a piece is being written.
    draft: Option<FileDraft>,
    path: PathBuf,
    _held: Permit,
}

impl FileIntake {
    /// Begins an upload whose places are reserved.
    pub(super) async fn begin(
        files: Arc<Files>,
        share: Arc<Reservation>,
        held: Permit,
    ) -> Result<Self, FileError> {
        let disk = Arc::clone(&files.disk);
        let (path, draft) = blocking(move || Ok(disk.begin()?)).await?;
        let gathered = BytesMut::new();
        let draft = Some(draft);
        Ok(Self { files, share, size: 0, gathered, draft, path, _held: held })
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// If the file or the owner's files become too large, the disk is nearly full, or the write
    /// fails.
    pub async fn add(&mut self, more: &[u8]) -> Result<(), FileError> {
        let end = self.size + more.len() as u64;
        self.files.make_room(&self.share, end).await?;
        self.size = end;
        self.gathered.extend_from_slice(more);
        if self.gathered.len() < PIECE { Ok(()) } else { self.write().await }
    }

    /// Ends the upload: the file is on stable storage and waits to be sent.
    ///
    /// # Errors
    /// If the disk is nearly full, or the write fails.
    pub async fn finish(
        mut self,
        stream: StreamId,
        name: String,
    ) -> Result<AttachedFile, FileError> {
        self.write().await?;
        let draft = self.draft.take().ok_or_else(interrupted)?;
        let written = blocking(move || Ok(draft.finish()?)).await?;
        let share = Arc::clone(&self.share);
        self.files.admit(written, NewFile { share, stream, name, pieces: None }).await
    }

    async fn write(&mut self) -> Result<(), FileError> {
        if self.files.space.is_low() {
            return Err(FileRefusal::Busy.into());
        }
        let mut draft = self.draft.take().ok_or_else(interrupted)?;
        let piece = self.gathered.split();
        let written = blocking(move || {
            draft.write(&piece)?;
            Ok(draft)
        });
        self.draft = Some(written.await?);
        Ok(())
    }
}

fn interrupted() -> FileError {
    FileError::Fault("a piece of it could not be written".to_owned())
}

impl Drop for FileIntake {
    fn drop(&mut self) {
        let path = std::mem::take(&mut self.path);
        // A finished file has been renamed by now. What cannot be removed is removed at the next
        // start.
        let remove = move || drop(std::fs::remove_file(path));
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(remove)),
            Err(_) => remove(),
        }
    }
}
