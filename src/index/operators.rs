//! Operators: their roles, what they did, and lists of accounts and groups for them.

use std::sync::Arc;

use crate::derive::Derivation;
use crate::rows::{self, GroupRow, UserRow};
use crate::{Flow, Index, IndexFault, Walk, keys};
use domain::audit::{AuditFact, DatedAct};
use domain::group::Rules;
use domain::ids::{GroupId, UserId};
use domain::instance::{InstanceFact, PlaceSettings};
use domain::operators::OperatorRole;
use domain::operators::invitations::{self, AccountInvitation, InvitationChange, Invitations};
use domain::time::Timestamp;
use journal::Cursor;

/// The group in the keys of the operators' rules: no group has this id.
const OF_OPERATORS: GroupId = GroupId::new(0);

impl Derivation<'_> {
    /// Writes the role of an operator into the rows of the user.
    pub(super) fn set_operator_role(
        &mut self,
        user: UserId,
        role: Option<OperatorRole>,
        at: Timestamp,
    ) -> Result<(), IndexFault> {
        self.index_operator(user, role)?;
        self.change(user, |row| {
            let since = row.operator_since.unwrap_or(at);
            row.operator_since = role.map(|_| since);
            row.operator = role;
        })
    }

    /// Makes an operator findable, or no longer.
    pub(super) fn index_operator(
        &mut self,
        user: UserId,
        role: Option<OperatorRole>,
    ) -> Result<(), IndexFault> {
        match role {
            Some(role) => self.draft.put(keys::operator_role(user), &role),
            None => {
                self.draft.delete(keys::operator_role(user));
                Ok(())
            }
        }
    }

    /// Writes the settings of the installation, the groups of directories, and reports to the operators,
    /// their rules and their invitations.
    pub(super) fn instance(
        &mut self,
        at: Timestamp,
        fact: &InstanceFact,
    ) -> Result<(), IndexFault> {
        match fact {
            InstanceFact::SettingsChanged { .. } => {}
            InstanceFact::DirectoryGroupChanged { id, change } => {
                return self.directory_group(at, *id, change);
            }
            InstanceFact::Reported(filed) => return self.reported(filed, at),
            InstanceFact::ReportResolved { report, resolution } => {
                return self.resolve_reported(*report, resolution, at);
            }
            InstanceFact::RuleSaved(rule) => {
                return self.draft.put(keys::rule(OF_OPERATORS, rule.id), &**rule);
            }
            InstanceFact::RuleDeleted { rule } => {
                self.draft.delete(keys::rule(OF_OPERATORS, *rule));
                return Ok(());
            }
            InstanceFact::InvitationChanged(change) => return self.invitation(change),
        }
        let key = keys::SETTINGS.to_vec();
        let row: Option<PlaceSettings> = self.draft.get("settings", &key)?;
        let mut settings = row.unwrap_or_default();
        settings.apply(fact);
        self.draft.put(key, &settings)
    }

    /// Writes the row of an invitation.
    fn invitation(&mut self, change: &InvitationChange) -> Result<(), IndexFault> {
        let id = change.id();
        let key = keys::account_invitation(id);
        let row: Option<Arc<AccountInvitation>> = self.draft.get("invitation", &key)?;
        let mut invitations: Invitations = row.map(|row| (id, row)).into_iter().collect();
        invitations::apply(&mut invitations, change);
        match invitations.get(&id) {
            Some(invitation) => self.draft.put(key, &**invitation),
            None => {
                self.draft.delete(key);
                Ok(())
            }
        }
    }

    /// Writes the row of an act of an operator; other facts of the audit log need none.
    pub(super) fn audited(
        &mut self,
        cursor: Cursor,
        at: Timestamp,
        fact: &AuditFact,
    ) -> Result<(), IndexFault> {
        match fact.deed() {
            Some(deed) => self.draft.put(keys::operator_act(cursor.get()), &DatedAct { at, deed }),
            None => Ok(()),
        }
    }
}

impl Index {
    /// Returns the settings of the installation.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn place_settings(&self) -> Result<PlaceSettings, IndexFault> {
        Ok(self.row("settings", keys::SETTINGS)?.unwrap_or_default())
    }

    /// Returns the rules of the operators.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn operator_rules(&self) -> Result<Rules, IndexFault> {
        self.rules(OF_OPERATORS)
    }

    /// Returns the invitations of the operators, the oldest first.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn account_invitations(&self) -> Result<Invitations, IndexFault> {
        let prefix = keys::account_invitations();
        let mut found = Invitations::new();
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |_, value| {
            let invitation: AccountInvitation = rows::decode("invitation", value)?;
            found.insert(invitation.id, Arc::new(invitation));
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }

    /// Returns every operator with their role, in the order of ids.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every read here.
    pub fn operators(&self) -> Result<Vec<(UserId, OperatorRole)>, IndexFault> {
        let prefix = keys::operator_roles();
        let mut found = Vec::new();
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, value| {
            found.push((keys::user_of(key), rows::decode("operator", value)?));
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }

    /// Visits the acts of operators before `before`, newest first, until `visit` returns
    /// [`Flow::Stop`].
    pub fn operator_acts(
        &self,
        before: u64,
        visit: &mut dyn FnMut(u64, DatedAct) -> Flow,
    ) -> Result<(), IndexFault> {
        let Some(high) = before.checked_sub(1) else { return Ok(()) };
        let low = keys::operator_act(0);
        let high = keys::operator_act(high);
        self.rows.scan(&low, &high, Walk::Down, &mut |key, value| {
            Ok(visit(keys::last_number(key), rows::decode("operator act", value)?))
        })
    }

    /// Visits the accounts before `before`, newest first, until `visit` returns [`Flow::Stop`];
    /// deleted ones are left out.
    pub fn users_before(
        &self,
        before: UserId,
        visit: &mut dyn FnMut(UserId, UserRow) -> Flow,
    ) -> Result<(), IndexFault> {
        let Some(high) = before.get().checked_sub(1) else { return Ok(()) };
        let low = keys::user(UserId::new(0));
        let high = keys::user(UserId::new(high));
        self.rows.scan(&low, &high, Walk::Down, &mut |key, value| {
            let row: UserRow = rows::decode("user", value)?;
            Ok(if row.is_deleted { Flow::Continue } else { visit(keys::user_of(key), row) })
        })
    }

    /// Visits the groups before `before`, newest first, until `visit` returns [`Flow::Stop`];
    /// disbanded ones are left out.
    pub fn groups_before(
        &self,
        before: GroupId,
        visit: &mut dyn FnMut(GroupId, GroupRow) -> Flow,
    ) -> Result<(), IndexFault> {
        let Some(high) = before.get().checked_sub(1) else { return Ok(()) };
        let low = keys::group(GroupId::new(0));
        let high = keys::group(GroupId::new(high));
        self.rows.scan(&low, &high, Walk::Down, &mut |key, value| {
            let row: GroupRow = rows::decode("group", value)?;
            Ok(if row.disbanded { Flow::Continue } else { visit(keys::group_of(key), row) })
        })
    }

    /// The number of a group's members.
    pub fn member_count(&self, id: GroupId) -> Result<usize, IndexFault> {
        let prefix = keys::members(id);
        let mut count = 0;
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |_, _| {
            count += 1;
            Ok(Flow::Continue)
        })?;
        Ok(count)
    }
}
