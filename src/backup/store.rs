//! Named objects in a folder or in a bucket.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::bucket::{Credentials, S3Bucket};
use crate::object::{BackupStoreFault, StoredObject};
use crate::place::BackupPlace;
use outgoing::Outgoing;

/// How many bytes of a file are read at a time.
const STRIDE: usize = 1 << 20;
/// The end of the name of a file that is not complete.
const DRAFT: &str = ".new";

/// A store. The client of a bucket cannot leave its thread.
pub enum BackupStore {
    /// A folder of this machine.
    Folder(PathBuf),
    /// A bucket of S3.
    Bucket(Box<S3Bucket>),
}

impl BackupStore {
    /// Opens the store at a place. Nothing is sent yet.
    ///
    /// # Errors
    /// If a bucket is named without credentials, or its name cannot be part of a URL.
    pub fn open(
        place: &BackupPlace,
        credentials: Option<&Credentials>,
        outgoing: &Outgoing,
    ) -> Result<Self, BackupStoreFault> {
        match place {
            BackupPlace::Folder(folder) => Ok(Self::Folder(folder.clone())),
            BackupPlace::Bucket(url) => {
                let bucket = S3Bucket::open(url, credentials, outgoing.clone())?;
                Ok(Self::Bucket(Box::new(bucket)))
            }
        }
    }

    /// Stores an object: all of it, or nothing. Returns the number of its bytes.
    ///
    /// # Errors
    /// If the content cannot be read, or the object cannot be stored.
    pub async fn put(&self, name: &str, content: &mut dyn Read) -> Result<u64, BackupStoreFault> {
        match self {
            Self::Folder(folder) => put_file(folder, name, content)
                .await
                .map_err(|source| BackupStoreFault::file(name, source)),
            Self::Bucket(bucket) => bucket.put(name, content).await,
        }
    }

    /// Reads an object.
    ///
    /// # Errors
    /// If it is missing or cannot be read, or if writing the content fails.
    pub async fn get(&self, name: &str, into: &mut dyn Write) -> Result<(), BackupStoreFault> {
        let folder = match self {
            Self::Folder(folder) => folder,
            Self::Bucket(bucket) => return bucket.get(name, into).await,
        };
        let file = match File::open(folder.join(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(BackupStoreFault::Absent(name.to_owned()));
            }
            file => file.map_err(|source| BackupStoreFault::file(name, source))?,
        };
        pass(&mut &file, into).await.map_err(|source| BackupStoreFault::file(name, source))?;
        Ok(())
    }

    /// Lists all objects whose names begin with a folder like `sets/`, in the order of their names.
    ///
    /// # Errors
    /// If the store cannot be listed.
    pub async fn list(&self, below: &str) -> Result<Vec<StoredObject>, BackupStoreFault> {
        let mut listed = match self {
            Self::Folder(folder) => {
                let mut listed = Vec::new();
                list_files(folder, below.trim_end_matches('/'), &mut listed)
                    .map_err(|source| BackupStoreFault::file(below, source))?;
                listed
            }
            Self::Bucket(bucket) => bucket.list(below).await?,
        };
        listed.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(listed)
    }

    /// Removes an object, if it is there.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub async fn remove(&self, name: &str) -> Result<(), BackupStoreFault> {
        let folder = match self {
            Self::Folder(folder) => folder,
            Self::Bucket(bucket) => return bucket.remove(name).await,
        };
        let path = folder.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            removed => removed.map_err(|source| BackupStoreFault::file(name, source))?,
        }
        // The folder of a set or the shelf of an object stays if others are in it.
        drop(path.parent().map(fs::remove_dir));
        Ok(())
    }
}

/// Passes everything on, and lets other tasks run in between. Returns the number of bytes.
pub async fn pass(from: &mut dyn Read, into: &mut dyn Write) -> io::Result<u64> {
    let mut buffer = vec![0; STRIDE];
    let mut bytes = 0;
    loop {
        let got = match from.read(&mut buffer) {
            Ok(0) => return Ok(bytes),
            Ok(got) => got,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        into.write_all(&buffer[..got])?;
        bytes += got as u64;
        tokio::task::yield_now().await;
    }
}

async fn put_file(folder: &Path, name: &str, content: &mut dyn Read) -> io::Result<u64> {
    let path = folder.join(name);
    let parent = path.parent().unwrap_or(folder);
    DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
    // One that a crash left behind is written again.
    let draft = folder.join(format!("{name}{DRAFT}"));
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    let written = pass(content, &mut file).await.and_then(|bytes| {
        file.sync_all()?;
        fs::rename(&draft, &path)?;
        sync_up_to(folder, parent)?;
        Ok(bytes)
    });
    if written.is_err() {
        // Its name says that it is not complete.
        drop(fs::remove_file(&draft));
    }
    written
}

/// Syncs a folder and those above it, up to the folder of the store.
fn sync_up_to(store: &Path, folder: &Path) -> io::Result<()> {
    let mut at = folder;
    loop {
        File::open(at)?.sync_all()?;
        match at.parent() {
            Some(parent) if at != store => at = parent,
            _ => return Ok(()),
        }
    }
}

fn list_files(folder: &Path, below: &str, listed: &mut Vec<StoredObject>) -> io::Result<()> {
    let entries = match fs::read_dir(folder.join(below)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = format!("{below}/{}", entry.file_name().to_string_lossy());
        let kind = entry.metadata()?;
        if kind.is_dir() {
            list_files(folder, &name, listed)?;
        } else if kind.is_file() && !name.ends_with(DRAFT) {
            listed.push(StoredObject { name, bytes: kind.len() });
        }
    }
    Ok(())
}
