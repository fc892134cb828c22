//! Files with keys: written entirely or not at all, and accessible only to the account that the
//! server runs under.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// The mode of the files: only the owner may read and write.
const OWN: u32 = 0o600;

/// Writes a file so that a crash leaves all of it or the content from before.
///
/// # Errors
/// If the write fails.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension("new");
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(OWN).open(&draft)?;
    // A draft that a crash left behind keeps its old mode.
    file.set_permissions(Permissions::from_mode(OWN))?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&draft, path)?;
    File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()
}

/// Reads a file. If others may read it, as in earlier versions, its mode is corrected.
///
/// # Errors
/// If the file does not exist or cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let bytes = fs::read(path)?;
    if fs::metadata(path)?.permissions().mode() & 0o077 != 0
        && let Err(error) = fs::set_permissions(path, Permissions::from_mode(OWN))
    {
        tracing::warn!(
            %error, path = %path.display(),
            "restricting the mode of a key file failed; other accounts may be able to read it"
        );
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn key_file_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.key");
        let draft = folder.path().join("a.new");
        fs::write(&draft, "left behind").unwrap();
        write(&path, b"one").unwrap();
        assert_eq!((read(&path).unwrap(), mode(&path)), (b"one".to_vec(), OWN));
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert_eq!((read(&path).unwrap(), mode(&path)), (b"one".to_vec(), OWN));
        write(&path, b"two").unwrap();
        assert_eq!((read(&path).unwrap(), mode(&path)), (b"two".to_vec(), OWN));
        assert!(!draft.exists());
    }
}
