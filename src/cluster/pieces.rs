//! Pieces of files, which every node must be able to serve. They lie in the engine's object store,
//! on as many servers as the log; each node's disk is a cache of it.

use std::fmt;
use std::sync::Arc;

use async_nats::jetstream::object_store::DeleteErrorKind;

use crate::bucket::ObjectBucket;
use crate::bus::{Bus, ObjectFault};

const FILES: &str = "COTERIE_FILES";

/// The store of file pieces. Cheap to clone.
#[derive(Clone)]
pub struct SharedPieces(ObjectBucket);

impl fmt::Debug for SharedPieces {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SharedPieces").finish_non_exhaustive()
    }
}

impl SharedPieces {
    /// The store that is reached over this bus.
    pub const fn over(bus: Arc<Bus>) -> Self {
        Self(ObjectBucket { bus, name: FILES })
    }

    /// Stores bytes under a name that is never used again. Every node finds them afterwards.
    ///
    /// # Errors
    /// If the servers cannot store them now.
    pub async fn keep(&self, name: String, bytes: Vec<u8>) -> Result<(), ObjectFault> {
        let own = self.0.clone();
        let put = async move {
            own.store().await?.put(name.as_str(), &mut bytes.as_slice()).await?;
            Ok(())
        };
        self.0.bus.run(put).await
    }

    /// Returns the bytes stored under this name, if there are any.
    ///
    /// # Errors
    /// If the servers cannot answer now.
    pub async fn fetch(&self, name: String) -> Result<Option<Vec<u8>>, ObjectFault> {
        self.0.fetch(name).await
    }

    /// Removes the bytes of this name, if there are any.
    ///
    /// # Errors
    /// If the servers cannot remove them now.
    pub async fn remove(&self, name: String) -> Result<(), ObjectFault> {
        let own = self.0.clone();
        self.0
            .bus
            .run(async move {
                match own.store().await?.delete(name).await {
                    Err(error) if error.kind() != DeleteErrorKind::NotFound => Err(error.into()),
                    Ok(()) | Err(_) => Ok(()),
                }
            })
            .await
    }
}
