//! Resumable uploads on the disk: a file with the bytes received so far, and a note beside it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::files::disk::{FileDisk, FileDraft, PARTIAL, Written, sync};

/// The extension of notes.
const NOTE: &str = "note";
/// Bytes that are read at once.
const STRIDE: usize = 256 << 10;

impl FileDisk {
    /// The path of an upload's file.
    pub(super) fn partial(&self, name: &str) -> PathBuf {
        self.folder().join(PARTIAL).join(name)
    }

    /// Begins an upload: an empty file and its note.
    ///
    /// # Errors
    /// If the disk fails; the same for every function here.
    pub(super) fn begin_partial(&self, name: &str, note: &[u8]) -> io::Result<()> {
        File::create_new(self.partial(name))?;
        self.note_partial(name, note)
    }

    /// Writes the note of an upload in place of the one before, durably.
    pub(super) fn note_partial(&self, name: &str, note: &[u8]) -> io::Result<()> {
        self.note_in(Path::new(PARTIAL), &format!("{name}.{NOTE}"), note)
    }

    /// Reads all notes, each with the name of its upload. Removes files without a note.
    pub(super) fn partial_notes(&self) -> io::Result<Vec<(String, Vec<u8>)>> {
        self.remove_partial_without_note(|_| false)?;
        let mut found = Vec::new();
        for entry in fs::read_dir(self.partial(""))? {
            let path = entry?.path();
            if path.extension().is_some_and(|it| it == NOTE) {
                found.push((stem(&path), fs::read(path)?));
            }
        }
        Ok(found)
    }

    /// Removes files that have no note, except those of uploads that `is_known` knows by name.
    pub(super) fn remove_partial_without_note(
        &self,
        is_known: impl Fn(&str) -> bool,
    ) -> io::Result<()> {
        for entry in fs::read_dir(self.partial(""))? {
            let path = entry?.path();
            let is_note = path.extension().is_some_and(|it| it == NOTE);
            if !is_note && !path.with_extension(NOTE).exists() && !is_known(&stem(&path)) {
                remove_if_there(&path)?;
            }
        }
        Ok(())
    }

    /// The size of an upload's file in bytes; 0 if there is no file.
    pub(super) fn partial_size(&self, name: &str) -> io::Result<u64> {
        match fs::metadata(self.partial(name)) {
            Ok(about) => Ok(about.len()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
            Err(error) => Err(error),
        }
    }

    /// Creates the file of an upload that another node began, unless it is there.
    pub(super) fn create_partial(&self, name: &str) -> io::Result<()> {
        OpenOptions::new().append(true).create(true).open(self.partial(name)).map(drop)
    }

    /// Writes bytes at this offset, in place of what a failed write may have left behind it.
    /// Returns the size afterwards. Fails if there is no file.
    pub(super) fn append_partial(&self, name: &str, at: u64, more: &[u8]) -> io::Result<u64> {
        let mut file = OpenOptions::new().append(true).open(self.partial(name))?;
        file.set_len(at)?;
        file.write_all(more)?;
        Ok(at + more.len() as u64)
    }

    /// Syncs the file of an upload to stable storage.
    pub(super) fn sync_partial(&self, name: &str) -> io::Result<()> {
        File::open(self.partial(name))?.sync_all()
    }

    /// Hashes the file of a complete upload. Returns its digest, size and type.
    pub(super) fn written_partial(&self, name: &str) -> io::Result<Written> {
        let path = self.partial(name);
        let whole = OpenOptions::new().append(true).open(&path)?;
        let mut draft = FileDraft::over(path.clone(), whole, Sha256::new());
        let mut file = File::open(&path)?;
        let mut piece = vec![0; STRIDE];
        loop {
            match file.read(&mut piece)? {
                0 => return draft.finish(),
                got => draft.count(&piece[..got]),
            }
        }
    }

    /// Removes an upload's file and note, if they are there.
    pub(super) fn remove_partial(&self, name: &str) -> io::Result<()> {
        for path in [self.partial(name), self.partial(name).with_extension(NOTE)] {
            remove_if_there(&path)?;
        }
        sync(&self.partial(""))
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default()
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
