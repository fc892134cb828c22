//! A file that is being uploaded: its bytes are gathered into pieces, which are written and hashed
//! one by one. If the upload is abandoned, the file is removed.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::BytesMut;

use crate::bounds::Permit;
use crate::domain::file::AttachedFile;
use crate::domain::ids::{StreamId, UserId};
use crate::media::files::disk::FileDraft;
use crate::media::files::{FileError, FileRefusal, Files, blocking};

/// Bytes that are written at once.
pub(super) const PIECE: usize = 256 << 10;
/// Bytes that one upload holds in memory: a piece that is being written, one that gathers, and what
/// a connection reads beyond it.
pub(super) const HELD: usize = 2 * PIECE + (64 << 10);

/// An upload of a file in one request.
pub struct FileIntake {
    files: Arc<Files>,
    owner: UserId,
    /// Bytes of all files that the owner had when the upload began.
    owned: u64,
    size: u64,
    gathered: BytesMut,
    /// `None` while a piece is being written.
    draft: Option<FileDraft>,
    path: PathBuf,
    _held: Permit,
}

impl FileIntake {
    /// Begins an upload, if the owner's quota has room for the announced bytes.
    pub(super) async fn begin(
        files: Arc<Files>,
        owner: UserId,
        (owned, announced): (u64, u64),
        held: Permit,
    ) -> Result<Self, FileError> {
        let disk = Arc::clone(&files.disk);
        let (path, draft) = blocking(move || Ok(disk.begin()?)).await?;
        let (gathered, draft) = (BytesMut::new(), Some(draft));
        let intake = Self { files, owner, owned, size: 0, gathered, draft, path, _held: held };
        intake.within_quota(announced)?;
        Ok(intake)
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// If the file or the owner's files become too large, the disk is nearly full, or the write
    /// fails.
    pub async fn add(&mut self, more: &[u8]) -> Result<(), FileError> {
        let bytes = more.len() as u64;
        if self.size + bytes > self.files.limits.file {
            return Err(FileRefusal::TooLarge(self.files.limits.file).into());
        }
        *self.files.coming.entry(self.owner).or_default() += bytes;
        self.size += bytes;
        self.within_quota(0)?;
        self.gathered.extend_from_slice(more);
        if self.gathered.len() < PIECE { Ok(()) } else { self.write().await }
    }

    /// Ends the upload: the file is on stable storage and waits to be sent.
    ///
    /// # Errors
    /// If the owner's quota is exceeded by now, the disk is nearly full, or the write fails.
    pub async fn finish(mut self, to: StreamId, name: String) -> Result<AttachedFile, FileError> {
        // Other uploads of this user may have ended meanwhile.
        self.owned = self.files.owned(self.owner).await?;
        self.within_quota(0)?;
        self.write().await?;
        let draft = self.draft.take().ok_or_else(interrupted)?;
        let written = blocking(move || Ok(draft.finish()?)).await?;
        self.files.admit(written, (self.owner, to), (name, None)).await
    }

    fn within_quota(&self, announced: u64) -> Result<(), FileRefusal> {
        let coming = self.files.coming.get(&self.owner).map_or(0, |bytes| *bytes);
        let quota = self.files.limits.quota;
        let wanted = self.owned.saturating_add(coming).saturating_add(announced);
        if wanted > quota { Err(FileRefusal::OverQuota(quota)) } else { Ok(()) }
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
        if let dashmap::Entry::Occupied(mut coming) = self.files.coming.entry(self.owner) {
            *coming.get_mut() = coming.get().saturating_sub(self.size);
            if *coming.get() == 0 {
                coming.remove();
            }
        }
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
