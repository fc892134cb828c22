//! Free space on the disk where the data lies, and whether it is enough to take in anything new.
//!
//! A part is kept back (the reserve), for what has to be written even if nothing new is taken in:
//! index rows of what is in the journal already, log-ins, log lines of other programs. A thread
//! looks at the disk a few times a second, so that `is_low` costs nothing.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::metrics::exposition::{Exposition, MetricKind};

/// The maximum number of bytes kept back. The index may be 64 MiB of journal behind, which make
/// about 10 MiB of rows, and the store needs a multiple of that while it cleans up.
const RESERVE: u64 = 64 << 20;
/// Of a small disk, one part in this many is kept back.
const PART: u64 = 16;
/// How often the disk is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The free space. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Space(Arc<Inner>);

struct Inner {
    /// The folder whose disk is watched; `None` if the space counts as endless.
    path: Option<PathBuf>,
    reserve: u64,
    free: AtomicU64,
    is_low: AtomicBool,
    lows: AtomicU64,
}

impl fmt::Debug for Inner {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let free = self.free.load(Ordering::Relaxed);
        out.debug_struct("Space").field("path", &self.path).field("free", &free).finish()
    }
}

/// The thread that watches the disk. It ends when this is dropped.
#[derive(Debug)]
pub struct Watch {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Space {
    /// Space without end, where the disk is not watched.
    pub fn endless() -> Self {
        let free = AtomicU64::new(u64::MAX);
        let is_low = AtomicBool::new(false);
        let lows = 0.into();
        Self(Arc::new(Inner { path: None, reserve: 0, free, is_low, lows }))
    }

    /// The free space below this folder, and the thread that watches it.
    ///
    /// # Errors
    /// If the disk cannot be measured, or no thread can be started.
    pub fn watch(path: &Path) -> io::Result<(Self, Watch)> {
        let (free, total) = measure(path)?;
        let inner = Inner {
            path: Some(path.to_owned()),
            reserve: reserve_of(total),
            free: AtomicU64::new(free),
            is_low: AtomicBool::new(false),
            lows: AtomicU64::new(0),
        };
        let space = Self(Arc::new(inner));
        space.look();
        let (stop, stopped) = mpsc::channel::<()>();
        let own = space.clone();
        let look = move || {
            while stopped.recv_timeout(LOOK_EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
                own.look();
            }
        };
        let thread = thread::Builder::new().name("space".to_owned()).spawn(look)?;
        Ok((space, Watch { stop: Some(stop), thread: Some(thread) }))
    }

    /// Whether so little space is left that nothing new is taken in.
    pub fn is_low(&self) -> bool {
        self.0.is_low.load(Ordering::Relaxed)
    }

    /// Whether so many bytes can be taken now while the reserve, and half of it again, stay free.
    /// Measures the disk.
    pub fn has_space_for(&self, bytes: u64) -> bool {
        self.look();
        self.0.free.load(Ordering::Relaxed) >= self.comfortable().saturating_add(bytes)
    }

    /// Whether at least half of the reserve is free: enough for what the reserve is for. Measures
    /// the disk.
    pub fn has_some(&self) -> bool {
        self.look();
        self.0.free.load(Ordering::Relaxed) >= self.0.reserve / 2
    }

    /// Writes the free space, the reserve, and how often the disk was full.
    pub fn write(&self, page: &mut Exposition) {
        if self.0.path.is_none() {
            return;
        }
        let number = |number: &AtomicU64| number.load(Ordering::Relaxed);
        let help = "Free bytes on the disk of the data directory.";
        page.single("coterie_disk_free_bytes", MetricKind::Gauge, help, number(&self.0.free));
        let help = "Reserved bytes: with less free space, writes are refused.";
        page.single("coterie_disk_reserve_bytes", MetricKind::Gauge, help, self.0.reserve);
        let help = "How often the disk became too full for writes.";
        page.single("coterie_disk_full_total", MetricKind::Counter, help, number(&self.0.lows));
    }

    /// The free bytes at which things are taken in again: more than the reserve, so that the state
    /// does not flap.
    fn comfortable(&self) -> u64 {
        self.0.reserve.saturating_add(self.0.reserve / 2)
    }

    fn look(&self) {
        let Some(path) = &self.0.path else { return };
        // If the disk cannot be measured now, the last measurement counts.
        let Ok((free, _)) = measure(path) else { return };
        self.0.free.store(free, Ordering::Relaxed);
        let was_low = self.is_low();
        let is_low = if was_low { free < self.comfortable() } else { free < self.0.reserve };
        if was_low == is_low || self.0.is_low.swap(is_low, Ordering::Relaxed) == is_low {
            return;
        }
        let path = path.display();
        let wanted = self.comfortable();
        if is_low {
            self.0.lows.fetch_add(1, Ordering::Relaxed);
            tracing::error!(
                free, wanted, %path,
                "the disk is full: reads and log-ins work, other writes are refused until there \
                 is space"
            );
        } else {
            tracing::warn!(free, %path, "the disk has space again: all writes are accepted");
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.stop.take());
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the disk monitor thread panicked");
        }
    }
}

/// The bytes that are kept back on a disk of this size.
pub fn reserve_of(total: u64) -> u64 {
    RESERVE.min(total / PART)
}

/// The bytes that are free for this process, and the size of the disk.
///
/// # Errors
/// If the disk cannot be measured.
pub fn measure(path: &Path) -> io::Result<(u64, u64)> {
    let disk = rustix::fs::statvfs(path)?;
    let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
    Ok((bytes(disk.f_bavail), bytes(disk.f_blocks)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_has_room_for_a_little_and_not_for_everything() {
        let folder = tempfile::TempDir::new().unwrap();
        let (space, _watch) = Space::watch(folder.path()).unwrap();
        let (free, total) = measure(folder.path()).unwrap();
        assert!(free <= total);
        assert!(!space.has_space_for(total), "the reserve stays free");
        assert!(Space::endless().has_space_for(1 << 60) && !Space::endless().is_low());
    }
}
