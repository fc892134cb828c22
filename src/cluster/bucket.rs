//! An object store of the log's servers, replicated on as many servers as the log.

use std::sync::Arc;

use async_nats::jetstream::object_store::{self, GetErrorKind, ObjectStore};
use tokio::io::AsyncReadExt;

use crate::bus::{Bus, BusError, ObjectFault};

/// One object store, created on first use. Cheap to clone.
#[derive(Clone)]
pub(super) struct ObjectBucket {
    pub(super) bus: Arc<Bus>,
    /// The store's name.
    pub(super) name: &'static str,
}

impl ObjectBucket {
    /// Returns the bytes stored under a name, if there are any.
    ///
    /// # Errors
    /// If the servers cannot answer now.
    pub(super) async fn fetch(&self, name: String) -> Result<Option<Vec<u8>>, ObjectFault> {
        let own = self.clone();
        self.bus
            .run(async move {
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

    /// Opens the store, and creates it if there is none.
    pub(super) async fn store(&self) -> Result<ObjectStore, BusError> {
        let (context, replicas) = self.bus.engine();
        match context.get_object_store(self.name).await {
            Ok(store) => Ok(store),
            Err(_) => {
                let config = object_store::Config {
                    bucket: self.name.to_owned(),
                    num_replicas: replicas,
                    ..object_store::Config::default()
                };
                Ok(context.create_object_store(config).await?)
            }
        }
    }
}
