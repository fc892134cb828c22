//! Whose the data is, and who may look at it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use tempfile::TempDir;

use crate::person::{fills_with_media, starts};
use crate::program::{coterie, serving};
use crate::small_disk::is_root;
use crate::tools::{adds, tool};

/// Calls `see` for everything below a folder.
fn each(folder: &Path, see: &mut impl FnMut(&Path)) {
    for path in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
        see(&path);
        if path.is_dir() {
            each(&path, see);
        }
    }
}

#[tokio::test]
async fn open_directory_gets_private_files() {
    let data = TempDir::new().unwrap();
    fs::set_permissions(data.path(), Permissions::from_mode(0o755)).unwrap();
    fills_with_media(data.path()).await;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    each(data.path(), &mut |path| {
        assert_eq!(mode(path) & 0o077, 0, "{} {:o}", path.display(), mode(path));
    });
    // An earlier version left its folders open.
    let folders = ["journal", "index", "search", "images", "files"].map(|it| data.path().join(it));
    for folder in &folders {
        fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
    }
    starts(data.path()).stops();
    assert_eq!(folders.map(|folder| mode(&folder)), [0o700; 5]);
}

#[test]
fn files_created_by_root_get_the_directory_owner() {
    const SERVICE: u32 = 12_345;
    if !is_root() {
        println!("only root can do this");
        return;
    }
    let folder = TempDir::new().unwrap();
    let owned = |name: &str| {
        let path = folder.path().join(name);
        fs::create_dir(&path).unwrap();
        chown(&path, Some(SERVICE), Some(SERVICE)).unwrap();
        path
    };
    let is_handed_over = |data: &Path| {
        each(data, &mut |path| {
            let found = fs::symlink_metadata(path).unwrap();
            assert_eq!((found.uid(), found.gid()), (SERVICE, SERVICE), "{}", path.display());
        });
    };
    let (data, elsewhere, to) = (owned("data"), owned("elsewhere"), folder.path().join("copy"));
    adds(&data, "Ana", "ana@example.org");
    is_handed_over(&data);
    fs::remove_file(data.join("lock")).unwrap();
    tool(&data, &["backup", to.to_str().unwrap()]).fine();
    tool(&data, &["rebuild"]).fine();
    is_handed_over(&data);
    tool(&elsewhere, &["restore", to.to_str().unwrap()]).fine();
    tool(&elsewhere, &["user", "list"]).fine();
    is_handed_over(&elsewhere);
}

#[test]
fn a_start_that_cannot_open_a_file_names_it() {
    for name in ["lock", "history"] {
        let data = TempDir::new().unwrap();
        let path = data.path().join(name);
        fs::create_dir(&path).unwrap();
        let output = coterie(&serving(data.path(), &[])).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(&format!("{} cannot be used: ", path.display())), "{told}");
    }
}
