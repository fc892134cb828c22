//! The later changes of a message, stored beside the posted message.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::UserId;
use crate::previews::LinkPreview;
use crate::time::Timestamp;

/// The role in which somebody deletes a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Deleter {
    /// The author of the message.
    Sender,
    /// The owner or an admin of the group.
    Admin,
    /// An operator of the server, after a report.
    System,
}

impl Deleter {
    /// The roles that settings of a group name, in the order in which they are shown.
    pub const ALL: [Self; 2] = [Self::Sender, Self::Admin];

    /// The name of the role in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sender => "sender",
            Self::Admin => "admin",
            Self::System => "system",
        }
    }

    /// The deleter with this name in the API.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Sender, Self::Admin, Self::System].into_iter().find(|it| it.as_str() == name)
    }

    /// The text shown in place of a deleted message by clients that do not know deleted messages.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Sender => "This message was deleted",
            Self::Admin => "An admin deleted this message",
            Self::System => "This message was removed",
        }
    }
}

impl fmt::Display for Deleter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// The pin of a message that is pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessagePin {
    /// When the message was pinned.
    pub at: Timestamp,
    /// The user who pinned it.
    pub by: UserId,
}

/// The replies of the thread that a message began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadState {
    /// The number of replies, including deleted ones.
    pub count: u64,
    /// When the newest reply was written.
    pub last_at: Option<Timestamp>,
}

impl ThreadState {
    /// The state with one more reply, written at this time.
    #[must_use]
    pub const fn with_one(self, at: Timestamp) -> Self {
        Self { count: self.count + 1, last_at: Some(at) }
    }
}

/// The changes of a message after it was posted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageState {
    /// When the message was last edited.
    pub edited_at: Option<Timestamp>,
    /// The number of edits.
    pub edits: u32,
    /// When the message was deleted, and in which role.
    pub deleted: Option<(Timestamp, Deleter)>,
    /// The message's pin, if it is pinned.
    pub pinned: Option<MessagePin>,
    /// The replies of the thread that it began.
    pub thread: ThreadState,
    /// The previews of the links in its text.
    pub previews: Vec<LinkPreview>,
}
