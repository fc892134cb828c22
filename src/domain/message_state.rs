//! What became of a message since it was posted, as it stands beside what was posted.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::domain::ids::UserId;
use crate::domain::previews::LinkPreview;
use crate::domain::time::Timestamp;

/// In which part somebody deletes a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Deleter {
    /// They wrote it.
    Sender,
    /// They look after the group.
    Admin,
}

impl Deleter {
    /// Both, in the order in which they are shown.
    pub const ALL: [Self; 2] = [Self::Sender, Self::Admin];

    /// As clients know it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sender => "sender",
            Self::Admin => "admin",
        }
    }

    /// What clients without a word for deleted messages show in place of their text.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Sender => "This message was deleted",
            Self::Admin => "An admin deleted this message",
        }
    }
}

impl fmt::Display for Deleter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A pin of a message that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessagePin {
    /// Since when.
    pub at: Timestamp,
    /// Who pinned it.
    pub by: UserId,
}

/// The answers of the thread that a message began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadState {
    /// How many there are, deleted ones with them.
    pub count: u64,
    /// When the newest was written.
    pub last_at: Option<Timestamp>,
}

impl ThreadState {
    /// With one more, of this time.
    #[must_use]
    pub const fn with_one(self, at: Timestamp) -> Self {
        Self { count: self.count + 1, last_at: Some(at) }
    }
}

/// What became of a message after it was posted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageState {
    /// When it was edited last.
    pub edited_at: Option<Timestamp>,
    /// How often it was edited.
    pub edits: u32,
    /// When it was deleted, and in which part whoever did it acted.
    pub deleted: Option<(Timestamp, Deleter)>,
    /// Since when everybody finds it among the pinned ones, and by whom.
    pub pinned: Option<MessagePin>,
    /// The answers of its thread.
    pub thread: ThreadState,
    /// What the pages say of themselves to which it links.
    pub previews: Vec<LinkPreview>,
}
