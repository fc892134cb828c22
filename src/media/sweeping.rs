//! Removing images that nothing shows any more: with the last message or draft that had one go
//! its bytes and all forms of them, from this disk and from where every node finds them.
//!
//! An image that is not forgotten may be let into a message at any time, and one that is only as
//! long as somebody waits to send it. So a minute after both have ended nobody is on the way with
//! it. While a backup copies images, none is removed. What a crash interrupts is done at the next start, when all that was ever let go of is
//! looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::cluster::objects::{Removal, SharedObjects};
use crate::domain::attachment::ImageRef;
use crate::domain::time::Timestamp;
use crate::media::holding::RemovalHold;
use crate::media::name::ImageName;
use crate::media::{Images, PictureError, on_disk};

/// How often it is looked for.
const EVERY: Duration = Duration::from_secs(30);
/// Milliseconds for which what is to be removed is left alone: somebody may have been let send
/// it the moment before, and a message takes less.
const SPARED_MILLIS: u64 = 60_000;
/// Images that are too new where every node finds them, and looked at there again; more wait for
/// another start.
const LATER: usize = 10_000;

/// What is to be removed once it is old enough where every node finds it, and from when on.
type Later = BTreeMap<String, Timestamp>;

impl Images {
    /// Sweeps now and then, as long as there are images. To be started once.
    pub fn keep_swept(self: &Arc<Self>) {
        let images = Arc::downgrade(self);
        actix::spawn(async move {
            let (mut since, mut later) = (Timestamp::from_millis(0), Later::default());
            loop {
                let Some(held) = Weak::upgrade(&images) else { return };
                match held.sweep(since, &mut later).await {
                    Ok(until) => since = until,
                    Err(error) => tracing::warn!(%error, "images cannot be swept"),
                }
                drop(held);
                tokio::time::sleep(EVERY).await;
            }
        });
    }

    /// Removes what was let go of since then and nothing shows; until when that was looked at.
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
        // Looked at again from a little before, as clocks are mended by so much.
        Ok(Timestamp::from_millis(until.millis().saturating_sub(SPARED_MILLIS)))
    }

    /// Removes from this disk; the names of all that nothing shows. Nothing while a backup copies.
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

    /// Removes an image, unless something shows it or somebody is about to; whether it is gone.
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

    /// Removes what is gone here from where every node finds it, once it is old enough there:
    /// at another node somebody may wait to send it.
    async fn sweep_shared(&self, shared: &SharedObjects, gone: Vec<ImageName>, later: &mut Later) {
        let now = self.clock.now().wall;
        let mut names: Vec<String> = gone.iter().map(ImageName::text).collect();
        names.extend(later.extract_if(.., |_, from| *from <= now).map(|(name, _)| name));
        for name in names {
            let from = match self.remove_shared(shared, &name, now).await {
                Ok(Removal::Done) => continue,
                Ok(Removal::From(then)) => then,
                Err(error) => {
                    tracing::warn!(%error, "an image cannot be removed for all nodes");
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
