//! Acts on the groups of directories, and the rules that decide them.

use crate::directory_groups::{
    DirectoryGroupChange, DirectoryGroupNames, DirectoryGroupSet, ProvisionedGroup,
};
use crate::event::{Decision, Fact};
use crate::ids::{DirectoryGroupId, UserId};
use crate::instance::InstanceFact;
use crate::limits::{DIRECTORY_GROUP_MEMBERS, DIRECTORY_GROUPS};
use crate::operators::OperatorRole;
use crate::time::Timestamp;

/// A step of a change of members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberStep {
    /// These come.
    Add(Vec<UserId>),
    /// These go.
    Remove(Vec<UserId>),
    /// These are all.
    Replace(Vec<UserId>),
}

impl MemberStep {
    /// The users that the step names.
    pub fn users(&self) -> &[UserId] {
        match self {
            Self::Add(users) | Self::Remove(users) | Self::Replace(users) => users,
        }
    }
}

/// What a directory wants of a group; absent fields stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WantedDirectoryGroup {
    /// The name.
    pub name: Option<String>,
    /// The directory's id; `Some(None)` removes it.
    pub external_id: Option<Option<String>>,
    /// The changes of members, in their order.
    pub members: Vec<MemberStep>,
}

/// An act on the groups of directories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DirectoryGroupAct {
    /// Create one.
    Create(WantedDirectoryGroup),
    /// Change one.
    Change(DirectoryGroupId, WantedDirectoryGroup),
    /// Map one on a role, or on none.
    Map(DirectoryGroupId, Option<OperatorRole>),
    /// Delete one.
    Delete(DirectoryGroupId),
}

/// Why a change of a group of a directory is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DirectoryGroupRefusal {
    /// There is no such group.
    #[error("there is no such group")]
    Unknown,
    /// There are too many groups.
    #[error("there are {DIRECTORY_GROUPS} groups already, the most that this server keeps")]
    TooManyGroups,
    /// The group would have too many members.
    #[error("members must be at most {DIRECTORY_GROUP_MEMBERS}")]
    TooManyMembers,
}

/// A group before and after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedDirectoryGroup {
    /// Before; `None` if it was created.
    pub before: Option<ProvisionedGroup>,
    /// After; `None` if it was deleted.
    pub after: Option<ProvisionedGroup>,
}

impl ProvisionedGroup {
    /// The changes that make the group as the directory wants it.
    fn changes(
        &self,
        wanted: &WantedDirectoryGroup,
    ) -> Result<Vec<DirectoryGroupChange>, DirectoryGroupRefusal> {
        let names = DirectoryGroupNames {
            name: wanted.name.clone().unwrap_or_else(|| self.names.name.clone()),
            external_id: match &wanted.external_id {
                Some(external_id) => external_id.clone(),
                None => self.names.external_id.clone(),
            },
        };
        let mut members = self.members.clone();
        for step in &wanted.members {
            match step {
                MemberStep::Add(users) => members.extend(users),
                MemberStep::Remove(users) => users.iter().for_each(|it| _ = members.remove(it)),
                MemberStep::Replace(users) => members = users.iter().copied().collect(),
            }
        }
        let added: Vec<UserId> = members.difference(&self.members).copied().collect();
        let removed: Vec<UserId> = self.members.difference(&members).copied().collect();
        if !added.is_empty() && members.len() > DIRECTORY_GROUP_MEMBERS {
            return Err(DirectoryGroupRefusal::TooManyMembers);
        }
        let named = (names != self.names).then_some(DirectoryGroupChange::Named(names));
        let is_changed = !added.is_empty() || !removed.is_empty();
        let moved = is_changed.then_some(DirectoryGroupChange::MembersChanged { added, removed });
        Ok(named.into_iter().chain(moved).collect())
    }
}

impl DirectoryGroupSet {
    /// Decides an act.
    ///
    /// # Errors
    /// If there is no such group, or there would be too many groups or members.
    pub fn decide(
        &self,
        at: Timestamp,
        act: DirectoryGroupAct,
    ) -> Result<Decision<ChangedDirectoryGroup>, DirectoryGroupRefusal> {
        let known = |id| self.groups.get(&id).ok_or(DirectoryGroupRefusal::Unknown);
        let (before, mut after, changes) = match act {
            DirectoryGroupAct::Create(wanted) => {
                if self.groups.len() >= DIRECTORY_GROUPS {
                    return Err(DirectoryGroupRefusal::TooManyGroups);
                }
                let id = DirectoryGroupId::new(self.last + 1);
                let name = wanted.name.clone().unwrap_or_default();
                let external_id = wanted.external_id.clone().flatten();
                let names = DirectoryGroupNames { name, external_id };
                let group = ProvisionedGroup::new(at, id, names.clone());
                let mut changes = vec![DirectoryGroupChange::Created(names)];
                changes.extend(group.changes(&wanted)?);
                (None, group, changes)
            }
            DirectoryGroupAct::Change(id, wanted) => {
                let group = known(id)?;
                (Some(group.clone()), group.clone(), group.changes(&wanted)?)
            }
            DirectoryGroupAct::Map(id, role) => {
                let group = known(id)?;
                let change = (group.role != role).then_some(DirectoryGroupChange::Mapped(role));
                (Some(group.clone()), group.clone(), change.into_iter().collect())
            }
            DirectoryGroupAct::Delete(id) => {
                let group = known(id)?;
                (Some(group.clone()), group.clone(), vec![DirectoryGroupChange::Deleted])
            }
        };
        changes.iter().for_each(|change| after.apply(at, change));
        let is_deleted = changes.contains(&DirectoryGroupChange::Deleted);
        let id = after.id;
        let fact = |change| Fact::Instance(InstanceFact::DirectoryGroupChanged { id, change });
        let facts = changes.into_iter().map(fact).collect();
        let after = (!is_deleted).then_some(after);
        Ok(Decision { facts, answer: ChangedDirectoryGroup { before, after } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn users(ids: impl IntoIterator<Item = u64>) -> Vec<UserId> {
        ids.into_iter().map(UserId::new).collect()
    }

    fn wanted(name: Option<&str>, members: Vec<MemberStep>) -> WantedDirectoryGroup {
        WantedDirectoryGroup { name: name.map(str::to_owned), external_id: None, members }
    }

    /// Decides an act and applies it. Returns the group after it, and the number of facts.
    fn acts(
        groups: &mut DirectoryGroupSet,
        at: u64,
        act: DirectoryGroupAct,
    ) -> (Option<ProvisionedGroup>, usize) {
        let at = Timestamp::from_millis(at);
        let decision = groups.decide(at, act).unwrap();
        for fact in &decision.facts {
            let Fact::Instance(InstanceFact::DirectoryGroupChanged { id, change }) = fact else {
                panic!("not of a group: {fact:?}")
            };
            groups.apply(at, *id, change);
        }
        let after = decision.answer.after;
        let id = after.as_ref().or(decision.answer.before.as_ref()).unwrap().id;
        assert_eq!(groups.groups.get(&id), after.as_ref());
        (after, decision.facts.len())
    }

    #[test]
    fn steps_of_members_apply_in_order() {
        let mut groups = DirectoryGroupSet::default();
        let first = wanted(Some("Staff"), vec![MemberStep::Add(users([3, 1, 3]))]);
        let (made, facts) = acts(&mut groups, 1, DirectoryGroupAct::Create(first));
        let made = made.unwrap();
        assert_eq!((made.members, facts), (users([1, 3]).into_iter().collect(), 2));
        let steps = vec![
            MemberStep::Add(users([7])),
            MemberStep::Remove(users([1, 9])),
            MemberStep::Add(users([1])),
        ];
        let change = DirectoryGroupAct::Change(made.id, wanted(Some("All"), steps));
        let (changed, facts) = acts(&mut groups, 2, change.clone());
        let changed = changed.unwrap();
        assert_eq!((changed.names.name.as_str(), facts), ("All", 2));
        assert_eq!(changed.members, users([1, 3, 7]).into_iter().collect());
        assert_eq!(acts(&mut groups, 3, change).1, 0);
        let replaced = wanted(None, vec![MemberStep::Replace(users([8]))]);
        let (replaced, _) = acts(&mut groups, 4, DirectoryGroupAct::Change(made.id, replaced));
        assert_eq!(replaced.unwrap().members, users([8]).into_iter().collect());
    }

    #[test]
    fn ids_of_deleted_groups_are_not_given_again() {
        let mut groups = DirectoryGroupSet::default();
        let create = || DirectoryGroupAct::Create(wanted(Some("Staff"), Vec::new()));
        let first = acts(&mut groups, 1, create()).0.unwrap().id;
        assert_eq!(acts(&mut groups, 2, DirectoryGroupAct::Delete(first)).0, None);
        let second = acts(&mut groups, 3, create()).0.unwrap().id;
        assert_eq!((first.get(), second.get()), (1, 2));
        for act in [
            DirectoryGroupAct::Delete(first),
            DirectoryGroupAct::Map(first, None),
            DirectoryGroupAct::Change(first, wanted(None, Vec::new())),
        ] {
            let refused = groups.decide(Timestamp::from_millis(4), act);
            assert_eq!(refused.err(), Some(DirectoryGroupRefusal::Unknown));
        }
    }

    #[test]
    fn groups_and_members_have_a_maximum() {
        let mut groups = DirectoryGroupSet::default();
        let create = || DirectoryGroupAct::Create(wanted(Some("Staff"), Vec::new()));
        for _ in 0..DIRECTORY_GROUPS {
            acts(&mut groups, 1, create());
        }
        let at = Timestamp::from_millis(2);
        let refused = groups.decide(at, create()).err();
        assert_eq!(refused, Some(DirectoryGroupRefusal::TooManyGroups));
        let id = DirectoryGroupId::new(1);
        let all = users(1..=DIRECTORY_GROUP_MEMBERS as u64);
        let full = wanted(None, vec![MemberStep::Replace(all)]);
        acts(&mut groups, 3, DirectoryGroupAct::Change(id, full));
        let more = wanted(None, vec![MemberStep::Add(users([u64::MAX]))]);
        let refused = groups.decide(at, DirectoryGroupAct::Change(id, more)).err();
        assert_eq!(refused, Some(DirectoryGroupRefusal::TooManyMembers));
    }
}
