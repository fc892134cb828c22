//! System messages in the form that programs read.

use std::time::{Duration, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::ids::GroupId;
use crate::domain::message::{NamedUser, PollOutcome, SystemMessage};
use crate::domain::message_state::Deleter;
use crate::domain::time::Timestamp;
use crate::wire::instance::Instance;
use crate::wire::schema::scalars::TextId;

/// A system message in the form that programs read; ids in it are numbers, as existing clients
/// expect.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", content = "data")]
#[schemars(rename = "Event")]
pub enum SystemEvent<'a> {
    /// Somebody added people.
    #[serde(rename = "membership.announce.added")]
    Added {
        /// Who came.
        added_users: Vec<EventUser<'a>>,
        /// Who added them.
        adder_user: EventUser<'a>,
    },
    /// Somebody joined by the share URL.
    #[serde(rename = "membership.announce.joined")]
    Joined {
        /// Who came.
        user: EventUser<'a>,
    },
    /// Somebody came back.
    #[serde(rename = "membership.announce.rejoined")]
    Rejoined {
        /// Who came.
        user: EventUser<'a>,
    },
    /// Somebody left.
    #[serde(rename = "membership.notifications.exited")]
    Left {
        /// Who went.
        removed_user: EventUser<'a>,
    },
    /// Somebody was removed.
    #[serde(rename = "membership.notifications.removed")]
    Removed {
        /// Who removed them.
        remover_user: EventUser<'a>,
        /// Who went.
        removed_user: EventUser<'a>,
    },
    /// A member is called something else now.
    #[serde(rename = "membership.nickname_changed")]
    NicknameChanged {
        /// Who, under the old name.
        user: EventUser<'a>,
        /// The new name.
        name: &'a str,
    },
    /// The group is called something else now.
    #[serde(rename = "group.name_change")]
    NameChanged {
        /// Who changed it.
        user: EventUser<'a>,
        /// The new name.
        name: &'a str,
    },
    /// The group is about something else now.
    #[serde(rename = "group.topic_change")]
    TopicChanged {
        /// Who changed it.
        user: EventUser<'a>,
        /// What it is about now.
        topic: &'a str,
    },
    /// The group has another picture, or none.
    #[serde(rename = "group.avatar_change")]
    AvatarChanged {
        /// Who changed it.
        user: EventUser<'a>,
        /// The new picture.
        avatar_url: Option<String>,
    },
    /// Only owner and admins may change the group from now on.
    #[serde(rename = "group.office_mode_enabled")]
    OfficeModeOn {
        /// Who changed it.
        user: EventUser<'a>,
    },
    /// Every member may change the group again.
    #[serde(rename = "group.office_mode_disabled")]
    OfficeModeOff {
        /// Who changed it.
        user: EventUser<'a>,
    },
    /// The group can be joined by a URL.
    #[serde(rename = "group.shared")]
    Shared {
        /// Who changed it.
        user: EventUser<'a>,
        /// By which anyone can join.
        share_url: String,
    },
    /// The group can no longer be joined by a URL.
    #[serde(rename = "group.unshared")]
    Unshared {
        /// Who changed it.
        user: EventUser<'a>,
    },
    /// The group has another owner.
    #[serde(rename = "group.owner_changed")]
    OwnerChanged {
        /// Who owned it.
        old_owner: EventUser<'a>,
        /// Who owns it.
        new_owner: EventUser<'a>,
    },
    /// A bot came.
    #[serde(rename = "bot.add")]
    BotAdded {
        /// Who added it.
        user: EventUser<'a>,
        /// What it is called.
        bot: &'a str,
    },
    /// A bot went.
    #[serde(rename = "bot.del")]
    BotRemoved {
        /// Who removed it.
        user: EventUser<'a>,
        /// What it was called.
        bot: &'a str,
    },
    /// Somebody who looks after the group deleted what somebody else wrote.
    #[serde(rename = "message.deleted")]
    MessageDeleted {
        /// Who deleted it.
        user: EventUser<'a>,
        /// Which message.
        message_id: TextId,
        /// When (ISO 8601).
        deleted_at: String,
        /// Always the same.
        deletion_actor: DeletionActor,
    },
    /// Somebody pinned a message, or took its pin away.
    #[serde(rename = "message.pinned")]
    MessagePinned {
        /// Who did it.
        user: EventUser<'a>,
        /// Which message.
        message_id: TextId,
        /// Whether it is pinned now.
        pinned: bool,
        /// Since when (ISO 8601).
        pinned_at: Option<String>,
        /// Who pinned it; empty when it is pinned no more.
        pinned_by: String,
    },
    /// A poll is over.
    #[serde(rename = "poll.finished")]
    PollFinished {
        /// Where it was.
        conversation: EventConversation,
        /// Which one.
        poll: EventPoll<'a>,
        /// How it was answered.
        options: Vec<EventOption<'a>>,
    },
}

/// The group that a system message names.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EventConversation {
    /// Its id.
    id: TextId,
}

/// The poll that a system message names.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EventPoll<'a> {
    /// Its id.
    id: TextId,
    /// What was asked.
    subject: &'a str,
}

/// An option of a poll that is over.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EventOption<'a> {
    /// Names it in its poll.
    id: String,
    /// The words.
    title: &'a str,
    /// How many voted for it.
    votes: u32,
}

/// In which part somebody deleted a message.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum DeletionActor {
    /// They wrote it.
    Sender,
    /// They look after the group.
    Admin,
}

impl From<Deleter> for DeletionActor {
    fn from(deleter: Deleter) -> Self {
        match deleter {
            Deleter::Sender => Self::Sender,
            Deleter::Admin => Self::Admin,
        }
    }
}

/// A moment in ISO 8601, to a second.
pub fn iso(at: Timestamp) -> String {
    let since = UNIX_EPOCH + Duration::from_millis(at.millis());
    humantime::format_rfc3339_seconds(since).to_string()
}

/// Somebody whom a system message names.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EventUser<'a> {
    /// Who it is.
    id: u64,
    /// What they were called in the group.
    nickname: &'a str,
}

impl<'a> From<&'a NamedUser> for EventUser<'a> {
    fn from(user: &'a NamedUser) -> Self {
        Self { id: user.id.get(), nickname: &user.name }
    }
}

impl<'a> From<(u8, &'a PollOutcome)> for EventOption<'a> {
    fn from((number, PollOutcome { title, votes }): (u8, &'a PollOutcome)) -> Self {
        Self { id: number.to_string(), title, votes: *votes }
    }
}

impl<'a> SystemEvent<'a> {
    /// What a system message of this group says.
    pub fn of(group: GroupId, line: &'a SystemMessage, instance: &Instance) -> Self {
        match line {
            SystemMessage::Added { added, adder } => Self::Added {
                added_users: added.iter().map(EventUser::from).collect(),
                adder_user: adder.into(),
            },
            SystemMessage::Joined { user } => Self::Joined { user: user.into() },
            SystemMessage::Rejoined { user } => Self::Rejoined { user: user.into() },
            SystemMessage::Left { user } => Self::Left { removed_user: user.into() },
            SystemMessage::Removed { removed, remover } => {
                Self::Removed { remover_user: remover.into(), removed_user: removed.into() }
            }
            SystemMessage::NicknameChanged { user, name } => {
                Self::NicknameChanged { user: user.into(), name }
            }
            SystemMessage::NameChanged { user, name } => {
                Self::NameChanged { user: user.into(), name }
            }
            SystemMessage::TopicChanged { user, topic } => {
                Self::TopicChanged { user: user.into(), topic }
            }
            SystemMessage::AvatarChanged { user, image } => {
                let avatar_url = image.as_ref().map(|image| instance.image_url(image));
                Self::AvatarChanged { user: user.into(), avatar_url }
            }
            SystemMessage::OfficeModeChanged { user, on: true } => {
                Self::OfficeModeOn { user: user.into() }
            }
            SystemMessage::OfficeModeChanged { user, on: false } => {
                Self::OfficeModeOff { user: user.into() }
            }
            SystemMessage::SharingChanged { user, token: Some(token) } => {
                Self::Shared { user: user.into(), share_url: instance.share_url(group, token) }
            }
            SystemMessage::SharingChanged { user, token: None } => {
                Self::Unshared { user: user.into() }
            }
            SystemMessage::OwnerChanged { old, new } => {
                Self::OwnerChanged { old_owner: old.into(), new_owner: new.into() }
            }
            SystemMessage::BotAdded { user, bot } => Self::BotAdded { user: user.into(), bot },
            SystemMessage::BotRemoved { user, bot } => Self::BotRemoved { user: user.into(), bot },
            SystemMessage::MessageDeleted { user, message, at } => Self::MessageDeleted {
                user: user.into(),
                message_id: (*message).into(),
                deleted_at: iso(*at),
                deletion_actor: DeletionActor::Admin,
            },
            SystemMessage::PollFinished { poll, subject, options } => Self::PollFinished {
                conversation: EventConversation { id: group.into() },
                poll: EventPoll { id: (*poll).into(), subject },
                options: (1..).zip(options).map(EventOption::from).collect(),
            },
            SystemMessage::MessagePinned { user, message, is_pinned, at } => Self::MessagePinned {
                user: user.into(),
                message_id: (*message).into(),
                pinned: *is_pinned,
                pinned_at: is_pinned.then(|| iso(*at)),
                pinned_by: if *is_pinned { user.id.to_string() } else { String::new() },
            },
        }
    }
}
