//! Images: taken in, made safe, kept, and shown in several forms.
//!
//! What comes in is decoded and written anew, so that what goes out holds pixels and nothing
//! else, on threads of low priority with a short queue. Names say what is in a file, so a file
//! never changes and the same image is kept once. Who may send or name images is not decided here.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dashmap::DashMap;
use quick_cache::sync::Cache;

use crate::bounds::places::Places;
use crate::clock::Clock;
use crate::cluster::bus::ObjectFault;
use crate::cluster::objects::SharedObjects;
use crate::domain::attachment::ImageRef;
use crate::domain::ids::UserId;
use crate::domain::limits::UNSENT_MILLIS;
use crate::index::IndexFault;
use crate::index::archive::Archive;

mod animation;
mod bare;
mod decoder_pool;
pub mod files;
pub mod holding;
pub mod intake;
mod memory;
pub mod name;
pub mod orphans;
mod remake;
mod seal;
mod sharing;
mod sniff;
mod still;
pub mod store;
mod sweeping;
mod waiting;

use decoder_pool::{DecoderPool, JobQueue, Undone};
use intake::{Intake, IntakeMemory, Upload};
use memory::Memory;
use name::{ImageName, Variant};
use store::{Found, Store, StoredFile};
use waiting::WaitingImages;

/// Memory for decoding: two pictures of the largest kind, nearly.
const DECODING_BYTES: u64 = 384 << 20;
/// Images that are known to exist without a look at the disk.
const KNOWN: usize = 10_000;

/// What operators are told of an image that was damaged on the disk.
const DAMAGED: &str = "its file does not hold what was stored; `coterie check` names it";

/// Why an image is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PictureRefusal {
    /// Whatever it is called.
    #[error("this is no JPEG, PNG, GIF or WebP image")]
    NotAnImage,
    /// Or cut off.
    #[error("the image is damaged or not whole")]
    Damaged,
    /// By its own account.
    #[error(
        "the image has {width} × {height} pixels; at most 40 megapixels and 65535 on a side are \
         allowed"
    )]
    TooManyPixels {
        /// How wide.
        width: u32,
        /// How high.
        height: u32,
    },
    /// Frames, passes or memory.
    #[error("the image takes too much to decode: too many frames, passes or colours")]
    TooMuchWork,
    /// Of what would be stored.
    #[error("the image has too much detail to be stored")]
    TooManyBytes,
}

/// Why nothing was done.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PictureError {
    /// Because of the image.
    #[error(transparent)]
    Refused(#[from] PictureRefusal),
    /// Too many at once.
    #[error("too many images at once")]
    Busy,
    /// Our own trouble.
    #[error("an image cannot be kept or shown: {0}")]
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
    /// What somebody sent and has not used.
    waiting: Arc<WaitingImages>,
    /// What shows them.
    archive: Archive,
    clock: Arc<dyn Clock>,
    /// Where every node finds them, if there are several.
    shared: Option<SharedObjects>,
    /// Held while an image is noted as waiting, and while one is removed that nothing shows.
    naming: Arc<Mutex<()>>,
    decoder_pool: DecoderPool,
    memory: Arc<Memory>,
    room: IntakeMemory,
    known: Cache<String, ()>,
    /// Forms that are being made, so that each is made once.
    in_hand: DashMap<String, Arc<tokio::sync::Mutex<()>>>,
    within: Duration,
}

/// What images stand on.
pub struct ImageSources {
    /// What shows them.
    pub archive: Archive,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Where other nodes find them, if there are any.
    pub shared: Option<SharedObjects>,
    /// How long somebody waits for an image before they are asked to come again.
    pub within: Duration,
}

impl Images {
    /// Those in this folder, decoded on so many threads.
    ///
    /// # Errors
    /// When the folder cannot be used.
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
            waiting: Arc::new(WaitingImages::open(folder)?),
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

    /// A place to gather the bytes of an image.
    ///
    /// # Errors
    /// When too many wait already: better told before the bytes are sent than after.
    pub fn intake(&self) -> Result<Intake, PictureError> {
        if self.decoder_pool.has_room(JobQueue::Uploads) {
            Ok(self.room.intake())
        } else {
            Err(PictureError::Busy)
        }
    }

    /// Keeps an image that somebody sends, or that a page has, durably, for a day to be used.
    ///
    /// # Errors
    /// When it is none that may be kept, when too many wait, or on our own trouble.
    pub async fn keep(
        &self,
        upload: Upload,
        sender: Option<UserId>,
    ) -> Result<ImageRef, PictureError> {
        let (store, memory) = (Arc::clone(&self.store), Arc::clone(&self.memory));
        let (waiting, naming) = (Arc::clone(&self.waiting), Arc::clone(&self.naming));
        let now = self.clock.now().wall;
        // Nobody's: a page's picture is used at once.
        let until = sender.map_or(now, |_| now.plus_millis(UNSENT_MILLIS));
        let sender = sender.unwrap_or(UserId::new(0));
        let job = move || -> Result<_, PictureError> {
            let remade = remake::taken_in(upload.bytes(), &memory)?;
            drop(upload);
            let held = naming.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.add(&remade.name, sender, until)?;
            drop(held);
            // Whoever removed it before saw no note; from now on nobody does.
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

    /// Somebody puts these into a message, so they wait no longer to.
    ///
    /// # Errors
    /// On our own trouble.
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
        let (waiting, now) = (Arc::clone(&self.waiting), self.clock.now().wall);
        on_disk(move || names.iter().try_for_each(|name| waiting.end(name, user, now))).await
    }

    /// Opens a form of an image, and makes it if nobody asked for it before.
    ///
    /// # Errors
    /// When too many wait to be made, or on our own trouble.
    pub async fn find(&self, name: ImageName) -> Result<Option<StoredFile>, PictureError> {
        let name = if remake::is_original(&name) { name.original() } else { name };
        if let Some(found) = self.look(&name).await? {
            return Ok(Some(found));
        }
        // What is known may have been removed since.
        self.known.remove(&name.original().text());
        if !self.exists(&name.original()).await? {
            return Ok(None);
        }
        if remake::is_original(&name) {
            // It came from where every node finds it.
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

    /// Whether something may name this image, in whatever form: it was stored, and either shown
    /// by something since, or sent to be.
    ///
    /// # Errors
    /// On our own trouble.
    pub async fn has(&self, image: &ImageRef) -> Result<bool, PictureError> {
        let Some(name) = ImageName::of_ref(image) else { return Ok(false) };
        if self.is_gone(image).await? {
            let now = self.clock.now().wall;
            match &self.shared {
                // Sent to another node, perhaps.
                Some(shared) if shared.is_new(name.original().text(), now).await? => {}
                Some(_) | None => return Ok(false),
            }
        }
        self.exists(&name.original()).await
    }

    /// Whether every message and draft is gone that had an image, nothing else showed it, and
    /// nobody is about to send it anew.
    ///
    /// # Errors
    /// On our own trouble.
    pub async fn is_gone(&self, image: &ImageRef) -> Result<bool, PictureError> {
        let Some(name) = ImageName::of_ref(image) else { return Ok(false) };
        if !self.is_forgotten(image).await? {
            return Ok(false);
        }
        let (waiting, now) = (Arc::clone(&self.waiting), self.clock.now().wall);
        Ok(!on_disk(move || waiting.has(&name.original(), now)).await?)
    }

    async fn is_forgotten(&self, image: &ImageRef) -> Result<bool, PictureError> {
        let (image, now) = (image.clone(), self.clock.now().wall);
        Ok(self.archive.currently(move |it| it.index.is_forgotten(&image, now)).await?)
    }

    /// Ends the threads, after what they have in hand.
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
        let (store, name) = (Arc::clone(&self.store), name.clone());
        let is_original = name.variant == Variant::Original;
        match on_disk(move || store.find(&name)).await? {
            Found::Whole(found) => Ok(Some(found)),
            Found::Nothing => Ok(None),
            // A form is made anew; nobody can do that for an image.
            Found::Damaged if !is_original => Ok(None),
            Found::Damaged => Err(PictureError::Fault(DAMAGED.to_owned())),
        }
    }

    /// Makes a form; `None` where its image is removed meanwhile.
    async fn make(&self, name: &ImageName) -> Result<Option<StoredFile>, PictureError> {
        let (store, memory) = (Arc::clone(&self.store), Arc::clone(&self.memory));
        let name = name.clone();
        let job = move || -> Result<Option<StoredFile>, PictureError> {
            let original = match store.find(&name.original())? {
                Found::Whole(original) => store::bytes_of(&original)?,
                Found::Nothing => return Ok(None),
                Found::Damaged => return Err(PictureError::Fault(DAMAGED.to_owned())),
            };
            let made = remake::form(&original, &name, &memory);
            // What is stored was decoded before: that it cannot be now is our trouble.
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
            Err(_) | Ok(Err(Undone::Full | Undone::Closed)) => Err(PictureError::Busy),
            // A decoder that broke down met something that no honest program writes.
            Ok(Err(Undone::Broken)) => Err(PictureRefusal::Damaged.into()),
        }
    }
}

async fn on_disk<T: Send + 'static>(
    look: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T, PictureError> {
    let done = tokio::task::spawn_blocking(look).await;
    Ok(done.map_err(|error| PictureError::Fault(error.to_string()))??)
}
