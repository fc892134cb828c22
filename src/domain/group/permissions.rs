//! Permissions: who may do what in a group.
//!
//! [`may`] is the one table. Every rule of a group asks it, `/docs` prints it, and so do the
//! permissions that clients are shown. This file uses no other of the group, so that refusals of
//! polls, pins and events can name an act.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::{HeldId, RuleId};
use crate::time::Timestamp;

/// The role of a member, which decides what they may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// The creator, or the member whom the group was handed to last.
    Owner,
    /// Looks after the group together with the owner, who makes admins.
    Admin,
    /// Any other member.
    Member,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 3] = [Self::Owner, Self::Admin, Self::Member];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::Member => "user",
        }
    }
}

/// The type of a group, which decides what plain members may do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum GroupKind {
    /// Plain members post, change the group and add people.
    #[default]
    Private,
    /// Plain members post.
    Closed,
    /// Plain members read.
    Announcement,
}

impl GroupKind {
    /// Every type.
    pub const ALL: [Self; 3] = [Self::Private, Self::Closed, Self::Announcement];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Closed => "closed",
            Self::Announcement => "announcement",
        }
    }

    /// The type with this name in the API.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Whether only the owner and admins change the group.
    pub const fn office_mode(self) -> bool {
        !matches!(self, Self::Private)
    }
}

/// The type of a topic, which decides what plain members may do in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TopicKind {
    /// Plain members post.
    #[default]
    Private,
    /// Plain members read.
    Announcement,
}

impl TopicKind {
    /// Every type.
    pub const ALL: [Self; 2] = [Self::Private, Self::Announcement];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Announcement => "announcement",
        }
    }

    /// The type with this name in the API.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

impl From<TopicKind> for GroupKind {
    fn from(kind: TopicKind) -> Self {
        match kind {
            TopicKind::Private => Self::Private,
            TopicKind::Announcement => Self::Announcement,
        }
    }
}

/// Something that a member may or may not do in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GroupAct {
    /// Read, search, and mute the group for oneself.
    Read,
    /// React to messages.
    React,
    /// Vote in polls.
    Vote,
    /// Answer calendar events.
    AnswerEvents,
    /// Report messages of others.
    Report,
    /// Change one's own nickname.
    Rename,
    /// Leave the group.
    Leave,
    /// Post messages, and edit and delete one's own.
    Post,
    /// Make polls.
    MakePolls,
    /// Make calendar events.
    MakeEvents,
    /// Make bots.
    MakeBots,
    /// Let one's bots post.
    PostAsBot,
    /// Mention everybody.
    MentionAll,
    /// Change name, description, picture, and who may edit, delete and mention everybody.
    ChangeGroup,
    /// Switch the share URL on and off, and make invite links.
    Share,
    /// Pin and unpin messages.
    Pin,
    /// Add people.
    AddMembers,
    /// Change the type of the group, and slow mode.
    ChangeType,
    /// Make, change and remove topics.
    ManageTopics,
    /// Make a new group with the settings, topics and members of this one.
    Copy,
    /// Approve and deny all requests to become a member.
    DecideRequests,
    /// List current and former members with their states.
    ListMembers,
    /// See what the messages of others said before.
    ReadHistory,
    /// Delete the messages of others.
    DeleteMessages,
    /// End the polls of others.
    EndPolls,
    /// Change and cancel the calendar events of others.
    ChangeEvents,
    /// Remove the bots of others.
    RemoveBots,
    /// Remove plain members.
    RemoveMembers,
    /// Ban plain members and strangers, and list and lift bans.
    Ban,
    /// Time plain members out, and end timeouts.
    TimeOut,
    /// Read and resolve reports.
    DecideReports,
    /// Read the audit of the group.
    ReadAudit,
    /// Read and change the rules of the group.
    ManageRules,
    /// See and end the invite links of others, and make links that skip approval or make guests.
    ManageInvites,
    /// Remove admins.
    RemoveAdmins,
    /// Make and unmake admins.
    ChangeRoles,
    /// Give up the role of an admin.
    StepDown,
    /// Hand the group over.
    HandOver,
    /// Disband the group.
    Disband,
    /// Archive the group, and take it out of the archive.
    Archive,
}

/// The answer of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Allowed.
    Always,
    /// Allowed if this setting says so.
    BySetting(DecidingSetting),
    /// Not allowed.
    Never,
}

/// A setting of a group that decides what a role may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidingSetting {
    /// Who may mention everybody.
    MentionAll,
    /// Whether the owner and admins may delete the messages of others.
    DeletionMode,
}

impl DecidingSetting {
    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MentionAll => "mention_all",
            Self::DeletionMode => "message_deletion_mode",
        }
    }
}

/// Whether a member of this role may do something in a group of this type.
pub const fn may(role: Role, kind: GroupKind, act: GroupAct) -> Permission {
    use GroupAct as Act;
    let is_plain = matches!(role, Role::Member);
    let is_granted = match act {
        Act::Read | Act::React | Act::Vote | Act::AnswerEvents | Act::Report | Act::Rename => true,
        Act::Leave => !matches!(role, Role::Owner),
        Act::Post | Act::MakePolls | Act::MakeEvents | Act::MakeBots | Act::PostAsBot => {
            !is_plain || !matches!(kind, GroupKind::Announcement)
        }
        Act::MentionAll if is_plain && !matches!(kind, GroupKind::Announcement) => {
            return Permission::BySetting(DecidingSetting::MentionAll);
        }
        Act::ChangeGroup | Act::Share | Act::Pin | Act::AddMembers => {
            !is_plain || matches!(kind, GroupKind::Private)
        }
        Act::DeleteMessages if !is_plain => {
            return Permission::BySetting(DecidingSetting::DeletionMode);
        }
        Act::MentionAll
        | Act::ChangeType
        | Act::ManageTopics
        | Act::Copy
        | Act::DecideRequests
        | Act::ListMembers
        | Act::ReadHistory
        | Act::DeleteMessages
        | Act::EndPolls
        | Act::ChangeEvents
        | Act::RemoveBots
        | Act::RemoveMembers
        | Act::Ban
        | Act::TimeOut
        | Act::DecideReports
        | Act::ReadAudit
        | Act::ManageRules
        | Act::ManageInvites => !is_plain,
        Act::StepDown => matches!(role, Role::Admin),
        Act::RemoveAdmins | Act::ChangeRoles | Act::HandOver | Act::Disband | Act::Archive => {
            matches!(role, Role::Owner)
        }
    };
    if is_granted { Permission::Always } else { Permission::Never }
}

impl GroupAct {
    /// Every act, in the order of the table.
    pub const ALL: [Self; 40] = [
        Self::Read,
        Self::React,
        Self::Vote,
        Self::AnswerEvents,
        Self::Report,
        Self::Rename,
        Self::Leave,
        Self::Post,
        Self::MakePolls,
        Self::MakeEvents,
        Self::MakeBots,
        Self::PostAsBot,
        Self::MentionAll,
        Self::ChangeGroup,
        Self::Share,
        Self::Pin,
        Self::AddMembers,
        Self::ChangeType,
        Self::ManageTopics,
        Self::Copy,
        Self::DecideRequests,
        Self::ListMembers,
        Self::ReadHistory,
        Self::DeleteMessages,
        Self::EndPolls,
        Self::ChangeEvents,
        Self::RemoveBots,
        Self::RemoveMembers,
        Self::Ban,
        Self::TimeOut,
        Self::DecideReports,
        Self::ReadAudit,
        Self::ManageRules,
        Self::ManageInvites,
        Self::RemoveAdmins,
        Self::ChangeRoles,
        Self::StepDown,
        Self::HandOver,
        Self::Archive,
        Self::Disband,
    ];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::React => "react",
            Self::Vote => "vote",
            Self::AnswerEvents => "answer_events",
            Self::Report => "report",
            Self::Rename => "rename",
            Self::Leave => "leave",
            Self::Post => "post",
            Self::MakePolls => "make_polls",
            Self::MakeEvents => "make_events",
            Self::MakeBots => "make_bots",
            Self::PostAsBot => "post_as_bot",
            Self::MentionAll => "mention_all",
            Self::ChangeGroup => "change_group",
            Self::Share => "share",
            Self::Pin => "pin",
            Self::AddMembers => "add_members",
            Self::ChangeType => "change_type",
            Self::ManageTopics => "manage_topics",
            Self::Copy => "copy",
            Self::DecideRequests => "decide_requests",
            Self::ListMembers => "list_members",
            Self::ReadHistory => "read_history",
            Self::DeleteMessages => "delete_messages",
            Self::EndPolls => "end_polls",
            Self::ChangeEvents => "change_events",
            Self::RemoveBots => "remove_bots",
            Self::RemoveMembers => "remove_members",
            Self::Ban => "ban",
            Self::TimeOut => "time_out",
            Self::DecideReports => "decide_reports",
            Self::ReadAudit => "read_audit",
            Self::ManageRules => "manage_rules",
            Self::ManageInvites => "manage_invites",
            Self::RemoveAdmins => "remove_admins",
            Self::ChangeRoles => "change_roles",
            Self::StepDown => "step_down",
            Self::HandOver => "hand_over",
            Self::Disband => "disband",
            Self::Archive => "archive",
        }
    }

    /// Whether it changes nothing that others see but the member's own place: what a member may do who
    /// is timed out.
    pub const fn only_looks(self) -> bool {
        matches!(
            self,
            Self::Read
                | Self::Report
                | Self::Leave
                | Self::Copy
                | Self::ListMembers
                | Self::ReadHistory
                | Self::ReadAudit
        )
    }

    /// The act in words, after "may".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Read => "read, search and mute this group",
            Self::React => "react to messages in this group",
            Self::Vote => "vote in polls of this group",
            Self::AnswerEvents => "answer events of this group",
            Self::Report => "report messages of this group",
            Self::Rename => "change their nickname in this group",
            Self::Leave => "leave this group",
            Self::Post => "post, edit and delete messages in this group",
            Self::MakePolls => "make polls in this group",
            Self::MakeEvents => "make events in this group",
            Self::MakeBots => "make bots in this group",
            Self::PostAsBot => "let bots post in this group",
            Self::MentionAll => "mention everybody in this group",
            Self::ChangeGroup => "change the settings of this group",
            Self::Share => "switch the share URL of this group on or off, or make invites",
            Self::Pin => "pin messages in this group",
            Self::AddMembers => "add members to this group",
            Self::ChangeType => {
                "change the type, slow mode, admission and visibility of this group"
            }
            Self::ManageTopics => "make, change and remove topics of this group",
            Self::Copy => "copy this group",
            Self::DecideRequests => "decide requests to join this group",
            Self::ListMembers => "list members in this way",
            Self::ReadHistory => "see what the messages of others said before",
            Self::DeleteMessages => "delete the messages of others",
            Self::EndPolls => "end the polls of others",
            Self::ChangeEvents => "change the events of others",
            Self::RemoveBots => "remove the bots of others",
            Self::RemoveMembers => "remove other members",
            Self::TimeOut => "time members out, and end timeouts",
            Self::DecideReports => "read and resolve reports",
            Self::ReadAudit => "read the audit of this group",
            Self::ManageRules => "read and change the rules of this group",
            Self::ManageInvites => {
                "manage the invites of others, and let people skip approval or come as guests"
            }
            Self::Ban => "ban users from this group, and list and lift bans",
            Self::RemoveAdmins => "remove admins",
            Self::ChangeRoles => "make and unmake admins",
            Self::StepDown => "give up the role of an admin",
            Self::HandOver => "hand this group over",
            Self::Archive => "archive this group, and take it out of the archive",
            Self::Disband => "disband this group",
        }
    }
}

/// Why a member may not do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Denied {
    /// The member's role does not allow it.
    #[error("only {} may {}", Doers(*.0), .0.words())]
    Role(GroupAct),
    /// The member is a guest.
    #[error("guests may not {}", .0.words())]
    Guest(GroupAct),
    /// The member is timed out until this time.
    #[error("you are timed out in this group; until then, you can only read and leave")]
    TimedOut(Timestamp),
    /// The owner archived the group.
    #[error("this group is archived; until its owner takes it out, you can only read and leave")]
    Archived,
    /// Operators froze the group.
    #[error("the operators of this server have frozen this group")]
    Frozen,
    /// Slow mode is on, and the member's last post is too recent; how long they must wait.
    #[error("slow mode is on in this group; you can post again in {} seconds", .wait_millis.div_ceil(1000))]
    TooSoon {
        /// Milliseconds until the member may post.
        wait_millis: u64,
    },
}

/// A post or an edit breaks a rule of its group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenRule {
    /// The rule.
    pub rule: RuleId,
    /// The text of the rule for authors.
    pub message: Option<String>,
    /// The held message, if the post waits for approval.
    pub held: Option<HeldId>,
}

impl fmt::Display for BrokenRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.held.is_some() {
            return out.write_str("this message waits for approval");
        }
        out.write_str(self.message.as_deref().unwrap_or("a rule of this group does not allow this"))
    }
}

impl std::error::Error for BrokenRule {}

/// The roles that an act is reserved for, in words.
struct Doers(GroupAct);

impl fmt::Display for Doers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_owners = matches!(may(Role::Admin, GroupKind::Private, self.0), Permission::Never);
        out.write_str(if is_owners { "the owner" } else { "the owner and admins" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = include_str!("../../../static/docs/index.html");
    const OF_CLIENT: &str = include_str!("../../../static/js/groups/permissions.js");

    fn cell(role: Role, kind: GroupKind, act: GroupAct) -> &'static str {
        match may(role, kind, act) {
            Permission::Always => "yes",
            Permission::BySetting(setting) => setting.as_str(),
            Permission::Never => "no",
        }
    }

    /// The cells of an act: owner, admin, and a member of each type of group.
    fn cells(act: GroupAct) -> [&'static str; 5] {
        let [owner, admin, member] = Role::ALL;
        let [private, closed, announcement] = GroupKind::ALL;
        [
            cell(owner, private, act),
            cell(admin, private, act),
            cell(member, private, act),
            cell(member, closed, act),
            cell(member, announcement, act),
        ]
    }

    #[test]
    fn owner_and_admins_do_not_depend_on_the_type() {
        for act in GroupAct::ALL {
            for kind in GroupKind::ALL {
                for role in [Role::Owner, Role::Admin] {
                    assert_eq!(may(role, kind, act), may(role, GroupKind::Private, act), "{act:?}");
                }
            }
        }
    }

    #[test]
    fn documentation_prints_the_table() {
        for act in GroupAct::ALL {
            let cells = cells(act).map(|cell| match cell {
                "yes" | "no" => format!("<td>{cell}</td>"),
                setting => format!("<td><code>{setting}</code></td>"),
            });
            let row = format!("<tr><th scope=\"row\"><code>{}</code></th>", act.as_str());
            let row = format!("{row}{}</tr>", cells.concat());
            assert!(PRINTED.contains(&row), "static/docs/index.html lacks {row}");
        }
        let rows = PRINTED.matches("<tr><th scope=\"row\"><code>").count();
        assert_eq!(rows, GroupAct::ALL.len());
    }

    #[test]
    fn web_client_has_the_table() {
        for act in GroupAct::ALL {
            let row = format!("  {}: {:?},", act.as_str(), cells(act).join(" "));
            assert!(OF_CLIENT.contains(&row), "static/js/groups/permissions.js lacks {row}");
        }
    }

    #[test]
    fn refusal_names_the_roles_that_may() {
        let text = Denied::Role(GroupAct::Pin).to_string();
        assert_eq!(text, "only the owner and admins may pin messages in this group");
        let text = Denied::Role(GroupAct::Disband).to_string();
        assert_eq!(text, "only the owner may disband this group");
    }
}
