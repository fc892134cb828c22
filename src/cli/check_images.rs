//! Checks images: whether each file's content matches its name, and whether every image that is
//! named is there. Images that nothing names are listed; they are no problem.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::cli::check_files::KeptWhere;
use crate::cli::{say, when};
use crate::domain::time::Timestamp;
use crate::journal::Journal;
use crate::media::name::ImageName;
use crate::media::orphans::{self, ImageComparison};
use crate::media::store;

/// Checks the images in this folder against this journal; returns the number of problems. `now`
/// opens the journal at its later end: images that nothing names any more do not count as missing.
pub(super) fn check(
    (folder, kept): (&Path, KeptWhere),
    journal: &dyn Journal,
    now: impl FnOnce() -> Result<Box<dyn Journal>, String>,
) -> Result<usize, String> {
    let plain = |error: std::io::Error| format!("listing the images failed: {error}");
    let ImageComparison { listed, mut missing, unnamed } = if folder.exists() {
        orphans::used(folder, journal).map_err(|error| error.to_string())?
    } else {
        orphans::used_of(Vec::new(), journal).map_err(|error| error.to_string())?
    };
    if !missing.is_empty() {
        let later =
            orphans::used_of(listed.clone(), &*now()?).map_err(|error| error.to_string())?;
        missing.retain(|name| later.missing.contains(name));
    }
    let mut problems = 0;
    let bytes: u64 = listed.iter().map(|image| image.length).sum();
    say(&format!("images: {} of them, {bytes} bytes", listed.len()))?;
    for image in &listed {
        let path = store::path_in(folder, &image.name);
        let held = match fs::read(&path) {
            // The image was removed meanwhile.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            held => held.map_err(plain)?,
        };
        if ImageName::of(&held, image.name.size, image.name.format) != image.name {
            say(&format!("images: {} has other content than its name says", path.display()))?;
            problems += 1;
        }
    }
    let elsewhere: Vec<&String> = missing.iter().collect();
    problems += tell_missing(kept, &elsewhere)?;
    for image in &unnamed {
        let since = image.stored_at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (name, length) = (image.name.text(), image.length);
        let stored = when::iso8601(Timestamp::from_seconds(since.as_secs()));
        say(&format!("images: {name} is not used, {length} bytes, stored {stored}"))?;
    }
    Ok(problems)
}

/// Reports images that are named and missing; returns how many problems that makes.
pub(super) fn tell_missing(kept: KeptWhere, missing: &[&String]) -> Result<usize, String> {
    kept.tell("images", missing, "is used but missing")
}
