//! Removes what is no longer needed: notes of files that were sent, files that were not sent within
//! a day and are in no draft, and contents that no message carries any more. While a backup copies
//! files, only expired uploads are removed, which backups leave out.

use std::collections::HashSet;
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::files::{FileError, Files, blocking};
use crate::removal_hold::RemovalHold;
use domain::time::Timestamp;

/// The time between two sweeps.
const EVERY: Duration = Duration::from_secs(30);
/// Milliseconds for which nothing is removed after it is due: a message that was admitted just
/// before may still be about to carry it, and takes less time than this.
pub(super) const SPARED_MILLIS: u64 = 60_000;

impl Files {
    /// Starts the task that sweeps regularly while the files are in use. To be called once.
    pub fn keep_swept(self: &Arc<Self>) {
        let files = Arc::downgrade(self);
        actix::spawn(async move {
            let mut since = Timestamp::from_millis(0);
            loop {
                let Some(held) = Weak::upgrade(&files) else { return };
                match held.sweep(since).await {
                    Ok(until) => since = until,
                    Err(error) => tracing::warn!(
                        %error,
                        "removing unused files failed; the next sweep retries"
                    ),
                }
                drop(held);
                tokio::time::sleep(EVERY).await;
            }
        });
    }

    /// Sweeps what is due, including contents let go of since `since`. Returns the `since` of the
    /// next sweep.
    ///
    /// # Errors
    /// On a fault.
    pub async fn sweep(self: &Arc<Self>, since: Timestamp) -> Result<Timestamp, FileError> {
        self.archive.index.reached(self.archive.journal.newest()).await?;
        let files = Arc::clone(self);
        let until = blocking(move || files.sweep_now(since)).await?;
        self.sweep_shared(since).await?;
        Ok(until)
    }

    fn sweep_now(&self, since: Timestamp) -> Result<Timestamp, FileError> {
        let now = self.clock.now().wall.millis();
        let until = match RemovalHold::of(self.disk.folder())? {
            Some(_held) => self.sweep_contents(since, now)?,
            None => since,
        };
        self.partial.sweep(now)?;
        Ok(until)
    }

    fn sweep_contents(&self, since: Timestamp, now: u64) -> Result<Timestamp, FileError> {
        let until = Timestamp::from_millis(now.saturating_sub(SPARED_MILLIS));
        let own = if self.sharing.is_some() { Vec::new() } else { self.unsent.all() };
        for unsent in own {
            let is_sent = self.archive.index.file(unsent.stream, &unsent.file.id)?.is_some();
            if is_sent || !unsent.waits(&self.archive.index, until)? {
                self.unsent.remove(&unsent)?;
            }
        }
        // A message was deleted less than a minute ago: a later sweep removes its contents.
        let spared = self.spared_contents(until)?;
        for digest in self.unsent.take_dropped() {
            if !spared.contains(&digest) {
                self.remove_unnamed(&digest)?;
            }
        }
        for digest in self.archive.index.forgotten_contents(since, until)? {
            self.remove_unnamed(&digest)?;
        }
        // The next sweep overlaps with this one a little, since clocks are corrected by up to that
        // much.
        Ok(Timestamp::from_millis(until.millis().saturating_sub(SPARED_MILLIS)))
    }

    /// Contents of messages that were deleted after `until`.
    pub(super) fn spared_contents(&self, until: Timestamp) -> Result<HashSet<String>, FileError> {
        // Clocks are corrected by up to this much.
        let latest = self.clock.now().wall.plus_millis(SPARED_MILLIS);
        Ok(self.archive.index.forgotten_contents(until, latest)?.into_iter().collect())
    }

    /// Removes a content, unless a message or a waiting file has it.
    fn remove_unnamed(&self, digest: &str) -> Result<(), FileError> {
        let _held = self.naming();
        if !self.unsent.has_content(digest) && !self.archive.index.has_content(digest)? {
            self.disk.remove(digest)?;
        }
        Ok(())
    }
}
