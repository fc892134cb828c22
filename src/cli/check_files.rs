//! Checks files of conversations: whether each file's content matches its name, and whether the
//! content of every file that a message carries is there. Contents that nothing names are listed;
//! they are no problem.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::cli::say;
use crate::domain::hex::hex;
use crate::journal::Journal;
use crate::media::files::disk::{self, UNSENT};
use crate::media::files::named::contents_named;
use crate::media::files::unsent::UnsentFile;

/// The store of pictures and files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeptWhere {
    /// On this disk only.
    Here,
    /// With the log, where all nodes find them; this disk is a cache.
    ByAllNodes,
}

impl KeptWhere {
    /// Reports what is named but not on this disk; returns how many problems that makes. `what` is
    /// the kind, `why` the explanation of one entry.
    pub(super) fn tell(self, what: &str, missing: &[&String], why: &str) -> Result<usize, String> {
        match self {
            Self::Here => {
                missing.iter().try_for_each(|name| say(&format!("{what}: {name} {why}")))?;
                return Ok(missing.len());
            }
            Self::ByAllNodes if missing.is_empty() => {}
            Self::ByAllNodes => say(&format!(
                "{what}: {} of them are not on this disk; they are stored with the log and \
                 fetched on demand",
                missing.len()
            ))?,
        }
        Ok(0)
    }
}

/// Reports files that messages name and that are missing; returns how many problems that makes.
pub(super) fn tell_missing(kept: KeptWhere, missing: &[&String]) -> Result<usize, String> {
    kept.tell("files", missing, "is in a message but missing")
}

/// How many bytes are read at a time.
const STRIDE: usize = 1 << 20;

/// Checks the files in this folder against this journal; returns the number of problems. `now`
/// opens the journal at its later end: files whose messages were deleted meanwhile do not count as
/// missing.
pub(super) fn check(
    (folder, kept): (&Path, KeptWhere),
    journal: &dyn Journal,
    now: impl FnOnce() -> Result<Box<dyn Journal>, String>,
) -> Result<usize, String> {
    let plain = |error: io::Error| format!("listing the files failed: {error}");
    let listed = if folder.exists() { disk::contents(folder).map_err(plain)? } else { Vec::new() };
    let bytes: u64 = listed.iter().map(|(_, size)| size).sum();
    say(&format!("files: {} of them, {bytes} bytes", listed.len()))?;
    let mut named = contents_named(journal).map_err(|error| error.to_string())?;
    let here: BTreeSet<&String> = listed.iter().map(|(digest, _)| digest).collect();
    let is_there = |digest: &String| here.contains(digest);
    if !named.keys().all(is_there) {
        let later = contents_named(&*now()?).map_err(|error| error.to_string())?;
        named.retain(|digest, _| later.contains_key(digest));
    }
    let mut problems = 0;
    let elsewhere: Vec<&String> = named.keys().filter(|digest| !is_there(digest)).collect();
    problems += tell_missing(kept, &elsewhere)?;
    let waiting = unsent(folder).map_err(plain)?;
    for (digest, size) in &listed {
        let path = disk::path_in(folder, digest);
        if digest_of(&path).map_err(plain)?.is_some_and(|held| held != *digest) {
            say(&format!("files: {} has other content than its name says", path.display()))?;
            problems += 1;
        }
        if !named.contains_key(digest) && !waiting.contains(digest) {
            say(&format!("files: {digest} is not used, {size} bytes"))?;
        }
    }
    Ok(problems)
}

/// The digests of files that were uploaded and are not in a message yet.
fn unsent(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder.join(UNSENT)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let note = |text: Vec<u8>| serde_json::from_slice::<UnsentFile>(&text).ok();
    let read = entries.filter_map(|entry| fs::read(entry.ok()?.path()).ok());
    Ok(read.filter_map(note).map(|note| note.file.digest).collect())
}

/// Hashes a file's content; `None` if the file was removed meanwhile.
fn digest_of(path: &Path) -> io::Result<Option<String>> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let (mut hasher, mut piece) = (Sha256::new(), vec![0; STRIDE]);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(Some(hex(&hasher.finalize()))),
            got => hasher.update(&piece[..got]),
        }
    }
}
