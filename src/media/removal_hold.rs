//! Keeps images and files from being removed while a backup copies them: the part of the journal
//! that the backup copied before still names them.
//!
//! A backup locks the folders before it asks where the journal ends; sweeps skip a folder while it
//! is locked. The operating system releases the locks of a process that ends.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

/// Locks on the images and files of a data directory that are being copied, until this is dropped.
#[derive(Debug)]
pub struct CopyHold {
    _folders: Vec<File>,
}

impl CopyHold {
    /// Waits for a removal that is under way, then locks the folders that are there.
    ///
    /// # Errors
    /// If a folder cannot be opened or locked.
    pub fn of(data: &Path) -> io::Result<Self> {
        let mut folders = Vec::new();
        for name in ["images", "files"] {
            match File::open(data.join(name)) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                folder => {
                    let folder = folder?;
                    flock(&folder, FlockOperation::LockShared)?;
                    folders.push(folder);
                }
            }
        }
        Ok(Self { _folders: folders })
    }
}

/// A lock on a folder from which something is being removed, until this is dropped.
#[derive(Debug)]
pub(super) struct RemovalHold {
    _folder: File,
}

impl RemovalHold {
    /// Locks a folder; `None` if a backup is copying it.
    ///
    /// # Errors
    /// If the folder cannot be opened or locked.
    pub(super) fn of(folder: &Path) -> io::Result<Option<Self>> {
        let folder = File::open(folder)?;
        match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Self { _folder: folder })),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn removal_waits_for_a_running_copy() {
        let data = TempDir::new().unwrap();
        let folders = ["images", "files"].map(|name| data.path().join(name));
        folders.iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
        let is_free = |folder: &Path| RemovalHold::of(folder).unwrap().is_some();
        let copies = [CopyHold::of(data.path()).unwrap(), CopyHold::of(data.path()).unwrap()];
        assert!(!folders.iter().any(|folder| is_free(folder)));
        drop(copies);
        assert!(folders.iter().all(|folder| is_free(folder)));
    }
}
