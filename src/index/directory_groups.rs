//! Groups of directories (SCIM): a row for each, and one for each of its members, by which the groups
//! of a user are found.

use crate::derive::Derivation;
use crate::{Flow, Index, IndexFault, Walk, keys};
use domain::directory_groups::{DirectoryGroupChange, DirectoryGroupSet, ProvisionedGroup};
use domain::ids::{DirectoryGroupId, UserId};
use domain::time::Timestamp;

impl Derivation<'_> {
    /// Writes the rows of a group after a change.
    pub(super) fn directory_group(
        &mut self,
        at: Timestamp,
        id: DirectoryGroupId,
        change: &DirectoryGroupChange,
    ) -> Result<(), IndexFault> {
        let key = keys::directory_group(id);
        let before: Option<ProvisionedGroup> = self.draft.get("directory group", &key)?;
        let mut all = DirectoryGroupSet::default();
        all.groups.extend(before.clone().map(|group| (id, group)));
        all.apply(at, id, change);
        let members = |group: &Option<ProvisionedGroup>| {
            group.as_ref().map(|it| it.members.clone()).unwrap_or_default()
        };
        let after = all.groups.remove(&id);
        let former = members(&before);
        let current = members(&after);
        for user in former.difference(&current) {
            self.draft.delete(keys::directory_group_of(*user, id));
        }
        for user in current.difference(&former) {
            self.draft.put_bytes(keys::directory_group_of(*user, id), Vec::new());
        }
        if matches!(change, DirectoryGroupChange::Created(_)) {
            self.draft.put(keys::LAST_DIRECTORY_GROUP.to_vec(), &id.get())?;
        }
        match after {
            Some(group) => self.draft.put(key, &group),
            None => {
                self.draft.delete(key);
                Ok(())
            }
        }
    }
}

impl Index {
    /// Returns all groups of directories.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every read here.
    pub fn directory_groups(&self) -> Result<DirectoryGroupSet, IndexFault> {
        let groups: Vec<ProvisionedGroup> =
            self.rows_of("directory group", keys::DIRECTORY_GROUPS)?;
        let last = self.row("last directory group", keys::LAST_DIRECTORY_GROUP)?.unwrap_or(0);
        Ok(DirectoryGroupSet { groups: groups.into_iter().map(|it| (it.id, it)).collect(), last })
    }

    /// Returns a group of a directory.
    pub fn directory_group(
        &self,
        id: DirectoryGroupId,
    ) -> Result<Option<ProvisionedGroup>, IndexFault> {
        self.row("directory group", &keys::directory_group(id))
    }

    /// The groups of directories that a user is in, in the order of their ids.
    pub fn directory_groups_of(&self, user: UserId) -> Result<Vec<DirectoryGroupId>, IndexFault> {
        let prefix = keys::directory_groups_of(user);
        let mut found = Vec::new();
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, _| {
            found.push(DirectoryGroupId::new(keys::last_number(key)));
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }
}
