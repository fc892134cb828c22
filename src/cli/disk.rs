//! How long the disk takes to make a write durable.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use base::clock::Stopwatch;

/// Measures this many small writes, each with its `fdatasync`, to a file that is made for it and
/// removed. Returns the times in microseconds, the shortest first.
///
/// # Errors
/// If the file cannot be made, written or removed.
pub(super) fn sync_times(probe: &Path, writes: usize) -> io::Result<Vec<u64>> {
    // The owner of the directory may have put a link there, so the file has to be new.
    match fs::remove_file(probe) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(probe)?;
    let mut write = || {
        let stopwatch = Stopwatch::start();
        file.write_all(&[0; 4096])?;
        file.sync_data()?;
        Ok(stopwatch.micros())
    };
    let times: io::Result<Vec<u64>> = (0..writes).map(|_| write()).collect();
    fs::remove_file(probe)?;
    let mut times = times?;
    times.sort_unstable();
    Ok(times)
}
