//! Numbered folders for unusable data in a data directory; nothing deletes them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::data_dir::DataDirError;

/// Moves an index that cannot be used to a new name, beside those that were set aside before.
/// Returns its new path.
///
/// # Errors
/// If the index cannot be renamed.
pub fn set_index_aside(data: &Path) -> Result<PathBuf, DataDirError> {
    let aside = free_name(data, "index.broken");
    let unusable = |source| DataDirError::File { path: aside.clone(), source };
    fs::rename(data.join("index"), &aside).map_err(unusable)?;
    File::open(data).and_then(|folder| folder.sync_all()).map_err(unusable)?;
    Ok(aside)
}

/// The path of a folder for what is set aside: the first number behind this name that is free.
pub fn free_name(data: &Path, name: &str) -> PathBuf {
    let mut number = 1_u32;
    loop {
        let aside = data.join(format!("{name}-{number}"));
        if !aside.exists() {
            return aside;
        }
        number += 1;
    }
}
