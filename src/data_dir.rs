//! The data directory: everything that must survive, used by one process at a time.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

/// The directory, locked for this process until it is dropped.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    epoch: u32,
    _lock: File,
}

/// Why the directory cannot be used: one line for the operator.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// The system refuses.
    #[error("the data directory {} cannot be used: {source}", path.display())]
    Unusable {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process has it.
    #[error("the data directory {} is in use by another process", path.display())]
    Locked {
        /// Which.
        path: PathBuf,
    },
    /// A file in it is not what it should be.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

impl DataDir {
    /// Takes the directory, and makes it if it is not there.
    ///
    /// # Errors
    /// When it cannot be read and written, or another process has it.
    pub fn take(path: &Path) -> Result<Self, DataDirError> {
        let unusable = |source| DataDirError::Unusable { path: path.to_owned(), source };
        fs::create_dir_all(path).map_err(unusable)?;
        let lock =
            OpenOptions::new().create(true).truncate(false).write(true).open(path.join("lock"));
        let lock = lock.map_err(unusable)?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                return Err(DataDirError::Locked { path: path.to_owned() });
            }
            Err(error) => return Err(unusable(error.into())),
        }
        let epoch = read_or_make_epoch(path)?;
        Ok(Self { path: path.to_owned(), epoch, _lock: lock })
    }

    /// The truth.
    pub fn journal(&self) -> PathBuf {
        self.path.join("journal")
    }

    /// What can be made anew from it.
    pub fn index(&self) -> PathBuf {
        self.path.join("index")
    }

    /// Images, which nothing can make anew.
    pub fn images(&self) -> PathBuf {
        self.path.join("images")
    }

    /// The key with which push notices are signed.
    pub fn vapid_key(&self) -> PathBuf {
        self.path.join("vapid.key")
    }

    /// Names this history: another number after a restore, so that cursors of the
    /// history before are recognized.
    pub const fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Moves an index that cannot be used out of the way, and removes the one that was
    /// set aside before it.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn set_index_aside(&self) -> Result<(), DataDirError> {
        let aside = self.path.join("index.broken");
        let unusable = |source| DataDirError::Unusable { path: aside.clone(), source };
        match fs::remove_dir_all(&aside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unusable(error)),
            Ok(()) | Err(_) => {}
        }
        fs::rename(self.index(), &aside).map_err(unusable)
    }
}

fn read_or_make_epoch(folder: &Path) -> Result<u32, DataDirError> {
    let path = folder.join("history");
    let unusable = |source| DataDirError::Unusable { path: path.clone(), source };
    match fs::read_to_string(&path) {
        Ok(text) => u32::from_str_radix(text.trim(), 16).map_err(|_| DataDirError::Damaged {
            path: path.clone(),
            what: "it should hold eight hexadecimal digits".to_owned(),
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let epoch = u32::from_be_bytes(crate::actors::mint::random());
            write_durably(folder, &path, format!("{epoch:08x}\n").as_bytes()).map_err(unusable)?;
            Ok(epoch)
        }
        Err(error) => Err(unusable(error)),
    }
}

/// Writes a small file so that a crash leaves all of it or nothing.
fn write_durably(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension("new");
    let mut file = File::create(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&draft, path)?;
    File::open(folder)?.sync_all()
}
