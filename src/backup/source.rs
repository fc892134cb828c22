//! The files that a backup holds: the journal up to a position, and everything else that cannot be
//! made from it.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use journal::view::View;

/// The folder that holds a backup while it is being restored.
pub const RESTORING: &str = "restoring";
/// The file with the results of scheduled backups.
pub const STATUS: &str = "backups.json";

/// Paths of a data directory that the generic copy skips: the journal is copied on its own; the
/// rest is rebuilt or belongs to the running process.
const LEFT_OUT: [&str; 8] =
    ["journal", "search", "lock", RESTORING, STATUS, "images/new", "files/new", "files/partial"];

/// The data that a set copies.
pub struct SetSource<'a> {
    /// The number of the history, in hexadecimal digits.
    pub history: String,
    /// The first position of the journal that is not copied.
    pub end: u64,
    /// Every file.
    pub items: Vec<Item<'a>>,
}

/// A file that is copied.
pub struct Item<'a> {
    /// The path, relative to the data directory.
    pub path: String,
    /// Whether the content never changes while the history is the same.
    pub is_final: bool,
    content: Content<'a>,
}

enum Content<'a> {
    File(PathBuf),
    Part { journal: &'a View, base: u64 },
}

/// An opened file, and its size in bytes.
pub struct Opened<'a> {
    /// The content.
    pub content: Box<dyn Read + 'a>,
    /// The number of bytes.
    pub bytes: u64,
}

impl<'a> SetSource<'a> {
    /// Lists everything in a data directory, with the journal up to the end of this view.
    ///
    /// # Errors
    /// If a folder or a segment cannot be read.
    pub fn of(data: &Path, journal: &'a View, end: u64, history: u32) -> io::Result<Self> {
        let mut items = Vec::new();
        for base in journal.bases() {
            let name = journal.part_at(base)?.name;
            items.push(Item {
                is_final: name.ends_with(".zst"),
                path: format!("journal/{name}"),
                content: Content::Part { journal, base },
            });
        }
        for path in files_of(data, Path::new(""))? {
            let content = Content::File(data.join(&path));
            items.push(Item { is_final: is_media(&path), path, content });
        }
        Ok(Self { history: format!("{history:08x}"), end, items })
    }
}

impl Item<'_> {
    /// Opens the file; `None` if it is gone meanwhile.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(&self) -> io::Result<Option<Opened<'_>>> {
        match &self.content {
            Content::Part { journal, base } => {
                let part = journal.part_at(*base)?;
                Ok(Some(Opened { bytes: part.length, content: Box::new(part) }))
            }
            Content::File(path) => match File::open(path) {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                file => {
                    let file = file?;
                    let bytes = file.metadata()?.len();
                    Ok(Some(Opened { content: Box::new(file), bytes }))
                }
            },
        }
    }
}

/// The paths of all files below a folder of a data directory that a backup holds, beside the
/// journal, including files that later versions may add.
///
/// # Errors
/// If a folder cannot be read.
pub fn files_of(data: &Path, below: &Path) -> io::Result<Vec<String>> {
    let mut names: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(data.join(below))? {
        names.push(below.join(entry?.file_name()));
    }
    names.sort();
    let mut files = Vec::new();
    for path in names {
        let Some(text) = path.to_str().filter(|text| !is_left_out(text)) else { continue };
        // The temporary file of an upload may be gone by now.
        let kind = match fs::metadata(data.join(&path)) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            kind => kind?,
        };
        if kind.is_dir() {
            files.extend(files_of(data, &path)?);
        } else if kind.is_file() {
            files.push(text.to_owned());
        }
    }
    Ok(files)
}

fn is_left_out(path: &str) -> bool {
    let is_of_index = path == "index" || path.starts_with("index.");
    let is_draft = [".new", ".tmp", ".sock"].iter().any(|end| path.ends_with(end));
    LEFT_OUT.contains(&path) || is_of_index || is_draft
}

/// Whether the path is that of a picture or a file on its shelf: such a file is written once.
fn is_media(path: &str) -> bool {
    let mut parts = path.split('/');
    let folder = parts.next().unwrap_or_default();
    let shelf = parts.next().unwrap_or_default();
    matches!(folder, "images" | "files") && shelf.len() == 2 && parts.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backup_omits_derived_data() {
        for path in [
            "journal",
            "index",
            "search",
            "index.broken",
            "lock",
            "admin.sock",
            "backups.json",
            "images/new",
            "files/new",
            "files/partial",
        ] {
            assert!(is_left_out(path), "{path}");
        }
        for path in ["history", "images", "images/ab/cd.png", "files/ab/cd", "keys/vapid.json"] {
            assert!(!is_left_out(path), "{path}");
        }
    }

    #[test]
    fn only_media_on_shelves_is_final() {
        assert!(is_media("images/ab/cd.png") && is_media("files/ab/cd"));
        for path in ["history", "files/link.key", "files/list/of", "tls/ab/cd", "images/ab"] {
            assert!(!is_media(path), "{path}");
        }
    }
}
