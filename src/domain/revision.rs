//! Editing and deleting messages: who may, until when, and what remains.
//!
//! Pure rules, the same for groups and chats. A revision is a fact of the conversation; the
//! message as it was posted stays where it is in the journal, and nowhere else once it is
//! deleted.

use serde::{Deserialize, Serialize};

use crate::domain::addressing::{self, AddressRefusal, Company};
use crate::domain::attachment::{AddressForm, Attachment};
use crate::domain::ids::{BotId, MessageId, UserId};
use crate::domain::limits::MESSAGE_EDITS;
use crate::domain::message::{Author, Message};
pub use crate::domain::message_state::{Deleter, MessagePin, MessageState};
use crate::domain::nested_option;
use crate::domain::previews::{LinkPreview, previews_of};
use crate::domain::text::MessageText;
use crate::domain::time::Timestamp;

/// A period without an end, as existing clients know it: the largest number of 32 bits.
pub const FOREVER: u32 = 2_147_483_647;

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// Which message.
    pub message: MessageId,
    /// Who did it.
    pub by: Author,
    /// What they did.
    pub kind: RevisionKind,
}

/// What somebody did to a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RevisionKind {
    /// It says something else.
    Edited {
        /// The words, unless there are only attachments.
        text: Option<String>,
        /// What it carries.
        attachments: Vec<Attachment>,
        /// What is still shown of the pages to which it links.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        previews: Vec<LinkPreview>,
    },
    /// It says nothing any more.
    Deleted {
        /// In which part whoever did it acted.
        actor: Deleter,
    },
    /// Everybody finds it among the pinned ones.
    Pinned,
    /// It is pinned no more.
    Unpinned,
    /// It shows what the pages say of themselves to which it links.
    Previewed {
        /// All of them, in the order of the links.
        previews: Vec<LinkPreview>,
    },
}

impl RevisionKind {
    /// As what everybody is told of it.
    pub const fn push_type(&self) -> &'static str {
        match self {
            Self::Edited { .. } | Self::Previewed { .. } => "message.update",
            Self::Deleted { .. } => "message.deleted",
            Self::Pinned => "pin",
            Self::Unpinned => "unpin",
        }
    }
}

/// Until when messages may be edited and deleted, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevisionPolicy {
    /// Minutes in which a sender may edit; zero is never, [`FOREVER`] for ever.
    pub edit_minutes: u32,
    /// Seconds in which a sender may delete; zero is never, [`FOREVER`] for ever.
    pub delete_seconds: u32,
    /// Whether senders may delete.
    pub by_sender: bool,
    /// Whether owner and admins may delete what others wrote.
    pub by_admin: bool,
}

impl Default for RevisionPolicy {
    fn default() -> Self {
        Self::OPEN
    }
}

impl RevisionPolicy {
    /// Everybody whose it may be, for ever.
    pub const OPEN: Self =
        Self { edit_minutes: FOREVER, delete_seconds: FOREVER, by_sender: true, by_admin: true };

    /// Who may delete.
    pub fn deleters(&self) -> impl Iterator<Item = Deleter> {
        let policy = *self;
        Deleter::ALL.into_iter().filter(move |deleter| match deleter {
            Deleter::Sender => policy.by_sender,
            Deleter::Admin => policy.by_admin,
        })
    }
}

/// What somebody wants a message to say: parsed, not yet allowed. What is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageChange {
    /// Other words; none any more with `Some(None)`.
    #[serde(with = "nested_option")]
    pub text: Option<Option<MessageText>>,
    /// Other attachments.
    pub attachments: Option<Vec<Attachment>>,
    /// In which form they mention and answer.
    pub form: AddressForm,
}

/// Who wants to revise a message, as they come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReviserId {
    /// A user.
    User(UserId),
    /// A bot, by its secret id.
    Bot(BotId),
}

/// Who wants to revise a message, and what they are where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reviser {
    /// Who.
    pub author: Author,
    /// Whether they look after the group.
    pub is_admin: bool,
}

/// Why a message stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum RevisionRefusal {
    /// The caller is not in the conversation, or it does not exist.
    #[error("there is no such conversation")]
    NotAMember,
    /// It has no such message.
    #[error("there is no such message")]
    NoMessage,
    /// No such bot, or one that is somebody else's.
    #[error("there is no such bot")]
    NoBot,
    /// It was switched off.
    #[error("this bot is not active")]
    Inactive,
    /// Nothing is left of it.
    #[error("this message was deleted")]
    Deleted,
    /// It mentions or answers what it cannot.
    #[error(transparent)]
    Address(#[from] AddressRefusal),
    /// Neither words nor attachments would be left.
    #[error("text is required unless there is an attachment")]
    Empty,
    /// Somebody else's, or the system's.
    #[error("only the sender may edit a message")]
    NotTheSender,
    /// It may be edited no more, or never.
    #[error("this message can no longer be edited here (message_edit_period)")]
    NoEditing,
    /// It was edited as often as can be.
    #[error("a message can be edited {MESSAGE_EDITS} times at most")]
    EditedOut,
    /// Somebody else's.
    #[error("only the sender, the owner and admins may see what a message said before")]
    NoHistory,
    /// It may be deleted no more, or not by this one.
    #[error("you may not delete this message (message_deletion_mode, message_deletion_period)")]
    NoDeleting,
}

/// Whether a message of this age is within a period; zero is never.
const fn is_within(message: &Message, now: Timestamp, period: u32, seconds_each: u64) -> bool {
    let age = now.seconds().saturating_sub(message.created_at());
    period == FOREVER || (period > 0 && age <= (period as u64) * seconds_each)
}

impl Message {
    /// Whether nothing is left of what it said.
    pub const fn is_deleted(&self) -> bool {
        self.state.deleted.is_some()
    }

    /// When it last changed, in Unix seconds.
    pub fn updated_at(&self) -> u64 {
        let deleted = self.state.deleted.map(|(at, _)| at);
        deleted.or(self.state.edited_at).map_or_else(|| self.created_at(), Timestamp::seconds)
    }

    /// The message after a revision of this time.
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

    /// Forgets what it said.
    pub fn forget(&mut self, deleted: (Timestamp, Deleter)) {
        self.text = None;
        self.attachments = Vec::new();
        // A line of the system is never deleted; what a member's message tells about goes.
        self.line = None;
        self.state.deleted = Some(deleted);
        self.state.pinned = None;
        self.state.previews = Vec::new();
    }

    /// Has it say something else; nothing happens when it says that already.
    ///
    /// # Errors
    /// When it is not theirs, too old, deleted, or would say nothing.
    pub fn edit(
        &self,
        by: &Reviser,
        change: MessageChange,
        (policy, company): (&RevisionPolicy, &Company<'_>),
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
        let (words, form) = (text.as_deref(), change.form);
        let attachments = match change.attachments {
            Some(others) => addressing::readdressed(self, others, words, (form, company))?,
            None => addressing::refitted(&self.attachments, words),
        };
        if text.is_none() && attachments.is_empty() {
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

    /// Shows what was found of its links; nothing happens when it shows that already, or when
    /// nothing is left of it or of the link.
    pub fn preview(&self, found: &[LinkPreview]) -> Option<Revision> {
        if self.is_deleted() || self.author == Author::System {
            return None;
        }
        let previews = previews_of(self.text.as_deref(), found, &self.state.previews);
        let is_same = previews == self.state.previews;
        let kind = RevisionKind::Previewed { previews };
        (!is_same).then(|| Revision { message: self.id, by: self.author.clone(), kind })
    }

    /// Deletes it; nothing happens when it is deleted already.
    ///
    /// # Errors
    /// When it is somebody else's or too old, and they may not do it as an admin either.
    pub fn delete(
        &self,
        by: &Reviser,
        policy: &RevisionPolicy,
        now: Timestamp,
    ) -> Result<Option<Revision>, RevisionRefusal> {
        if self.is_deleted() {
            return Ok(None);
        }
        // What the system says is the group's own history.
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
