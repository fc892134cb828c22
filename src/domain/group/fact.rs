//! Every fact that can become true of a group.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::attachment::ImageRef;
use crate::domain::bot_event::BotEvent;
use crate::domain::calendar::CalendarChange;
use crate::domain::group::{AddRequest, AddResults, Bot, Contact, Invite};
use crate::domain::ids::{AddId, MembershipId, MessageId, UserId};
use crate::domain::likes::LikeChange;
use crate::domain::message::Message;
use crate::domain::notices::FOR_EVER;
use crate::domain::polls::PollChange;
use crate::domain::revision::{Revision, RevisionKind, RevisionPolicy};
use crate::domain::text::{Description, GroupName, Nickname};
use crate::domain::time::Timestamp;

/// A fact about one group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum GroupFact {
    /// The group exists, with its creator as its first member.
    Created {
        /// As asked for.
        settings: Settings,
        /// The creator.
        owner: Member,
    },
    /// A message, or a system message, is in the log.
    Posted(Arc<Message>),
    /// People are members now.
    MembersJoined {
        /// Who.
        members: Vec<Member>,
        /// Who added them; themselves when they joined.
        by: UserId,
    },
    /// Somebody is no member any more.
    MemberLeft {
        /// Who, as they were.
        member: Member,
        /// At whose request: theirs or another's.
        parting: Parting,
        /// Who did it.
        by: UserId,
    },
    /// A membership changed: nickname, role, mute.
    MemberChanged {
        /// All of it.
        member: Member,
        /// Who did it.
        by: UserId,
    },
    /// The settings changed.
    SettingsChanged {
        /// All of them.
        settings: Settings,
        /// Who did it.
        by: UserId,
    },
    /// The group belongs to another member.
    OwnerChanged {
        /// Who had it; stays as an admin.
        old: UserId,
        /// Who has it.
        new: UserId,
    },
    /// The group is gone.
    Disbanded {
        /// Who did it.
        by: UserId,
    },
    /// Somebody asked to add people; they are being looked up.
    AddRequested(AddRequest),
    /// The look-up is over.
    AddSettled {
        /// Which request.
        request: AddId,
        /// Who became a member.
        results: AddResults,
    },
    /// A member likes a message.
    Liked(LikeChange),
    /// A member likes a message no more.
    Unliked(LikeChange),
    /// There is a bot.
    BotAdded(Bot),
    /// A bot is gone.
    BotRemoved(Bot),
    /// People without an account may become members.
    Invited {
        /// Who.
        invites: Vec<Invite>,
    },
    /// Invites are over: somebody has an account under these names and is a member.
    InvitesSettled {
        /// Who.
        user: UserId,
        /// The names that they were invited under.
        contacts: Vec<Contact>,
    },
    /// A bot is different now.
    BotChanged(Bot),
    /// A message says something else, or nothing any more.
    Revised(Arc<Revision>),
    /// A poll began, was answered or ended.
    Polled(Arc<PollChange>),
    /// Something happened to an event of the calendar.
    Planned(Arc<CalendarChange>),
}

impl GroupFact {
    /// Whether members hear of it (see [`crate::domain::event::Fact::is_audible`]).
    pub fn is_audible(&self) -> bool {
        match self {
            Self::AddRequested(_)
            | Self::AddSettled { .. }
            | Self::Invited { .. }
            | Self::InvitesSettled { .. } => false,
            Self::Created { .. }
            | Self::Posted(_)
            | Self::MembersJoined { .. }
            | Self::MemberLeft { .. }
            | Self::MemberChanged { .. }
            | Self::SettingsChanged { .. }
            | Self::OwnerChanged { .. }
            | Self::Disbanded { .. }
            | Self::Liked(_)
            | Self::Unliked(_)
            | Self::BotAdded(_)
            | Self::BotRemoved(_)
            | Self::BotChanged(_)
            | Self::Revised(_)
            | Self::Polled(_)
            | Self::Planned(_) => true,
        }
    }
}

impl GroupFact {
    /// As what bots hear of it, if they may.
    pub fn bot_event(&self) -> Option<BotEvent> {
        match self {
            Self::Posted(_) => Some(BotEvent::Message),
            Self::Revised(revision) => Some(match revision.kind {
                RevisionKind::Edited { .. } | RevisionKind::Previewed { .. } => {
                    BotEvent::MessageUpdate
                }
                RevisionKind::Deleted { .. } => BotEvent::MessageDeleted,
                RevisionKind::Pinned => BotEvent::Pin,
                RevisionKind::Unpinned => BotEvent::Unpin,
            }),
            Self::Polled(change) => Some(match **change {
                PollChange::Made(_) => BotEvent::PollCreate,
                PollChange::Voted { .. } => BotEvent::PollUpdate,
                PollChange::Ended { .. } => BotEvent::PollFinished,
            }),
            Self::Planned(change) => Some(change.bot_event()),
            Self::Liked(_) | Self::Unliked(_) => Some(BotEvent::Reaction),
            Self::MembersJoined { .. } | Self::MemberLeft { .. } | Self::MemberChanged { .. } => {
                Some(BotEvent::Membership)
            }
            Self::Created { .. }
            | Self::SettingsChanged { .. }
            | Self::OwnerChanged { .. }
            | Self::Disbanded { .. }
            | Self::AddRequested(_)
            | Self::AddSettled { .. }
            | Self::BotAdded(_)
            | Self::BotRemoved(_)
            | Self::BotChanged(_)
            | Self::Invited { .. }
            | Self::InvitesSettled { .. } => None,
        }
    }

    /// The message that it is about, if it is about one.
    pub fn about(&self) -> Option<MessageId> {
        match self {
            Self::Posted(message) => Some(message.id),
            Self::Revised(revision) => Some(revision.message),
            Self::Liked(change) | Self::Unliked(change) => Some(change.message),
            Self::Created { .. }
            | Self::MembersJoined { .. }
            | Self::MemberLeft { .. }
            | Self::MemberChanged { .. }
            | Self::SettingsChanged { .. }
            | Self::OwnerChanged { .. }
            | Self::Disbanded { .. }
            | Self::AddRequested(_)
            | Self::AddSettled { .. }
            | Self::BotAdded(_)
            | Self::BotRemoved(_)
            | Self::BotChanged(_)
            | Self::Invited { .. }
            | Self::InvitesSettled { .. }
            | Self::Polled(_)
            | Self::Planned(_) => None,
        }
    }
}

/// What can be set on a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Its name.
    pub name: GroupName,
    /// What it is about.
    pub description: Option<Description>,
    /// Its picture.
    pub image: Option<ImageRef>,
    /// Whether only the owner and admins may change settings and add people.
    #[serde(default)]
    pub office_mode: bool,
    /// The secret part of the share URL, while sharing is on.
    #[serde(default)]
    pub share_token: Option<String>,
    /// Until when messages may be edited and deleted, and by whom.
    #[serde(default)]
    pub revising: RevisionPolicy,
    /// Who may mention everybody.
    #[serde(default)]
    pub mention_all: MentionAll,
}

/// Who may mention everybody in a group at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MentionAll {
    /// The owner and admins, and bots that one of them made.
    #[default]
    Admins,
    /// Every member.
    Members,
}

impl MentionAll {
    /// Both, as clients know them.
    pub const ALL: [(&'static str, Self); 2] =
        [("admins", Self::Admins), ("members", Self::Members)];

    /// As clients know it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Admins => "admins",
            Self::Members => "members",
        }
    }
}

/// What a member may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// The creator, or whom they handed the group to.
    Owner,
    /// May do what office mode reserves.
    Admin,
    /// Everybody else.
    Member,
}

/// A user inside a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Names this stay.
    pub membership_id: MembershipId,
    /// Who.
    pub user_id: UserId,
    /// Called what, here.
    pub nickname: Nickname,
    /// Called what, elsewhere.
    pub name: String,
    /// Their picture.
    pub image: Option<ImageRef>,
    /// What they may do.
    pub role: Role,
    /// Whether they want no notices.
    #[serde(default)]
    pub muted: bool,
    /// When they want them again, if they said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mute_ends: Option<Timestamp>,
}

impl Member {
    /// Until when they want no notices; nothing when they want them.
    pub fn muted_until(&self) -> Option<Timestamp> {
        self.muted.then(|| self.mute_ends.unwrap_or(FOR_EVER))
    }
}

/// How a stay ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Parting {
    /// By the member; may rejoin.
    Left,
    /// By somebody else; may be added again.
    Removed,
}

/// Somebody who was a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Former {
    /// As they were.
    pub member: Member,
    /// How the stay ended.
    pub parting: Parting,
}

/// From which event of the group to which one a user could see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stay {
    /// The event that brought them in.
    pub from_n: u64,
    /// The event that ended it.
    pub to_n: Option<u64>,
}
