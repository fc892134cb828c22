//! The time that the disk itself takes to make a small write durable.
//!
//! The file is written in full beforehand: growing a file, or writing to blocks that were only
//! reserved, would add the file system's own commit to each sync.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::load::meter::Phase;
use crate::stats::{Latencies, Percentiles};

/// About the size of the record of a 200-byte message, in bytes.
const RECORD: usize = 512;
const FILE: usize = 4 * 1024 * 1024;

/// A file to write and sync, removed when dropped.
#[derive(Debug)]
pub struct SyncFile {
    file: File,
    path: PathBuf,
    next: usize,
}

/// The result of one turn of syncing.
#[derive(Debug, Clone, Copy)]
pub struct Synced {
    pub per_second: f64,
    pub latency: Percentiles,
}

impl Synced {
    /// Converts the result into a row of a report. No server takes part, and the tester only waits.
    pub fn phase(&self) -> Phase {
        Phase {
            units: self.latency.count,
            per_second: self.per_second,
            server_us_per_unit: None,
            client_us_per_unit: 0.0,
            latency: self.latency,
            timeline: Vec::new(),
        }
    }
}

impl SyncFile {
    pub fn create(directory: &Path) -> io::Result<Self> {
        let path = directory.join("fdatasync.probe");
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(&path)?;
        file.write_all_at(&vec![0; FILE], 0)?;
        file.sync_all()?;
        Ok(Self { file, path, next: 0 })
    }

    /// Writes and syncs one record after the other for the length of `turn`. Blocks its thread.
    pub fn run(&mut self, turn: Duration) -> io::Result<Synced> {
        let latencies = Latencies::default();
        let started = Instant::now();
        while started.elapsed() < turn {
            let begun = Instant::now();
            self.sync_one()?;
            latencies.record(begun.elapsed());
        }
        let latency = latencies.percentiles();
        Ok(Synced { per_second: latency.count as f64 / started.elapsed().as_secs_f64(), latency })
    }

    fn sync_one(&mut self) -> io::Result<()> {
        let record = [self.next as u8 | 1; RECORD];
        self.file.write_all_at(&record, (self.next * RECORD % FILE) as u64)?;
        self.next += 1;
        self.file.sync_data()
    }
}

impl Drop for SyncFile {
    fn drop(&mut self) {
        // The directory is removed at the end of the run in any case.
        drop(std::fs::remove_file(&self.path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syncs_are_measured_and_the_file_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let mut file = SyncFile::create(directory.path()).unwrap();
        let synced = file.run(Duration::from_millis(20)).unwrap();
        assert!(synced.latency.count > 0);
        drop(file);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
