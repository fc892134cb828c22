//! Files on the disk, each in a folder named by the first digits of its content's digest, whole or
//! not there at all: a file is written as a draft first and renamed when it is complete.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};

use crate::files::kind;
use domain::hex::hex;

/// The folder of drafts. Drafts that are there at a start are left from a process that crashed.
pub const DRAFTS: &str = "new";
/// The folder of notes about files that were uploaded and not sent yet.
pub const UNSENT: &str = "unsent";
/// The folder of uploads that are not complete.
pub(super) const PARTIAL: &str = "partial";

/// The folder with all files.
#[derive(Debug)]
pub struct FileDisk {
    folder: PathBuf,
    drafts: AtomicU64,
}

/// A file that is being written, with its size and hash so far.
#[derive(Debug)]
pub struct FileDraft {
    path: PathBuf,
    file: File,
    hasher: Sha256,
    size: u64,
}

/// A file whose bytes are on stable storage, but which is not yet kept under its digest.
#[derive(Debug)]
pub struct Written {
    /// The path of the file.
    pub(super) path: PathBuf,
    /// The digest, size and type of the file.
    pub content: FileContent,
}

/// The identity of a file's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent {
    /// SHA-256, in hexadecimal digits.
    pub digest: String,
    /// The size in bytes.
    pub size: u64,
    /// The media type, told by the first bytes.
    pub mime_type: &'static str,
}

impl FileDisk {
    /// Opens the folder, creates it if it is not there, and removes unfinished drafts.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let drafts = folder.join(DRAFTS);
        match fs::remove_dir_all(&drafts) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        fs::create_dir_all(&drafts)?;
        fs::create_dir_all(folder.join(UNSENT))?;
        fs::create_dir_all(folder.join(PARTIAL))?;
        sync(folder)?;
        folder.parent().map_or(Ok(()), sync)?;
        Ok(Self { folder: folder.to_owned(), drafts: AtomicU64::new(0) })
    }

    /// Begins a draft; returns its path and the draft.
    ///
    /// # Errors
    /// If the disk fails; the same for every function here.
    pub fn begin(&self) -> io::Result<(PathBuf, FileDraft)> {
        let number = self.drafts.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(DRAFTS).join(number.to_string());
        let file = File::create_new(&path)?;
        let hasher = Sha256::new();
        Ok((path.clone(), FileDraft { path, file, hasher, size: 0 }))
    }

    /// Moves a written file to the name of its digest. The name is on stable storage afterwards.
    pub fn keep(&self, written: &Written) -> io::Result<()> {
        let Written { path, content } = written;
        let shelf = self.folder.join(shelf(&content.digest));
        match fs::create_dir(&shelf) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            Ok(()) | Err(_) => sync(&self.folder)?,
        }
        // Replaces a file that is there: that one may be damaged, the new one is not.
        fs::rename(path, shelf.join(&content.digest))?;
        sync(&shelf)
    }

    /// Opens a content; returns the file and its size in bytes, or `None` if it is not there.
    pub fn read(&self, digest: &str) -> io::Result<Option<(File, u64)>> {
        match File::open(path_in(&self.folder, digest)) {
            Ok(file) => {
                let size = file.metadata()?.len();
                Ok(Some((file, size)))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Removes a content; returns whether it was there.
    pub fn remove(&self, digest: &str) -> io::Result<bool> {
        match fs::remove_file(path_in(&self.folder, digest)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Writes a note about a file that is not sent yet, durably.
    pub fn note(&self, name: &str, text: &[u8]) -> io::Result<()> {
        self.note_in(Path::new(UNSENT), name, text)
    }

    /// Writes a note into a subfolder, durably, in place of an earlier one of this name.
    pub(super) fn note_in(&self, folder: &Path, name: &str, text: &[u8]) -> io::Result<()> {
        let folder = self.folder.join(folder);
        let number = self.drafts.fetch_add(1, Ordering::Relaxed);
        let draft = self.folder.join(DRAFTS).join(number.to_string());
        let mut file = File::create_new(&draft)?;
        file.write_all(text)?;
        file.sync_all()?;
        fs::rename(&draft, folder.join(name))?;
        sync(&folder)
    }

    /// The folder of all files.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Removes the note about a file that is not sent yet.
    pub fn forget_note(&self, name: &str) -> io::Result<()> {
        match fs::remove_file(self.folder.join(UNSENT).join(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Reads all notes about files that are not sent yet, in no order.
    pub fn notes(&self) -> io::Result<Vec<Vec<u8>>> {
        fs::read_dir(self.folder.join(UNSENT))?.map(|entry| fs::read(entry?.path())).collect()
    }
}

impl FileDraft {
    /// A draft over a file that already holds its bytes, which still have to be passed to
    /// [`Self::count`].
    pub(super) const fn over(path: PathBuf, file: File, hasher: Sha256) -> Self {
        Self { path, file, hasher, size: 0 }
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// If the write fails.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.count(bytes);
        Ok(())
    }

    /// Adds bytes that are in the file to its hash and size.
    pub(super) fn count(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.size += bytes.len() as u64;
    }

    /// Ends the draft: syncs the file and returns its digest, size and type.
    ///
    /// # Errors
    /// If the sync fails.
    pub fn finish(self) -> io::Result<Written> {
        let Self { path, file, hasher, size } = self;
        file.sync_all()?;
        let mime_type = kind::of(&mut File::open(&path)?)?;
        let digest = hex(&hasher.finalize());
        Ok(Written { path, content: FileContent { digest, size, mime_type } })
    }
}

/// Lists the digest and size of every content below a folder, in no order.
///
/// # Errors
/// If the folder cannot be read.
pub fn contents(folder: &Path) -> io::Result<Vec<(String, u64)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().len() != SHELF || !entry.file_type()?.is_dir() {
            continue;
        }
        for entry in fs::read_dir(entry.path())? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            found.push((name, entry.metadata()?.len()));
        }
    }
    Ok(found)
}

/// Digits of a digest that name the folder it lies in.
const SHELF: usize = 2;

fn shelf(digest: &str) -> &str {
    digest.get(..SHELF).unwrap_or(digest)
}

/// The path of a content below a folder.
pub fn path_in(folder: &Path, digest: &str) -> PathBuf {
    folder.join(shelf(digest)).join(digest)
}

pub(super) fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn content_is_stored_once_and_partial_files_removed() {
        let data = TempDir::new().unwrap();
        let folder = data.path().join("files");
        let disk = FileDisk::open(&folder).unwrap();
        let kept: Vec<FileContent> = [&["rope ", "at six"][..], &["rope at six"]]
            .into_iter()
            .map(|parts| {
                let (_, mut draft) = disk.begin().unwrap();
                parts.iter().for_each(|part| draft.write(part.as_bytes()).unwrap());
                let written = draft.finish().unwrap();
                disk.keep(&written).unwrap();
                written.content
            })
            .collect();
        assert_eq!(kept[0], kept[1]);
        assert_eq!((kept[0].size, kept[0].mime_type), (11, "text/plain"));
        let (path, mut left) = disk.begin().unwrap();
        left.write(b"half").unwrap();
        disk.note("7", b"{}").unwrap();
        let disk = FileDisk::open(&folder).unwrap();
        assert!(!path.exists());
        assert_eq!(disk.notes().unwrap(), [b"{}"]);
        let (mut file, size) = disk.read(&kept[0].digest).unwrap().unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), size), ("rope at six", 11));
        assert_eq!(contents(&folder).unwrap(), [(kept[0].digest.clone(), 11)]);
        assert!(disk.remove(&kept[0].digest).unwrap());
        assert!(disk.read(&kept[0].digest).unwrap().is_none());
    }
}
