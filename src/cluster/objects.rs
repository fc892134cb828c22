//! Things that every node must be able to show and no log holds: pictures. They lie in the
//! engine's object store, on as many servers as the log; each node's disk is a cache of it.

use std::fmt;
use std::sync::Arc;

use async_nats::header;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::object_store::ObjectInfo;
use async_nats::jetstream::stream::LastRawMessageErrorKind;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;

use crate::cluster::bucket::ObjectBucket;
use crate::cluster::bus::{Bus, BusTrouble, ObjectFault};
use crate::domain::limits::UNSENT_MILLIS;
use crate::domain::time::Timestamp;

/// What the store is called.
const BUCKET: &str = "COTERIE_IMAGES";

/// What the stream below it is called.
const STREAM: &str = "OBJ_COTERIE_IMAGES";
/// Milliseconds after which bytes that are sent again are kept again, and so are new again.
const RENEWED_MILLIS: u64 = 3_600_000;

/// The subject on which the store tells of an object.
fn about(name: &str) -> String {
    format!("$O.{BUCKET}.M.{}", URL_SAFE.encode(name))
}

/// What the store said last of an object.
struct Newest {
    info: ObjectInfo,
    /// Under which number, which is another one once it is kept anew.
    sequence: u64,
    at: Timestamp,
}

/// What becomes of bytes that are to be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// They are there no more.
    Done,
    /// They may be removed from then on.
    From(Timestamp),
}

/// The store. Cheap to clone.
#[derive(Clone)]
pub struct SharedObjects(ObjectBucket);

impl fmt::Debug for SharedObjects {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SharedObjects").finish_non_exhaustive()
    }
}

impl SharedObjects {
    /// The one that this bus leads to.
    pub const fn over(bus: Arc<Bus>) -> Self {
        Self(ObjectBucket { bus, name: BUCKET })
    }

    /// Keeps bytes under a name that is made of them. Every node finds them afterwards, for a day
    /// at least whatever becomes of what shows them.
    ///
    /// # Errors
    /// When the servers do not take them now.
    pub async fn keep(
        &self,
        name: String,
        bytes: Vec<u8>,
        now: Timestamp,
    ) -> Result<(), ObjectFault> {
        let own = self.clone();
        self.0
            .bus
            .does(async move {
                let store = own.0.store().await?;
                let is_new = |from: Timestamp| now < from.plus_millis(RENEWED_MILLIS);
                match own.newest(&name).await? {
                    Some(it) if it.info.size == bytes.len() && is_new(it.at) => return Ok(()),
                    Some(_) | None => {}
                }
                store.put(name.as_str(), &mut bytes.as_slice()).await?;
                Ok(())
            })
            .await
    }

    /// The bytes of this name, if there are any.
    ///
    /// # Errors
    /// When the servers do not tell now.
    pub async fn fetch(&self, name: String) -> Result<Option<Vec<u8>>, ObjectFault> {
        self.0.fetch(name).await
    }

    /// Whether every node finds the bytes of this name.
    ///
    /// # Errors
    /// When the servers do not tell now.
    pub async fn has(&self, name: String) -> Result<bool, ObjectFault> {
        let own = self.clone();
        self.0.bus.does(async move { Ok(own.newest(&name).await?.is_some()) }).await
    }

    /// Whether somebody sent the bytes of this name within a day.
    ///
    /// # Errors
    /// When the servers do not tell now.
    pub async fn is_new(&self, name: String, now: Timestamp) -> Result<bool, ObjectFault> {
        let own = self.clone();
        self.0
            .bus
            .does(async move {
                let newest = own.newest(&name).await?;
                Ok(newest.is_some_and(|it| now < it.at.plus_millis(UNSENT_MILLIS)))
            })
            .await
    }

    /// Removes the bytes of this name, unless they are so new that somebody may be about to
    /// show them.
    ///
    /// # Errors
    /// When the servers do not do it now.
    pub async fn remove_old(&self, name: String, now: Timestamp) -> Result<Removal, ObjectFault> {
        let own = self.clone();
        self.0.bus.does(async move { own.remove(&name, now).await }).await
    }

    async fn remove(&self, name: &str, now: Timestamp) -> Result<Removal, BusTrouble> {
        let Some(Newest { mut info, sequence, at }) = self.newest(name).await? else {
            return Ok(Removal::Done);
        };
        let from = at.plus_millis(UNSENT_MILLIS + RENEWED_MILLIS);
        if now < from {
            return Ok(Removal::From(from));
        }
        let (context, _) = self.0.bus.engine();
        let chunks = format!("$O.{BUCKET}.C.{}", info.nuid);
        (info.deleted, info.size, info.chunks) = (true, 0, 0);
        // Unless somebody keeps them anew at the same time: the store's own way to delete
        // would take those along.
        let message = PublishMessage::build()
            .payload(serde_json::to_vec(&info)?.into())
            .header(header::NATS_ROLLUP, "sub")
            .expected_last_subject_sequence(sequence);
        context.send_publish(about(name), message).await?.await?;
        context.get_stream(STREAM).await?.purge().filter(chunks).await?;
        Ok(Removal::Done)
    }

    /// What the store says of the bytes of this name, if there are any; asked of its leader.
    async fn newest(&self, name: &str) -> Result<Option<Newest>, BusTrouble> {
        self.0.store().await?;
        let stream = self.0.bus.engine().0.get_stream_no_info(STREAM).await?;
        let told = match stream.get_last_raw_message_by_subject(&about(name)).await {
            Ok(told) => told,
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => {
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        let info: ObjectInfo = serde_json::from_slice(&told.payload)?;
        let seconds = u64::try_from(told.time.unix_timestamp())?;
        let newest = Newest { info, sequence: told.sequence, at: Timestamp::from_seconds(seconds) };
        Ok(Some(newest).filter(|it| !it.info.deleted))
    }
}
