//! Shares the images that a machine had before there were other nodes: they are put into the shared
//! store, once. Images uploaded later are shared before the upload is answered.

use std::fmt::Display;
use std::future::Future;
use std::sync::{Arc, Weak};
use std::time::Duration;
use std::{fs, io};

use sha2::{Digest, Sha256};

use crate::name::ImageName;
use crate::store::{self, Found};
use crate::{DAMAGED, Images, PictureError, on_disk};
use cluster::objects::SharedObjects;

/// The file, below the folder of images, that holds the number of the installation they are shared
/// with.
pub(super) const SHARED: &str = "shared";
/// The time until sharing that failed is tried again.
const AGAIN: Duration = Duration::from_secs(5);

/// Starts the task that shares what this node had before there were others. It retries until that
/// is done or `owner` is dropped.
pub(super) fn share_once<Owner, Error, Sharing>(
    owner: &Arc<Owner>,
    what: &'static str,
    share: impl Fn(Arc<Owner>) -> Sharing + 'static,
) where
    Owner: 'static,
    Error: Display,
    Sharing: Future<Output = Result<(), Error>>,
{
    let owner = Arc::downgrade(owner);
    actix::spawn(async move {
        while let Some(owner) = Weak::upgrade(&owner) {
            match share(owner).await {
                Ok(()) => return,
                Err(error) => tracing::warn!(
                    %error,
                    "sharing {what} of this node failed; retrying"
                ),
            }
            tokio::time::sleep(AGAIN).await;
        }
    });
}

impl Images {
    /// Makes the images that this node had before there were others available to them, if there are
    /// any. To be called once.
    pub fn keep_shared(self: &Arc<Self>, installation: u64) {
        share_once(self, "images", move |images| images.share_what_was_here(installation));
    }

    /// Whether an image is on this disk, after fetching it from the shared store if it was not.
    ///
    /// # Errors
    /// On a fault.
    pub async fn bring(&self, name: &ImageName) -> Result<bool, PictureError> {
        let store = Arc::clone(&self.store);
        let looked_for = name.clone();
        let is_here = on_disk(move || store.has(&looked_for)).await?;
        Ok(is_here || self.is_fetched(name).await?)
    }

    /// Fetches an image from the shared store; returns whether it was there.
    async fn is_fetched(&self, name: &ImageName) -> Result<bool, PictureError> {
        let Some(shared) = &self.shared else { return Ok(false) };
        let Some(bytes) = shared.fetch(name.text()).await? else { return Ok(false) };
        // The name comes from the log. It proves the bytes, which anybody may have stored.
        if !name.is_of(&Sha256::digest(&bytes)) {
            tracing::warn!(
                name = name.text(),
                "ignored a shared image: its bytes do not match its name"
            );
            return Ok(false);
        }
        let store = Arc::clone(&self.store);
        let name = name.clone();
        on_disk(move || store.keep(&name, &bytes)).await?;
        Ok(true)
    }

    async fn share_what_was_here(self: Arc<Self>, installation: u64) -> Result<(), PictureError> {
        let Some(shared) = &self.shared else { return Ok(()) };
        let store = Arc::clone(&self.store);
        let installation = installation.to_string();
        let known = installation.clone();
        let look = move || -> io::Result<_> {
            let folder = store.folder();
            match fs::read_to_string(folder.join(SHARED)) {
                Ok(text) if text == known => Ok(None),
                Ok(_) | Err(_) => store::list(folder).map(Some),
            }
        };
        let Some(listed) = on_disk(look).await? else { return Ok(()) };
        for image in listed {
            self.share_one(shared, image.name).await?;
        }
        let store = Arc::clone(&self.store);
        on_disk(move || store.note(SHARED, installation.as_bytes())).await
    }

    /// Shares an image, unless nothing shows it any more or it is shared already.
    async fn share_one(&self, shared: &SharedObjects, name: ImageName) -> Result<(), PictureError> {
        let Some(image) = name.to_ref() else { return Ok(()) };
        if self.is_gone(&image).await? || shared.has(name.text()).await? {
            return Ok(());
        }
        let store = Arc::clone(&self.store);
        let wanted = name.clone();
        let read = move || match store.find(&wanted)? {
            Found::Whole(found) => store::bytes_of(&found).map(Some),
            Found::Nothing => Ok(None),
            Found::Damaged => {
                tracing::warn!(name = wanted.text(), "not sharing an image: {DAMAGED}");
                Ok(None)
            }
        };
        let Some(bytes) = on_disk(read).await? else { return Ok(()) };
        Ok(shared.keep(name.text(), bytes, self.clock.now().wall).await?)
    }
}
