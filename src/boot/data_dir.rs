//! The data directory: everything that must survive, used by one process at a time.

use std::fs::{self, File, OpenOptions, Permissions, metadata, set_permissions, symlink_metadata};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Gid, Mode, OFlags, Stat, Uid, flock};
use rustix::io::Errno;

use domain::checked::{checked, with_check};

/// The data directory, locked for this process until it is dropped.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    epoch: u32,
    _lock: DirLock,
}

pub use backup::source::RESTORING;
/// The file that the process which uses the directory has locked.
pub const LOCK: &str = "lock";
/// The file with the number of the history.
pub const HISTORY: &str = "history";

/// The file that marks the data of one node of several, and holds the number of its installation.
const NODE: &str = "node";

/// The file with the key of the installation of several nodes.
const INSTALLATION_KEY: &str = "installation.key";

/// Names that a server creates only after the journal.
const MADE_LATER: [&str; 4] = ["index", "images", "files", "vapid.key"];

/// The lock on a data directory: no other process uses it until this is dropped. What root made in
/// it then belongs to the owner of the directory, so that a tool run by root leaves nothing that
/// the server's own account cannot open.
#[derive(Debug)]
pub struct DirLock {
    // Dropped first, while the directory is still locked.
    _transfer: OwnershipTransfer,
    _lock: File,
}

impl DirLock {
    /// Locks an existing directory.
    ///
    /// # Errors
    /// If the directory is not writable, or another process has locked it.
    pub fn take(path: &Path) -> Result<Self, DataDirError> {
        let file = path.join(LOCK);
        let unusable = |source| match file.exists() {
            true => DataDirError::File { path: file.clone(), source },
            false => DataDirError::Unusable { path: path.to_owned(), source },
        };
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&file);
        let lock = lock.map_err(unusable)?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { _transfer: OwnershipTransfer::of(path), _lock: lock }),
            Err(rustix::io::Errno::WOULDBLOCK) => {
                Err(DataDirError::Locked { path: path.to_owned() })
            }
            Err(error) => Err(unusable(error.into())),
        }
    }

    /// Locks the directory of an existing installation.
    ///
    /// # Errors
    /// Like [`DirLock::take`], and if there is no journal in it.
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

/// Why the data directory cannot be used: one line for the operator.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// The operating system reported an error about the directory.
    #[error("the data directory {} cannot be used: {source}", path.display())]
    Unusable {
        /// The data directory.
        path: PathBuf,
        /// The error that the operating system reported.
        source: io::Error,
    },
    /// The operating system reported an error about something in the directory.
    #[error("{} cannot be used: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The error that the operating system reported.
        source: io::Error,
    },
    /// Another process has locked the directory.
    #[error("the data directory {} is in use by another process", path.display())]
    Locked {
        /// The data directory.
        path: PathBuf,
    },
    /// There is no installation in the directory.
    #[error("the data directory {} holds no installation", path.display())]
    Absent {
        /// The data directory.
        path: PathBuf,
    },
    /// The journal is gone, but what was made from it is there.
    #[error(
        "the data directory {} lost its journal: there is no {} with segments in it, but {} is \
         there; bring the journal back, or start once with --accept-lost-journal to begin an \
         empty one",
        path.display(), path.join("journal").display(), proof
    )]
    JournalLost {
        /// The data directory.
        path: PathBuf,
        /// The name of what shows that there was a journal.
        proof: &'static str,
    },
    /// The directory holds one node's copy of the shared log.
    #[error(
        "the data directory {} belongs to one of several nodes: start it with --nats and --node",
        path.display()
    )]
    OfANode {
        /// The data directory.
        path: PathBuf,
    },
    /// A restore was interrupted.
    #[error(
        "the data directory {} holds an unfinished restore; empty it and restore again",
        path.display()
    )]
    Unfinished {
        /// The data directory.
        path: PathBuf,
    },
    /// A file has invalid content.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The reason.
        what: String,
    },
}

impl DataDir {
    /// Locks the directory, and creates it if there is none.
    ///
    /// # Errors
    /// If the directory cannot be read and written, or another process has locked it.
    pub fn take(path: &Path) -> Result<Self, DataDirError> {
        let unusable = |source| DataDirError::Unusable { path: path.to_owned(), source };
        make_durably(path).map_err(unusable)?;
        let held = DirLock::take(path)?;
        if path.join(RESTORING).exists() {
            return Err(DataDirError::Unfinished { path: path.to_owned() });
        }
        close_to_others(path);
        let epoch = read_or_make_epoch(path)?;
        Ok(Self { path: path.to_owned(), epoch, _lock: held })
    }

    /// Locks the directory of an existing installation.
    ///
    /// # Errors
    /// Like [`DataDir::take`], and if there is no journal in it.
    pub fn existing(path: &Path) -> Result<Self, DataDirError> {
        refuse_absent(path)?;
        Self::take(path)
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the journal is not lost, as [`refuse_lost_journal`] does.
    ///
    /// # Errors
    /// If it is lost.
    pub fn refuse_lost_journal(&self) -> Result<(), DataDirError> {
        refuse_lost_journal(&self.path)
    }

    /// Begins a new history, so that cursors of the one before are recognized.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn begin_history(&mut self) -> Result<(), DataDirError> {
        let unusable = |source| DataDirError::Unusable { path: self.path.clone(), source };
        self.epoch = begin_history(&self.path, Some(self.epoch)).map_err(unusable)?;
        Ok(())
    }

    /// Refuses the data of one node of several: its journal must not be written alone.
    ///
    /// # Errors
    /// If the data is a node's.
    pub fn refuse_node(&self) -> Result<(), DataDirError> {
        let is_node = self.path.join(NODE).exists();
        if is_node { Err(DataDirError::OfANode { path: self.path.clone() }) } else { Ok(()) }
    }

    /// The number of the installation that this node joined, 0 if it was not known yet; `None` if
    /// it joined none.
    ///
    /// # Errors
    /// If the file that holds the number cannot be read or is damaged.
    pub fn joined(&self) -> Result<Option<u64>, DataDirError> {
        let path = self.path.join(NODE);
        let unusable = |source| DataDirError::File { path: path.clone(), source };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unusable(error)),
        };
        let number = checked(&text).and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let what = "it should hold sixteen hexadecimal digits".to_owned();
        number.map(Some).ok_or(DataDirError::Damaged { path, what })
    }

    /// Whether this is the data directory of one node of several.
    pub fn is_of_a_node(path: &Path) -> bool {
        path.join(NODE).exists()
    }

    /// Notes which installation this node joins, 0 while that is not known.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn join(&self, installation: u64) -> Result<(), DataDirError> {
        let path = self.path.join(NODE);
        let text = with_check(&format!("{installation:016x}"));
        let written = write_durably(&self.path, &path, text.as_bytes());
        written.map_err(|source| DataDirError::File { path, source })
    }

    /// Restores the note from before a join that failed.
    ///
    /// # Errors
    /// If the file cannot be written or removed.
    pub fn forget_joining(&self, before: Option<u64>) -> Result<(), DataDirError> {
        match before {
            Some(before) => self.join(before),
            None => {
                let path = self.path.join(NODE);
                fs::remove_file(&path).map_err(|source| DataDirError::File { path, source })
            }
        }
    }

    /// Takes over the number of the installation's history, which is the same at every node.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn go_on_with_history(&mut self, number: u32) -> Result<(), DataDirError> {
        if self.epoch == number {
            return Ok(());
        }
        let path = self.path.join(HISTORY);
        let text = with_check(&format!("{number:08x}"));
        let written = write_durably(&self.path, &path, text.as_bytes());
        written.map_err(|source| DataDirError::File { path, source })?;
        self.epoch = number;
        Ok(())
    }

    /// The folder of the journal, from which index and search can be rebuilt.
    pub fn journal(&self) -> PathBuf {
        self.path.join("journal")
    }

    /// The folder of the index.
    pub fn index(&self) -> PathBuf {
        self.path.join("index")
    }

    /// The folder of the search index.
    pub fn search(&self) -> PathBuf {
        self.path.join("search")
    }

    /// The folder of images, which cannot be rebuilt.
    pub fn images(&self) -> PathBuf {
        self.path.join("images")
    }

    /// The folder of files of conversations, which cannot be rebuilt.
    pub fn files(&self) -> PathBuf {
        self.path.join("files")
    }

    /// The file with the key of the installation of several nodes.
    pub fn installation_key(&self) -> PathBuf {
        self.path.join(INSTALLATION_KEY)
    }

    /// The file with the key that signs push notices.
    pub fn vapid_key(&self) -> PathBuf {
        self.path.join("vapid.key")
    }

    /// The file with the key that encrypts secrets at rest.
    pub fn secrets_key(&self) -> PathBuf {
        self.path.join("secrets.key")
    }

    /// The number of the history: another one after a restore, so that cursors of the history
    /// before are recognized.
    pub const fn epoch(&self) -> u32 {
        self.epoch
    }
}

/// Checks that the journal in this directory is not lost: gone, while something is there that only
/// a server with a journal creates.
///
/// # Errors
/// If it is lost.
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

/// Creates a folder, and those above it, durably. Only its owner may access it, since it holds what
/// users wrote.
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
    let unusable = |source| DataDirError::File { path: path.clone(), source };
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

/// The number of the history in this directory; `None` if the file is missing or damaged.
pub fn history_of(folder: &Path) -> Option<u32> {
    number_in(&fs::read_to_string(folder.join(HISTORY)).ok()?)
}

/// Parses the number of a history from its file.
fn number_in(text: &str) -> Option<u32> {
    let digits = checked(text).filter(|digits| digits.len() == 8)?;
    u32::from_str_radix(digits, 16).ok()
}

/// Begins a history in this directory, with a random number other than `before`. Returns it.
///
/// # Errors
/// If the file cannot be written.
pub fn begin_history(folder: &Path, before: Option<u32>) -> io::Result<u32> {
    let mut number = u32::from_be_bytes(base::random::random());
    while Some(number) == before {
        number = u32::from_be_bytes(base::random::random());
    }
    let text = with_check(&format!("{number:08x}"));
    write_durably(folder, &folder.join(HISTORY), text.as_bytes())?;
    Ok(number)
}

/// Writes a small file so that a crash leaves all of it or nothing.
///
/// # Errors
/// If the write fails.
pub fn write_durably(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension("new");
    let mut file = File::create(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&draft, path)?;
    File::open(folder)?.sync_all()
}

/// Moves an index that cannot be used to a new name, beside those that were set aside before.
/// Returns its new path.
///
/// # Errors
/// If the index cannot be renamed.
pub fn set_index_aside(data: &Path) -> Result<PathBuf, DataDirError> {
    let aside = free_name(data, "index.broken");
    let unusable = |source| DataDirError::File { path: aside.clone(), source };
    fs::rename(data.join("index"), &aside).map_err(unusable)?;
    File::open(data).and_then(|folder| folder.sync_all()).map_err(unusable)?;
    Ok(aside)
}

/// The path of a folder for what is set aside: the first number behind this name that is free.
pub fn free_name(data: &Path, name: &str) -> PathBuf {
    let mut number = 1_u32;
    loop {
        let aside = data.join(format!("{name}-{number}"));
        if !aside.exists() {
            return aside;
        }
        number += 1;
    }
}

/// The folders of an installation: only their owner may look into them.
const FOLDERS: [&str; 6] = ["journal", "index", "search", "images", "files", "tls"];
/// The files with keys.
const KEYS: [&str; 6] = [
    "vapid.key",
    "secrets.key",
    "installation.key",
    "files/link.key",
    "tls/account.json",
    "tls/certificate.pem",
];
/// The permissions of everybody but the owner.
const OTHERS: u32 = 0o077;
/// How a folder is opened to go through it: only if it is one, and no link to one.
const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Takes from everybody but the owner the right to look into the folders of an installation. They
/// may be open in a directory that somebody else made, or that an earlier version filled.
fn close_to_others(data: &Path) {
    for folder in FOLDERS.map(|name| data.join(name)) {
        let Ok(found) = metadata(&folder) else { continue };
        let mode = found.permissions().mode();
        if mode & OTHERS == 0 {
            continue;
        }
        let closed = Permissions::from_mode(mode & !OTHERS & 0o7777);
        if let Err(error) = set_permissions(&folder, closed) {
            let folder = folder.display();
            tracing::warn!(
                %folder, %error,
                "closing a folder to other accounts failed; they may be able to read it"
            );
        }
    }
}

/// The folders and the files with keys that other accounts may access.
pub(crate) fn open_to_others(data: &Path) -> Vec<PathBuf> {
    let paths = FOLDERS.iter().chain(&KEYS).map(|name| data.join(name));
    paths
        .filter(|path| metadata(path).is_ok_and(|it| it.permissions().mode() & OTHERS != 0))
        .collect()
}

/// The files and folders directly in a data directory that do not belong to its owner.
///
/// # Errors
/// If the directory cannot be read.
pub(crate) fn of_other_owners(data: &Path) -> io::Result<Vec<PathBuf>> {
    let owner = metadata(data)?.uid();
    let mut others = Vec::new();
    for entry in fs::read_dir(data)? {
        let path = entry?.path();
        // A file may have been removed meanwhile.
        if symlink_metadata(&path).is_ok_and(|it| it.uid() != owner) {
            others.push(path);
        }
    }
    Ok(others)
}

/// Gives what root made in a data directory to the directory's owner, when it is dropped. Does
/// nothing for other users, and nothing where the directory is root's.
#[derive(Debug)]
struct OwnershipTransfer(PathBuf);

impl OwnershipTransfer {
    /// For this data directory.
    fn of(data: &Path) -> Self {
        Self(data.to_owned())
    }

    fn carry_out(&self) -> io::Result<()> {
        if !rustix::process::geteuid().is_root() {
            return Ok(());
        }
        let folder = rustix::fs::open(&self.0, FOLDER.difference(OFlags::NOFOLLOW), Mode::empty())?;
        let owner = rustix::fs::fstat(&folder)?;
        if owner.st_uid == 0 { Ok(()) } else { hand_over_below(&folder, &owner) }
    }
}

impl Drop for OwnershipTransfer {
    fn drop(&mut self) {
        if let Err(error) = self.carry_out() {
            let folder = self.0.display();
            tracing::warn!(
                %folder, %error,
                "giving new files to the folder's owner failed; the server may be unable to open \
                 them"
            );
        }
    }
}

/// Goes from folder to folder by their descriptors and follows no link: the owner of the directory
/// might put one in the place of a folder meanwhile, and root would give away what it leads to. A
/// file with a second name is left alone for the same reason.
fn hand_over_below(folder: &OwnedFd, owner: &Stat) -> io::Result<()> {
    let user = Uid::from_raw(owner.st_uid);
    let group = Gid::from_raw(owner.st_gid);
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let found = match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => continue,
            found => found?,
        };
        let is_folder = FileType::from_raw_mode(found.st_mode).is_dir();
        if found.st_uid == 0 && (is_folder || found.st_nlink == 1) {
            rustix::fs::chownat(folder, name, Some(user), Some(group), AtFlags::SYMLINK_NOFOLLOW)?;
        }
        if is_folder {
            hand_over_below(&rustix::fs::openat(folder, name, FOLDER, Mode::empty())?, owner)?;
        }
    }
    Ok(())
}
