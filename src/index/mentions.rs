//! Rows of messages that are for somebody: those that mention a user, and answers to what a user
//! wrote. They hold places and no words, and exist only while the message addresses the user: an
//! edit rewrites them, and a deletion removes them.
//!
//! A message for everybody has one row for all users, so that a large group costs what a small one
//! does. A message for nobody in particular has no row.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::draft::BatchDraft;
use crate::{Flow, Index, IndexFault, Walk, keys, rows};
use domain::addressees::Addressed;
use domain::attachment::Attachment;
use domain::ids::{MessageId, StreamId, UserId};
use domain::message::Message;
use domain::revision::{Revision, RevisionKind};

/// The user id that stands for everybody: no user has this number.
pub(super) const EVERYBODY: UserId = UserId::new(0);
/// Mentions that are counted at most; the exact number of more interests nobody.
const COUNTED: usize = 1000;

/// Whom a message is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct AddressedRow {
    /// The number of the event that posted it.
    n: u64,
    /// The author, if a user wrote it.
    author: Option<UserId>,
    /// The users whom it is for, or only [`EVERYBODY`].
    users: Vec<UserId>,
}

/// Writes the rows of a message that event `n` posts.
pub(super) fn posted(
    draft: &mut BatchDraft<'_>,
    stream: StreamId,
    n: u64,
    message: &Message,
) -> Result<(), IndexFault> {
    if message.attachments.is_empty() {
        return Ok(());
    }
    let author = message.author.user();
    write(draft, stream, message.id, n, author, &message.attachments)
}

/// Rewrites the rows of an edited or deleted message. `place` finds the number of the event that
/// posted it, if the message has no row that tells it.
pub(super) fn revised(
    draft: &mut BatchDraft<'_>,
    stream: StreamId,
    revision: &Revision,
    place: impl FnOnce(&BatchDraft<'_>) -> Result<Option<u64>, IndexFault>,
) -> Result<(), IndexFault> {
    if !matches!(revision.kind, RevisionKind::Edited { .. } | RevisionKind::Deleted { .. }) {
        return Ok(());
    }
    let key = keys::addressed(stream, revision.message);
    let known: Option<AddressedRow> = draft.get("addressed", &key)?;
    if let Some(known) = &known {
        for user in &known.users {
            draft.delete(keys::mention(*user, stream, known.n));
        }
        draft.delete(key);
    }
    match &revision.kind {
        RevisionKind::Deleted { .. }
        | RevisionKind::Pinned
        | RevisionKind::Unpinned
        | RevisionKind::Previewed { .. } => Ok(()),
        RevisionKind::Edited { attachments, .. } if attachments.is_empty() => Ok(()),
        RevisionKind::Edited { attachments, .. } => {
            let n = match known {
                Some(known) => Some(known.n),
                None => place(draft)?,
            };
            let Some(n) = n else { return Ok(()) };
            // Only its author edits a message.
            write(draft, stream, revision.message, n, revision.by.user(), attachments)
        }
    }
}

fn write(
    draft: &mut BatchDraft<'_>,
    stream: StreamId,
    message: MessageId,
    n: u64,
    author: Option<UserId>,
    attachments: &[Attachment],
) -> Result<(), IndexFault> {
    let addressed = Addressed::of(attachments, author);
    if addressed.is_nobody() {
        return Ok(());
    }
    let users = if addressed.everybody { vec![EVERYBODY] } else { addressed.users };
    for user in &users {
        draft.put(keys::mention(*user, stream, n), &author)?;
    }
    draft.put(keys::addressed(stream, message), &AddressedRow { n, author, users })
}

impl Index {
    /// Counts the messages after event `n` of a conversation that are for a user, without the
    /// user's own; at most a thousand are counted.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn mentions_after(
        &self,
        user: UserId,
        stream: StreamId,
        n: u64,
    ) -> Result<u64, IndexFault> {
        let mut found = BTreeSet::new();
        for named in [user, EVERYBODY] {
            let low = keys::mention(named, stream, n.saturating_add(1));
            let high = keys::mention(named, stream, u64::MAX);
            self.rows.scan(&low, &high, Walk::Up, &mut |key, value| {
                let author: Option<UserId> = rows::decode("mention", value)?;
                if author != Some(user) {
                    found.insert(keys::last_number(key));
                }
                Ok(if found.len() < COUNTED { Flow::Continue } else { Flow::Stop })
            })?;
        }
        Ok(found.len().min(COUNTED) as u64)
    }
}
