//! Pieces of files that every node must be able to show: in the engine's object store, on as
//! many servers as the log. Each node's disk is a cache of it.

use std::fmt;
use std::sync::Arc;

use async_nats::jetstream::object_store::{self, DeleteErrorKind, GetErrorKind, ObjectStore};
use tokio::io::AsyncReadExt;

use crate::cluster::bus::{Bus, BusTrouble, ObjectFault};

/// What the store is called.
const FILES: &str = "COTERIE_FILES";

/// One store. Cheap to clone.
#[derive(Clone)]
pub struct SharedPieces {
    bus: Arc<Bus>,
}

impl fmt::Debug for SharedPieces {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SharedPieces").finish_non_exhaustive()
    }
}

impl SharedPieces {
    /// The one that this bus leads to.
    pub const fn over(bus: Arc<Bus>) -> Self {
        Self { bus }
    }

    /// Keeps bytes under a name that is made of them. Every node finds them afterwards.
    ///
    /// # Errors
    /// When the servers do not take them now.
    pub async fn keep(&self, name: String, bytes: Vec<u8>) -> Result<(), ObjectFault> {
        let own = self.clone();
        self.bus
            .does(async move {
                let store = own.store().await?;
                if store
                    .info(&name)
                    .await
                    .is_ok_and(|info| !info.deleted && info.size == bytes.len())
                {
                    return Ok(());
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
        let own = self.clone();
        self.bus
            .does(async move {
                let mut object = match own.store().await?.get(name).await {
                    Ok(object) => object,
                    Err(error) if error.kind() == GetErrorKind::NotFound => return Ok(None),
                    Err(error) => return Err(error.into()),
                };
                let mut bytes = Vec::with_capacity(object.info().size);
                object.read_to_end(&mut bytes).await?;
                Ok(Some(bytes))
            })
            .await
    }

    /// Removes what this name names, if there is anything.
    ///
    /// # Errors
    /// When the servers do not do it now.
    pub async fn remove(&self, name: String) -> Result<(), ObjectFault> {
        let own = self.clone();
        self.bus
            .does(async move {
                match own.store().await?.delete(name).await {
                    Err(error) if error.kind() != DeleteErrorKind::NotFound => Err(error.into()),
                    Ok(()) | Err(_) => Ok(()),
                }
            })
            .await
    }

    async fn store(&self) -> Result<ObjectStore, BusTrouble> {
        let (context, replicas) = self.bus.engine();
        match context.get_object_store(FILES).await {
            Ok(store) => Ok(store),
            Err(_) => {
                let config = object_store::Config {
                    bucket: FILES.to_owned(),
                    num_replicas: replicas,
                    ..object_store::Config::default()
                };
                Ok(context.create_object_store(config).await?)
            }
        }
    }
}
