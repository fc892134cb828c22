//! Checks what lies beside journal, index and images: the number of the history, the keys of push
//! services and of file links, and files that are not the server's.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::cli::say;
use crate::data_dir;
use crate::http::acme::store::AcmeStore;
use crate::journal::inventory;
use crate::media::files::links::LinkKey;
use crate::notify::vapid::VapidKey;

/// Names that a server or a tool creates in a data directory.
const KNOWN: [&str; 13] = [
    "node",
    "journal",
    "index",
    "search",
    "images",
    "files",
    "tls",
    "history",
    "vapid.key",
    "installation.key",
    "lock",
    "admin.sock",
    "restoring",
];

/// Checks the rest of the data directory; returns the number of problems. Unknown files are
/// reported, but are no problem.
pub(super) fn check(dir: &Path) -> Result<usize, String> {
    let mut problems = keys(dir)?;
    // A server has both a key and an image folder from its first start on.
    if !dir.join("vapid.key").exists() && dir.join("images").exists() {
        say("vapid.key: it is missing; with a new key, browsers must subscribe to notices again")?;
        problems += 1;
    }
    if !dir.join(data_dir::HISTORY).exists() {
        say("history: it is missing; with another number, clients load everything again")?;
        problems += 1;
    }
    let plain = |error: std::io::Error| format!("{} cannot be listed: {error}", dir.display());
    for name in names(dir).map_err(plain)? {
        let is_aside = ["index.", "journal.broken-"].iter().any(|it| name.starts_with(it));
        if !KNOWN.contains(&name.as_str()) && !is_aside {
            say(&format!("{name}: this is unknown, and the server does not use it"))?;
        }
    }
    for name in names(&dir.join("journal")).map_err(plain)? {
        if inventory::is_foreign(&name) {
            say(&format!("journal/{name}: this is unknown, and the server does not use it"))?;
        }
    }
    Ok(problems)
}

/// Checks whether history and keys are as they were written, if they exist; returns the number of
/// problems.
pub(super) fn keys(dir: &Path) -> Result<usize, String> {
    let mut problems = 0;
    if dir.join(data_dir::HISTORY).exists() && data_dir::history_of(dir).is_none() {
        say("history: its number cannot be read; cursors of clients depend on it")?;
        problems += 1;
    }
    match VapidKey::read(&dir.join("vapid.key")) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => {
            say(&format!("vapid.key: {error}; browsers that want notices depend on it"))?;
            problems += 1;
        }
    }
    if let Err(error) = LinkKey::check(&dir.join("files")) {
        say(&format!("files/link.key: {error}; the next start replaces it, and file links end"))?;
        problems += 1;
    }
    for fault in AcmeStore::of(dir).check() {
        say(&format!("{fault}; the next start orders another certificate"))?;
        problems += 1;
    }
    Ok(problems)
}

fn names(dir: &Path) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}
