//! Fetches pictures and files from the other nodes to this node's disk, so that a backup of the
//! disk contains them.

use std::sync::Arc;

use crate::admin::AdminError;
use crate::admin::protocol::MediaNames;
use media::files::{FileError, Files};
use media::name::ImageName;
use media::{Images, PictureError};

/// The stores of pictures and files that a running server keeps beside its journal.
#[derive(Clone)]
pub struct MediaStores {
    /// The store of pictures.
    pub images: Arc<Images>,
    /// The store of files that messages carry.
    pub files: Arc<Files>,
}

impl From<PictureError> for AdminError {
    fn from(error: PictureError) -> Self {
        Self::Fault(error.to_string())
    }
}

impl From<FileError> for AdminError {
    fn from(error: FileError) -> Self {
        Self::Fault(error.to_string())
    }
}

impl MediaStores {
    /// Fetches the wanted pictures and files to the disk, one after the other; returns those that
    /// no node has.
    pub(super) async fn bring(&self, wanted: MediaNames) -> Result<MediaNames, AdminError> {
        let mut missing = MediaNames::default();
        for text in wanted.images {
            let is_here = match ImageName::parse(&text) {
                Some(name) => self.images.bring(&name).await?,
                None => false,
            };
            if !is_here {
                missing.images.push(text);
            }
        }
        for (digest, size) in wanted.files {
            if !self.files.bring_content(digest.clone(), size).await? {
                missing.files.push((digest, size));
            }
        }
        Ok(missing)
    }
}
