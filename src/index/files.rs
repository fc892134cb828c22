//! Rows of files that messages carry: a file is forgotten once every message that ever carried it
//! is deleted, and its content with the last file that has it. What an edit takes out of a message
//! stays in its history, so only a deletion releases a file; but only a message that carries the
//! file now shows it to everybody who reads the conversation.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::draft::BatchDraft;
use crate::{Flow, Index, IndexFault, Walk, keys};
use domain::attachment::Attachment;
use domain::file::{AttachedFile, FileId};
use domain::ids::{MessageId, StreamId, UserId};
use domain::revision::{Revision, RevisionKind};
use domain::time::Timestamp;

/// A file that was sent in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRow {
    /// The file as it was sent first.
    pub file: AttachedFile,
    /// How many messages carry the file or carried it before an edit; deleted ones do not count.
    pub messages: u64,
    /// How many messages carry the file now.
    pub shown: u64,
    /// How many reports keep the file; they count as messages, too.
    pub reports: u64,
}

/// The files of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct MessageFiles {
    /// Those that it carries or carried before an edit.
    known: BTreeSet<FileId>,
    /// Those that it carries now.
    shown: BTreeSet<FileId>,
}

/// Writes the rows for files that a message carries, or newly carries after an edit.
pub(super) fn carries(
    draft: &mut BatchDraft<'_>,
    stream: StreamId,
    message: MessageId,
    attachments: &[Attachment],
) -> Result<(), IndexFault> {
    let key = keys::files_of_message(stream, message);
    let before: Option<MessageFiles> = draft.get("files of a message", &key)?;
    if before.is_none() && attachments.iter().all(|it| it.file().is_none()) {
        return Ok(());
    }
    let mut files = before.unwrap_or_default();
    let hidden = std::mem::take(&mut files.shown);
    for file in attachments.iter().filter_map(Attachment::file) {
        let key = keys::file(stream, &file.id);
        let row: Option<FileRow> = draft.get("file", &key)?;
        let mut row = row.unwrap_or_else(|| FileRow {
            file: file.clone(),
            messages: 0,
            shown: 0,
            reports: 0,
        });
        let is_new = files.known.insert(file.id.clone());
        row.messages += u64::from(is_new);
        let is_shown_anew = files.shown.insert(file.id.clone()) && !hidden.contains(&file.id);
        row.shown += u64::from(is_shown_anew);
        draft.put(key, &row)?;
        if is_new && row.messages == 1 {
            comes(draft, &row.file)?;
        }
    }
    for id in hidden.difference(&files.shown) {
        let key = keys::file(stream, id);
        let Some(mut row) = draft.get::<FileRow>("file", &key)? else { continue };
        row.shown = row.shown.saturating_sub(1);
        draft.put(key, &row)?;
    }
    draft.put(key, &files)
}

/// Writes the rows for files that a report keeps, under the report's id as if it were a message. They
/// are carried, but not shown to members.
pub(super) fn kept_by_report(
    draft: &mut BatchDraft<'_>,
    stream: StreamId,
    report: MessageId,
    attachments: &[Attachment],
) -> Result<(), IndexFault> {
    let mut files = MessageFiles::default();
    for file in attachments.iter().filter_map(Attachment::file) {
        let key = keys::file(stream, &file.id);
        let Some(mut row) = draft.get::<FileRow>("file", &key)? else { continue };
        if files.known.insert(file.id.clone()) {
            row.messages += 1;
            row.reports += 1;
            draft.put(key, &row)?;
        }
    }
    if files.known.is_empty() {
        return Ok(());
    }
    draft.put(keys::files_of_message(stream, report), &files)
}

/// Writes the rows for files that a dropped report kept.
pub(super) fn released_by_report(
    draft: &mut BatchDraft<'_>,
    stream: StreamId,
    at: Timestamp,
    report: MessageId,
) -> Result<(), IndexFault> {
    let key = keys::files_of_message(stream, report);
    let files: Option<MessageFiles> = draft.get("files of a message", &key)?;
    let Some(files) = files else { return Ok(()) };
    for id in files.known {
        let key = keys::file(stream, &id);
        let Some(mut row) = draft.get::<FileRow>("file", &key)? else { continue };
        row.messages = row.messages.saturating_sub(1);
        row.reports = row.reports.saturating_sub(1);
        draft.put(key, &row)?;
        if row.messages == 0 {
            goes(draft, &row.file, at)?;
        }
    }
    draft.delete(key);
    Ok(())
}

/// Writes the rows for files of a message that is edited or deleted.
pub(super) fn revised(
    draft: &mut BatchDraft<'_>,
    stream: StreamId,
    at: Timestamp,
    revision: &Revision,
) -> Result<(), IndexFault> {
    match &revision.kind {
        RevisionKind::Edited { attachments, .. } => {
            carries(draft, stream, revision.message, attachments)
        }
        RevisionKind::Deleted { .. } => {
            let key = keys::files_of_message(stream, revision.message);
            let files: Option<MessageFiles> = draft.get("files of a message", &key)?;
            let MessageFiles { known, shown } = files.unwrap_or_default();
            for id in known {
                let is_shown = shown.contains(&id);
                let key = keys::file(stream, &id);
                let Some(mut row) = draft.get::<FileRow>("file", &key)? else { continue };
                row.messages = row.messages.saturating_sub(1);
                row.shown = row.shown.saturating_sub(u64::from(is_shown));
                draft.put(key, &row)?;
                if row.messages == 0 {
                    goes(draft, &row.file, at)?;
                }
            }
            draft.delete(key);
            Ok(())
        }
        RevisionKind::Pinned | RevisionKind::Unpinned | RevisionKind::Previewed { .. } => Ok(()),
    }
}

fn comes(draft: &mut BatchDraft<'_>, file: &AttachedFile) -> Result<(), IndexFault> {
    let contents = keys::file_content(&file.digest);
    let others: u64 = draft.get("content", &contents)?.unwrap_or_default();
    draft.put(contents, &(others + 1))?;
    let Some(owner) = file.owner else { return Ok(()) };
    let owned: u64 = draft.get("owned bytes", &keys::owned_bytes(owner))?.unwrap_or_default();
    draft.put(keys::owned_bytes(owner), &(owned + file.size))
}

fn goes(draft: &mut BatchDraft<'_>, file: &AttachedFile, at: Timestamp) -> Result<(), IndexFault> {
    let contents = keys::file_content(&file.digest);
    let others: u64 = draft.get("content", &contents)?.unwrap_or_default();
    draft.put(contents, &others.saturating_sub(1))?;
    if others <= 1 {
        draft.put_bytes(keys::forgotten_content(at, &file.digest), Vec::new());
    }
    let Some(owner) = file.owner else { return Ok(()) };
    let owned: u64 = draft.get("owned bytes", &keys::owned_bytes(owner))?.unwrap_or_default();
    draft.put(keys::owned_bytes(owner), &owned.saturating_sub(file.size))
}

impl Index {
    /// Whether a message, or a report that keeps it, carries a file or carried it before an edit.
    pub(super) fn carries_file(
        &self,
        stream: StreamId,
        message: MessageId,
        id: &FileId,
    ) -> Result<bool, IndexFault> {
        let key = keys::files_of_message(stream, message);
        let files: Option<MessageFiles> = self.row("files of a message", &key)?;
        Ok(files.is_some_and(|files| files.known.contains(id)))
    }

    /// Returns a file of a conversation, if it was ever sent there.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every read here.
    pub fn file(&self, stream: StreamId, id: &FileId) -> Result<Option<FileRow>, IndexFault> {
        self.row("file", &keys::file(stream, id))
    }

    /// The total size in bytes of a user's files that messages still carry.
    pub fn owned_bytes(&self, owner: UserId) -> Result<u64, IndexFault> {
        Ok(self.row("owned bytes", &keys::owned_bytes(owner))?.unwrap_or_default())
    }

    /// Whether any file that messages carry has this content.
    pub fn has_content(&self, digest: &str) -> Result<bool, IndexFault> {
        let files: Option<u64> = self.row("content", &keys::file_content(digest))?;
        Ok(files.is_some_and(|files| files > 0))
    }

    /// Returns the digests of contents that the last message let go of from `since` to `until`,
    /// both included. A message may have the content again by now.
    pub fn forgotten_contents(
        &self,
        since: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<String>, IndexFault> {
        self.names_between(
            &keys::forgotten_content(since, ""),
            &keys::forgotten_content(until, "~"),
        )
    }

    /// Returns the names in the keys between `low` and `high`, each of which is a time and a name.
    pub(super) fn names_between(&self, low: &[u8], high: &[u8]) -> Result<Vec<String>, IndexFault> {
        let mut found = Vec::new();
        self.rows.scan(low, high, Walk::Up, &mut |key, _| {
            found.push(keys::forgotten_name(key));
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }
}
