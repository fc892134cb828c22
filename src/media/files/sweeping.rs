//! Removing what nobody needs any more: notes of what was sent by now, files that were never
//! sent within a day and stand in no draft, and contents that no message has any more. While a
//! backup copies files, only uploads that ended go: it leaves those out.

use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::domain::time::Timestamp;
use crate::media::files::{FileError, Files, blocking};
use crate::media::holding::RemovalHold;

/// How often it is looked for.
const EVERY: Duration = Duration::from_secs(30);
/// Milliseconds for which what is to be removed is left alone: somebody may have been let
/// send it the moment before, and a message takes less.
pub(super) const SPARED_MILLIS: u64 = 60_000;

impl Files {
    /// Sweeps now and then, as long as there are files. To be started once.
    pub fn keep_swept(self: &Arc<Self>) {
        let files = Arc::downgrade(self);
        actix::spawn(async move {
            let mut since = Timestamp::from_millis(0);
            loop {
                let Some(held) = Weak::upgrade(&files) else { return };
                match held.sweep(since).await {
                    Ok(until) => since = until,
                    Err(error) => tracing::warn!(%error, "files cannot be swept"),
                }
                drop(held);
                tokio::time::sleep(EVERY).await;
            }
        });
    }

    /// Sweeps what is due; contents that were forgotten since then. Until when that was looked
    /// at.
    ///
    /// # Errors
    /// On our own trouble.
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
        for digest in self.unsent.take_dropped() {
            self.remove_unnamed(&digest)?;
        }
        for digest in self.archive.index.forgotten_contents(since, until)? {
            self.remove_unnamed(&digest)?;
        }
        // Looked at again from a little before, as clocks are mended by so much.
        Ok(Timestamp::from_millis(until.millis().saturating_sub(SPARED_MILLIS)))
    }

    /// Removes a content, unless a message or a file that waits has it.
    fn remove_unnamed(&self, digest: &str) -> Result<(), FileError> {
        let _held = self.naming();
        if !self.unsent.has_content(digest) && !self.archive.index.has_content(digest)? {
            self.disk.remove(digest)?;
        }
        Ok(())
    }
}
