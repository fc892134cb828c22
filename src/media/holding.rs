//! While a backup copies pictures and files, none of them is removed: the journal that it copied
//! before still names them.
//!
//! Whoever copies holds the folders, from before it asks where the journal ends; whoever removes
//! passes by while it does. The system lets go of what a process held that has ended.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

/// Pictures and files of a data directory that are being copied, until this is dropped.
#[derive(Debug)]
pub struct CopyHold {
    _folders: Vec<File>,
}

impl CopyHold {
    /// Waits for what is being removed just now, and then holds all that is there.
    ///
    /// # Errors
    /// When the disk refuses.
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

/// A folder that nobody copies, until this is dropped.
#[derive(Debug)]
pub(super) struct RemovalHold {
    _folder: File,
}

impl RemovalHold {
    /// Holds a folder; nothing if somebody copies it.
    ///
    /// # Errors
    /// When the disk refuses.
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
    fn nobody_removes_what_somebody_copies() {
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
