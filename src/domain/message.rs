//! One message of a group or a chat: its author, text and attachments, and the JSON made of it.

use std::fmt;
use std::sync::Arc;

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::attachment::{AddressForm, Attachment, ImageRef};
use crate::group::permissions::{GroupKind, TopicKind};
use crate::ids::{GroupId, MessageId, PollId, UserId};
use crate::message_state::MessageState;
use crate::named::{NamedEvent, NamedTopic, NamedUser, PollOutcome};
use crate::text::{MessageText, SourceGuid};
use crate::time::Timestamp;

/// The author of a message.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Author {
    /// A member of the group, or one of the two of a chat.
    Member(UserId),
    /// A bot of the group, by its public number. The id with which it posts is a secret and never
    /// appears in a message.
    Bot(UserId),
    /// The server itself.
    System,
}

impl Author {
    /// Whether a bot wrote the message.
    pub const fn is_bot(&self) -> bool {
        matches!(self, Self::Bot(_))
    }

    /// The user, if a user wrote the message; `None` for bots and the system.
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

/// The author's name in system messages.
pub const SYSTEM_NAME: &str = "Coterie";

/// A message as it is stored in the log. Likes are kept beside it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Message {
    /// The message's id; the first ten digits are the second of its creation.
    pub id: MessageId,
    /// The author.
    pub author: Author,
    /// The author's name in the conversation at that time.
    pub name: String,
    /// The author's picture at that time.
    pub avatar: Option<ImageRef>,
    /// The id that the client gave the message, for deduplication.
    pub source_guid: String,
    /// The text; `None` if there are only attachments.
    pub text: Option<String>,
    /// The attachments.
    pub attachments: Vec<Attachment>,
    /// The number of messages in the conversation up to and including this one.
    pub count: u64,
    /// The content in structured form, if it is a system message or carries a poll or an event.
    #[serde(default)]
    pub line: Option<SystemMessage>,
    /// When the message was written, if the id does not say so: ids only grow, even while the clock
    /// is set back.
    #[serde(default)]
    pub written_at: Option<Timestamp>,
    /// The group, if the message is in a topic of one.
    #[serde(default)]
    pub parent: Option<GroupId>,
    /// The later changes of the message. Not stored with it: revisions are facts of their own, and
    /// rendering combines both.
    #[serde(skip)]
    pub state: MessageState,
}

/// Writes the last fields only as far as one of them is set: fields have no names on disk, so none
/// may be left out before one that is written.
impl Serialize for Message {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let has_parent = self.parent.is_some();
        let has_time = has_parent || self.written_at.is_some();
        let length = 9 + usize::from(has_time) + usize::from(has_parent);
        let mut record = to.serialize_struct("Message", length)?;
        record.serialize_field("id", &self.id)?;
        record.serialize_field("author", &self.author)?;
        record.serialize_field("name", &self.name)?;
        record.serialize_field("avatar", &self.avatar)?;
        record.serialize_field("source_guid", &self.source_guid)?;
        record.serialize_field("text", &self.text)?;
        record.serialize_field("attachments", &self.attachments)?;
        record.serialize_field("count", &self.count)?;
        record.serialize_field("line", &self.line)?;
        if has_time {
            record.serialize_field("written_at", &self.written_at)?;
        }
        if has_parent {
            record.serialize_field("parent", &self.parent)?;
        }
        record.end()
    }
}

impl Message {
    /// A system message without text, for tests, with this count.
    pub fn silent(id: u64, count: u64) -> Self {
        let source_guid = String::new();
        Self {
            name: String::new(),
            source_guid,
            text: None,
            count,
            ..Self::unlogged(MessageId::new(id))
        }
    }

    /// A message of a member without text, for tests.
    pub fn silent_by(author: UserId, id: u64, count: u64) -> Self {
        Self { author: Author::Member(author), ..Self::silent(id, count) }
    }

    /// A message for testing a callback; it is in no log.
    pub fn unlogged(id: MessageId) -> Self {
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
            parent: None,
            state: MessageState::default(),
        }
    }

    /// Whether the message is in the log of its conversation.
    pub const fn is_in_log(&self) -> bool {
        self.count > 0
    }

    /// The message with one more reply in the thread that it began.
    #[must_use]
    pub fn with_answer(&self, at: Timestamp) -> Self {
        let mut answered = self.clone();
        answered.state.thread = answered.state.thread.with_one(at);
        answered
    }

    /// When the message was written, in Unix seconds. The id is used only if it says the same.
    pub const fn created_at(&self) -> u64 {
        match self.written_at {
            Some(at) => at.seconds(),
            None => self.id.second(),
        }
    }

    /// The value of the field `written_at` for a new message: `None` if the id says the same
    /// second.
    pub fn written_at(id: MessageId, now: Timestamp) -> Option<Timestamp> {
        (id.second() != now.seconds()).then_some(now)
    }

    /// The user who wrote the message or caused the system message. For this user, the message and
    /// everything before it count as read.
    pub fn caused_by(&self) -> Option<UserId> {
        match &self.author {
            Author::Member(user) => Some(*user),
            Author::Bot(_) => None,
            Author::System => self.line.as_ref()?.caused_by(),
        }
    }

    /// The message whose words this system message repeats: the one that carries a poll or an
    /// event.
    pub fn quoted(&self) -> Option<MessageId> {
        self.line.as_ref()?.quoted().filter(|carrier| *carrier != self.id)
    }

    /// The system message without the words of the message that it quotes, which was deleted.
    #[must_use]
    pub fn without_quote(&self) -> Self {
        let line = self.line.as_ref().map(SystemMessage::without_quote);
        Self { text: line.as_ref().map(SystemMessage::text), line, ..self.clone() }
    }
}

/// The JSON of a message as readers get it: made once, and shared by all who send it. Only
/// `wire::message` makes it.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct MessageJson(Arc<RawValue>);

impl MessageJson {
    /// Wraps the JSON of a message.
    pub fn new(json: Box<RawValue>) -> Self {
        Self(json.into())
    }

    /// The JSON as text.
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// The JSON with additional fields at its end. `fields` is JSON without braces.
    pub fn with(&self, fields: &str) -> Vec<u8> {
        // A message is a non-empty object, so its last byte is the closing brace.
        let own = self.get().strip_suffix('}').unwrap_or_default();
        [own, ",", fields, "}"].concat().into_bytes()
    }

    /// The JSON for use inside other JSON.
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
    /// The JSON as readers get it.
    #[serde(with = "as_text")]
    pub json: MessageJson,
}

/// Serializes JSON as a string of another format.
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

/// A message that a client wants to post: parsed, not yet checked against the rules of the
/// conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewMessage {
    /// The id that the client gave the message, for deduplication.
    pub source_guid: SourceGuid,
    /// The text; there is a text or an attachment.
    pub text: Option<MessageText>,
    /// The attachments.
    pub attachments: Vec<Attachment>,
    /// The form in which the client sends mentions and replies.
    pub form: AddressForm,
    /// The people who are online, if the message mentions everybody online.
    pub here: Vec<UserId>,
}

/// The content of a system message, in a form for programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SystemMessage {
    /// Members were added.
    Added {
        /// The new members.
        added: Vec<NamedUser>,
        /// The member who added them.
        adder: NamedUser,
        /// Whether the new member redeemed an invite that the adder had made earlier.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_by_invite: bool,
    },
    /// A user joined through the share URL, or a member approved the user's request.
    Joined {
        /// The new member.
        user: NamedUser,
        /// The member who approved the request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approver: Option<UserId>,
    },
    /// A former member came back.
    Rejoined {
        /// The member.
        user: NamedUser,
    },
    /// A member left.
    Left {
        /// The former member.
        user: NamedUser,
    },
    /// A member was removed.
    Removed {
        /// The former member.
        removed: NamedUser,
        /// The member who removed them.
        remover: NamedUser,
    },
    /// A member changed their nickname.
    NicknameChanged {
        /// The member, with the old name.
        user: NamedUser,
        /// The new name.
        name: String,
    },
    /// The group was renamed.
    NameChanged {
        /// The member who renamed it.
        user: NamedUser,
        /// The new name.
        name: String,
    },
    /// The group's description changed.
    TopicChanged {
        /// The member who changed it.
        user: NamedUser,
        /// The new description; empty if it was removed.
        topic: String,
    },
    /// The group's picture changed.
    AvatarChanged {
        /// The member who changed it.
        user: NamedUser,
        /// The new picture; `None` if it was removed.
        image: Option<ImageRef>,
    },
    /// Office mode was switched on (only the owner and admins may change things) or off.
    OfficeModeChanged {
        /// The member who switched it.
        user: NamedUser,
        /// Whether office mode is on.
        on: bool,
    },
    /// The share URL was switched on or off.
    SharingChanged {
        /// The member who switched it.
        user: NamedUser,
        /// The token of the URL; `None` if it was switched off.
        token: Option<String>,
    },
    /// The group has a new owner.
    OwnerChanged {
        /// The former owner.
        old: NamedUser,
        /// The new owner.
        new: NamedUser,
    },
    /// A bot was added.
    BotAdded {
        /// The member who added it.
        user: NamedUser,
        /// The bot's name.
        bot: String,
    },
    /// A bot was removed.
    BotRemoved {
        /// The member who removed it.
        user: NamedUser,
        /// The bot's name.
        bot: String,
    },
    /// The owner or an admin deleted a message.
    MessageDeleted {
        /// The member who deleted it.
        user: NamedUser,
        /// The deleted message.
        message: MessageId,
        /// When it was deleted.
        at: Timestamp,
    },
    /// A message was pinned or unpinned.
    MessagePinned {
        /// The member who did it.
        user: NamedUser,
        /// The message.
        message: MessageId,
        /// Whether the message is pinned now.
        is_pinned: bool,
        /// When it happened.
        at: Timestamp,
    },
    /// A poll ended.
    PollFinished {
        /// The poll.
        poll: PollId,
        /// The poll's question.
        subject: String,
        /// The options with their votes.
        options: Vec<PollOutcome>,
        /// The member who ended the poll; `None` if its time was up.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<UserId>,
    },
    /// The type of the group changed.
    TypeChanged {
        /// The member who changed it.
        user: NamedUser,
        /// The new type.
        kind: GroupKind,
        /// Minutes in which senders may edit a message.
        edit_minutes: u32,
    },
    /// Slow mode changed.
    SlowModeChanged {
        /// The member who changed it.
        user: NamedUser,
        /// Seconds between two posts of one member; 0 if slow mode is off.
        seconds: u32,
    },
    /// The owner and admins decide who joins from now on, or no longer.
    ApprovalChanged {
        /// The member who changed it.
        user: NamedUser,
        /// Whether they decide.
        on: bool,
    },
    /// Strangers find the group in the directory from now on, or no longer.
    VisibilityChanged {
        /// The member who changed it.
        user: NamedUser,
        /// Whether they find it.
        is_searchable: bool,
    },
    /// The owner archived the group, or took it out of the archive.
    ArchiveChanged {
        /// The owner.
        user: NamedUser,
        /// Whether it is archived now.
        is_archived: bool,
    },
    /// Operators froze the group, or ended that.
    FreezeChanged {
        /// Why they froze it; `None` if they ended it.
        reason: Option<String>,
    },
    /// A member became an admin, or a plain member again.
    RoleChanged {
        /// The member who changed the role.
        user: NamedUser,
        /// The member whose role changed.
        member: NamedUser,
        /// Whether the member is an admin now.
        is_admin: bool,
    },
    /// A member started a poll. Part of the member's own message, which carries the poll.
    PollCreated {
        /// The member.
        user: NamedUser,
        /// The poll.
        poll: PollId,
        /// The poll's question.
        subject: String,
    },
    /// A member created a calendar event. Part of the member's own message, which carries the
    /// event.
    EventCreated {
        /// The member.
        user: NamedUser,
        /// The event.
        event: NamedEvent,
    },
    /// A member changed a calendar event.
    EventChanged {
        /// The member.
        user: NamedUser,
        /// The event, with its new name.
        event: NamedEvent,
    },
    /// A member cancelled a calendar event.
    EventCancelled {
        /// The member.
        user: NamedUser,
        /// The event.
        event: NamedEvent,
    },
    /// A member answered whether they attend an event, or took the answer back.
    EventAnswered {
        /// The member.
        user: NamedUser,
        /// The event.
        event: NamedEvent,
        /// Whether the member attends; `None` if the answer was taken back.
        going: Option<bool>,
    },
    /// A calendar event begins soon.
    EventStarting {
        /// The event.
        event: NamedEvent,
        /// Minutes until it begins.
        minutes: u32,
    },
    /// A topic of the group was made, changed or removed.
    Topic {
        /// The member who did it.
        user: NamedUser,
        /// The topic, with its name before.
        topic: NamedTopic,
        /// What was done.
        change: TopicLine,
    },
}

/// What a system message says of a topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TopicLine {
    /// It was made.
    Made,
    /// It was removed.
    Removed,
    /// It has another name.
    Renamed {
        /// The new name.
        name: String,
    },
    /// It has another description.
    Described {
        /// The new description; empty if it was removed.
        description: String,
    },
    /// It has another picture.
    AvatarChanged {
        /// The new picture; `None` if it was removed.
        image: Option<ImageRef>,
    },
    /// It has another type.
    KindChanged {
        /// The new type.
        kind: TopicKind,
    },
}

impl SystemMessage {
    /// The user whose act made the server write the system message; `None` if its time had come, or
    /// if nobody acted in the conversation.
    pub const fn caused_by(&self) -> Option<UserId> {
        match self {
            Self::Added { is_by_invite: true, .. }
            | Self::EventStarting { .. }
            | Self::FreezeChanged { .. } => None,
            Self::Added { adder: user, .. }
            | Self::Rejoined { user }
            | Self::Left { user }
            | Self::Removed { remover: user, .. }
            | Self::NicknameChanged { user, .. }
            | Self::NameChanged { user, .. }
            | Self::TopicChanged { user, .. }
            | Self::AvatarChanged { user, .. }
            | Self::OfficeModeChanged { user, .. }
            | Self::TypeChanged { user, .. }
            | Self::SlowModeChanged { user, .. }
            | Self::ApprovalChanged { user, .. }
            | Self::VisibilityChanged { user, .. }
            | Self::ArchiveChanged { user, .. }
            | Self::RoleChanged { user, .. }
            | Self::SharingChanged { user, .. }
            | Self::OwnerChanged { old: user, .. }
            | Self::BotAdded { user, .. }
            | Self::BotRemoved { user, .. }
            | Self::MessageDeleted { user, .. }
            | Self::MessagePinned { user, .. }
            | Self::PollCreated { user, .. }
            | Self::EventCreated { user, .. }
            | Self::EventChanged { user, .. }
            | Self::EventCancelled { user, .. }
            | Self::EventAnswered { user, .. }
            | Self::Topic { user, .. } => Some(user.id),
            Self::Joined { user, approver: None } => Some(user.id),
            Self::Joined { approver, .. } => *approver,
            Self::PollFinished { by, .. } => *by,
        }
    }

    /// The message whose words the system message repeats: the one that carries a poll or an event.
    pub const fn quoted(&self) -> Option<MessageId> {
        match self {
            Self::PollFinished { poll, .. } | Self::PollCreated { poll, .. } => {
                Some(MessageId::new(poll.get()))
            }
            Self::EventCreated { event, .. }
            | Self::EventChanged { event, .. }
            | Self::EventCancelled { event, .. }
            | Self::EventAnswered { event, .. }
            | Self::EventStarting { event, .. } => Some(MessageId::new(event.id.get())),
            Self::Added { .. }
            | Self::Joined { .. }
            | Self::Rejoined { .. }
            | Self::Left { .. }
            | Self::Removed { .. }
            | Self::NicknameChanged { .. }
            | Self::NameChanged { .. }
            | Self::TopicChanged { .. }
            | Self::AvatarChanged { .. }
            | Self::OfficeModeChanged { .. }
            | Self::TypeChanged { .. }
            | Self::SlowModeChanged { .. }
            | Self::ApprovalChanged { .. }
            | Self::VisibilityChanged { .. }
            | Self::ArchiveChanged { .. }
            | Self::FreezeChanged { .. }
            | Self::RoleChanged { .. }
            | Self::SharingChanged { .. }
            | Self::OwnerChanged { .. }
            | Self::BotAdded { .. }
            | Self::BotRemoved { .. }
            | Self::MessageDeleted { .. }
            | Self::MessagePinned { .. }
            | Self::Topic { .. } => None,
        }
    }

    /// The same without the words of the quoted message.
    fn without_quote(&self) -> Self {
        let mut line = self.clone();
        match &mut line {
            Self::PollFinished { subject, options, .. } => {
                subject.clear();
                options.clear();
            }
            Self::PollCreated { subject, .. } => subject.clear(),
            Self::EventCreated { event, .. }
            | Self::EventChanged { event, .. }
            | Self::EventCancelled { event, .. }
            | Self::EventAnswered { event, .. }
            | Self::EventStarting { event, .. } => event.name.clear(),
            Self::Added { .. }
            | Self::Joined { .. }
            | Self::Rejoined { .. }
            | Self::Left { .. }
            | Self::Removed { .. }
            | Self::NicknameChanged { .. }
            | Self::NameChanged { .. }
            | Self::TopicChanged { .. }
            | Self::AvatarChanged { .. }
            | Self::OfficeModeChanged { .. }
            | Self::TypeChanged { .. }
            | Self::SlowModeChanged { .. }
            | Self::ApprovalChanged { .. }
            | Self::VisibilityChanged { .. }
            | Self::ArchiveChanged { .. }
            | Self::FreezeChanged { .. }
            | Self::RoleChanged { .. }
            | Self::SharingChanged { .. }
            | Self::OwnerChanged { .. }
            | Self::BotAdded { .. }
            | Self::BotRemoved { .. }
            | Self::MessageDeleted { .. }
            | Self::MessagePinned { .. }
            | Self::Topic { .. } => {}
        }
        line
    }
}
