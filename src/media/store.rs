//! Images as files: each in a folder named by the first digits of its digest, whole or not there at
//! all.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};

use crate::name::{ImageName, Variant};
use crate::unused_images::WAITING;

/// The folder of drafts. Drafts that are there at a start are left from a process that crashed.
const DRAFTS: &str = "new";
/// Files that are remembered as whole; each takes some 200 bytes.
const KNOWN_WHOLE: usize = 10_000;

/// The folder with all images.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    drafts: AtomicU64,
    /// Subfolders that are known to be on stable storage.
    shelves: Mutex<HashSet<String>>,
    /// Files that were found to hold what was stored, with their looks at that time.
    whole: Cache<String, FileStamp>,
}

/// The length and the modification time of a file: if they change, so may the bytes.
type FileStamp = (u64, Option<SystemTime>);

/// The result of looking for a name.
#[derive(Debug)]
pub(super) enum Found {
    /// No file of this name.
    Nothing,
    /// The file, with the bytes that were stored.
    Whole(StoredFile),
    /// A file with other bytes than were stored.
    Damaged,
}

/// A file of an image, open for reading.
#[derive(Debug)]
pub struct StoredFile {
    /// The name of the image and form.
    pub name: ImageName,
    /// The bytes, followed by a seal if this is a form.
    pub file: File,
    /// How many bytes there are without the seal.
    pub length: u64,
}

/// An image in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The image's name.
    pub name: ImageName,
    /// The size of the original in bytes, without its forms.
    pub length: u64,
    /// When it was stored.
    pub stored_at: SystemTime,
}

impl Store {
    /// Opens the folder, creates it if it is not there, and removes unfinished drafts.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let drafts = folder.join(DRAFTS);
        match fs::remove_dir_all(&drafts) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        fs::create_dir_all(&drafts)?;
        if let Some(parent) = folder.parent() {
            sync(parent)?;
        }
        Ok(Self {
            folder: folder.to_owned(),
            drafts: AtomicU64::new(0),
            shelves: Mutex::default(),
            whole: Cache::new(KNOWN_WHOLE),
        })
    }

    /// The folder of all images.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Stores bytes under this name, in place of others. They are on stable storage afterwards.
    pub(super) fn keep(&self, name: &ImageName, bytes: &[u8]) -> io::Result<()> {
        let shelf = self.shelf(name.shelf())?;
        let path = shelf.join(name.text());
        let sealed = sealed(name, bytes);
        if !fs::read(&path).is_ok_and(|known| *known == *sealed) {
            self.write(&path, &sealed)?;
        }
        // Also if another thread just wrote the file: it may not have synced the folder yet.
        sync(&shelf)
    }

    /// Creates the subfolder for names that begin with these digits, if needed.
    fn shelf(&self, name: &str) -> io::Result<PathBuf> {
        let shelf = self.folder.join(name);
        let mut known = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains(name) {
            match fs::create_dir(&shelf) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                Ok(()) | Err(_) => sync(&self.folder)?,
            }
            known.insert(name.to_owned());
        }
        Ok(shelf)
    }

    /// Writes a file as a draft, and renames it once its bytes are on stable storage.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let number = self.drafts.fetch_add(1, Ordering::Relaxed);
        let draft = self.folder.join(DRAFTS).join(number.to_string());
        let written = (|| {
            let mut file = File::create_new(&draft)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&draft, path)
        })();
        if written.is_err() {
            // What remains is removed at the next start.
            drop(fs::remove_file(&draft));
        }
        written
    }

    /// Writes a note beside the images, durably, in place of an earlier one of this name.
    pub(super) fn note(&self, name: &str, text: &[u8]) -> io::Result<()> {
        self.write(&self.folder.join(name), text)?;
        sync(&self.folder)
    }

    /// Opens the file of this name. The bytes are checked the first time, and again whenever length
    /// or modification time of the file changed.
    pub(super) fn find(&self, name: &ImageName) -> io::Result<Found> {
        let file = match File::open(self.path(name)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
            Err(error) => return Err(error),
        };
        let about = file.metadata()?;
        let looks = (about.len(), about.modified().ok());
        if self.whole.get(&name.text()) != Some(looks) {
            if !is_whole(name, &file, about.len())? {
                return Ok(Found::Damaged);
            }
            self.whole.insert(name.text(), looks);
        }
        let length = about.len() - length(name);
        Ok(Found::Whole(StoredFile { name: name.clone(), file, length }))
    }

    /// Whether there is a file of this name.
    pub(super) fn has(&self, name: &ImageName) -> io::Result<bool> {
        self.path(name).try_exists()
    }

    /// Removes an image and every form of it.
    pub(super) fn remove(&self, name: &ImageName) -> io::Result<()> {
        // The original first: a thread that makes a form checks afterwards whether the original is
        // there.
        for form in name.forms() {
            match fs::remove_file(self.path(&form)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed?,
            }
        }
        Ok(())
    }

    /// Stores a form of an image; `None` if the image was removed meanwhile.
    pub(super) fn keep_form(&self, name: &ImageName, bytes: &[u8]) -> io::Result<Option<Found>> {
        self.keep(name, bytes)?;
        if self.has(&name.original())? {
            return self.find(name).map(Some);
        }
        fs::remove_file(self.path(name))?;
        Ok(None)
    }

    fn path(&self, name: &ImageName) -> PathBuf {
        path_in(&self.folder, name)
    }
}

/// Reads the bytes of a file, without the seal.
pub(super) fn bytes_of(stored: &StoredFile) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(stored.length).unwrap_or(usize::MAX)];
    stored.file.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

/// The path of an image below a folder.
pub fn path_in(folder: &Path, name: &ImageName) -> PathBuf {
    folder.join(name.shelf()).join(name.text())
}

/// Lists every image below a folder, without its forms, in no order.
///
/// # Errors
/// If the folder cannot be read.
pub fn list(folder: &Path) -> io::Result<Vec<Listed>> {
    let mut found = Vec::new();
    for shelf in fs::read_dir(folder)? {
        let shelf = shelf?;
        if [DRAFTS, WAITING].iter().any(|it| shelf.file_name() == *it)
            || !shelf.file_type()?.is_dir()
        {
            continue;
        }
        for entry in fs::read_dir(shelf.path())? {
            let entry = entry?;
            let name = entry.file_name().to_str().and_then(ImageName::parse);
            if let Some(name) = name.filter(|name| name.variant == Variant::Original) {
                let about = entry.metadata()?;
                let length = about.len();
                let stored_at = about.modified()?;
                found.push(Listed { name, length, stored_at });
            }
        }
    }
    Ok(found)
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// The bytes that a seal begins with.
const MARK: &[u8; 8] = b"coterie1";
/// Bytes of the digest in a seal.
const DIGEST: usize = 16;
/// Bytes of a seal.
const SEAL: u64 = (MARK.len() + DIGEST) as u64;
/// Bytes that are read at once.
const PIECE: usize = 64 << 10;

/// The length of the seal in the file of this name; 0 for an original.
pub(super) const fn length(name: &ImageName) -> u64 {
    match name.variant {
        Variant::Original => 0,
        Variant::Preview | Variant::Large | Variant::Avatar => SEAL,
    }
}

/// The bytes of the file of this name, with a seal if it is a form.
pub(super) fn sealed<'a>(name: &ImageName, bytes: &'a [u8]) -> Cow<'a, [u8]> {
    if length(name) == 0 {
        return Cow::Borrowed(bytes);
    }
    Cow::Owned([bytes, MARK, &Sha256::digest(bytes)[..DIGEST]].concat())
}

/// Whether a file of this name and length holds what was stored. A form from before there were
/// seals counts as damaged, so it is rebuilt.
pub(super) fn is_whole(name: &ImageName, file: &File, bytes: u64) -> io::Result<bool> {
    let Some(shown) = bytes.checked_sub(length(name)) else { return Ok(false) };
    let digest = digest(file, shown)?;
    if length(name) == 0 {
        return Ok(name.is_of(&digest));
    }
    let mut seal = [0; MARK.len() + DIGEST];
    file.read_exact_at(&mut seal, shown)?;
    Ok(seal[..MARK.len()] == *MARK && seal[MARK.len()..] == digest[..DIGEST])
}

fn digest(file: &File, bytes: u64) -> io::Result<[u8; 32]> {
    let mut hash = Sha256::new();
    let mut piece = vec![0; PIECE];
    let mut at = 0;
    while at < bytes {
        let length = PIECE.min(usize::try_from(bytes - at).unwrap_or(PIECE));
        file.read_exact_at(&mut piece[..length], at)?;
        hash.update(&piece[..length]);
        at += length as u64;
    }
    Ok(hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::name::Format;

    #[test]
    fn stored_images_are_found_and_partial_ones_removed() {
        let data = TempDir::new().unwrap();
        let folder = data.path().join("images");
        let name = ImageName::of(b"bytes", (1, 1), Format::Png);
        let store = Store::open(&folder).unwrap();
        assert!(matches!(store.find(&name).unwrap(), Found::Nothing));
        store.keep(&name, b"bytes").unwrap();
        store.keep(&name, b"bytes").unwrap();
        fs::write(folder.join(DRAFTS).join("7"), b"by").unwrap();
        let store = Store::open(&folder).unwrap();
        assert_eq!(fs::read_dir(folder.join(DRAFTS)).unwrap().count(), 0);
        let Found::Whole(stored) = store.find(&name).unwrap() else { panic!("it was kept") };
        assert_eq!(stored.length, 5);
        let listed = list(&folder).unwrap();
        assert_eq!(listed.iter().map(|it| &it.name).collect::<Vec<_>>(), [&name]);
    }

    #[test]
    fn damaged_image_file_is_detected_and_replaced() {
        let data = TempDir::new().unwrap();
        let image = ImageName::of(b"bytes", (1, 1), Format::Png);
        let form = ImageName::parse(&format!("{}.preview", image.text())).unwrap();
        for name in [image, form] {
            let store = Store::open(data.path()).unwrap();
            store.keep(&name, b"bytes").unwrap();
            assert!(matches!(store.find(&name).unwrap(), Found::Whole(_)));
            let path = path_in(data.path(), &name);
            let held = fs::read(&path).unwrap();
            for damaged in [b"Bytes".to_vec(), b"byte".to_vec(), Vec::new(), b"bytes!".to_vec()] {
                fs::write(&path, &damaged).unwrap();
                // A new store has not checked the file yet.
                let store = Store::open(data.path()).unwrap();
                assert!(matches!(store.find(&name).unwrap(), Found::Damaged), "{damaged:?}");
                store.keep(&name, b"bytes").unwrap();
                assert_eq!(fs::read(&path).unwrap(), held);
                let Found::Whole(stored) = store.find(&name).unwrap() else {
                    panic!("it was kept")
                };
                assert_eq!(bytes_of(&stored).unwrap(), b"bytes");
            }
        }
    }

    #[test]
    fn an_image_goes_with_its_forms_and_no_form_comes_afterwards() {
        let data = TempDir::new().unwrap();
        let store = Store::open(data.path()).unwrap();
        let name = ImageName::of(b"bytes", (1, 1), Format::Png);
        let preview = ImageName::parse(&format!("{}.preview", name.text())).unwrap();
        store.keep(&name, b"bytes").unwrap();
        assert!(matches!(store.keep_form(&preview, b"less").unwrap(), Some(Found::Whole(_))));
        for _ in 0..2 {
            store.remove(&name).unwrap();
            assert!(!store.has(&name).unwrap() && !store.has(&preview).unwrap());
        }
        // As if a thread had read the original before it was removed.
        assert!(store.keep_form(&preview, b"less").unwrap().is_none());
        assert!(!store.has(&preview).unwrap());
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let data = TempDir::new().unwrap();
        let store = Store::open(data.path()).unwrap();
        let name = ImageName::of(b"bytes", (1, 1), Format::Png);
        // The draft cannot be written, as when the disk is full.
        fs::remove_dir(data.path().join(DRAFTS)).unwrap();
        store.keep(&name, b"bytes").unwrap_err();
        assert!(!store.has(&name).unwrap());
    }
}
