//! Files that were uploaded and not sent yet: held in memory, and noted on the disk or in the
//! shared store, until a message carries them, or until they expire after a day and are in no
//! draft.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dashmap::DashMap;
use serde::{Deserialize, Serialize};

use crate::files::disk::FileDisk;
use domain::attachment::Attachment;
use domain::file::{AttachedFile, FileId};
use domain::ids::{StreamId, UserId};
use domain::limits::UNSENT_MILLIS;
use domain::time::Timestamp;
use index::{Index, IndexFault};

/// A file that waits to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsentFile {
    /// The uploaded file.
    pub file: AttachedFile,
    /// The stream of the conversation in which the file may be sent.
    pub stream: StreamId,
    /// When the upload was complete.
    pub uploaded_at: Timestamp,
}

impl UnsentFile {
    /// Whether the file may still be sent: for a day, and as long as a draft has it.
    pub(super) fn waits(&self, index: &Index, now: Timestamp) -> Result<bool, IndexFault> {
        if now < self.uploaded_at.plus_millis(UNSENT_MILLIS) {
            return Ok(true);
        }
        let (Some(owner), Some(conv)) = (self.file.owner, self.stream.conversation()) else {
            return Ok(false);
        };
        let draft = index.draft(owner, conv)?.filter(|draft| draft.is_kept(now));
        let attached = draft.map_or_else(Vec::new, |draft| draft.attachments);
        Ok(attached.iter().filter_map(Attachment::file).any(|file| file.id == self.file.id))
    }
}

/// All files that wait to be sent.
#[derive(Debug)]
pub(super) struct UnsentFiles {
    disk: Arc<FileDisk>,
    by_owner: DashMap<UserId, Vec<Arc<UnsentFile>>>,
    /// Digests of files that no longer wait.
    dropped: Mutex<Vec<String>>,
}

impl UnsentFiles {
    /// Reads the notes on this disk. A note that cannot be parsed is skipped.
    ///
    /// # Errors
    /// If the disk cannot be read.
    pub(super) fn open(disk: Arc<FileDisk>) -> io::Result<Self> {
        let by_owner: DashMap<UserId, Vec<Arc<UnsentFile>>> = DashMap::new();
        for note in disk.notes()? {
            let Ok(unsent) = serde_json::from_slice::<UnsentFile>(&note) else { continue };
            let Some(owner) = unsent.file.owner else { continue };
            by_owner.entry(owner).or_default().push(Arc::new(unsent));
        }
        Ok(Self { disk, by_owner, dropped: Mutex::default() })
    }

    /// Notes a file on this disk, durably. If that fails, the next sweep removes its content.
    ///
    /// # Errors
    /// If the write fails.
    pub(super) fn note(&self, unsent: &UnsentFile) -> io::Result<()> {
        let text = serde_json::to_vec(unsent)?;
        self.disk.note(unsent.file.id.as_str(), &text).inspect_err(|_| {
            self.dropped().push(unsent.file.digest.clone());
        })
    }

    /// Adds a file that is noted.
    pub(super) fn hold(&self, owner: UserId, unsent: UnsentFile) {
        let mut own = self.by_owner.entry(owner).or_default();
        if own.iter().all(|it| it.file.id != unsent.file.id) {
            own.push(Arc::new(unsent));
        }
    }

    /// Forgets all files in memory; their notes stay.
    pub(super) fn clear(&self) {
        self.by_owner.clear();
    }

    /// The unsent files of a user.
    pub(super) fn of(&self, owner: UserId) -> Vec<Arc<UnsentFile>> {
        self.by_owner.get(&owner).map(|own| own.clone()).unwrap_or_default()
    }

    /// Finds an unsent file of a user.
    pub(super) fn find(&self, owner: UserId, id: &FileId) -> Option<Arc<UnsentFile>> {
        self.by_owner.get(&owner)?.iter().find(|it| it.file.id == *id).cloned()
    }

    /// All unsent files.
    pub(super) fn all(&self) -> Vec<Arc<UnsentFile>> {
        self.by_owner.iter().flat_map(|own| own.clone()).collect()
    }

    /// Whether an unsent file has this content.
    pub(super) fn has_content(&self, digest: &str) -> bool {
        self.by_owner.iter().any(|own| own.iter().any(|it| it.file.digest == digest))
    }

    /// Removes a file and its note on this disk.
    ///
    /// # Errors
    /// If the disk fails.
    pub(super) fn remove(&self, unsent: &UnsentFile) -> io::Result<()> {
        self.disk.forget_note(unsent.file.id.as_str())?;
        unsent.file.owner.into_iter().for_each(|owner| self.drop_held(owner, &unsent.file.id));
        Ok(())
    }

    /// Removes a file from memory.
    pub(super) fn drop_held(&self, owner: UserId, id: &FileId) {
        if let dashmap::Entry::Occupied(mut own) = self.by_owner.entry(owner) {
            let gone = own.get().iter().find(|it| it.file.id == *id);
            self.dropped().extend(gone.map(|it| it.file.digest.clone()));
            own.get_mut().retain(|it| it.file.id != *id);
            if own.get().is_empty() {
                own.remove();
            }
        }
    }

    /// Takes the digests of the files that stopped waiting since the last call.
    pub(super) fn take_dropped(&self) -> Vec<String> {
        std::mem::take(&mut *self.dropped())
    }

    fn dropped(&self) -> MutexGuard<'_, Vec<String>> {
        self.dropped.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
