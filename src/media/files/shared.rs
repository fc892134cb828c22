//! The shared store of files at several nodes: contents in pieces, in the object store that all
//! nodes share, and records of the pieces of each content and of the users who wait to send it.
//!
//! A record is only written if it is still as it was read. So if one node takes a content in while
//! another removes it, one of them is first, and the other one notices.

use std::fs::{self, File};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

use crate::files::disk::{FileDisk, Written};
use crate::files::unsent::UnsentFile;
use crate::files::{FileError, FileRefusal, blocking};
use base::random::random;
use cluster::bus::{Bus, ObjectFault};
use cluster::pieces::SharedPieces;
use cluster::records::{Record, SharedRecords};
use domain::file::FileId;
use domain::hex::hex;
use domain::ids::UserId;
use domain::time::Timestamp;

/// Bytes of a piece, which are in memory for each file that is transferred.
pub(super) const SHARED_PIECE: u64 = 4 << 20;
/// Bytes of an upload after which they are put into the shared store while more come.
pub(super) const SHARED_STEP: u64 = 2 * SHARED_PIECE;
/// Transfers to and from the shared store at the same time.
const AT_ONCE: usize = 8;
/// How many users may wait to send the same content.
const WAITING: usize = 2000;
/// How often a record is written that other nodes write too.
const TRIES: usize = 20;
/// Milliseconds after which a claim counts only if its file is noted as waiting: a node that took
/// the content in has written the note by then, or never will.
const NOTED_MILLIS: u64 = 3_600_000;

/// A part of a content, stored as one object.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SharedPiece {
    /// The name of the object: random, so that no two are the same.
    pub name: String,
    /// The size in bytes.
    pub size: u64,
    /// The digest of the bytes, which proves them; `None` for pieces of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// A name is never used again. The digest does not count: nodes of earlier versions drop it from
/// records.
impl PartialEq for SharedPiece {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for SharedPiece {}

/// A user's claim to a content that they uploaded and may still send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct UnsentClaim {
    pub(super) owner: UserId,
    pub(super) id: FileId,
    pub(super) since: Timestamp,
}

/// The shared record of a content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SharedContent {
    pieces: Vec<SharedPiece>,
    waiting: Vec<UnsentClaim>,
}

/// The shared store of objects, and the records about them.
#[derive(Debug)]
pub(super) struct SharedFiles {
    objects: SharedPieces,
    contents: SharedRecords,
    /// Records of files that are not sent yet, and of uploads that are not complete.
    pub(super) waiting: SharedRecords,
    turns: Semaphore,
}

impl From<ObjectFault> for FileError {
    fn from(fault: ObjectFault) -> Self {
        Self::Fault(fault.to_string())
    }
}

impl SharedFiles {
    /// The shared files that are reached over this bus.
    pub(super) fn over(bus: &Arc<Bus>) -> Self {
        Self {
            objects: SharedPieces::over(Arc::clone(bus)),
            contents: SharedRecords::over(Arc::clone(bus), "COTERIE_CONTENTS"),
            waiting: SharedRecords::over(Arc::clone(bus), "COTERIE_UPLOADS"),
            turns: Semaphore::new(AT_ONCE),
        }
    }

    /// The key of the record that a file waits to be sent.
    pub(super) fn unsent_key(owner: UserId, id: &FileId) -> String {
        format!("unsent.{owner}.{id}")
    }

    /// Puts a range of a file on this disk into the object store, in pieces.
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
            let from = part.start;
            let to = part.end.min(part.start + SHARED_PIECE);
            let read = Arc::clone(&file);
            let bytes = blocking(move || {
                let mut bytes = vec![0; usize::try_from(to - from).unwrap_or(usize::MAX)];
                read.read_exact_at(&mut bytes, from)?;
                Ok(bytes)
            });
            let bytes = bytes.await?;
            let name = hex(&random::<16>());
            let digest = Some(hex(&Sha256::digest(&bytes)));
            pieces.push(SharedPiece { name: name.clone(), size: to - from, digest });
            self.objects.keep(name, bytes).await?;
            part.start = to;
        }
        Ok(())
    }

    /// Removes pieces that no record names. A piece that stays behind only takes up space.
    pub(super) async fn discard(&self, pieces: &[SharedPiece]) {
        for piece in pieces {
            if let Err(error) = self.objects.remove(piece.name.clone()).await {
                tracing::warn!(
                    %error, name = piece.name,
                    "removing an unused piece of a file failed; it only takes up space"
                );
            }
        }
    }

    /// Fetches a piece.
    pub(super) async fn piece(&self, piece: &SharedPiece) -> Result<Vec<u8>, FileError> {
        let found = self.objects.fetch(piece.name.clone()).await?;
        let is_of = |bytes: &[u8]| match &piece.digest {
            Some(digest) => *digest == hex(&Sha256::digest(bytes)),
            None => true,
        };
        let found = found.filter(|bytes| bytes.len() as u64 == piece.size && is_of(bytes));
        found.ok_or_else(|| FileError::Fault(format!("the piece {} is missing", piece.name)))
    }

    /// Makes a written content available to every node: for a user who waits to send it, or without
    /// `waiting` for messages that carry it already. `ready` are its pieces, if they are stored
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
            let known: Option<SharedContent> = parse_record(text.as_ref());
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
            if self.contents.write(digest.clone(), version, to_record(&content)?).await?.is_some() {
                let mut unused = ready.unwrap_or_default();
                unused.retain(|piece| !content.pieces.contains(piece));
                self.discard(&unused).await;
                return Ok(());
            }
        }
        Err(FileRefusal::Busy.into())
    }

    /// Writes a shared content to a draft on this disk; `None` if it is not known.
    pub(super) async fn fetch(
        &self,
        digest: &str,
        disk: &Arc<FileDisk>,
    ) -> Result<Option<Written>, FileError> {
        let record = self.contents.read(digest.to_owned()).await?;
        let Some(content) = parse_record::<SharedContent>(record.text.as_ref()) else {
            return Ok(None);
        };
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
                // What cannot be removed is removed at the next start.
                drop(fs::remove_file(path));
                other?;
                Err(FileError::Fault(format!("the pieces of {digest} have other content")))
            }
        }
    }

    /// Writes the record that a file waits to be sent.
    pub(super) async fn note(&self, unsent: &UnsentFile, owner: UserId) -> Result<(), FileError> {
        let key = Self::unsent_key(owner, &unsent.file.id);
        let version = self.waiting.read(key.clone()).await?.version;
        self.waiting.write(key, version, to_record(unsent)?).await?;
        Ok(())
    }

    /// Reads the record of a user's file that waits to be sent.
    pub(super) async fn unsent(
        &self,
        owner: UserId,
        id: &FileId,
    ) -> Result<Option<UnsentFile>, FileError> {
        let record = self.waiting.read(Self::unsent_key(owner, id)).await?;
        Ok(parse_record(record.text.as_ref()))
    }

    /// Removes the record that a file waits to be sent.
    pub(super) async fn forget(&self, unsent: &UnsentFile) -> Result<(), FileError> {
        let Some(owner) = unsent.file.owner else { return Ok(()) };
        let key = Self::unsent_key(owner, &unsent.file.id);
        let Record { version, text } = self.waiting.read(key.clone()).await?;
        if text.is_some() {
            self.waiting.write(key, version, None).await?;
        }
        Ok(())
    }

    /// Removes a content, unless a message carries it or a user waits to send it. `is_named` tells
    /// whether a message does, and is called after the claims were read.
    pub(super) async fn let_go(
        &self,
        digest: &str,
        now: Timestamp,
        is_named: impl Fn() -> Result<bool, FileError>,
    ) -> Result<(), FileError> {
        let Record { version, text } = self.contents.read(digest.to_owned()).await?;
        let Some(mut content) = parse_record::<SharedContent>(text.as_ref()) else { return Ok(()) };
        let mut still = Vec::new();
        let before = content.waiting.len();
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
            self.contents.write(digest.to_owned(), version, to_record(&content)?).await?;
        }
        Ok(())
    }

    /// Removes the pieces of an ended upload, except those of a content with this digest.
    pub(super) async fn discard_upload(
        &self,
        pieces: &[SharedPiece],
        digest: Option<&str>,
    ) -> Result<(), FileError> {
        let used = match digest {
            Some(digest) => {
                let record = self.contents.read(digest.to_owned()).await?;
                parse_record::<SharedContent>(record.text.as_ref()).map(|it| it.pieces)
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

/// Parses a record; `None` if there is none or it cannot be parsed.
pub(super) fn parse_record<T: for<'a> Deserialize<'a>>(text: Option<&Bytes>) -> Option<T> {
    text.and_then(|text| serde_json::from_slice(text).ok())
}

/// Serializes a record.
pub(super) fn to_record(said: &impl Serialize) -> Result<Option<Bytes>, FileError> {
    let text = serde_json::to_vec(said).map_err(|error| FileError::Fault(error.to_string()))?;
    Ok(Some(text.into()))
}
