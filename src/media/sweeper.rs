//! Removes images that nothing shows any more: once the last message or draft that had an image is
//! gone, its bytes and all its forms are removed from this disk and from the shared store.
//!
//! A message may take an image as long as something shows it, and after that as long as an upload
//! of it waits to be sent. So a minute after both have ended, no message can be about to take it.
//! While a backup copies images, none is removed. After a crash, the next start sweeps again
//! everything that was ever let go of.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::name::ImageName;
use crate::removal_hold::RemovalHold;
use crate::{Images, PictureError, on_disk};
use cluster::objects::{Removal, SharedObjects};
use domain::attachment::ImageRef;
use domain::time::Timestamp;

/// The time between two sweeps.
const EVERY: Duration = Duration::from_secs(30);
/// Milliseconds for which nothing is removed after it is due: a message that was admitted just
/// before may still be about to carry it, and takes less time than this.
const SPARED_MILLIS: u64 = 60_000;
/// Images that are too new to be removed from the shared store, and are looked at again later.
/// Those beyond this number wait for another start.
const LATER: usize = 10_000;

/// Images to be removed from the shared store once they are old enough, each with that time.
type Later = BTreeMap<String, Timestamp>;

impl Images {
    /// Starts the task that sweeps regularly while the images are in use. To be called once.
    pub fn keep_swept(self: &Arc<Self>) {
        let images = Arc::downgrade(self);
        actix::spawn(async move {
            let mut since = Timestamp::from_millis(0);
            let mut later = Later::default();
            loop {
                let Some(held) = Weak::upgrade(&images) else { return };
                match held.sweep(since, &mut later).await {
                    Ok(until) => since = until,
                    Err(error) => tracing::warn!(
                        %error,
                        "removing unused images failed; the next sweep retries"
                    ),
                }
                drop(held);
                tokio::time::sleep(EVERY).await;
            }
        });
    }

    /// Removes images that were let go of since `since` and that nothing shows. Returns the `since`
    /// of the next sweep.
    async fn sweep(
        self: &Arc<Self>,
        since: Timestamp,
        later: &mut Later,
    ) -> Result<Timestamp, PictureError> {
        self.archive.index.reached(self.archive.journal.newest()).await?;
        let now = self.clock.now().wall;
        let until = Timestamp::from_millis(now.millis().saturating_sub(SPARED_MILLIS));
        let images = Arc::clone(self);
        let gone = on_disk(move || images.sweep_disk(since, until)).await?;
        let Some(gone) = gone else { return Ok(since) };
        if let Some(shared) = &self.shared {
            self.sweep_shared(shared, gone, later).await;
        }
        // The next sweep overlaps with this one a little, since clocks are corrected by up to that
        // much.
        Ok(Timestamp::from_millis(until.millis().saturating_sub(SPARED_MILLIS)))
    }

    /// Removes images from this disk. Returns their names; `None` while a backup copies images.
    fn sweep_disk(&self, since: Timestamp, until: Timestamp) -> io::Result<Option<Vec<ImageName>>> {
        let Some(_held) = RemovalHold::of(self.store.folder())? else { return Ok(None) };
        let ended = self.waiting.ended(until)?;
        let let_go = self.archive.index.images_let_go(since, until).map_err(io::Error::other)?;
        let mut names: BTreeSet<String> = ended.iter().map(|(name, _)| name.text()).collect();
        names.extend(let_go.iter().filter_map(ImageName::of_ref).map(|name| name.text()));
        let mut gone = Vec::new();
        for name in names.iter().filter_map(|name| ImageName::parse(name)) {
            if self.remove_unshown(&name, until)? {
                gone.push(name);
            }
        }
        ended.iter().try_for_each(|(_, note)| std::fs::remove_file(note))?;
        Ok(Some(gone))
    }

    /// Removes an image, unless something shows it or an upload of it waits. Returns whether it is
    /// gone.
    fn remove_unshown(&self, name: &ImageName, until: Timestamp) -> io::Result<bool> {
        let Some(image) = name.to_ref() else { return Ok(false) };
        let _held = self.naming();
        let is_forgotten = self.archive.index.is_forgotten(&image, until);
        if !is_forgotten.map_err(io::Error::other)? || self.waiting.has(name, until)? {
            return Ok(false);
        }
        self.store.remove(name)?;
        self.known.remove(&name.text());
        Ok(true)
    }

    /// Removes images that are gone here from the shared store, once they are old enough there: a
    /// user may have uploaded the same image to another node.
    async fn sweep_shared(&self, shared: &SharedObjects, gone: Vec<ImageName>, later: &mut Later) {
        let now = self.clock.now().wall;
        let mut names: Vec<String> = gone.iter().map(ImageName::text).collect();
        names.extend(later.extract_if(.., |_, from| *from <= now).map(|(name, _)| name));
        for name in names {
            let from = match self.remove_shared(shared, &name, now).await {
                Ok(Removal::Done) => continue,
                Ok(Removal::From(then)) => then,
                Err(error) => {
                    tracing::warn!(
                        %error,
                        "removing an image from the shared store failed; retrying"
                    );
                    now
                }
            };
            if later.len() < LATER {
                later.insert(name, from);
            }
        }
    }

    async fn remove_shared(
        &self,
        shared: &SharedObjects,
        name: &str,
        now: Timestamp,
    ) -> Result<Removal, PictureError> {
        let image = ImageRef::from_path(&format!("{}{name}", ImageRef::FOLDER));
        match image {
            Some(image) if self.is_forgotten(&image).await? => {
                Ok(shared.remove_old(name.to_owned(), now).await?)
            }
            Some(_) | None => Ok(Removal::Done),
        }
    }
}
