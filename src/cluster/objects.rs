//! Pictures, which every node must be able to show and which are not in the log. They lie in the
//! engine's object store, on as many servers as the log; each node's disk is a cache of it.

use std::fmt;
use std::sync::Arc;

use async_nats::header;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::object_store::ObjectInfo;
use async_nats::jetstream::stream::LastRawMessageErrorKind;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;

use crate::bucket::ObjectBucket;
use crate::bus::{Bus, BusError, ObjectFault};
use domain::limits::UNSENT_MILLIS;
use domain::time::Timestamp;

const BUCKET: &str = "COTERIE_IMAGES";

/// The name of the stream that holds the store.
const STREAM: &str = "OBJ_COTERIE_IMAGES";
/// Bytes that were stored longer ago than this, in milliseconds, are stored again when they are
/// sent again, which makes them new.
const RENEWED_MILLIS: u64 = 3_600_000;

/// The subject of an object's metadata.
fn about(name: &str) -> String {
    format!("$O.{BUCKET}.M.{}", URL_SAFE.encode(name))
}

/// The latest metadata of an object.
struct Newest {
    info: ObjectInfo,
    /// The sequence of the metadata, which changes when the object is stored again.
    sequence: u64,
    at: Timestamp,
}

/// The outcome of a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// The bytes are gone.
    Done,
    /// The bytes are too new; they may be removed from this time on.
    From(Timestamp),
}

/// The store of pictures. Cheap to clone.
#[derive(Clone)]
pub struct SharedObjects(ObjectBucket);

impl fmt::Debug for SharedObjects {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SharedObjects").finish_non_exhaustive()
    }
}

impl SharedObjects {
    /// The store that is reached over this bus.
    pub const fn over(bus: Arc<Bus>) -> Self {
        Self(ObjectBucket { bus, name: BUCKET })
    }

    /// Stores bytes under a name that is derived from them. Every node finds them afterwards, for a
    /// day at least, even if nothing shows them.
    ///
    /// # Errors
    /// If the servers cannot store them now.
    pub async fn keep(
        &self,
        name: String,
        bytes: Vec<u8>,
        now: Timestamp,
    ) -> Result<(), ObjectFault> {
        let own = self.clone();
        self.0
            .bus
            .run(async move {
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

    /// Returns the bytes stored under this name, if there are any.
    ///
    /// # Errors
    /// If the servers cannot answer now.
    pub async fn fetch(&self, name: String) -> Result<Option<Vec<u8>>, ObjectFault> {
        self.0.fetch(name).await
    }

    /// Whether bytes are stored under this name.
    ///
    /// # Errors
    /// If the servers cannot answer now.
    pub async fn has(&self, name: String) -> Result<bool, ObjectFault> {
        let own = self.clone();
        self.0.bus.run(async move { Ok(own.newest(&name).await?.is_some()) }).await
    }

    /// Whether the bytes of this name were stored within the last day.
    ///
    /// # Errors
    /// If the servers cannot answer now.
    pub async fn is_new(&self, name: String, now: Timestamp) -> Result<bool, ObjectFault> {
        let own = self.clone();
        self.0
            .bus
            .run(async move {
                let newest = own.newest(&name).await?;
                Ok(newest.is_some_and(|it| now < it.at.plus_millis(UNSENT_MILLIS)))
            })
            .await
    }

    /// Removes the bytes of this name, unless they are so new that a message may be about to show
    /// them.
    ///
    /// # Errors
    /// If the servers cannot remove them now.
    pub async fn remove_old(&self, name: String, now: Timestamp) -> Result<Removal, ObjectFault> {
        let own = self.clone();
        self.0.bus.run(async move { own.remove(&name, now).await }).await
    }

    async fn remove(&self, name: &str, now: Timestamp) -> Result<Removal, BusError> {
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
        // Fails if the bytes were stored again meanwhile. The store's own delete would remove those
        // too.
        let message = PublishMessage::build()
            .payload(serde_json::to_vec(&info)?.into())
            .header(header::NATS_ROLLUP, "sub")
            .expected_last_subject_sequence(sequence);
        context.send_publish(about(name), message).await?.await?;
        context.get_stream(STREAM).await?.purge().filter(chunks).await?;
        Ok(Removal::Done)
    }

    /// Returns the latest metadata of the bytes of this name, if there are any, as the store's
    /// leader has it.
    async fn newest(&self, name: &str) -> Result<Option<Newest>, BusError> {
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
