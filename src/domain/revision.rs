//! Editing, deleting, pinning and previewing messages: who may, until when, and what remains.
//!
//! Pure rules, the same for groups and chats. A revision is a fact of the conversation. The message
//! as it was posted stays where it is in the journal; once it is deleted, it is nowhere else.

use serde::{Deserialize, Serialize};

use crate::addressees::{self, AddressContext, AddressRefusal};
use crate::attachment::{AddressForm, Attachment};
use crate::group::permissions::{BrokenRule, Denied};
use crate::ids::{BotId, MessageId, UserId};
use crate::limits::MESSAGE_EDITS;
use crate::message::{Author, Message};
pub use crate::message_state::{Deleter, MessagePin, MessageState};
use crate::nested_option;
use crate::previews::{LinkPreview, previews_of};
use crate::text::MessageText;
use crate::time::Timestamp;
use crate::visible::has_visible;

/// A period without an end, in the notation of existing clients: the largest signed 32-bit number.
pub const FOREVER: u32 = 2_147_483_647;

/// A change of a message after it was posted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// The message.
    pub message: MessageId,
    /// The user who changed it.
    pub by: Author,
    /// The change.
    pub kind: RevisionKind,
}

/// The kind of a change of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RevisionKind {
    /// The text or the attachments changed.
    Edited {
        /// The new text; `None` if there are only attachments.
        text: Option<String>,
        /// The new attachments.
        attachments: Vec<Attachment>,
        /// The previews of links that are still in the text.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        previews: Vec<LinkPreview>,
    },
    /// The message was deleted.
    Deleted {
        /// The role in which it was deleted.
        actor: Deleter,
    },
    /// The message was pinned.
    Pinned,
    /// The message was unpinned.
    Unpinned,
    /// Previews of the message's links were added.
    Previewed {
        /// All previews, in the order of the links.
        previews: Vec<LinkPreview>,
    },
}

impl Revision {
    /// Whether the message was deleted.
    pub const fn is_deletion(&self) -> bool {
        matches!(self.kind, RevisionKind::Deleted { .. })
    }
}

impl RevisionKind {
    /// The type of the push event that tells of the change.
    pub const fn push_type(&self) -> &'static str {
        match self {
            Self::Edited { .. } | Self::Previewed { .. } => "message.update",
            Self::Deleted { .. } => "message.deleted",
            Self::Pinned => "pin",
            Self::Unpinned => "unpin",
        }
    }
}

/// A group's settings on who may edit and delete messages, and until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevisionPolicy {
    /// Minutes in which a sender may edit; zero means never, [`FOREVER`] without end.
    pub edit_minutes: u32,
    /// Seconds in which a sender may delete; zero means never, [`FOREVER`] without end.
    pub delete_seconds: u32,
    /// Whether senders may delete their messages.
    pub by_sender: bool,
    /// Whether the owner and admins may delete the messages of others.
    pub by_admin: bool,
}

impl Default for RevisionPolicy {
    fn default() -> Self {
        Self::OPEN
    }
}

impl RevisionPolicy {
    /// Senders may edit and delete, and admins delete, without end.
    pub const OPEN: Self =
        Self { edit_minutes: FOREVER, delete_seconds: FOREVER, by_sender: true, by_admin: true };

    /// The roles that may delete.
    pub fn deleters(&self) -> impl Iterator<Item = Deleter> {
        let policy = *self;
        Deleter::ALL.into_iter().filter(move |deleter| match deleter {
            Deleter::Sender => policy.by_sender,
            Deleter::Admin => policy.by_admin,
            Deleter::System => false,
        })
    }
}

/// A requested edit of a message: parsed, not yet checked against the rules. What is `None` stays
/// as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageChange {
    /// The new text; `Some(None)` removes the text.
    #[serde(with = "nested_option")]
    pub text: Option<Option<MessageText>>,
    /// The new attachments.
    pub attachments: Option<Vec<Attachment>>,
    /// The form in which the client sends mentions and replies.
    pub form: AddressForm,
}

/// The user or bot that wants to revise a message, as the request identifies them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReviserId {
    /// A user.
    User(UserId),
    /// A bot, by its secret id.
    Bot(BotId),
}

/// The user or bot that wants to revise a message, and their role in its conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reviser {
    /// The user or bot.
    pub author: Author,
    /// Whether they are the owner or an admin of the group.
    pub is_admin: bool,
}

/// Why a message was not revised, or its history not shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum RevisionRefusal {
    /// The caller is not in the conversation, or it does not exist.
    #[error("there is no such conversation")]
    NotAMember,
    /// The conversation has no such message.
    #[error("there is no such message")]
    NoMessage,
    /// The caller's role does not allow it.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// A rule of the group does not allow it.
    #[error(transparent)]
    Broken(#[from] BrokenRule),
    /// There is no such bot, or it belongs to somebody else.
    #[error("there is no such bot")]
    NoBot,
    /// The bot is switched off.
    #[error("this bot is not active")]
    Inactive,
    /// The message was deleted.
    #[error("this message was deleted")]
    Deleted,
    /// The mentions, the reply or the files are refused.
    #[error(transparent)]
    Address(#[from] AddressRefusal),
    /// Neither text nor attachments would be left.
    #[error("text is required unless there is an attachment")]
    Empty,
    /// Somebody else, or the system, sent the message.
    #[error("only the sender may edit a message")]
    NotTheSender,
    /// The period for editing is over, or editing is switched off.
    #[error("this message can no longer be edited here (message_edit_period)")]
    NoEditing,
    /// The message was edited [`MESSAGE_EDITS`] times already.
    #[error("a message can be edited at most {MESSAGE_EDITS} times")]
    EditedOut,
    /// Somebody else sent the message, and the caller is neither the owner nor an admin.
    #[error("only the sender, the owner and admins may see earlier versions of a message")]
    NoHistory,
    /// The period for deleting is over, or the caller may not delete the message.
    #[error("you may not delete this message (message_deletion_mode, message_deletion_period)")]
    NoDeleting,
}

/// Whether the message is not older than a period of `seconds_each` seconds per unit; a period of
/// zero means never.
const fn is_within(message: &Message, now: Timestamp, period: u32, seconds_each: u64) -> bool {
    let age = now.seconds().saturating_sub(message.created_at());
    period == FOREVER || (period > 0 && age <= (period as u64) * seconds_each)
}

impl Message {
    /// Whether the message was deleted.
    pub const fn is_deleted(&self) -> bool {
        self.state.deleted.is_some()
    }

    /// When the message was last edited or deleted, otherwise when it was written, in Unix seconds.
    /// Pins and previews do not count.
    pub fn updated_at(&self) -> u64 {
        let deleted = self.state.deleted.map(|(at, _)| at);
        deleted.or(self.state.edited_at).map_or_else(|| self.created_at(), Timestamp::seconds)
    }

    /// The message after a revision at this time.
    #[must_use]
    pub fn revised(&self, revision: &Revision, at: Timestamp) -> Self {
        let mut revised = self.clone();
        match &revision.kind {
            RevisionKind::Edited { text, attachments, previews } => {
                revised.text.clone_from(text);
                revised.attachments.clone_from(attachments);
                revised.state.edited_at = Some(at);
                revised.state.edits += 1;
                revised.state.previews.clone_from(previews);
            }
            RevisionKind::Deleted { actor } => revised.forget((at, *actor)),
            RevisionKind::Pinned => {
                revised.state.pinned = revision.by.user().map(|by| MessagePin { at, by });
            }
            RevisionKind::Unpinned => revised.state.pinned = None,
            RevisionKind::Previewed { previews } => revised.state.previews.clone_from(previews),
        }
        revised
    }

    /// The message after a revision of any message: it may be the revised one, or quote one that is
    /// deleted. `None` if it stays the same.
    pub fn after_revision(&self, revision: &Revision, at: Timestamp) -> Option<Self> {
        if self.id == revision.message {
            return Some(self.revised(revision, at));
        }
        let loses_quote = revision.is_deletion() && self.quoted() == Some(revision.message);
        loses_quote.then(|| self.without_quote())
    }

    /// Removes the content of a deleted message.
    pub fn forget(&mut self, deleted: (Timestamp, Deleter)) {
        self.text = None;
        self.attachments = Vec::new();
        // System messages are never deleted. In a member's message, this is the poll or event that
        // it carries, which goes too.
        self.line = None;
        self.state.deleted = Some(deleted);
        self.state.pinned = None;
        self.state.previews = Vec::new();
    }

    /// Edits the message; `None` if nothing changes.
    ///
    /// # Errors
    /// If somebody else sent it, it is too old, was deleted or edited too often, if its new
    /// attachments are refused, or if nothing would be left.
    pub fn edit(
        &self,
        by: &Reviser,
        change: MessageChange,
        (policy, context): (&RevisionPolicy, &AddressContext<'_>),
        now: Timestamp,
    ) -> Result<Option<Revision>, RevisionRefusal> {
        if self.is_deleted() {
            return Err(RevisionRefusal::Deleted);
        }
        if self.author != by.author || self.author == Author::System {
            return Err(RevisionRefusal::NotTheSender);
        }
        if !is_within(self, now, policy.edit_minutes, 60) {
            return Err(RevisionRefusal::NoEditing);
        }
        let text = match change.text {
            Some(text) => text.map(|text| text.as_str().to_owned()),
            None => self.text.clone(),
        };
        let words = text.as_deref();
        let form = change.form;
        let attachments = match change.attachments {
            Some(others) => {
                addressees::check_edited_attachments(self, others, words, form, context)?
            }
            None => addressees::fit_mentions_to_text(&self.attachments, words),
        };
        if attachments.is_empty() && !text.as_deref().is_some_and(has_visible) {
            return Err(RevisionRefusal::Empty);
        }
        if text == self.text && attachments == self.attachments {
            return Ok(None);
        }
        if self.state.edits >= MESSAGE_EDITS {
            return Err(RevisionRefusal::EditedOut);
        }
        let previews = previews_of(text.as_deref(), &[], &self.state.previews);
        let kind = RevisionKind::Edited { text, attachments, previews };
        Ok(Some(Revision { message: self.id, by: by.author.clone(), kind }))
    }

    /// Adds link previews; `None` if nothing changes, or if the message was deleted or is a system
    /// message.
    pub fn preview(&self, found: &[LinkPreview]) -> Option<Revision> {
        if self.is_deleted() || self.author == Author::System {
            return None;
        }
        let previews = previews_of(self.text.as_deref(), found, &self.state.previews);
        let is_same = previews == self.state.previews;
        let kind = RevisionKind::Previewed { previews };
        (!is_same).then(|| Revision { message: self.id, by: self.author.clone(), kind })
    }

    /// Deletes the message for the operators of the server; `None` if it was deleted before.
    ///
    /// # Errors
    /// If it is a system message.
    pub fn remove(&self) -> Result<Option<Revision>, RevisionRefusal> {
        if self.author == Author::System {
            return Err(RevisionRefusal::NoDeleting);
        }
        let kind = RevisionKind::Deleted { actor: Deleter::System };
        let revision = Revision { message: self.id, by: Author::System, kind };
        Ok((!self.is_deleted()).then_some(revision))
    }

    /// Deletes the message; `None` if it was deleted before.
    ///
    /// # Errors
    /// If it is a system message, or if the caller may delete it neither as its sender (in time)
    /// nor as an admin.
    pub fn delete(
        &self,
        by: &Reviser,
        policy: &RevisionPolicy,
        now: Timestamp,
    ) -> Result<Option<Revision>, RevisionRefusal> {
        if self.is_deleted() {
            return Ok(None);
        }
        // System messages are the history of the group.
        if self.author == Author::System {
            return Err(RevisionRefusal::NoDeleting);
        }
        let in_time = is_within(self, now, policy.delete_seconds, 1);
        let actor = if self.author == by.author && policy.by_sender && in_time {
            Deleter::Sender
        } else if by.is_admin && policy.by_admin {
            Deleter::Admin
        } else {
            return Err(RevisionRefusal::NoDeleting);
        };
        let kind = RevisionKind::Deleted { actor };
        Ok(Some(Revision { message: self.id, by: by.author.clone(), kind }))
    }
}

#[cfg(test)]
mod tests;
