//! One message of a group or a chat: who said what, under which name.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::domain::attachment::{AddressForm, Attachment, ImageRef};
use crate::domain::ids::{MessageId, PollId, UserId};
use crate::domain::message_state::MessageState;
use crate::domain::named::{NamedEvent, NamedUser, PollOutcome};
use crate::domain::text::{MessageText, SourceGuid};
use crate::domain::time::Timestamp;

/// Who wrote a message.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Author {
    /// A member of the group, or one of the two of a chat.
    Member(UserId),
    /// A bot of the group, by its public number: the id with which it posts is a
    /// secret and never stands in a message.
    Bot(UserId),
    /// Coterie itself.
    System,
}

impl Author {
    /// The user, if it was one.
    pub fn user(&self) -> Option<UserId> {
        match self {
            Self::Member(user) => Some(*user),
            Self::Bot(_) | Self::System => None,
        }
    }
}

impl fmt::Display for Author {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member(user) => user.fmt(out),
            Self::Bot(bot) => bot.fmt(out),
            Self::System => out.write_str("system"),
        }
    }
}

/// Who speaks in a system message.
pub const SYSTEM_NAME: &str = "Coterie";

/// A message as it stands in the log. Likes are kept beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its id; the first ten digits are its second.
    pub id: MessageId,
    /// Who wrote it.
    pub author: Author,
    /// What the author was called then, in this conversation.
    pub name: String,
    /// What the author looked like then.
    pub avatar: Option<ImageRef>,
    /// The client's own name for it.
    pub source_guid: String,
    /// The words, unless there are only attachments.
    pub text: Option<String>,
    /// What it carries.
    pub attachments: Vec<Attachment>,
    /// How many messages its conversation holds with it.
    pub count: u64,
    /// What a system message, or one that carries a poll or an event, tells about.
    #[serde(default)]
    pub line: Option<SystemMessage>,
    /// When it was written, where the id does not say so: ids only grow, also while the
    /// clock goes back to where it should be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_at: Option<Timestamp>,
    /// What became of it since. No part of what was posted: revisions are facts of their
    /// own, and whoever shows a message puts them together.
    #[serde(skip)]
    pub state: MessageState,
}

#[cfg(test)]
impl Message {
    /// A line of the system without words, for tests: the one with this count.
    pub(crate) fn silent(id: u64, count: u64) -> Self {
        let source_guid = String::new();
        Self {
            name: String::new(),
            source_guid,
            text: None,
            count,
            ..Self::test(MessageId::new(id))
        }
    }

    /// The same, by a member.
    pub(crate) fn silent_by(author: UserId, id: u64, count: u64) -> Self {
        Self { author: Author::Member(author), ..Self::silent(id, count) }
    }
}

impl Message {
    /// A message that tries out a callback and stands in no log.
    pub fn test(id: MessageId) -> Self {
        Self {
            id,
            author: Author::System,
            name: SYSTEM_NAME.to_owned(),
            avatar: None,
            source_guid: format!("{:032x}", id.get()),
            text: Some("This is a test of your callback.".to_owned()),
            attachments: Vec::new(),
            count: 0,
            line: None,
            written_at: None,
            state: MessageState::default(),
        }
    }

    /// The message with an answer more in the thread that it began.
    #[must_use]
    pub fn with_answer(&self, at: Timestamp) -> Self {
        let mut answered = self.clone();
        answered.state.thread = answered.state.thread.with_one(at);
        answered
    }

    /// When it was written, in Unix seconds. The id orders messages, and tells no more.
    pub const fn created_at(&self) -> u64 {
        match self.written_at {
            Some(at) => at.seconds(),
            None => self.id.second(),
        }
    }

    /// What stands beside the id of a message that is written now; nothing where the id
    /// says the same.
    pub fn written_at(id: MessageId, now: Timestamp) -> Option<Timestamp> {
        (id.second() != now.seconds()).then_some(now)
    }
}

/// A message in JSON as readers get it: made once, and shared by all who send it on. Only
/// `wire::message` makes it.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct MessageJson(Arc<RawValue>);

impl MessageJson {
    /// JSON that stands for a message.
    pub fn new(json: Box<RawValue>) -> Self {
        Self(json.into())
    }

    /// The text.
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// The message with more fields, which are JSON already, behind its own.
    pub fn with(&self, fields: &str) -> Vec<u8> {
        // It is an object that is not empty, so its last byte closes it.
        let own = self.get().strip_suffix('}').unwrap_or_default();
        [own, ",", fields, "}"].concat().into_bytes()
    }

    /// To stand inside other JSON.
    pub fn raw(&self) -> &RawValue {
        &self.0
    }
}

impl AsRef<[u8]> for MessageJson {
    fn as_ref(&self) -> &[u8] {
        self.0.get().as_bytes()
    }
}

/// A message with its JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ShownMessage {
    /// The message.
    pub message: Arc<Message>,
    /// As readers get it.
    #[serde(with = "as_text")]
    pub json: MessageJson,
}

/// JSON as a text in another format.
mod as_text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use serde_json::value::RawValue;

    use super::MessageJson;

    pub(super) fn serialize<S: Serializer>(json: &MessageJson, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(json.get())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<MessageJson, D::Error> {
        let text = String::deserialize(from)?;
        RawValue::from_string(text).map(MessageJson::new).map_err(D::Error::custom)
    }
}

/// A message that somebody wants to post: parsed, not yet allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewMessage {
    /// The client's own name for it.
    pub source_guid: SourceGuid,
    /// The words; at least these or one attachment.
    pub text: Option<MessageText>,
    /// What it carries.
    pub attachments: Vec<Attachment>,
    /// In which form it mentions and answers.
    pub form: AddressForm,
    /// Who is here, where whoever is here is mentioned.
    pub here: Vec<UserId>,
}

/// What a system message tells, in a form that programs read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SystemMessage {
    /// People were added.
    Added {
        /// Who.
        added: Vec<NamedUser>,
        /// By whom.
        adder: NamedUser,
    },
    /// Somebody joined by the share URL.
    Joined {
        /// Who.
        user: NamedUser,
    },
    /// Somebody who had left came back.
    Rejoined {
        /// Who.
        user: NamedUser,
    },
    /// Somebody left.
    Left {
        /// Who.
        user: NamedUser,
    },
    /// Somebody was removed.
    Removed {
        /// Who.
        removed: NamedUser,
        /// By whom.
        remover: NamedUser,
    },
    /// A member is called something else now.
    NicknameChanged {
        /// Who, under the old name.
        user: NamedUser,
        /// The new name.
        name: String,
    },
    /// The group has another name.
    NameChanged {
        /// By whom.
        user: NamedUser,
        /// The new name.
        name: String,
    },
    /// The group has another description.
    TopicChanged {
        /// By whom.
        user: NamedUser,
        /// The new one, empty when there is none any more.
        topic: String,
    },
    /// The group has another picture.
    AvatarChanged {
        /// By whom.
        user: NamedUser,
        /// The new one.
        image: Option<ImageRef>,
    },
    /// Only admins may change things from now on, or everybody again.
    OfficeModeChanged {
        /// By whom.
        user: NamedUser,
        /// On or off.
        on: bool,
    },
    /// The share URL was switched on; its token is `None` when it was switched off.
    SharingChanged {
        /// By whom.
        user: NamedUser,
        /// The token of the URL.
        token: Option<String>,
    },
    /// The group belongs to somebody else.
    OwnerChanged {
        /// Who had it.
        old: NamedUser,
        /// Who has it.
        new: NamedUser,
    },
    /// A bot came.
    BotAdded {
        /// By whom.
        user: NamedUser,
        /// Its name.
        bot: String,
    },
    /// A bot went.
    BotRemoved {
        /// By whom.
        user: NamedUser,
        /// Its name.
        bot: String,
    },
    /// Somebody who looks after the group deleted a message.
    MessageDeleted {
        /// By whom.
        user: NamedUser,
        /// The message that they deleted.
        message: MessageId,
        /// When.
        at: Timestamp,
    },
    /// Somebody pinned a message, or took its pin away.
    MessagePinned {
        /// Who.
        user: NamedUser,
        /// Which message.
        message: MessageId,
        /// Whether it is pinned now.
        is_pinned: bool,
        /// When.
        at: Timestamp,
    },
    /// A poll is over.
    PollFinished {
        /// Which one.
        poll: PollId,
        /// What was asked.
        subject: String,
        /// How it was answered.
        options: Vec<PollOutcome>,
    },
    /// Somebody asks the group something; in their own message.
    PollCreated {
        /// Who.
        user: NamedUser,
        /// Which poll it is.
        poll: PollId,
        /// What is asked.
        subject: String,
    },
    /// Somebody plans something; in their own message.
    EventCreated {
        /// Who.
        user: NamedUser,
        /// What.
        event: NamedEvent,
    },
    /// Somebody changed an event.
    EventChanged {
        /// Who.
        user: NamedUser,
        /// What, as it is called now.
        event: NamedEvent,
    },
    /// Somebody cancelled an event.
    EventCancelled {
        /// Who.
        user: NamedUser,
        /// What.
        event: NamedEvent,
    },
    /// Somebody said whether they come, or took back what they said.
    EventAnswered {
        /// Who.
        user: NamedUser,
        /// To what.
        event: NamedEvent,
        /// Whether they come.
        going: Option<bool>,
    },
    /// An event begins soon.
    EventStarting {
        /// Which one.
        event: NamedEvent,
        /// In how many minutes.
        minutes: u32,
    },
}
