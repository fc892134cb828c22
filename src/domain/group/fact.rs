//! Every fact that can become true of a group, and the state that the facts carry.

use std::sync::Arc;

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use crate::attachment::ImageRef;
use crate::bot_event::BotEvent;
use crate::calendar::CalendarChange;
use crate::group::permissions::{GroupKind, Role};
use crate::group::{
    AddRequest, AddResults, Admission, Bot, Contact, Freeze, Invite, JoinRequest, Moderation,
    TopicChange,
};
use crate::guests::AccountKind;
use crate::ids::{AddId, MembershipId, MessageId, UserId};
use crate::likes::LikeChange;
use crate::message::Message;
use crate::notices::FOR_EVER;
use crate::polls::PollChange;
use crate::revision::{Revision, RevisionKind, RevisionPolicy};
use crate::text::{Description, GroupName, Nickname};
use crate::time::Timestamp;

/// A fact about one group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum GroupFact {
    /// The group exists, with its creator as its first member.
    Created {
        /// The first settings.
        settings: Settings,
        /// The creator.
        owner: Member,
    },
    /// A message was posted, by a member, a bot or the system.
    Posted(Arc<Message>),
    /// Users became members.
    MembersJoined {
        /// The new members.
        members: Vec<Member>,
        /// The member who added them, or the user who joined by themselves.
        by: UserId,
    },
    /// A user is no member any more.
    MemberLeft {
        /// The member, as they were.
        member: Member,
        /// Whether the member left or was removed.
        parting: MembershipEnd,
        /// The user who ended the membership.
        by: UserId,
    },
    /// A membership changed: nickname, name, picture, role or mute.
    MemberChanged {
        /// The whole membership after the change.
        member: Member,
        /// The user who changed it.
        by: UserId,
    },
    /// The settings changed.
    SettingsChanged {
        /// All settings after the change.
        settings: Settings,
        /// The user who changed them.
        by: UserId,
    },
    /// The group has another owner.
    OwnerChanged {
        /// The old owner, who stays as an admin.
        old: UserId,
        /// The new owner.
        new: UserId,
    },
    /// The group was disbanded.
    Disbanded {
        /// The owner who disbanded it.
        by: UserId,
    },
    /// A member asked to add people; the accounts are being looked up.
    AddRequested(AddRequest),
    /// A request to add people is settled.
    AddSettled {
        /// The request's id.
        request: AddId,
        /// The people of the request who are members now.
        results: AddResults,
    },
    /// A member likes a message.
    Liked(LikeChange),
    /// A member took a like back.
    Unliked(LikeChange),
    /// A bot was made.
    BotAdded(Bot),
    /// A bot was removed.
    BotRemoved(Bot),
    /// People without an account were invited: they become members once they have one.
    Invited {
        /// The invites.
        invites: Vec<Invite>,
    },
    /// Invites are used up: an account with these contacts exists and is a member.
    InvitesSettled {
        /// The user.
        user: UserId,
        /// The email address and phone number under which they were invited.
        contacts: Vec<Contact>,
    },
    /// A user asks to become a member, or gives another answer to the question: members decide
    /// whether the user becomes one.
    JoinRequested(JoinRequest),
    /// A request to become a member was approved, denied, or withdrawn by the user.
    RequestSettled {
        /// The user who would become a member.
        user: UserId,
        /// The member who decided; the user themselves if they withdrew it.
        by: UserId,
        /// Whether the request was approved.
        is_approved: bool,
    },
    /// A bot was changed; this is all of it after the change.
    BotChanged(Bot),
    /// A message was edited, deleted, pinned, unpinned or got link previews.
    Revised(Arc<Revision>),
    /// A poll was made, voted on or ended.
    Polled(Arc<PollChange>),
    /// A calendar event was made, changed, cancelled or answered, or its reminder came due.
    Planned(Arc<CalendarChange>),
    /// The owner or an admin decided about a user.
    Moderated(Arc<Moderation>),
    /// A topic was made, changed or removed.
    Topic(Arc<TopicChange>),
}

impl GroupFact {
    /// Whether members receive it (see [`crate::event::Fact::is_audible`]).
    pub fn is_audible(&self) -> bool {
        match self {
            Self::AddRequested(_)
            | Self::AddSettled { .. }
            | Self::Invited { .. }
            | Self::InvitesSettled { .. }
            | Self::JoinRequested(_)
            | Self::RequestSettled { .. }
            | Self::Moderated(_) => false,
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
            | Self::Planned(_)
            | Self::Topic(_) => true,
        }
    }
}

impl GroupFact {
    /// The kind of event that bots receive it as; `None` if bots do not receive it.
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
            | Self::InvitesSettled { .. }
            | Self::JoinRequested(_)
            | Self::RequestSettled { .. }
            | Self::Moderated(_)
            | Self::Topic(_) => None,
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
            | Self::JoinRequested(_)
            | Self::RequestSettled { .. }
            | Self::Moderated(_)
            | Self::Polled(_)
            | Self::Planned(_)
            | Self::Topic(_) => None,
        }
    }
}

/// The settings of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredSettings", into = "StoredSettings")]
pub struct Settings {
    /// The group's name.
    pub name: GroupName,
    /// The group's description.
    pub description: Option<Description>,
    /// The group's picture.
    pub image: Option<ImageRef>,
    /// What plain members may do.
    pub kind: GroupKind,
    /// The token of the share URL; `None` while sharing is off.
    pub share_token: Option<String>,
    /// Until when messages may be edited and deleted, and by whom.
    pub revising: RevisionPolicy,
    /// The users who may mention everybody in the group at once.
    pub mention_all: MentionAll,
    /// Seconds between two posts of one plain member; 0 while slow mode is off.
    pub slow_mode: u32,
    /// How people become members.
    pub admission: Admission,
    /// Whether strangers find the group in the directory, and join it from there.
    pub is_searchable: bool,
    /// When the owner archived the group; `None` if it is not archived.
    pub archived_at: Option<Timestamp>,
    /// Present if operators froze the group.
    pub frozen: Option<Freeze>,
}

impl Settings {
    /// The settings that a group with this name has if nothing else is wanted.
    pub fn plain(name: GroupName) -> Self {
        Self {
            name,
            description: None,
            image: None,
            kind: GroupKind::default(),
            share_token: None,
            revising: RevisionPolicy::default(),
            mention_all: MentionAll::default(),
            slow_mode: 0,
            admission: Admission::default(),
            is_searchable: false,
            archived_at: None,
            frozen: None,
        }
    }
}

/// The settings as they are stored: the type of a group is what office mode was in the first
/// versions, and a flag behind the fields that those know. Fields that have their usual values are
/// left out at the end.
#[derive(Serialize, Deserialize)]
struct StoredSettings {
    name: GroupName,
    description: Option<Description>,
    image: Option<ImageRef>,
    #[serde(default)]
    office_mode: bool,
    #[serde(default)]
    share_token: Option<String>,
    #[serde(default)]
    revising: RevisionPolicy,
    #[serde(default)]
    mention_all: MentionAll,
    /// Present if it is set, or a later field is present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    announcement: Option<bool>,
    /// Present if it is on, or a later field is present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    slow_mode: Option<u32>,
    /// Present if it differs from the usual one, or a later field is present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    admission: Option<Admission>,
    /// Present if it is on, or a later field is present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    is_searchable: Option<bool>,
    /// Present if it is set, or a later field is present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    archived_at: Option<Option<Timestamp>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    frozen: Option<Freeze>,
}

impl From<StoredSettings> for Settings {
    fn from(stored: StoredSettings) -> Self {
        let kind = match (stored.announcement, stored.office_mode) {
            (Some(true), _) => GroupKind::Announcement,
            (_, true) => GroupKind::Closed,
            (_, false) => GroupKind::Private,
        };
        Self {
            name: stored.name,
            description: stored.description,
            image: stored.image,
            kind,
            share_token: stored.share_token,
            revising: stored.revising,
            mention_all: stored.mention_all,
            slow_mode: stored.slow_mode.unwrap_or(0),
            admission: stored.admission.unwrap_or_default(),
            is_searchable: stored.is_searchable.unwrap_or(false),
            archived_at: stored.archived_at.flatten(),
            frozen: stored.frozen,
        }
    }
}

impl From<Settings> for StoredSettings {
    fn from(settings: Settings) -> Self {
        let is_announcement = settings.kind == GroupKind::Announcement;
        let frozen = settings.frozen;
        let has_archive = settings.archived_at.is_some() || frozen.is_some();
        let archived_at = has_archive.then_some(settings.archived_at);
        let has_listing = settings.is_searchable || archived_at.is_some();
        let is_searchable = has_listing.then_some(settings.is_searchable);
        let has_admission = is_searchable.is_some() || settings.admission != Admission::default();
        let admission = has_admission.then_some(settings.admission);
        let is_slow = settings.slow_mode > 0 || admission.is_some();
        Self {
            name: settings.name,
            description: settings.description,
            image: settings.image,
            office_mode: settings.kind.office_mode(),
            share_token: settings.share_token,
            revising: settings.revising,
            mention_all: settings.mention_all,
            announcement: (is_announcement || is_slow).then_some(is_announcement),
            slow_mode: is_slow.then_some(settings.slow_mode),
            admission,
            is_searchable,
            archived_at,
            frozen,
        }
    }
}

/// The users who may mention everybody in a group at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MentionAll {
    /// The owner and admins, and bots that one of them made.
    #[default]
    Admins,
    /// Every member.
    Members,
}

impl MentionAll {
    /// Both values, each with its name in the API.
    pub const ALL: [(&'static str, Self); 2] =
        [("admins", Self::Admins), ("members", Self::Members)];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Admins => "admins",
            Self::Members => "members",
        }
    }
}

/// A user's membership in a group.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Member {
    /// The membership's id, new for each stay.
    pub membership_id: MembershipId,
    /// The user's id.
    pub user_id: UserId,
    /// The user's name in this group.
    pub nickname: Nickname,
    /// The user's name everywhere else.
    pub name: String,
    /// The user's picture.
    pub image: Option<ImageRef>,
    /// The user's role.
    pub role: Role,
    /// Whether the user muted the group and wants no notices of it.
    #[serde(default)]
    pub muted: bool,
    /// When the mute ends; `None` if it lasts until the user ends it.
    #[serde(default)]
    pub mute_ends: Option<Timestamp>,
    /// Whether the user is a guest.
    #[serde(default)]
    pub is_guest: bool,
}

/// Writes the last fields only as far as one of them is set, so that records without them are as
/// they were before the fields existed. Fields have no names on disk, so none may be left out
/// before one that is written.
impl Serialize for Member {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let has_end = self.is_guest || self.mute_ends.is_some();
        let length = 7 + usize::from(has_end) + usize::from(self.is_guest);
        let mut record = to.serialize_struct("Member", length)?;
        record.serialize_field("membership_id", &self.membership_id)?;
        record.serialize_field("user_id", &self.user_id)?;
        record.serialize_field("nickname", &self.nickname)?;
        record.serialize_field("name", &self.name)?;
        record.serialize_field("image", &self.image)?;
        record.serialize_field("role", &self.role)?;
        record.serialize_field("muted", &self.muted)?;
        if has_end {
            record.serialize_field("mute_ends", &self.mute_ends)?;
        }
        if self.is_guest {
            record.serialize_field("is_guest", &self.is_guest)?;
        }
        record.end()
    }
}

impl Member {
    /// The kind of the user's account.
    pub const fn kind(&self) -> AccountKind {
        if self.is_guest { AccountKind::Guest } else { AccountKind::Member }
    }

    /// Until when the group is muted; `None` if it is not.
    pub fn muted_until(&self) -> Option<Timestamp> {
        self.muted.then(|| self.mute_ends.unwrap_or(FOR_EVER))
    }
}

/// How a membership ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MembershipEnd {
    /// The member left, and may come back.
    Left,
    /// Somebody else removed the member; they may be added again.
    Removed,
}

/// A user who was a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormerMember {
    /// The last state of the membership.
    pub member: Member,
    /// How the membership ended.
    pub parting: MembershipEnd,
}

/// The events of a group that a user could see during one membership.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stay {
    /// The `n` of the first event, which brought the user in.
    pub from_n: u64,
    /// The `n` of the last event, which ended the stay; `None` while it lasts.
    pub to_n: Option<u64>,
}
