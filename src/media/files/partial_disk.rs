//! Uploads on the disk that may be gone on with: a file with what came so far, and a note
//! beside it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::media::files::disk::{FileDisk, FileDraft, PARTIAL, Written, sync};

/// How notes end.
const NOTE: &str = "note";
/// Bytes that are read at once.
const STRIDE: usize = 256 << 10;

impl FileDisk {
    /// Where one lies.
    pub(super) fn partial(&self, name: &str) -> PathBuf {
        self.folder().join(PARTIAL).join(name)
    }

    /// Begins one: nothing is there yet but its note.
    ///
    /// # Errors
    /// When the disk refuses; so everywhere here.
    pub(super) fn begin_partial(&self, name: &str, note: &[u8]) -> io::Result<()> {
        File::create_new(self.partial(name))?;
        self.note_partial(name, note)
    }

    /// Writes its note in place of the one before, durably.
    pub(super) fn note_partial(&self, name: &str, note: &[u8]) -> io::Result<()> {
        self.note_in(Path::new(PARTIAL), &format!("{name}.{NOTE}"), note)
    }

    /// All notes, by the names of what they are about. What has none is removed.
    pub(super) fn partial_notes(&self) -> io::Result<Vec<(String, Vec<u8>)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(self.partial(""))? {
            let path = entry?.path();
            let stem = path.file_stem().map(|it| it.to_string_lossy().into_owned());
            let name = stem.unwrap_or_default();
            if path.extension().is_some_and(|it| it == NOTE) {
                found.push((name, fs::read(path)?));
            } else if !path.with_extension(NOTE).exists() {
                fs::remove_file(path)?;
            }
        }
        Ok(found)
    }

    /// How many bytes of it are here.
    pub(super) fn partial_size(&self, name: &str) -> io::Result<u64> {
        match fs::metadata(self.partial(name)) {
            Ok(about) => Ok(about.len()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
            Err(error) => Err(error),
        }
    }

    /// Adds to it behind so many bytes, in place of what a write that failed may have left
    /// there; how many there are then.
    pub(super) fn append_partial(&self, name: &str, at: u64, more: &[u8]) -> io::Result<u64> {
        let mut file = OpenOptions::new().append(true).create(true).open(self.partial(name))?;
        file.set_len(at)?;
        file.write_all(more)?;
        Ok(at + more.len() as u64)
    }

    /// Puts what is there onto stable storage.
    pub(super) fn sync_partial(&self, name: &str) -> io::Result<()> {
        File::open(self.partial(name))?.sync_all()
    }

    /// It is complete: what is in it.
    pub(super) fn written_partial(&self, name: &str) -> io::Result<Written> {
        let path = self.partial(name);
        let whole = OpenOptions::new().append(true).create(true).open(&path)?;
        let mut draft = FileDraft::over(path.clone(), whole, Sha256::new());
        let (mut file, mut piece) = (File::open(&path)?, vec![0; STRIDE]);
        loop {
            match file.read(&mut piece)? {
                0 => return draft.finish(),
                got => draft.count(&piece[..got]),
            }
        }
    }

    /// Removes it and its note, as far as they are there.
    pub(super) fn remove_partial(&self, name: &str) -> io::Result<()> {
        for path in [self.partial(name), self.partial(name).with_extension(NOTE)] {
            match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        sync(&self.partial(""))
    }
}
