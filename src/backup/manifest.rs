//! The manifest of a backup: every file, with its size and checksum.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

/// The name of a backup's manifest.
pub const MANIFEST: &str = "manifest.json";
/// The version of the manifest's format.
pub const VERSION: u32 = 1;

/// The content of a backup. The manifest is written last: a folder without one is no backup.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the format.
    pub version: u32,
    /// The version of the program that wrote the manifest.
    pub program: String,
    /// When the copy began, in ISO 8601.
    pub made_at: String,
    /// The number of the history that was copied, in hexadecimal digits.
    pub history: String,
    /// The first position of the journal that is not in the copy; 0 if the journal is damaged and
    /// was copied as it is.
    pub end: u64,
    /// Every file except the manifest itself.
    pub files: Vec<Copied>,
    /// In a set, the number of bytes that each object takes at its place, by SHA-256.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stored: BTreeMap<String, u64>,
}

/// A file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copied {
    /// The path, relative to the backup's folder.
    pub path: String,
    /// The size in bytes.
    pub bytes: u64,
    /// The SHA-256 of the content in hexadecimal digits.
    pub sha256: String,
}

impl Manifest {
    /// Parses a manifest.
    ///
    /// # Errors
    /// If the text is no manifest, has another version, or names a path outside of its folder: the
    /// reason.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        let manifest: Self =
            serde_json::from_slice(text).map_err(|error| format!("cannot be read: {error}"))?;
        let version = manifest.version;
        if version != VERSION {
            return Err(format!("has version {version}; this program reads version {VERSION}"));
        }
        match manifest.files.iter().find(|file| !is_below(&file.path)) {
            Some(file) => Err(format!("names {:?}", file.path)),
            None => Ok(manifest),
        }
    }
}

/// Whether a path from a manifest stays below its folder.
fn is_below(path: &str) -> bool {
    !path.is_empty()
        && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_manifest_stay_below_its_folder() {
        assert!(is_below("journal/0000000000000000.log") && is_below("history"));
        for path in ["", "/etc/passwd", "../x", "images/../../x", "./x"] {
            assert!(!is_below(path), "{path:?}");
        }
    }
}
