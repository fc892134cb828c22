//! Rows of messages that are for somebody: those that mention a user, and answers to what a user
//! wrote. They hold places and no words, and exist only while the message addresses the user: an
//! edit rewrites them, and a deletion removes them.
//!
//! A message for everybody has one row for all users, so that a large group costs what a small one
//! does. A message for nobody in particular has no row.

use std::collections::{BTreeSet, BinaryHeap};

use serde::{Deserialize, Serialize};

use crate::archive::{Archive, Archived};
use crate::draft::BatchDraft;
use crate::{Flow, Index, IndexFault, Walk, keys, rows};
use domain::addressees::Addressed;
use domain::attachment::Attachment;
use domain::ids::{Conversation, MessageId, StreamId, UserId};
use domain::message::Message;
use domain::revision::{Revision, RevisionKind};
use domain::scopes::ScopeSet;

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

/// A message for a user, as the newest one of its conversation that is not listed yet. The order is
/// that of ids, which grow with time over all conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    message: u64,
    conv: Conversation,
    n: u64,
}

impl Archive {
    /// Returns messages before one that are for a user, over all conversations that these scopes read,
    /// the newest first; without the user's own, and without deleted ones.
    ///
    /// # Errors
    /// If index or journal cannot be read.
    pub fn mentions_before(
        &self,
        user: UserId,
        scopes: ScopeSet,
        before: Option<MessageId>,
        most: usize,
    ) -> Result<Vec<(Conversation, Archived)>, IndexFault> {
        let index = &self.index;
        let mut newest = BinaryHeap::new();
        for conv in index.conversations_of(user)?.into_iter().filter(|conv| scopes.reads(*conv)) {
            let below = index.number_below(conv.into(), before)?;
            newest.extend(index.mention_below(user, conv, below)?);
        }
        let mut found = Vec::new();
        while let Some(Candidate { message, conv, n }) = newest.pop().filter(|_| found.len() < most)
        {
            let message = self.message(conv.into(), MessageId::new(message))?;
            found.extend(message.filter(|it| !it.message.is_deleted()).map(|it| (conv, it)));
            newest.extend(index.mention_below(user, conv, n)?);
        }
        Ok(found)
    }
}

impl Index {
    /// Returns a number of a conversation: all messages before this one have lower numbers.
    fn number_below(&self, stream: StreamId, before: Option<MessageId>) -> Result<u64, IndexFault> {
        let Some(before) = before else { return Ok(u64::MAX) };
        let mut below = 0;
        let ids = (0, before.get().saturating_sub(1));
        self.messages(stream, ids, Walk::Down, &mut |newest| {
            below = newest.at.n + 1;
            Ok(Flow::Stop)
        })?;
        Ok(below)
    }

    /// Returns the newest message below a number of a conversation that is for a user and that
    /// somebody else wrote.
    fn mention_below(
        &self,
        user: UserId,
        conv: Conversation,
        below: u64,
    ) -> Result<Option<Candidate>, IndexFault> {
        let stream = StreamId::from(conv);
        let mut newest = None;
        for named in [user, EVERYBODY] {
            let low = keys::mention(named, stream, 0);
            let high = keys::mention(named, stream, below.saturating_sub(1));
            self.rows.scan(&low, &high, Walk::Down, &mut |key, value| {
                let author: Option<UserId> = rows::decode("mention", value)?;
                if author == Some(user) {
                    return Ok(Flow::Continue);
                }
                newest = newest.max(Some(keys::last_number(key)));
                Ok(Flow::Stop)
            })?;
        }
        let Some(n) = newest else { return Ok(None) };
        let message = self.newest_message_at(stream, n)?;
        Ok(message.map(|message| Candidate { message: message.id.get(), conv, n }))
    }
}
