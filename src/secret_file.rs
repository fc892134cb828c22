//! Files with keys: whole or not at all, and for nobody but the account that the server runs
//! under.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// What others may do with it: nothing.
const OWN: u32 = 0o600;

/// Writes it so that a crash leaves all of it or what was there before.
///
/// # Errors
/// As the system says.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension("new");
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(OWN).open(&draft)?;
    // A draft that was left behind keeps what its owner allowed.
    file.set_permissions(Permissions::from_mode(OWN))?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&draft, path)?;
    File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()
}

/// Reads it. One that others may read, as earlier versions left some, they may not read after.
///
/// # Errors
/// When it is not there, or as the system says.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let bytes = fs::read(path)?;
    if fs::metadata(path)?.permissions().mode() & 0o077 != 0
        && let Err(error) = fs::set_permissions(path, Permissions::from_mode(OWN))
    {
        tracing::warn!(%error, path = %path.display(), "others may read a key");
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
    fn nobody_else_reads_a_key_whoever_wrote_it() {
        let folder = tempfile::tempdir().unwrap();
        let (path, draft) = (folder.path().join("a.key"), folder.path().join("a.new"));
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
