//! Images: accepted, made safe, stored, and shown in several forms.
//!
//! An uploaded image is decoded and encoded again, so that what goes out holds pixels and nothing
//! else, on threads of low priority with a short queue. An image is named by its content, so a file
//! never changes and the same image is stored once. Who may send or name images is not decided
//! here.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dashmap::DashMap;
use quick_cache::sync::Cache;

use base::bounds::places::Places;
use base::bounds::turns::Owner;
use base::clock::Clock;
use cluster::bus::ObjectFault;
use cluster::objects::SharedObjects;
use domain::attachment::ImageRef;
use domain::ids::UserId;
use domain::limits::UNSENT_MILLIS;
use index::IndexFault;
use index::archive::Archive;

mod animation;
mod decoder_pool;
pub mod files;
pub mod intake;
mod memory;
pub mod name;
pub mod orphans;
mod png_strip;
pub mod qr;
mod remake;
pub mod removal_hold;
mod replication;
mod sniff;
mod still;
pub mod store;
mod sweeper;
mod unused_images;

use crate::unused_images::UnusedImages;
use decoder_pool::{DecoderPool, JobFailure, JobQueue};
use intake::{Intake, IntakeMemory, IntakeRefusal, Upload};
use memory::Memory;
use name::{ImageName, Variant};
use store::{Found, Store, StoredFile};

/// Memory for decoding, in bytes: nearly two pictures of the largest kind.
const DECODING_BYTES: u64 = 384 << 20;
/// Names of images that are remembered as existing, to save a look at the disk.
const KNOWN: usize = 10_000;

/// The message to operators about an image that was damaged on the disk.
const DAMAGED: &str = "its file is damaged; run `coterie check`";

/// Why an image is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PictureRefusal {
    /// The bytes are in none of the accepted formats, whatever the client calls them.
    #[error("this is not a JPEG, PNG, GIF or WebP image")]
    NotAnImage,
    /// The image moves, in a format whose animations are not kept.
    #[error("animated {0} images are not supported; send a GIF or a still image")]
    Animated(&'static str),
    /// The image is damaged or truncated.
    #[error("the image is damaged or incomplete")]
    Damaged,
    /// The headers announce too many pixels.
    #[error(
        "the image has {width} × {height} pixels; at most 40 megapixels and 65535 on a side are \
         allowed"
    )]
    TooManyPixels {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
    },
    /// Decoding takes too many frames, too many passes or too much memory.
    #[error("decoding the image takes too long: too many frames, passes or colours")]
    TooMuchWork,
    /// The image as it would be stored has too many bytes.
    #[error("the image has too much detail to be stored")]
    TooManyBytes,
}

/// Why an image was not kept or shown.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PictureError {
    /// A refusal.
    #[error(transparent)]
    Refused(#[from] PictureRefusal),
    /// Too many images are waiting.
    #[error("too many images at once")]
    Busy,
    /// A fault of the server, not a refusal.
    #[error("an image cannot be stored or read: {0}")]
    Fault(String),
}

impl From<IndexFault> for PictureError {
    fn from(fault: IndexFault) -> Self {
        Self::Fault(fault.to_string())
    }
}

impl From<ObjectFault> for PictureError {
    fn from(fault: ObjectFault) -> Self {
        Self::Fault(fault.to_string())
    }
}

impl From<std::io::Error> for PictureError {
    fn from(error: std::io::Error) -> Self {
        Self::Fault(error.to_string())
    }
}

/// All images of this installation.
pub struct Images {
    store: Arc<Store>,
    /// Images that were uploaded and not used yet.
    waiting: Arc<UnusedImages>,
    /// The index, which knows what shows an image.
    archive: Archive,
    clock: Arc<dyn Clock>,
    /// The shared store of several nodes; `None` on a single node.
    shared: Option<SharedObjects>,
    /// Held while an image is noted as waiting, and while an image that nothing shows is removed.
    naming: Arc<Mutex<()>>,
    decoder_pool: DecoderPool,
    memory: Arc<Memory>,
    room: IntakeMemory,
    known: Cache<String, ()>,
    /// Locks for forms that are being made, so that each is made once.
    in_hand: DashMap<String, Arc<tokio::sync::Mutex<()>>>,
    within: Duration,
}

/// The arguments of [`Images::open`].
pub struct ImageSources {
    /// The index, which knows what shows an image.
    pub archive: Archive,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The shared store of several nodes; `None` on a single node.
    pub shared: Option<SharedObjects>,
    /// How long a request waits for an image before the client is told to try again.
    pub within: Duration,
}

impl Images {
    /// Opens the images in this folder, and starts this many decoder threads.
    ///
    /// # Errors
    /// If the folder cannot be used, or the system gives no thread.
    pub fn open(
        folder: &Path,
        threads: usize,
        places: &Places,
        sources: ImageSources,
    ) -> std::io::Result<Self> {
        let ImageSources { archive, clock, shared, within } = sources;
        let memory = Arc::new(Memory::new(DECODING_BYTES));
        let shown = Arc::clone(&memory);
        places.add("image_memory", move || shown.fullness());
        Ok(Self {
            store: Arc::new(Store::open(folder)?),
            waiting: Arc::new(UnusedImages::open(folder)?),
            archive,
            clock,
            shared,
            naming: Arc::default(),
            decoder_pool: DecoderPool::start(threads, places)?,
            memory,
            room: IntakeMemory::new(places),
            known: Cache::new(KNOWN),
            in_hand: DashMap::new(),
            within,
        })
    }

    /// Begins a buffer for the bytes of an image of this owner.
    ///
    /// # Errors
    /// If too many images of the owner or of everybody wait: a client is better told before it
    /// sends the bytes than after.
    pub fn intake(&self, owner: impl Into<Owner>) -> Result<Intake, IntakeRefusal> {
        if self.decoder_pool.has_space(JobQueue::Uploads) {
            self.room.intake(owner.into())
        } else {
            Err(IntakeRefusal::Full)
        }
    }

    /// Stores an image durably. One that a user uploads (`sender`) waits for a day to be used; one
    /// from a page has no sender.
    ///
    /// # Errors
    /// If the image is refused, too many wait, or on a fault.
    pub async fn keep(
        &self,
        upload: Upload,
        sender: Option<UserId>,
    ) -> Result<ImageRef, PictureError> {
        let store = Arc::clone(&self.store);
        let memory = Arc::clone(&self.memory);
        let waiting = Arc::clone(&self.waiting);
        let naming = Arc::clone(&self.naming);
        let now = self.clock.now().wall;
        // An image from a page belongs to no user and is used at once.
        let until = sender.map_or(now, |_| now.plus_millis(UNSENT_MILLIS));
        let sender = sender.unwrap_or(UserId::new(0));
        let job = move || -> Result<_, PictureError> {
            let remade = remake::taken_in(upload.bytes(), &memory)?;
            drop(upload);
            let held = naming.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.add(&remade.name, sender, until)?;
            drop(held);
            // A sweep that did not see the note has removed the image by now; later sweeps see the
            // note.
            store.keep(&remade.name, &remade.bytes)?;
            Ok((remade.name, remade.bytes))
        };
        let (name, bytes) = self.done(JobQueue::Uploads, job).await?;
        if let Some(shared) = &self.shared {
            shared.keep(name.text(), bytes, now).await?;
        }
        self.known.insert(name.text(), ());
        name.to_ref().ok_or_else(|| PictureError::Fault("a name cannot be shown".to_owned()))
    }

    /// Ends the waiting of these images, which the user puts into a message.
    ///
    /// # Errors
    /// On a fault.
    pub async fn used<'a>(
        &self,
        user: UserId,
        images: impl Iterator<Item = &'a ImageRef>,
    ) -> Result<(), PictureError> {
        let names: Vec<ImageName> =
            images.filter_map(ImageName::of_ref).map(|name| name.original()).collect();
        if names.is_empty() {
            return Ok(());
        }
        let waiting = Arc::clone(&self.waiting);
        let now = self.clock.now().wall;
        on_disk(move || names.iter().try_for_each(|name| waiting.end(name, user, now))).await
    }

    /// Opens a form of an image, and makes the form at the first request; `None` if there is no
    /// such image.
    ///
    /// # Errors
    /// If too many forms wait to be made, or on a fault.
    pub async fn find(&self, name: ImageName) -> Result<Option<StoredFile>, PictureError> {
        let name = if remake::is_original(&name) { name.original() } else { name };
        if let Some(found) = self.look(&name).await? {
            return Ok(Some(found));
        }
        // The image may have been removed since it was remembered.
        self.known.remove(&name.original().text());
        if !self.exists(&name.original()).await? {
            return Ok(None);
        }
        if remake::is_original(&name) {
            // The image was fetched from the other nodes.
            return self.look(&name).await;
        }
        let turn = Arc::clone(&self.in_hand.entry(name.text()).or_default());
        let held = turn.lock().await;
        let found = match self.look(&name).await? {
            Some(found) => Ok(Some(found)),
            None => self.make(&name).await,
        };
        drop(held);
        self.in_hand.remove_if(&name.text(), |_, turn| Arc::strong_count(turn) <= 2);
        found
    }

    /// Whether a caller may name this image, in any form: it is stored, and either was not let go
    /// of by messages and drafts, or was uploaded lately to be sent.
    ///
    /// # Errors
    /// On a fault.
    pub async fn has(&self, image: &ImageRef) -> Result<bool, PictureError> {
        let Some(name) = ImageName::of_ref(image) else { return Ok(false) };
        if self.is_gone(image).await? {
            let now = self.clock.now().wall;
            match &self.shared {
                // It may have been uploaded to another node.
                Some(shared) if shared.is_new(name.original().text(), now).await? => {}
                Some(_) | None => return Ok(false),
            }
        }
        self.exists(&name.original()).await
    }

    /// Whether all messages and drafts that had an image let go of it, nothing else ever showed it,
    /// and no upload of it waits to be sent.
    ///
    /// # Errors
    /// On a fault.
    pub async fn is_gone(&self, image: &ImageRef) -> Result<bool, PictureError> {
        let Some(name) = ImageName::of_ref(image) else { return Ok(false) };
        if !self.is_forgotten(image).await? {
            return Ok(false);
        }
        let waiting = Arc::clone(&self.waiting);
        let now = self.clock.now().wall;
        Ok(!on_disk(move || waiting.has(&name.original(), now)).await?)
    }

    async fn is_forgotten(&self, image: &ImageRef) -> Result<bool, PictureError> {
        let image = image.clone();
        let now = self.clock.now().wall;
        let read = move |archive: &Archive| archive.index.is_forgotten(&image, now);
        Ok(self.archive.read_current(Owner::Server, read).await?)
    }

    /// Stops the decoder threads once they have finished their present jobs.
    pub fn close(&self) {
        self.decoder_pool.close();
    }

    async fn exists(&self, name: &ImageName) -> Result<bool, PictureError> {
        let text = name.text();
        if self.known.get(&text).is_some() {
            return Ok(true);
        }
        let exists = self.bring(name).await?;
        if exists {
            self.known.insert(text, ());
        }
        Ok(exists)
    }

    async fn look(&self, name: &ImageName) -> Result<Option<StoredFile>, PictureError> {
        let store = Arc::clone(&self.store);
        let name = name.clone();
        let is_original = name.variant == Variant::Original;
        match on_disk(move || store.find(&name)).await? {
            Found::Whole(found) => Ok(Some(found)),
            Found::Nothing => Ok(None),
            // A form can be rebuilt, an original cannot.
            Found::Damaged if !is_original => Ok(None),
            Found::Damaged => Err(PictureError::Fault(DAMAGED.to_owned())),
        }
    }

    /// Makes a form; `None` if its image is removed meanwhile.
    async fn make(&self, name: &ImageName) -> Result<Option<StoredFile>, PictureError> {
        let store = Arc::clone(&self.store);
        let memory = Arc::clone(&self.memory);
        let name = name.clone();
        let job = move || -> Result<Option<StoredFile>, PictureError> {
            let original = match store.find(&name.original())? {
                Found::Whole(original) => store::bytes_of(&original)?,
                Found::Nothing => return Ok(None),
                Found::Damaged => return Err(PictureError::Fault(DAMAGED.to_owned())),
            };
            let made = remake::form(&original, &name, &memory);
            // The stored bytes could be decoded before, so a failure now is a fault.
            let made = made.map_err(|refusal| {
                PictureError::Fault(format!("{} cannot be shown: {refusal}", name.text()))
            })?;
            match store.keep_form(&name, &made)? {
                Some(Found::Whole(found)) => Ok(Some(found)),
                Some(Found::Nothing | Found::Damaged) => {
                    Err(PictureError::Fault(DAMAGED.to_owned()))
                }
                None => Ok(None),
            }
        };
        self.done(JobQueue::Forms, job).await
    }

    fn naming(&self) -> MutexGuard<'_, ()> {
        self.naming.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn done<T: Send + 'static>(
        &self,
        queue: JobQueue,
        job: impl FnOnce() -> Result<T, PictureError> + Send + 'static,
    ) -> Result<T, PictureError> {
        match tokio::time::timeout(self.within, self.decoder_pool.run(queue, job)).await {
            Ok(Ok(done)) => done,
            Err(_) | Ok(Err(JobFailure::Full | JobFailure::Closed)) => Err(PictureError::Busy),
            // The decoder panicked: no honest program writes such a file.
            Ok(Err(JobFailure::Broken)) => Err(PictureRefusal::Damaged.into()),
        }
    }
}

async fn on_disk<T: Send + 'static>(
    look: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T, PictureError> {
    let done = tokio::task::spawn_blocking(look).await;
    Ok(done.map_err(|error| PictureError::Fault(error.to_string()))??)
}
