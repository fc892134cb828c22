//! Where every node finds files: their contents in pieces, in the store of objects that all
//! nodes share, and records of which pieces a content has and who waits to send it.
//!
//! A record is written only where it is as it was read, so that of a node that takes a
//! content in and one that removes it, one comes first, and the other sees it.

use std::fs::{self, File};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use crate::cluster::bus::{Bus, ObjectFault};
use crate::cluster::pieces::SharedPieces;
use crate::cluster::records::{Record, SharedRecords};
use crate::domain::file::FileId;
use crate::domain::hex::hex;
use crate::domain::ids::UserId;
use crate::domain::time::Timestamp;
use crate::media::files::disk::{FileDisk, Written};
use crate::media::files::unsent::UnsentFile;
use crate::media::files::{FileError, FileRefusal, blocking};
use crate::random::random;

/// Bytes of a piece: as many are in memory for each file on its way.
pub(super) const SHARED_PIECE: u64 = 4 << 20;
/// After so many bytes, what came of an upload is shared also while more comes.
pub(super) const SHARED_STEP: u64 = 2 * SHARED_PIECE;
/// Files that are on their way to or from the other nodes at the same time.
const AT_ONCE: usize = 8;
/// How many may wait to send one content.
const WAITING: usize = 2000;
/// How often a record is written that somebody else writes too.
const TRIES: usize = 20;
/// Milliseconds after which somebody who takes a content in has noted it, or never will.
const NOTED_MILLIS: u64 = 3_600_000;

/// A part of a content, among the objects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedPiece {
    /// What the object is called: random, so that no two are ever the same.
    pub name: String,
    /// In bytes.
    pub size: u64,
}

/// Somebody who may send a content that they uploaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct UnsentClaim {
    pub(super) owner: UserId,
    pub(super) id: FileId,
    pub(super) since: Timestamp,
}

/// What is kept of a content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SharedContent {
    pieces: Vec<SharedPiece>,
    waiting: Vec<UnsentClaim>,
}

/// All of it.
#[derive(Debug)]
pub(super) struct SharedFiles {
    objects: SharedPieces,
    contents: SharedRecords,
    /// What is not sent yet, and what is not complete.
    pub(super) waiting: SharedRecords,
    turns: Semaphore,
}

impl From<ObjectFault> for FileError {
    fn from(fault: ObjectFault) -> Self {
        Self::Fault(fault.to_string())
    }
}

impl SharedFiles {
    /// Those that this bus leads to.
    pub(super) fn over(bus: &Arc<Bus>) -> Self {
        Self {
            objects: SharedPieces::over(Arc::clone(bus)),
            contents: SharedRecords::over(Arc::clone(bus), "COTERIE_CONTENTS"),
            waiting: SharedRecords::over(Arc::clone(bus), "COTERIE_UPLOADS"),
            turns: Semaphore::new(AT_ONCE),
        }
    }

    /// Under which key it is noted that a file waits to be sent.
    pub(super) fn unsent_key(owner: UserId, id: &FileId) -> String {
        format!("unsent.{owner}.{id}")
    }

    /// Puts a part of what is on the disk among the objects.
    pub(super) async fn put(
        &self,
        path: &Path,
        part: Range<u64>,
    ) -> Result<Vec<SharedPiece>, FileError> {
        let _turn = self.turns.acquire().await;
        let mut pieces = Vec::new();
        match self.put_into(&mut pieces, path.to_owned(), part).await {
            Ok(()) => Ok(pieces),
            Err(error) => {
                self.discard(&pieces).await;
                Err(error)
            }
        }
    }

    async fn put_into(
        &self,
        pieces: &mut Vec<SharedPiece>,
        path: PathBuf,
        mut part: Range<u64>,
    ) -> Result<(), FileError> {
        let file = Arc::new(blocking(move || Ok(File::open(path)?)).await?);
        while !part.is_empty() {
            let (from, to) = (part.start, part.end.min(part.start + SHARED_PIECE));
            let read = Arc::clone(&file);
            let bytes = blocking(move || {
                let mut bytes = vec![0; usize::try_from(to - from).unwrap_or(usize::MAX)];
                read.read_exact_at(&mut bytes, from)?;
                Ok(bytes)
            });
            let bytes = bytes.await?;
            let name = hex(&random::<16>());
            pieces.push(SharedPiece { name: name.clone(), size: to - from });
            self.objects.keep(name, bytes).await?;
            part.start = to;
        }
        Ok(())
    }

    /// Removes pieces that nothing names. What is left behind harms nobody.
    pub(super) async fn discard(&self, pieces: &[SharedPiece]) {
        for piece in pieces {
            if let Err(error) = self.objects.remove(piece.name.clone()).await {
                tracing::warn!(%error, name = piece.name, "a piece of a file stays for nothing");
            }
        }
    }

    /// A piece.
    pub(super) async fn piece(&self, piece: &SharedPiece) -> Result<Vec<u8>, FileError> {
        let found = self.objects.fetch(piece.name.clone()).await?;
        let found = found.filter(|bytes| bytes.len() as u64 == piece.size);
        found.ok_or_else(|| FileError::Fault(format!("the piece {} is not there", piece.name)))
    }

    /// Has every node find a content that was written, for somebody who waits to send it, or
    /// for messages that are there. `ready` are its pieces, if they are among the objects
    /// already.
    pub(super) async fn keep(
        &self,
        written: &Written,
        waiting: Option<UnsentClaim>,
        mut ready: Option<Vec<SharedPiece>>,
    ) -> Result<(), FileError> {
        let digest = &written.content.digest;
        for _ in 0..TRIES {
            let Record { version, text } = self.contents.read(digest.clone()).await?;
            let known: Option<SharedContent> = said(text.as_ref());
            let is_known = known.is_some();
            let mut content = match known {
                Some(content) => content,
                None => {
                    let pieces = match ready.take() {
                        Some(pieces) => pieces,
                        None => self.put(&written.path, 0..written.content.size).await?,
                    };
                    ready = Some(pieces.clone());
                    SharedContent { pieces, waiting: Vec::new() }
                }
            };
            if content.waiting.len() >= WAITING {
                return Err(FileRefusal::Busy.into());
            }
            content.waiting.extend(waiting.clone());
            if is_known && waiting.is_none() {
                return Ok(());
            }
            if self.contents.write(digest.clone(), version, text_of(&content)?).await?.is_some() {
                let mut unused = ready.unwrap_or_default();
                unused.retain(|piece| !content.pieces.contains(piece));
                self.discard(&unused).await;
                return Ok(());
            }
        }
        Err(FileRefusal::Busy.into())
    }

    /// Writes a content to this disk, if it is known; it has no name yet.
    pub(super) async fn fetch(
        &self,
        digest: &str,
        disk: &Arc<FileDisk>,
    ) -> Result<Option<Written>, FileError> {
        let record = self.contents.read(digest.to_owned()).await?;
        let Some(content) = said::<SharedContent>(record.text.as_ref()) else { return Ok(None) };
        let _turn = self.turns.acquire().await;
        let beginning = Arc::clone(disk);
        let (path, mut draft) = blocking(move || Ok(beginning.begin()?)).await?;
        let fetched = async {
            for piece in &content.pieces {
                let bytes = self.piece(piece).await?;
                let write = move || {
                    draft.write(&bytes)?;
                    Ok(draft)
                };
                draft = blocking(write).await?;
            }
            blocking(move || Ok(draft.finish()?)).await
        };
        match fetched.await {
            Ok(written) if written.content.digest == digest => Ok(Some(written)),
            other => {
                // What cannot be removed is at the next start.
                drop(fs::remove_file(path));
                other?;
                Err(FileError::Fault(format!("the pieces of {digest} hold something else")))
            }
        }
    }

    /// Notes that a file waits to be sent.
    pub(super) async fn note(&self, unsent: &UnsentFile, owner: UserId) -> Result<(), FileError> {
        let key = Self::unsent_key(owner, &unsent.file.id);
        let version = self.waiting.read(key.clone()).await?.version;
        self.waiting.write(key, version, text_of(unsent)?).await?;
        Ok(())
    }

    /// A file of somebody that waits to be sent.
    pub(super) async fn unsent(
        &self,
        owner: UserId,
        id: &FileId,
    ) -> Result<Option<UnsentFile>, FileError> {
        let record = self.waiting.read(Self::unsent_key(owner, id)).await?;
        Ok(said(record.text.as_ref()))
    }

    /// One waits no more.
    pub(super) async fn forget(&self, unsent: &UnsentFile) -> Result<(), FileError> {
        let Some(owner) = unsent.file.owner else { return Ok(()) };
        let key = Self::unsent_key(owner, &unsent.file.id);
        let Record { version, text } = self.waiting.read(key.clone()).await?;
        if text.is_some() {
            self.waiting.write(key, version, None).await?;
        }
        Ok(())
    }

    /// Lets go of a content, unless it is in a message or somebody waits to send it.
    /// `is_named` tells the former, after it was seen who waits.
    pub(super) async fn let_go(
        &self,
        digest: &str,
        now: Timestamp,
        is_named: impl Fn() -> Result<bool, FileError>,
    ) -> Result<(), FileError> {
        let Record { version, text } = self.contents.read(digest.to_owned()).await?;
        let Some(mut content) = said::<SharedContent>(text.as_ref()) else { return Ok(()) };
        let (mut still, before) = (Vec::new(), content.waiting.len());
        for waiting in content.waiting {
            let is_new = now < waiting.since.plus_millis(NOTED_MILLIS);
            if self.unsent(waiting.owner, &waiting.id).await?.is_some() || is_new {
                still.push(waiting);
            }
        }
        content.waiting = still;
        if content.waiting.is_empty() && !is_named()? {
            if self.contents.write(digest.to_owned(), version, None).await?.is_some() {
                self.discard(&content.pieces).await;
            }
        } else if content.waiting.len() < before {
            self.contents.write(digest.to_owned(), version, text_of(&content)?).await?;
        }
        Ok(())
    }

    /// Removes pieces of an upload that became nothing, or a content that has others.
    pub(super) async fn discard_upload(
        &self,
        pieces: &[SharedPiece],
        digest: Option<&str>,
    ) -> Result<(), FileError> {
        let used = match digest {
            Some(digest) => {
                let record = self.contents.read(digest.to_owned()).await?;
                said::<SharedContent>(record.text.as_ref()).map(|it| it.pieces)
            }
            None => None,
        };
        let used = used.unwrap_or_default();
        let unused: Vec<SharedPiece> =
            pieces.iter().filter(|piece| !used.contains(piece)).cloned().collect();
        self.discard(&unused).await;
        Ok(())
    }
}

/// What a record says, if it can be read.
pub(super) fn said<T: for<'a> Deserialize<'a>>(text: Option<&Bytes>) -> Option<T> {
    text.and_then(|text| serde_json::from_slice(text).ok())
}

/// What a record is to say.
pub(super) fn text_of(said: &impl Serialize) -> Result<Option<Bytes>, FileError> {
    let text = serde_json::to_vec(said).map_err(|error| FileError::Fault(error.to_string()))?;
    Ok(Some(text.into()))
}
