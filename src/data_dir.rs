//! The data directory: everything that must survive, used by one process at a time.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use crate::domain::checked::{checked, with_check};

/// The directory, locked for this process until it is dropped.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    epoch: u32,
    _lock: DirLock,
}

/// Where a backup lies while it is being put back.
pub const RESTORING: &str = "restoring";
/// The file that names the history.
pub const HISTORY: &str = "history";

/// The file that says that this is one node of several, and of which installation.
const NODE: &str = "node";

/// What a start makes after the journal.
const MADE_LATER: [&str; 4] = ["index", "images", "files", "vapid.key"];

/// A directory that no other process uses until this is dropped; nothing in it changes.
#[derive(Debug)]
pub struct DirLock {
    _lock: File,
}

impl DirLock {
    /// Holds a directory that is there.
    ///
    /// # Errors
    /// When it cannot be written, or another process has it.
    pub fn take(path: &Path) -> Result<Self, DataDirError> {
        let unusable = |source| DataDirError::Unusable { path: path.to_owned(), source };
        let lock =
            OpenOptions::new().create(true).truncate(false).write(true).open(path.join("lock"));
        let lock = lock.map_err(unusable)?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { _lock: lock }),
            Err(rustix::io::Errno::WOULDBLOCK) => {
                Err(DataDirError::Locked { path: path.to_owned() })
            }
            Err(error) => Err(unusable(error.into())),
        }
    }

    /// Holds the directory of an installation that is there.
    ///
    /// # Errors
    /// Like [`DirLock::take`], and when there is no journal in it.
    pub fn of_installation(path: &Path) -> Result<Self, DataDirError> {
        refuse_absent(path)?;
        Self::take(path)
    }
}

fn refuse_absent(path: &Path) -> Result<(), DataDirError> {
    refuse_lost_journal(path)?;
    if path.join("journal").is_dir() {
        return Ok(());
    }
    Err(DataDirError::Absent { path: path.to_owned() })
}

/// Why the directory cannot be used: one line for the operator.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// The system refuses.
    #[error("the data directory {} cannot be used: {source}", path.display())]
    Unusable {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process has it.
    #[error("the data directory {} is in use by another process", path.display())]
    Locked {
        /// The file or directory.
        path: PathBuf,
    },
    /// No installation lies there.
    #[error("the data directory {} holds no installation", path.display())]
    Absent {
        /// The file or directory.
        path: PathBuf,
    },
    /// The truth is gone, and what was made of it is there.
    #[error(
        "the data directory {} lost its journal: there is no {} with segments in it, but {} is \
         there; bring the journal back, or begin an empty one by starting once with \
         --accept-lost-journal",
        path.display(), path.join("journal").display(), proof
    )]
    JournalLost {
        /// The file or directory.
        path: PathBuf,
        /// What shows that there was one.
        proof: &'static str,
    },
    /// What lies there is one node's copy.
    #[error(
        "the data directory {} is that of one node of several: start it with --nats and --node",
        path.display()
    )]
    OfANode {
        /// The file or directory.
        path: PathBuf,
    },
    /// A restore was interrupted.
    #[error(
        "the data directory {} holds an unfinished restore; empty it and restore again",
        path.display()
    )]
    Unfinished {
        /// The file or directory.
        path: PathBuf,
    },
    /// A file in it is not what it should be.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// The file or directory.
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
        make_durably(path).map_err(unusable)?;
        let held = DirLock::take(path)?;
        if path.join(RESTORING).exists() {
            return Err(DataDirError::Unfinished { path: path.to_owned() });
        }
        let epoch = read_or_make_epoch(path)?;
        Ok(Self { path: path.to_owned(), epoch, _lock: held })
    }

    /// Takes the directory of an installation that is there.
    ///
    /// # Errors
    /// Like [`DataDir::take`], and when there is no journal in it.
    pub fn existing(path: &Path) -> Result<Self, DataDirError> {
        refuse_absent(path)?;
        Self::take(path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Looks whether the journal is gone while something is there that only a server with a
    /// journal makes.
    ///
    /// # Errors
    /// When it is.
    pub fn refuse_lost_journal(&self) -> Result<(), DataDirError> {
        refuse_lost_journal(&self.path)
    }

    /// Begins a new history: cursors of the one before are recognized from now on.
    ///
    /// # Errors
    /// As the system says.
    pub fn begin_history(&mut self) -> Result<(), DataDirError> {
        let unusable = |source| DataDirError::Unusable { path: self.path.clone(), source };
        self.epoch = begin_history(&self.path, Some(self.epoch)).map_err(unusable)?;
        Ok(())
    }

    /// Looks whether this is one node of several, whose journal nobody may write alone.
    ///
    /// # Errors
    /// When it is.
    pub fn refuse_node(&self) -> Result<(), DataDirError> {
        let is_node = self.path.join(NODE).exists();
        if is_node { Err(DataDirError::OfANode { path: self.path.clone() }) } else { Ok(()) }
    }

    /// The installation that this node joined, 0 as long as it is not known which; nothing
    /// if it joined none.
    ///
    /// # Errors
    /// When the file that tells it is damaged.
    pub fn joined(&self) -> Result<Option<u64>, DataDirError> {
        let path = self.path.join(NODE);
        let unusable = |source| DataDirError::Unusable { path: path.clone(), source };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unusable(error)),
        };
        let number = checked(&text).and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let what = "it should hold sixteen hexadecimal digits".to_owned();
        number.map(Some).ok_or(DataDirError::Damaged { path, what })
    }

    /// Whether a data directory is a node's, one of several.
    pub fn is_of_a_node(path: &Path) -> bool {
        path.join(NODE).exists()
    }

    /// Notes which installation this node joins, 0 as long as that is not known.
    ///
    /// # Errors
    /// As the system says.
    pub fn join(&self, installation: u64) -> Result<(), DataDirError> {
        let path = self.path.join(NODE);
        let text = with_check(&format!("{installation:016x}"));
        let written = write_durably(&self.path, &path, text.as_bytes());
        written.map_err(|source| DataDirError::Unusable { path, source })
    }

    /// It joined nothing: what was noted before counts.
    ///
    /// # Errors
    /// As the system says.
    pub fn forget_joining(&self, before: Option<u64>) -> Result<(), DataDirError> {
        match before {
            Some(before) => self.join(before),
            None => {
                let path = self.path.join(NODE);
                fs::remove_file(&path).map_err(|source| DataDirError::Unusable { path, source })
            }
        }
    }

    /// Takes the number of the installation's history, which is the same at every node.
    ///
    /// # Errors
    /// As the system says.
    pub fn go_on_with_history(&mut self, number: u32) -> Result<(), DataDirError> {
        if self.epoch == number {
            return Ok(());
        }
        let path = self.path.join(HISTORY);
        let text = with_check(&format!("{number:08x}"));
        let written = write_durably(&self.path, &path, text.as_bytes());
        written.map_err(|source| DataDirError::Unusable { path, source })?;
        self.epoch = number;
        Ok(())
    }

    /// The truth.
    pub fn journal(&self) -> PathBuf {
        self.path.join("journal")
    }

    /// What can be made anew from it.
    pub fn index(&self) -> PathBuf {
        self.path.join("index")
    }

    /// The words of messages, which can be made anew from it too.
    pub fn search(&self) -> PathBuf {
        self.path.join("search")
    }

    /// Images, which nothing can make anew.
    pub fn images(&self) -> PathBuf {
        self.path.join("images")
    }

    /// Files of conversations, which nothing can make anew either.
    pub fn files(&self) -> PathBuf {
        self.path.join("files")
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
}

/// Moves an index that cannot be used out of the way, to a name of its own: what was set
/// aside before stays. Says where it lies then.
///
/// # Errors
/// When the system refuses.
pub fn set_index_aside(data: &Path) -> Result<PathBuf, DataDirError> {
    let mut number = 1_u32;
    let aside = loop {
        let aside = data.join(format!("index.broken-{number}"));
        if !aside.exists() {
            break aside;
        }
        number += 1;
    };
    let unusable = |source| DataDirError::Unusable { path: aside.clone(), source };
    fs::rename(data.join("index"), &aside).map_err(unusable)?;
    File::open(data).and_then(|folder| folder.sync_all()).map_err(unusable)?;
    Ok(aside)
}

/// Looks whether the journal in this folder is gone while something is there that only a
/// server with a journal makes.
///
/// # Errors
/// When it is.
pub fn refuse_lost_journal(path: &Path) -> Result<(), DataDirError> {
    let journal = path.join("journal");
    let has_segments = fs::read_dir(&journal).is_ok_and(|mut files| files.next().is_some());
    if has_segments {
        return Ok(());
    }
    match MADE_LATER.into_iter().find(|name| path.join(name).exists()) {
        Some(proof) => Err(DataDirError::JournalLost { path: path.to_owned(), proof }),
        None => Ok(()),
    }
}

/// Makes a folder, and those above it, whose names outlive a loss of power. What users said
/// is for nobody else on this machine.
fn make_durably(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    make_durably(parent)?;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    File::open(parent)?.sync_all()
}

fn read_or_make_epoch(folder: &Path) -> Result<u32, DataDirError> {
    let path = folder.join(HISTORY);
    let unusable = |source| DataDirError::Unusable { path: path.clone(), source };
    match fs::read_to_string(&path) {
        Ok(text) => number_in(&text).ok_or_else(|| DataDirError::Damaged {
            path: path.clone(),
            what: "it should hold eight hexadecimal digits".to_owned(),
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            begin_history(folder, None).map_err(unusable)
        }
        Err(error) => Err(unusable(error)),
    }
}

/// The number of the history in this folder, if one is written there.
pub fn history_of(folder: &Path) -> Option<u32> {
    number_in(&fs::read_to_string(folder.join(HISTORY)).ok()?)
}

/// The number of a history, as it is written.
fn number_in(text: &str) -> Option<u32> {
    let digits = checked(text).filter(|digits| digits.len() == 8)?;
    u32::from_str_radix(digits, 16).ok()
}

/// Begins a history in this folder, under another number than the one before.
///
/// # Errors
/// As the system says.
pub fn begin_history(folder: &Path, before: Option<u32>) -> io::Result<u32> {
    let mut number = u32::from_be_bytes(crate::random::random());
    while Some(number) == before {
        number = u32::from_be_bytes(crate::random::random());
    }
    let text = with_check(&format!("{number:08x}"));
    write_durably(folder, &folder.join(HISTORY), text.as_bytes())?;
    Ok(number)
}

/// Writes a small file so that a crash leaves all of it or nothing.
///
/// # Errors
/// As the system says.
pub fn write_durably(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension("new");
    let mut file = File::create(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&draft, path)?;
    File::open(folder)?.sync_all()
}
