//! Things that every node must be able to show and no log holds: pictures. They lie in the
//! engine's object store, on as many servers as the log; each node's disk is a cache of it.

use std::fmt;
use std::sync::Arc;

use async_nats::jetstream::object_store::{self, GetErrorKind, ObjectStore};
use tokio::io::AsyncReadExt;

use crate::cluster::bus::{Bus, BusTrouble};

/// What the store is called.
const BUCKET: &str = "COTERIE_IMAGES";

/// The store. Cheap to clone.
#[derive(Clone)]
pub struct SharedObjects(Arc<Bus>);

impl fmt::Debug for SharedObjects {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SharedObjects").finish_non_exhaustive()
    }
}

/// The store cannot be asked now.
#[derive(Debug, thiserror::Error)]
#[error("what all nodes share cannot be asked: {0}")]
pub struct ObjectFault(String);

impl From<BusTrouble> for ObjectFault {
    fn from(trouble: BusTrouble) -> Self {
        Self(trouble.to_string())
    }
}

impl SharedObjects {
    /// The one that this bus leads to.
    pub const fn over(bus: Arc<Bus>) -> Self {
        Self(bus)
    }

    /// Keeps bytes under a name that is made of them. Every node finds them afterwards.
    ///
    /// # Errors
    /// When the servers do not take them now.
    pub async fn keep(&self, name: String, bytes: Vec<u8>) -> Result<(), ObjectFault> {
        let own = self.clone();
        self.on_the_bus(async move {
            let store = own.store().await?;
            if store.info(&name).await.is_ok_and(|info| !info.deleted && info.size == bytes.len()) {
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
        self.on_the_bus(async move {
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

    async fn store(&self) -> Result<ObjectStore, BusTrouble> {
        let (context, replicas) = self.0.engine();
        match context.get_object_store(BUCKET).await {
            Ok(store) => Ok(store),
            Err(_) => {
                let config = object_store::Config {
                    bucket: BUCKET.to_owned(),
                    num_replicas: replicas,
                    ..object_store::Config::default()
                };
                Ok(context.create_object_store(config).await?)
            }
        }
    }

    /// Does this where the connection is, whoever waits for it.
    async fn on_the_bus<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, BusTrouble>> + Send + 'static,
    ) -> Result<T, ObjectFault> {
        let done = self.0.runtime().spawn(work).await;
        Ok(done.map_err(|error| ObjectFault(error.to_string()))??)
    }
}
