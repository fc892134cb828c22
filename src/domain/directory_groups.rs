//! Groups of a directory (SCIM): names and members, as the directory writes them.
//!
//! They are no groups of conversations. A group has an effect only once an admin maps it on the role
//! of an operator, which its members then get.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::ids::{DirectoryGroupId, UserId};
use crate::operators::OperatorRole;
use crate::time::Timestamp;

pub mod changes;

/// A change of a group of a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DirectoryGroupChange {
    /// The directory created the group, without members.
    Created(DirectoryGroupNames),
    /// The directory's names for the group are these.
    Named(DirectoryGroupNames),
    /// Members came and went.
    MembersChanged {
        /// Who came.
        added: Vec<UserId>,
        /// Who went.
        removed: Vec<UserId>,
    },
    /// An admin mapped the group on a role, or on none.
    Mapped(Option<OperatorRole>),
    /// The directory deleted the group.
    Deleted,
}

/// The names that a directory has for a group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectoryGroupNames {
    /// The `displayName` of SCIM.
    pub name: String,
    /// The `externalId` of SCIM.
    pub external_id: Option<String>,
}

/// A group of a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProvisionedGroup {
    /// The id.
    pub id: DirectoryGroupId,
    /// The directory's names.
    pub names: DirectoryGroupNames,
    /// The members.
    pub members: BTreeSet<UserId>,
    /// The role that the members get.
    pub role: Option<OperatorRole>,
    /// When the directory created it.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// All groups of directories.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DirectoryGroupSet {
    /// The groups.
    pub groups: BTreeMap<DirectoryGroupId, ProvisionedGroup>,
    /// The highest id that was ever given.
    pub last: u64,
}

impl ProvisionedGroup {
    /// A new group without members.
    pub(super) fn new(at: Timestamp, id: DirectoryGroupId, names: DirectoryGroupNames) -> Self {
        let members = BTreeSet::new();
        Self { id, names, members, role: None, created_at: at, updated_at: at }
    }

    /// Applies a change. Deterministic.
    pub(super) fn apply(&mut self, at: Timestamp, change: &DirectoryGroupChange) {
        self.updated_at = at;
        match change {
            DirectoryGroupChange::Created(names) | DirectoryGroupChange::Named(names) => {
                self.names = names.clone();
            }
            DirectoryGroupChange::MembersChanged { added, removed } => {
                removed.iter().for_each(|user| _ = self.members.remove(user));
                self.members.extend(added);
            }
            DirectoryGroupChange::Mapped(role) => self.role = *role,
            DirectoryGroupChange::Deleted => {}
        }
    }
}

impl DirectoryGroupSet {
    /// Applies a change of a group. Deterministic.
    pub fn apply(&mut self, at: Timestamp, id: DirectoryGroupId, change: &DirectoryGroupChange) {
        match change {
            DirectoryGroupChange::Created(names) => {
                self.last = self.last.max(id.get());
                self.groups.insert(id, ProvisionedGroup::new(at, id, names.clone()));
            }
            DirectoryGroupChange::Deleted => _ = self.groups.remove(&id),
            DirectoryGroupChange::Named(_)
            | DirectoryGroupChange::MembersChanged { .. }
            | DirectoryGroupChange::Mapped(_) => {
                if let Some(group) = self.groups.get_mut(&id) {
                    group.apply(at, change);
                }
            }
        }
    }
}

/// The rank of a role among those that groups give: a higher one replaces a lower one.
const fn rank(role: Option<OperatorRole>) -> u8 {
    match role {
        None => 0,
        Some(OperatorRole::Auditor) => 1,
        Some(OperatorRole::Moderator) => 2,
        Some(OperatorRole::Admin) => 3,
    }
}

/// The highest of these roles.
pub fn highest(roles: impl IntoIterator<Item = Option<OperatorRole>>) -> Option<OperatorRole> {
    roles.into_iter().max_by_key(|role| rank(*role)).flatten()
}

/// The new role of a member whose groups gave `held` and now give `due`; `None` if it stays.
///
/// Groups raise a role, and take only the role that they gave: one that an operator gave by hand
/// stays.
pub fn role_after(
    current: Option<OperatorRole>,
    held: Option<OperatorRole>,
    due: Option<OperatorRole>,
) -> Option<Option<OperatorRole>> {
    let is_raised = rank(due) > rank(current);
    let is_lowered = rank(due) < rank(held) && current == held;
    (is_raised || is_lowered).then_some(due)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_take_only_the_role_that_they_gave() {
        use OperatorRole::{Admin, Auditor, Moderator};
        for (current, held, due, after) in [
            (None, None, Some(Auditor), Some(Some(Auditor))),
            (None, Some(Auditor), Some(Auditor), Some(Some(Auditor))),
            (Some(Admin), None, Some(Auditor), None),
            (Some(Moderator), Some(Moderator), None, Some(None)),
            (Some(Moderator), Some(Moderator), Some(Auditor), Some(Some(Auditor))),
            (Some(Admin), Some(Moderator), None, None),
            (None, Some(Moderator), None, None),
            (Some(Auditor), Some(Auditor), Some(Auditor), None),
        ] {
            assert_eq!(role_after(current, held, due), after, "{current:?} {held:?} {due:?}");
        }
        assert_eq!(highest([None, Some(Auditor), Some(Moderator)]), Some(Moderator));
        assert_eq!(highest([None]), None);
    }
}
