//! Guests: accounts for people from outside, who come by a link and take part in their groups only.
//!
//! [`may`] is the one table. Routes name the act that they need of it, rooms of groups ask it for
//! their members, and `/docs` shows it.

use serde::{Deserialize, Serialize};

use crate::group::permissions::GroupAct;
use crate::time::Timestamp;

/// The part of a profile that makes its account a guest's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guest {
    /// When the account ends by itself; `None` for never.
    pub until: Option<Timestamp>,
}

impl Guest {
    /// Whether the account has ended.
    pub fn has_ended(self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}

/// The kind of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountKind {
    /// Somebody of this place.
    Member,
    /// Somebody from outside.
    Guest,
}

impl AccountKind {
    /// Every kind.
    pub const ALL: [Self; 2] = [Self::Member, Self::Guest];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Guest => "guest",
        }
    }

    /// The mark in objects of users, which only guests have.
    pub fn mark(self) -> Option<&'static str> {
        (self == Self::Guest).then(|| self.as_str())
    }
}

/// Something that the kind of an account decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountAct {
    /// Take part in the groups that the account is in.
    TakePart,
    /// Join a group with a link.
    JoinByLink,
    /// Begin a chat with somebody who is in one of the same groups.
    WriteToGroupMates,
    /// Begin a chat with somebody else.
    WriteToStrangers,
    /// Search the directory of groups, and join groups found there.
    FindGroups,
    /// Make groups.
    MakeGroups,
    /// Add people to groups.
    AddMembers,
    /// Make links with which people join a group.
    Invite,
    /// Make bots.
    MakeBots,
}

impl AccountAct {
    /// Every act, in the order of the table.
    pub const ALL: [Self; 9] = [
        Self::TakePart,
        Self::JoinByLink,
        Self::WriteToGroupMates,
        Self::WriteToStrangers,
        Self::FindGroups,
        Self::MakeGroups,
        Self::AddMembers,
        Self::Invite,
        Self::MakeBots,
    ];

    /// The act in words, after "may".
    pub const fn words(self) -> &'static str {
        match self {
            Self::TakePart => "take part in their groups",
            Self::JoinByLink => "join groups with a link",
            Self::WriteToGroupMates => "write to people in their groups",
            Self::WriteToStrangers => "write first to people who are in none of their groups",
            Self::FindGroups => "search the directory of groups",
            Self::MakeGroups => "make groups",
            Self::AddMembers => "add people to groups",
            Self::Invite => "invite people to groups",
            Self::MakeBots => "make bots",
        }
    }

    /// The act behind an act in a group.
    pub const fn behind(act: GroupAct) -> Self {
        if matches!(act, GroupAct::AddMembers) {
            Self::AddMembers
        } else if matches!(act, GroupAct::Share | GroupAct::ManageInvites) {
            Self::Invite
        } else if matches!(act, GroupAct::MakeBots) {
            Self::MakeBots
        } else {
            Self::TakePart
        }
    }
}

/// Whether an account of this kind may do something.
pub const fn may(kind: AccountKind, act: AccountAct) -> bool {
    match (kind, act) {
        (AccountKind::Member, _)
        | (
            AccountKind::Guest,
            AccountAct::TakePart | AccountAct::JoinByLink | AccountAct::WriteToGroupMates,
        ) => true,
        (
            AccountKind::Guest,
            AccountAct::WriteToStrangers
            | AccountAct::FindGroups
            | AccountAct::MakeGroups
            | AccountAct::AddMembers
            | AccountAct::Invite
            | AccountAct::MakeBots,
        ) => false,
    }
}

/// Why an account may not do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("guests may not {}", .0.words())]
pub struct GuestRefusal(pub AccountAct);

/// Allows an act to an account of this kind.
///
/// # Errors
/// If the table does not.
pub const fn permit(kind: AccountKind, act: AccountAct) -> Result<(), GuestRefusal> {
    if may(kind, act) { Ok(()) } else { Err(GuestRefusal(act)) }
}

/// Why nobody becomes a guest by a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this server takes no guests")]
pub struct GuestsOff;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_acts_of_the_documented_table() {
        let of = |kind| AccountAct::ALL.map(|act| may(kind, act));
        assert_eq!(of(AccountKind::Member), [true; 9]);
        assert_eq!(
            of(AccountKind::Guest),
            [true, true, true, false, false, false, false, false, false]
        );
    }

    #[test]
    fn guest_in_group_takes_part_only() {
        for act in GroupAct::ALL {
            let is_refused = [
                GroupAct::AddMembers,
                GroupAct::Share,
                GroupAct::ManageInvites,
                GroupAct::MakeBots,
            ]
            .contains(&act);
            assert_eq!(may(AccountKind::Guest, AccountAct::behind(act)), !is_refused, "{act:?}");
        }
    }

    #[test]
    fn account_of_guest_ends_at_its_time() {
        let at = Timestamp::from_seconds;
        let guest = Guest { until: Some(at(5)) };
        assert!(!guest.has_ended(at(4)) && guest.has_ended(at(5)));
        assert!(!Guest { until: None }.has_ended(at(5)));
    }
}
