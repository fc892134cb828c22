//! Copies files so that a copy can be verified: each is hashed while it is copied, synced to stable
//! storage, and listed in a manifest.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use sha2::{Digest, Sha256};

use backup::manifest::Copied;
use domain::hex::hex;

/// How many bytes are copied at a time.
const STRIDE: usize = 1 << 20;

/// Creates a folder, and those above it, that only the owner can access (mode 0700).
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Whether a folder is empty or does not exist.
pub(super) fn is_empty(path: &Path) -> io::Result<bool> {
    match fs::read_dir(path) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

/// Copies one file to a path below a folder, and syncs it.
pub(super) fn copy(from: &mut dyn Read, folder: &Path, path: &str) -> io::Result<Copied> {
    let to = folder.join(path);
    let parent = to.parent().unwrap_or(folder);
    make_folder(parent)?;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&to)?;
    let mut hasher = Sha256::new();
    let mut bytes = 0;
    let mut buffer = vec![0; STRIDE];
    loop {
        let got = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(got) => got,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(&buffer[..got]);
        file.write_all(&buffer[..got])?;
        bytes += got as u64;
    }
    file.sync_all()?;
    Ok(Copied { path: path.to_owned(), bytes, sha256: hex(&hasher.finalize()) })
}

/// The paths of all files below a folder.
pub(super) fn files_below(folder: &Path, below: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder.join(below))? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            found.extend(files_below(folder, &path)?);
        } else {
            found.push(path.to_string_lossy().into_owned());
        }
    }
    found.sort();
    Ok(found)
}

/// Syncs a folder and all folders below it, so that the names in them are durable.
pub(super) fn sync_folders(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_folders(&entry.path())?;
        }
    }
    File::open(folder)?.sync_all()
}
