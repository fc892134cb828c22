//! System messages in the form that programs read.

use std::time::{Duration, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::ids::{Conversation, MessageId, PollId};
use crate::domain::message::SystemMessage;
use crate::domain::named::{NamedEvent, NamedUser, PollOutcome};
use crate::domain::time::Timestamp;
use crate::wire::instance::Instance;
use crate::wire::schema::scalars::TextId;
use crate::wire::system_event::named::{
    DeletionActor, EventConversation, EventName, EventOption, EventPerson, EventPoll, EventUser,
};

pub mod named;

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
    /// Somebody asks the group something.
    #[serde(rename = "poll.created")]
    PollCreated {
        /// Where.
        conversation: EventConversation,
        /// What.
        poll: EventPoll<'a>,
        /// Who.
        user: EventPerson<'a>,
    },
    /// Somebody plans something.
    #[serde(rename = "calendar.event.created")]
    EventCreated {
        /// What.
        event: EventName<'a>,
        /// The event for other calendars.
        url: String,
        /// Who.
        user: EventPerson<'a>,
    },
    /// Somebody changed an event.
    #[serde(rename = "calendar.event.updated")]
    EventChanged {
        /// What.
        event: EventName<'a>,
        /// Who.
        user: EventPerson<'a>,
    },
    /// Somebody cancelled an event.
    #[serde(rename = "calendar.event.cancelled")]
    EventCancelled {
        /// What.
        event: EventName<'a>,
        /// Who.
        user: EventPerson<'a>,
    },
    /// Somebody comes.
    #[serde(rename = "calendar.event.user.going")]
    EventGoing {
        /// To what.
        event: EventName<'a>,
        /// Who.
        user: EventPerson<'a>,
    },
    /// Somebody does not come.
    #[serde(rename = "calendar.event.user.not_going")]
    EventNotGoing {
        /// To what.
        event: EventName<'a>,
        /// Who.
        user: EventPerson<'a>,
    },
    /// Somebody took back whether they come.
    #[serde(rename = "calendar.event.user.undecided")]
    EventUndecided {
        /// To what.
        event: EventName<'a>,
        /// Who.
        user: EventPerson<'a>,
    },
    /// An event begins soon.
    #[serde(rename = "calendar.event.starting")]
    EventStarting {
        /// Which one.
        event: EventName<'a>,
        /// What it is called.
        event_name: &'a str,
        /// In how many minutes.
        minutes: String,
    },
}

/// A moment in ISO 8601, to a second.
pub fn iso(at: Timestamp) -> String {
    let since = UNIX_EPOCH + Duration::from_millis(at.millis());
    humantime::format_rfc3339_seconds(since).to_string()
}

impl<'a> SystemEvent<'a> {
    /// What a system message of this group says.
    pub fn of(conv: Conversation, line: &'a SystemMessage, instance: &Instance) -> Self {
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
            SystemMessage::SharingChanged { user, token } => {
                Self::sharing(user, token.as_deref().map(|it| share_url(conv, it, instance)))
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
            SystemMessage::PollFinished { poll, subject, options } => {
                Self::finished(conv, (*poll, subject), options)
            }
            SystemMessage::PollCreated { user, poll, subject } => {
                Self::asked(conv, user, (*poll, subject))
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
        }
    }

    fn sharing(user: &'a NamedUser, url: Option<String>) -> Self {
        match url {
            Some(share_url) => Self::Shared { user: user.into(), share_url },
            None => Self::Unshared { user: user.into() },
        }
    }

    fn asked(conv: Conversation, user: &'a NamedUser, (id, subject): (PollId, &'a str)) -> Self {
        Self::PollCreated {
            conversation: EventConversation { id: conv.to_string() },
            poll: EventPoll { id: id.into(), subject },
            user: user.into(),
        }
    }

    fn finished(
        conv: Conversation,
        (id, subject): (PollId, &'a str),
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
        let (event_name, minutes) = (&*event.name, minutes.to_string());
        Self::EventStarting { event: event.into(), event_name, minutes }
    }

    fn answered(event: &'a NamedEvent, user: &'a NamedUser, going: Option<bool>) -> Self {
        let (event, user) = (event.into(), user.into());
        match going {
            Some(true) => Self::EventGoing { event, user },
            Some(false) => Self::EventNotGoing { event, user },
            None => Self::EventUndecided { event, user },
        }
    }
}

/// The URL by which anyone can join; only groups are shared.
fn share_url(conv: Conversation, token: &str, instance: &Instance) -> String {
    match conv {
        Conversation::Group(group) => instance.share_url(group, token),
        Conversation::Chat(_) => String::new(),
    }
}
