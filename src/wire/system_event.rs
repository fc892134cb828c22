//! System messages in a form for programs, the `event` of a message.

use std::time::{Duration, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::Serialize;

use crate::instance::Instance;
use crate::schema::scalars::TextId;
use crate::system_event::named::{
    DeletionActor, EventConversation, EventName, EventOption, EventPerson, EventPoll, EventTopic,
    EventUser,
};
use domain::group::{GroupKind, Role};
use domain::ids::{Conversation, MessageId, PollId};
use domain::message::{SystemMessage, TopicLine};
use domain::named::{NamedEvent, NamedTopic, NamedUser, PollOutcome};
use domain::time::Timestamp;

pub mod named;

/// The schema of a time in an event, in one of two forms.
#[derive(Debug, JsonSchema)]
#[schemars(inline, untagged)]
#[expect(dead_code, reason = "it describes both forms; `old_form` writes the second one")]
enum EventTime {
    /// ISO 8601, as in the specification.
    Text(String),
    /// Unix time in seconds.
    Seconds(u64),
}

/// The content of a system message, in a form for programs. Ids of users are numbers, as existing
/// clients expect; in events about polls and calendar events they are text.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", content = "data")]
#[schemars(rename = "Event")]
pub enum SystemEvent<'a> {
    /// A member added users to the group.
    #[serde(rename = "membership.announce.added")]
    Added {
        /// The users who were added.
        added_users: Vec<EventUser<'a>>,
        /// The member who added them.
        adder_user: EventUser<'a>,
    },
    /// A user joined with the share URL.
    #[serde(rename = "membership.announce.joined")]
    Joined {
        /// The user who joined.
        user: EventUser<'a>,
    },
    /// A user who had left came back.
    #[serde(rename = "membership.announce.rejoined")]
    Rejoined {
        /// The user who came back.
        user: EventUser<'a>,
    },
    /// A member left.
    #[serde(rename = "membership.notifications.exited")]
    Left {
        /// The member who left.
        removed_user: EventUser<'a>,
    },
    /// A member was removed.
    #[serde(rename = "membership.notifications.removed")]
    Removed {
        /// The member who removed the other.
        remover_user: EventUser<'a>,
        /// The member who was removed.
        removed_user: EventUser<'a>,
    },
    /// A member's nickname changed.
    #[serde(rename = "membership.nickname_changed")]
    NicknameChanged {
        /// The member, with the old nickname.
        user: EventUser<'a>,
        /// The new nickname.
        name: &'a str,
    },
    /// The group's name changed.
    #[serde(rename = "group.name_change")]
    NameChanged {
        /// The member who changed it.
        user: EventUser<'a>,
        /// The new name.
        name: &'a str,
    },
    /// The group's description changed.
    #[serde(rename = "group.topic_change")]
    TopicChanged {
        /// The member who changed it.
        user: EventUser<'a>,
        /// The new description.
        topic: &'a str,
    },
    /// The group's picture was changed or removed.
    #[serde(rename = "group.avatar_change")]
    AvatarChanged {
        /// The member who changed it.
        user: EventUser<'a>,
        /// URL of the new picture; null if it was removed.
        avatar_url: Option<String>,
    },
    /// Office mode was turned on: only the owner and admins may change the group.
    #[serde(rename = "group.office_mode_enabled")]
    OfficeModeOn {
        /// The member who turned it on.
        user: EventUser<'a>,
    },
    /// Office mode was turned off: every member may change the group.
    #[serde(rename = "group.office_mode_disabled")]
    OfficeModeOff {
        /// The member who turned it off.
        user: EventUser<'a>,
    },
    /// The type of the group changed.
    #[serde(rename = "group.type_change")]
    TypeChanged {
        /// The member who changed it.
        user: EventUser<'a>,
        /// The new type: `private`, `closed` or `announcement`.
        r#type: &'static str,
        /// Minutes in which senders may edit a message.
        message_edit_period: u32,
    },
    /// Slow mode changed.
    #[serde(rename = "group.slow_mode_change")]
    SlowModeChanged {
        /// The member who changed it.
        user: EventUser<'a>,
        /// Seconds between two posts of one plain member; 0 if slow mode is off.
        slow_mode: u32,
    },
    /// The owner archived the group: nobody can write.
    #[serde(rename = "group.archived")]
    Archived {
        /// The owner.
        user: EventUser<'a>,
    },
    /// The owner took the group out of the archive.
    #[serde(rename = "group.unarchived")]
    Unarchived {
        /// The owner.
        user: EventUser<'a>,
    },
    /// Operators of the server froze the group: nobody can write.
    #[serde(rename = "group.frozen")]
    Frozen {
        /// Why they froze it.
        reason: &'a str,
    },
    /// Operators of the server ended the freeze.
    #[serde(rename = "group.unfrozen")]
    Unfrozen {},
    /// Approval of new members was turned on: the owner or an admin decides who joins.
    #[serde(rename = "group.requires_approval_enabled")]
    ApprovalOn {
        /// The member who turned it on.
        user: EventUser<'a>,
    },
    /// Approval of new members was turned off.
    #[serde(rename = "group.requires_approval_disabled")]
    ApprovalOff {
        /// The member who turned it off.
        user: EventUser<'a>,
    },
    /// The directory lists the group from now on.
    #[serde(rename = "group.visibility_set.searchable")]
    Searchable {
        /// The member who listed it.
        user: EventUser<'a>,
    },
    /// The directory lists the group no longer.
    #[serde(rename = "group.visibility_set.hidden")]
    Hidden {
        /// The member who took it out.
        user: EventUser<'a>,
    },
    /// A member became an admin, or a plain member again.
    #[serde(rename = "group.role_change_admin")]
    RoleChanged {
        /// The member who changed the role.
        user: EventUser<'a>,
        /// The new role: `admin` or `user`.
        role: &'static str,
        /// The member whose role changed.
        member: EventUser<'a>,
    },
    /// Sharing was turned on: the group can be joined with a URL.
    #[serde(rename = "group.shared")]
    Shared {
        /// The member who turned it on.
        user: EventUser<'a>,
        /// URL with which anyone can join.
        share_url: String,
    },
    /// Sharing was turned off: the group can no longer be joined with a URL.
    #[serde(rename = "group.unshared")]
    Unshared {
        /// The member who turned it off.
        user: EventUser<'a>,
    },
    /// The group's owner changed.
    #[serde(rename = "group.owner_changed")]
    OwnerChanged {
        /// The previous owner.
        old_owner: EventUser<'a>,
        /// The new owner.
        new_owner: EventUser<'a>,
    },
    /// A bot was added to the group.
    #[serde(rename = "bot.add")]
    BotAdded {
        /// The member who added it.
        user: EventUser<'a>,
        /// Name of the bot.
        bot: &'a str,
    },
    /// A bot was removed from the group.
    #[serde(rename = "bot.del")]
    BotRemoved {
        /// The member who removed it.
        user: EventUser<'a>,
        /// Name of the bot.
        bot: &'a str,
    },
    /// The owner or an admin deleted the message of somebody else.
    #[serde(rename = "message.deleted")]
    MessageDeleted {
        /// The member who deleted it.
        user: EventUser<'a>,
        /// Id of the deleted message.
        message_id: TextId,
        /// When the message was deleted: ISO 8601; Unix time in seconds under `/compat/v3` and on a
        /// compatibility host.
        #[schemars(with = "EventTime")]
        deleted_at: String,
        /// Always `admin`.
        deletion_actor: DeletionActor,
    },
    /// A message was pinned or unpinned.
    #[serde(rename = "message.pinned")]
    MessagePinned {
        /// The member who pinned or unpinned it.
        user: EventUser<'a>,
        /// Id of the message.
        message_id: TextId,
        /// True if the message was pinned, false if it was unpinned.
        pinned: bool,
        /// When the message was pinned; null if it was unpinned. ISO 8601; Unix time in seconds
        /// under `/compat/v3` and on a compatibility host.
        #[schemars(with = "Option<EventTime>")]
        pinned_at: Option<String>,
        /// Id of the member who pinned the message; empty if it was unpinned.
        pinned_by: String,
    },
    /// A poll ended.
    #[serde(rename = "poll.finished")]
    PollFinished {
        /// The group of the poll.
        conversation: EventConversation,
        /// The poll that ended.
        poll: EventPoll<'a>,
        /// The options with their votes.
        options: Vec<EventOption<'a>>,
    },
    /// A member created a poll.
    #[serde(rename = "poll.created")]
    PollCreated {
        /// The group of the poll.
        conversation: EventConversation,
        /// The new poll.
        poll: EventPoll<'a>,
        /// The member who created it.
        user: EventPerson<'a>,
    },
    /// A user created a calendar event.
    #[serde(rename = "calendar.event.created")]
    EventCreated {
        /// The new event.
        event: EventName<'a>,
        /// URL of the event in iCalendar format; requires a token.
        url: String,
        /// The user who created it.
        user: EventPerson<'a>,
    },
    /// A user changed a calendar event.
    #[serde(rename = "calendar.event.updated")]
    EventChanged {
        /// The changed event.
        event: EventName<'a>,
        /// The user who changed it.
        user: EventPerson<'a>,
    },
    /// A user cancelled a calendar event.
    #[serde(rename = "calendar.event.cancelled")]
    EventCancelled {
        /// The cancelled event.
        event: EventName<'a>,
        /// The user who cancelled it.
        user: EventPerson<'a>,
    },
    /// A user accepted a calendar event.
    #[serde(rename = "calendar.event.user.going")]
    EventGoing {
        /// The event.
        event: EventName<'a>,
        /// The user who is coming.
        user: EventPerson<'a>,
    },
    /// A user declined a calendar event.
    #[serde(rename = "calendar.event.user.not_going")]
    EventNotGoing {
        /// The event.
        event: EventName<'a>,
        /// The user who is not coming.
        user: EventPerson<'a>,
    },
    /// A user withdrew the answer to a calendar event.
    #[serde(rename = "calendar.event.user.undecided")]
    EventUndecided {
        /// The event.
        event: EventName<'a>,
        /// The user who withdrew the answer.
        user: EventPerson<'a>,
    },
    /// A calendar event begins soon.
    #[serde(rename = "calendar.event.starting")]
    EventStarting {
        /// The event.
        event: EventName<'a>,
        /// Name of the event.
        event_name: &'a str,
        /// Minutes until the event begins, as text.
        minutes: String,
    },
    /// A topic of the group was made.
    #[serde(rename = "group.subgroup_created")]
    TopicMade {
        /// The topic.
        topic: EventTopic<'a>,
        /// The member who made it.
        user: EventUser<'a>,
    },
    /// A topic of the group was removed.
    #[serde(rename = "group.subgroup_removed")]
    TopicRemoved {
        /// The topic.
        topic: EventTopic<'a>,
        /// The member who removed it.
        user: EventUser<'a>,
    },
    /// The name of a topic changed.
    #[serde(rename = "group.subgroup_name_change")]
    TopicRenamed {
        /// The topic, with its old name.
        topic: EventTopic<'a>,
        /// The member who changed it.
        user: EventUser<'a>,
        /// The new name.
        name: &'a str,
    },
    /// The description of a topic changed.
    #[serde(rename = "group.subgroup_description_change")]
    TopicDescribed {
        /// The topic.
        topic: EventTopic<'a>,
        /// The member who changed it.
        user: EventUser<'a>,
        /// The new description; empty if it was removed.
        description: &'a str,
    },
    /// The picture of a topic was changed or removed.
    #[serde(rename = "group.subgroup_avatar_change")]
    TopicAvatarChanged {
        /// The topic.
        topic: EventTopic<'a>,
        /// The member who changed it.
        user: EventUser<'a>,
        /// URL of the new picture; null if it was removed.
        avatar_url: Option<String>,
    },
    /// The type of a topic changed.
    #[serde(rename = "group.subgroup_type_change")]
    TopicTypeChanged {
        /// The topic.
        topic: EventTopic<'a>,
        /// The member who changed it.
        user: EventUser<'a>,
        /// The new type: `private` or `announcement`.
        r#type: &'static str,
    },
}

/// Formats a point in time in ISO 8601 in UTC, to the second.
pub fn iso(at: Timestamp) -> String {
    let since = UNIX_EPOCH + Duration::from_millis(at.millis());
    humantime::format_rfc3339_seconds(since).to_string()
}

impl<'a> SystemEvent<'a> {
    /// Builds the event of a system message in this conversation.
    pub fn of(conv: Conversation, line: &'a SystemMessage, instance: &Instance) -> Self {
        match line {
            SystemMessage::Added { added, adder, .. } => Self::Added {
                added_users: added.iter().map(EventUser::from).collect(),
                adder_user: adder.into(),
            },
            SystemMessage::Joined { user, .. } => Self::Joined { user: user.into() },
            SystemMessage::Rejoined { user } => Self::Rejoined { user: user.into() },
            SystemMessage::Left { user } => Self::Left { removed_user: user.into() },
            SystemMessage::Removed { removed, remover } => {
                Self::Removed { remover_user: remover.into(), removed_user: removed.into() }
            }
            SystemMessage::NicknameChanged { user, name } => Self::nickname(user, name),
            SystemMessage::NameChanged { user, name } => Self::named(user, name),
            SystemMessage::TopicChanged { user, topic } => Self::topic(user, topic),
            SystemMessage::AvatarChanged { user, image } => {
                let avatar_url = image.as_ref().map(|image| instance.image_url(image));
                Self::AvatarChanged { user: user.into(), avatar_url }
            }
            SystemMessage::OfficeModeChanged { user, on } => Self::office_mode(user, *on),
            SystemMessage::TypeChanged { user, kind, edit_minutes } => {
                Self::of_type(user, *kind, *edit_minutes)
            }
            SystemMessage::SlowModeChanged { user, seconds } => Self::slow_mode(user, *seconds),
            SystemMessage::ApprovalChanged { user, on } => Self::approval(user, *on),
            SystemMessage::VisibilityChanged { user, is_searchable: on } => {
                Self::listing(user, *on)
            }
            SystemMessage::ArchiveChanged { user, is_archived: on } => Self::archive(user, *on),
            SystemMessage::FreezeChanged { reason } => Self::freeze(reason.as_deref()),
            SystemMessage::RoleChanged { user, member, is_admin } => {
                Self::role(user, member, *is_admin)
            }
            SystemMessage::SharingChanged { user, token } => {
                Self::sharing(user, token.as_deref().map(|it| share_url(conv, it, instance)))
            }
            SystemMessage::OwnerChanged { old, new } => {
                Self::OwnerChanged { old_owner: old.into(), new_owner: new.into() }
            }
            SystemMessage::BotAdded { user, bot } => Self::BotAdded { user: user.into(), bot },
            SystemMessage::BotRemoved { user, bot } => Self::BotRemoved { user: user.into(), bot },
            SystemMessage::MessageDeleted { user, message, at } => {
                Self::deleted(user, *message, *at)
            }
            SystemMessage::PollFinished { poll, subject, options, .. } => {
                Self::finished(conv, *poll, subject, options)
            }
            SystemMessage::PollCreated { user, poll, subject } => {
                Self::asked(conv, user, *poll, subject)
            }
            SystemMessage::EventCreated { user, event } => {
                let url = instance.event_url(conv, event.id);
                Self::EventCreated { event: event.into(), url, user: user.into() }
            }
            SystemMessage::EventChanged { user, event } => {
                Self::EventChanged { event: event.into(), user: user.into() }
            }
            SystemMessage::EventCancelled { user, event } => {
                Self::EventCancelled { event: event.into(), user: user.into() }
            }
            SystemMessage::EventAnswered { user, event, going } => {
                Self::answered(event, user, *going)
            }
            SystemMessage::EventStarting { event, minutes } => Self::starting(event, *minutes),
            SystemMessage::MessagePinned { user, message, is_pinned, at } => {
                Self::pinned(user, *message, is_pinned.then_some(*at))
            }
            SystemMessage::Topic { user, topic, change } => {
                Self::of_topic(user, topic, change, instance)
            }
        }
    }

    fn of_topic(
        user: &'a NamedUser,
        topic: &'a NamedTopic,
        change: &'a TopicLine,
        instance: &Instance,
    ) -> Self {
        let user = user.into();
        let topic = topic.into();
        match change {
            TopicLine::Made => Self::TopicMade { topic, user },
            TopicLine::Removed => Self::TopicRemoved { topic, user },
            TopicLine::Renamed { name } => Self::TopicRenamed { topic, user, name },
            TopicLine::Described { description } => {
                Self::TopicDescribed { topic, user, description }
            }
            TopicLine::AvatarChanged { image } => {
                let avatar_url = image.as_ref().map(|image| instance.image_url(image));
                Self::TopicAvatarChanged { topic, user, avatar_url }
            }
            TopicLine::KindChanged { kind } => {
                Self::TopicTypeChanged { topic, user, r#type: kind.as_str() }
            }
        }
    }

    fn nickname(user: &'a NamedUser, name: &'a str) -> Self {
        Self::NicknameChanged { user: user.into(), name }
    }

    fn named(user: &'a NamedUser, name: &'a str) -> Self {
        Self::NameChanged { user: user.into(), name }
    }

    fn topic(user: &'a NamedUser, topic: &'a str) -> Self {
        Self::TopicChanged { user: user.into(), topic }
    }

    fn of_type(user: &'a NamedUser, kind: GroupKind, edit_minutes: u32) -> Self {
        let r#type = kind.as_str();
        Self::TypeChanged { user: user.into(), r#type, message_edit_period: edit_minutes }
    }

    fn office_mode(user: &'a NamedUser, is_on: bool) -> Self {
        let user = user.into();
        if is_on { Self::OfficeModeOn { user } } else { Self::OfficeModeOff { user } }
    }

    fn approval(user: &'a NamedUser, is_on: bool) -> Self {
        let user = user.into();
        if is_on { Self::ApprovalOn { user } } else { Self::ApprovalOff { user } }
    }

    fn listing(user: &'a NamedUser, is_searchable: bool) -> Self {
        let user = user.into();
        if is_searchable { Self::Searchable { user } } else { Self::Hidden { user } }
    }

    fn archive(user: &'a NamedUser, is_archived: bool) -> Self {
        let user = user.into();
        if is_archived { Self::Archived { user } } else { Self::Unarchived { user } }
    }

    fn freeze(reason: Option<&'a str>) -> Self {
        reason.map_or(Self::Unfrozen {}, |reason| Self::Frozen { reason })
    }

    fn slow_mode(user: &'a NamedUser, slow_mode: u32) -> Self {
        Self::SlowModeChanged { user: user.into(), slow_mode }
    }

    fn role(user: &'a NamedUser, member: &'a NamedUser, is_admin: bool) -> Self {
        let role = if is_admin { Role::Admin } else { Role::Member };
        Self::RoleChanged { user: user.into(), role: role.as_str(), member: member.into() }
    }

    fn deleted(user: &'a NamedUser, message: MessageId, at: Timestamp) -> Self {
        Self::MessageDeleted {
            user: user.into(),
            message_id: message.into(),
            deleted_at: iso(at),
            deletion_actor: DeletionActor::Admin,
        }
    }

    fn sharing(user: &'a NamedUser, url: Option<String>) -> Self {
        match url {
            Some(share_url) => Self::Shared { user: user.into(), share_url },
            None => Self::Unshared { user: user.into() },
        }
    }

    fn asked(conv: Conversation, user: &'a NamedUser, id: PollId, subject: &'a str) -> Self {
        Self::PollCreated {
            conversation: EventConversation { id: conv.to_string() },
            poll: EventPoll { id: id.into(), subject },
            user: user.into(),
        }
    }

    fn finished(
        conv: Conversation,
        id: PollId,
        subject: &'a str,
        options: &'a [PollOutcome],
    ) -> Self {
        Self::PollFinished {
            conversation: EventConversation { id: conv.to_string() },
            poll: EventPoll { id: id.into(), subject },
            options: (1..).zip(options).map(EventOption::from).collect(),
        }
    }

    fn pinned(user: &'a NamedUser, message: MessageId, since: Option<Timestamp>) -> Self {
        Self::MessagePinned {
            user: user.into(),
            message_id: message.into(),
            pinned: since.is_some(),
            pinned_at: since.map(iso),
            pinned_by: since.map(|_| user.id.to_string()).unwrap_or_default(),
        }
    }

    fn starting(event: &'a NamedEvent, minutes: u32) -> Self {
        let event_name = &*event.name;
        let minutes = minutes.to_string();
        Self::EventStarting { event: event.into(), event_name, minutes }
    }

    fn answered(event: &'a NamedEvent, user: &'a NamedUser, going: Option<bool>) -> Self {
        let event = event.into();
        let user = user.into();
        match going {
            Some(true) => Self::EventGoing { event, user },
            Some(false) => Self::EventNotGoing { event, user },
            None => Self::EventUndecided { event, user },
        }
    }
}

/// Returns the URL with which anyone can join; empty for a chat, since only groups are shared.
fn share_url(conv: Conversation, token: &str, instance: &Instance) -> String {
    match conv {
        Conversation::Group(group) => instance.share_url(group, token),
        Conversation::Chat(_) => String::new(),
    }
}
