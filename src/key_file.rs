//! The file with the key of an installation of several nodes: read, or made by the node that founds
//! the log.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::journal::replicated::NodeKey;
use crate::journal::replicated::key::InstallationKey;
use crate::secret_file;
use crate::start_error::StartError;

/// The key of this node, and its file.
pub(crate) struct KeyFile {
    path: PathBuf,
    key: NodeKey,
}

impl KeyFile {
    /// Reads the key. If there is no file and `may_found` is set, makes a new key, since this node
    /// may found the log.
    ///
    /// # Errors
    /// If the file cannot be read or written, or is no key.
    pub(crate) fn open(path: PathBuf, may_found: bool) -> Result<Self, StartError> {
        let unusable = |reason: String| StartError::Key { path: path.clone(), reason };
        let key = match secret_file::read(&path) {
            Ok(bytes) => match InstallationKey::from_bytes(&bytes) {
                Some(key) => NodeKey::Given(key),
                None => {
                    return Err(unusable(format!("it has {} bytes instead of 32", bytes.len())));
                }
            },
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(unusable(error.to_string()));
            }
            Err(_) if may_found => {
                let key = InstallationKey::fresh();
                secret_file::write(&path, key.reveal())
                    .map_err(|error| unusable(error.to_string()))?;
                NodeKey::New(key)
            }
            Err(_) => NodeKey::Absent,
        };
        Ok(Self { path, key })
    }

    /// The key to open the copy with.
    pub(crate) const fn key(&self) -> NodeKey {
        self.key
    }

    /// The path of the key.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the key of the installation, once it is known whether the log has codes. Removes the
    /// file of a new key that is not the installation's.
    pub(crate) fn settle(self, has_codes: bool) -> Option<InstallationKey> {
        match self.key {
            NodeKey::Absent => None,
            NodeKey::Given(key) => Some(key),
            NodeKey::New(key) if has_codes => Some(key),
            NodeKey::New(_) => {
                if let Err(error) = fs::remove_file(&self.path) {
                    let path = self.path.display();
                    tracing::warn!(%error, %path, "removing an unused key failed; remove it by hand");
                }
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(path: &Path, may_found: bool) -> KeyFile {
        KeyFile::open(path.to_owned(), may_found).unwrap()
    }

    #[test]
    fn only_a_node_that_founds_the_log_keeps_a_new_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("installation.key");
        assert_eq!(open(&path, false).key(), NodeKey::Absent);
        assert!(!path.exists());
        assert_eq!(open(&path, true).settle(false), None);
        assert!(!path.exists());
        let key = open(&path, true).settle(true).unwrap();
        assert_eq!(open(&path, true).key(), NodeKey::Given(key));
        assert_eq!(open(&path, false).settle(false), Some(key));
        fs::write(&path, "too short").unwrap();
        assert!(KeyFile::open(path, true).is_err());
    }
}
