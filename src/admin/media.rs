//! Pictures and files that a node brings to its disk, so that a copy of the disk has them.

use std::sync::Arc;

use crate::admin::NotDone;
use crate::admin::protocol::MediaNames;
use crate::media::files::{FileError, Files};
use crate::media::name::ImageName;
use crate::media::{Images, PictureError};

/// What a running server keeps beside its journal.
#[derive(Clone)]
pub struct KeptMedia {
    /// Pictures.
    pub images: Arc<Images>,
    /// Files of conversations.
    pub files: Arc<Files>,
}

impl From<PictureError> for NotDone {
    fn from(error: PictureError) -> Self {
        Self::Fault(error.to_string())
    }
}

impl From<FileError> for NotDone {
    fn from(error: FileError) -> Self {
        Self::Fault(error.to_string())
    }
}

impl KeptMedia {
    /// Brings these to the disk, one after the other; tells which of them no node finds.
    pub(super) async fn bring(&self, wanted: MediaNames) -> Result<MediaNames, NotDone> {
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
