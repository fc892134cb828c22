//! The directory of searchable groups: who finds a group there, and what they look for.

use crate::group::{Group, MembershipState, Settings};
use crate::ids::{GroupId, UserId};
use crate::time::Timestamp;

/// The order of groups in the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectoryOrder {
    /// Most members first.
    Members,
    /// Those that somebody joined last first.
    Joined,
}

/// What a user looks for in the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryQuery {
    /// The user.
    pub reader: UserId,
    /// The words of name or description, as typed; without one every group is found.
    pub words: String,
    /// The order.
    pub order: DirectoryOrder,
    /// How many groups the page leaves out.
    pub from: usize,
    /// The maximum number of groups on the page.
    pub limit: usize,
}

/// A page of the directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundGroups {
    /// The groups.
    pub groups: Vec<FoundGroup>,
    /// Number of groups on all pages.
    pub count: usize,
}

/// A group as a user finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundGroup {
    /// The group.
    pub id: GroupId,
    /// Its settings.
    pub settings: Settings,
    /// Number of its members.
    pub members: u64,
    /// What the user is to it.
    pub state: Option<MembershipState>,
}

impl Settings {
    /// Whether the directory lists a group with these settings.
    pub const fn is_listed(&self) -> bool {
        self.is_searchable && !self.is_at_standstill()
    }
}

impl Group {
    /// Whether the directory lists the group.
    pub const fn is_listed(&self) -> bool {
        self.settings.is_listed() && !self.disbanded
    }

    /// Whether a user sees the group without a link: a member, or anybody but the banned if the
    /// directory lists it.
    pub fn may_preview(&self, viewer: UserId, has_directory: bool, now: Timestamp) -> bool {
        let is_found = has_directory && self.is_listed();
        self.member(viewer).is_some() || (is_found && self.ban_of(viewer, now).is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, CARA, Table, newcomer};
    use crate::group::{NewBan, SettingsChange};

    #[test]
    fn strangers_see_searchable_groups_that_do_not_ban_them() {
        let mut table = Table::of_two();
        let sees = |table: &Table, user, has_directory| {
            table.group.may_preview(user, has_directory, Timestamp::default())
        };
        assert!(sees(&table, BEN, false));
        assert!(!sees(&table, CARA, true));
        let change = SettingsChange { is_searchable: Some(true), ..SettingsChange::default() };
        table.does(|group, now, ids| group.change(ANA, change, now, ids)).unwrap();
        assert!(sees(&table, CARA, true));
        assert!(!sees(&table, CARA, false));
        let cara = newcomer(CARA);
        let ban = NewBan { user: cara, reason: None, until: None, deletes: false };
        table.does(|group, now, ids| group.ban(ANA, ban, now, ids)).unwrap();
        assert!(!sees(&table, CARA, true));
    }
}
