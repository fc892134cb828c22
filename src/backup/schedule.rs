//! Makes a set when one is due, on a thread of its own.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actix::Arbiter;
use serde::{Deserialize, Serialize};

use crate::bucket::Credentials;
use crate::encryption::BackupKey;
use crate::place::BackupPlace;
use crate::set::{SetMade, Sets};
use crate::source::{STATUS, SetSource};
use crate::store::BackupStore;
use base::clock::{Clock, Stopwatch};
use base::metrics::exposition::{Exposition, MetricKind};
use base::secret_file;
use journal::Journal;
use journal::view::View;
use media::removal_hold::CopyHold;
use outgoing::Outgoing;

/// How often the schedule looks at the clock.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// The delay after the first failure, in seconds; it doubles with each further one.
const FIRST_DELAY: u64 = 60;

/// The key and the credentials for the place of sets.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// The key that encrypts sets.
    pub key: Option<BackupKey>,
    /// The credentials of a bucket.
    pub credentials: Option<Credentials>,
}

/// Where sets are made, how often, and how many stay.
#[derive(Debug, Clone)]
pub struct BackupSettings {
    /// The place.
    pub place: BackupPlace,
    /// The time between two sets, in seconds.
    pub every: u64,
    /// The number of sets that stay.
    pub keep: usize,
    /// The key and the credentials.
    pub access: Access,
}

/// What the schedule needs from the server.
pub struct BackupContext {
    /// The data directory.
    pub data: PathBuf,
    /// The number of the history.
    pub history: u32,
    /// The journal.
    pub journal: Arc<dyn Journal>,
    /// The clock of the server.
    pub clock: Arc<dyn Clock>,
    /// The sender of requests to a bucket.
    pub outgoing: Outgoing,
}

/// The results of scheduled backups, which survive a restart.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupStatus {
    /// The place, as people read it.
    pub place: String,
    /// The last set that was read back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<SetMade>,
    /// The failures since then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<BackupFailure>,
}

/// Backups that failed one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupFailure {
    /// How many.
    pub count: u32,
    /// When the last one failed, in Unix seconds.
    pub at: u64,
    /// The reason.
    pub error: String,
}

impl BackupStatus {
    /// Reads the results from a data directory; none if there is no readable file.
    pub fn of(data: &Path) -> Self {
        let text = std::fs::read(data.join(STATUS)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// When the next set is due, in Unix seconds.
    fn due(&self, every: u64, now: u64) -> u64 {
        // A clock that was set back must not delay the next set.
        let made = self.last.as_ref().map_or(0, |it| it.made_at.min(now).saturating_add(every));
        let retry = self.failure.as_ref().map_or(0, |failure| {
            let doublings = failure.count.saturating_sub(1).min(16);
            failure.at.min(now).saturating_add((FIRST_DELAY << doublings).min(every))
        });
        made.max(retry)
    }
}

/// The schedule of backups, as the rest of the server sees it.
#[derive(Clone)]
pub struct Backups(Arc<Shared>);

struct Shared {
    settings: BackupSettings,
    status: Mutex<BackupStatus>,
    made: AtomicU64,
    failed: AtomicU64,
    /// How long the last set took, in microseconds.
    micros: AtomicU64,
}

/// The thread on which sets are made.
pub struct BackupThread(Arbiter);

impl BackupThread {
    /// Stops the thread, and waits for its end. A set that is not complete has no manifest, and the
    /// next one uses its objects.
    pub fn end(self) {
        self.0.stop();
        if self.0.join().is_err() {
            tracing::error!("the backup thread panicked");
        }
    }
}

impl Backups {
    /// Starts the thread that makes sets.
    pub fn start(settings: BackupSettings, context: BackupContext) -> (Self, BackupThread) {
        let mut status = BackupStatus::of(&context.data);
        let place = settings.place.to_string();
        if status.place != place {
            // Sets at another place do not count.
            status = BackupStatus { place, ..BackupStatus::default() };
        }
        let backups = Self(Arc::new(Shared {
            settings,
            status: Mutex::new(status),
            made: AtomicU64::default(),
            failed: AtomicU64::default(),
            micros: AtomicU64::default(),
        }));
        let arbiter = Arbiter::new();
        let schedule = Schedule { backups: backups.clone(), context };
        arbiter.spawn_fn(move || {
            actix::spawn(schedule.run());
        });
        (backups, BackupThread(arbiter))
    }

    fn settings(&self) -> &BackupSettings {
        &self.0.settings
    }

    fn status(&self) -> BackupStatus {
        self.0.status.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes the metrics.
    pub fn write(&self, page: &mut Exposition) {
        let status = self.status();
        let last = status.last.as_ref();
        page.single(
            "coterie_backup_last_success_seconds",
            MetricKind::Gauge,
            "When the last backup set began that was read back, in Unix seconds; 0 if none was.",
            last.map_or(0, |it| it.made_at),
        );
        page.family("coterie_backups_total", MetricKind::Counter, "Backup sets by their result.");
        page.sample(&[("result", "made")], self.0.made.load(Ordering::Relaxed));
        page.sample(&[("result", "failed")], self.0.failed.load(Ordering::Relaxed));
        page.single(
            "coterie_backup_seconds",
            MetricKind::Gauge,
            "How long the last backup set took.",
            self.0.micros.load(Ordering::Relaxed) as f64 / 1e6,
        );
        page.single(
            "coterie_backup_bytes",
            MetricKind::Gauge,
            "The bytes of all files in the last backup set.",
            last.map_or(0, |it| it.bytes),
        );
        page.single(
            "coterie_backup_stored_bytes",
            MetricKind::Gauge,
            "The bytes that the last backup set added to its place.",
            last.map_or(0, |it| it.new_bytes),
        );
    }
}

struct Schedule {
    backups: Backups,
    context: BackupContext,
}

impl Schedule {
    async fn run(self) {
        let every = self.backups.settings().every;
        loop {
            let now = self.context.clock.now().wall.seconds();
            if now >= self.backups.status().due(every, now) {
                self.attempt().await;
            }
            tokio::time::sleep(LOOK_EVERY.min(Duration::from_secs(every))).await;
        }
    }

    async fn attempt(&self) {
        let shared = &self.backups.0;
        let place = self.backups.status().place;
        tracing::debug!(place, "making a backup set");
        let watch = Stopwatch::start();
        let made = self.make().await;
        let mut status = shared.status.lock().unwrap_or_else(PoisonError::into_inner);
        match made {
            Ok(made) => {
                let SetMade { name, files, bytes, new_bytes, .. } = &made;
                tracing::info!(
                    place,
                    set = name,
                    files,
                    bytes,
                    new_bytes,
                    "the backup set is stored and read back"
                );
                status.last = Some(made);
                status.failure = None;
                shared.made.fetch_add(1, Ordering::Relaxed);
                shared.micros.store(watch.micros(), Ordering::Relaxed);
            }
            Err(error) => {
                tracing::error!(place, error, "making a backup set failed; retrying");
                let count = status.failure.as_ref().map_or(0, |it| it.count);
                let at = self.context.clock.now().wall.seconds();
                status.failure = Some(BackupFailure { count: count.saturating_add(1), at, error });
                shared.failed.fetch_add(1, Ordering::Relaxed);
            }
        }
        let text = serde_json::to_vec(&*status).unwrap_or_default();
        if let Err(error) = secret_file::write(&self.context.data.join(STATUS), &text) {
            tracing::error!(%error, "writing the results of the backups failed");
        }
    }

    /// Makes a set, reads it back, and removes old ones.
    async fn make(&self) -> Result<SetMade, String> {
        let BackupContext { data, history, journal, clock, outgoing } = &self.context;
        let BackupSettings { place, keep, access, .. } = self.backups.settings();
        let store = BackupStore::open(place, access.credentials.as_ref(), outgoing);
        let sets = Sets { store: store.map_err(text)?, key: access.key.clone() };
        let set = {
            let _held = CopyHold::of(data).map_err(text)?;
            let at = clock.now().wall;
            let end = journal.end();
            let view = View::open(&data.join("journal"), Some(end)).map_err(text)?;
            let source = SetSource::of(data, &view, end.get(), *history).map_err(text)?;
            sets.make(&source, at).await.map_err(text)?
        };
        sets.read_back(&set).await.map_err(|fault| format!("reading it back failed: {fault}"))?;
        // The new set is good, whether or not old ones can be removed.
        match sets.prune(*keep).await {
            Ok(0) => {}
            Ok(removed) => tracing::debug!(removed, "removed old backup sets"),
            Err(fault) => tracing::error!(%fault, "removing old backup sets failed; retrying"),
        }
        Ok(set.made)
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(made_at: Option<u64>, failures: u32, at: u64) -> BackupStatus {
        let made = |made_at| SetMade {
            name: String::new(),
            made_at,
            files: 0,
            bytes: 0,
            new_objects: 0,
            new_bytes: 0,
        };
        let failure = BackupFailure { count: failures, at, error: String::new() };
        BackupStatus {
            place: String::new(),
            last: made_at.map(made),
            failure: Some(failure).filter(|it| it.count > 0),
        }
    }

    #[test]
    fn sets_are_due_after_the_interval_and_sooner_after_failures() {
        assert_eq!(status(None, 0, 0).due(86_400, 500_000), 0);
        assert_eq!(status(Some(100_000), 0, 0).due(86_400, 500_000), 186_400);
        assert_eq!(status(Some(900_000), 0, 0).due(86_400, 500_000), 586_400, "a clock set back");
        assert_eq!(status(None, 1, 1000).due(86_400, 500_000), 1060);
        assert_eq!(status(None, 3, 1000).due(86_400, 500_000), 1240);
        assert_eq!(status(None, 40, 1000).due(86_400, 500_000), 87_400);
        assert_eq!(status(Some(0), 1, 86_400).due(86_400, 500_000), 86_460);
    }
}
