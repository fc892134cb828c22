//! Roles: what the owner, admins and plain members are granted, and who makes admins.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::group::permissions::{DecidingSetting, Permission, may};
use crate::group::{Denied, Group, GroupAct, GroupFact, Member, MentionAll, Role};
use crate::guests::{self, AccountAct};
use crate::id_generator::IdGenerator;
use crate::ids::{MembershipId, UserId};
use crate::message::SystemMessage;
use crate::time::{Moment, Timestamp};

/// Why a role was not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum RoleRefusal {
    /// The caller is no member, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
    /// The membership is not one of the group's, or ended already.
    #[error("there is no such membership in this group")]
    NoSuchMembership,
    /// The membership is the owner's.
    #[error("role: the owner's role changes when the group is handed over")]
    Owner,
    /// The caller may not change this role.
    #[error(transparent)]
    Denied(#[from] Denied),
}

impl Group {
    /// Whether a member's role, the settings and the kind of the member's account allow something.
    pub fn grants(&self, member: &Member, act: GroupAct) -> bool {
        if !guests::may(member.kind(), AccountAct::behind(act)) {
            return false;
        }
        match may(member.role, self.settings.kind, act) {
            Permission::Always => true,
            Permission::Never => false,
            Permission::BySetting(DecidingSetting::MentionAll) => {
                self.settings.mention_all == MentionAll::Members
            }
            Permission::BySetting(DecidingSetting::DeletionMode) => self.settings.revising.by_admin,
        }
    }

    /// Allows something that a member wants to do now.
    ///
    /// # Errors
    /// If their role or the settings do not allow it, they are timed out, or the group is archived or
    /// frozen.
    pub fn permit(&self, member: &Member, act: GroupAct, now: Timestamp) -> Result<(), Denied> {
        self.settings.refuse_at_standstill(act)?;
        if !act.only_looks() {
            self.refuse_timed_out(member.user_id, now)?;
        }
        if self.grants(member, act) {
            return Ok(());
        }
        let is_of_kind = guests::may(member.kind(), AccountAct::behind(act));
        Err(if is_of_kind { Denied::Role(act) } else { Denied::Guest(act) })
    }

    /// Refuses a user who is timed out.
    ///
    /// # Errors
    /// If they are, with the end.
    pub fn refuse_timed_out(&self, user: UserId, now: Timestamp) -> Result<(), Denied> {
        let timeout = self.timeout_of(user, now);
        timeout.map_or(Ok(()), |timeout| Err(Denied::TimedOut(timeout.until)))
    }

    /// What a member may do now.
    pub fn permissions(&self, member: &Member, now: Timestamp) -> impl Iterator<Item = GroupAct> {
        GroupAct::ALL.into_iter().filter(move |act| self.permit(member, *act, now).is_ok())
    }

    /// Makes a member an admin or a plain member. Only the owner does so; admins may step down.
    ///
    /// # Errors
    /// If there is no such membership, it is the owner's, or the caller may not change it.
    pub fn change_role(
        &self,
        by: UserId,
        (membership, role): (MembershipId, NewRole),
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<Member>, RoleRefusal> {
        let asker = self.member(by).ok_or(RoleRefusal::NotAMember)?;
        let mut members = self.all_members();
        let member = members.find(|member| member.membership_id == membership);
        let member = member.ok_or(RoleRefusal::NoSuchMembership)?;
        let is_resignation = member.user_id == by && role == NewRole::User;
        if !(is_resignation && self.grants(asker, GroupAct::StepDown)) {
            self.permit(asker, GroupAct::ChangeRoles, now.wall)?;
        }
        if member.role == Role::Owner {
            return Err(RoleRefusal::Owner);
        }
        if member.role == role.role() {
            return Ok(Decision::unchanged(member.clone()));
        }
        let line = SystemMessage::RoleChanged {
            user: asker.named(),
            member: member.named(),
            is_admin: role == NewRole::Admin,
        };
        let member = Member { role: role.role(), ..member.clone() };
        let facts = vec![
            Fact::Group(GroupFact::MemberChanged { member: member.clone(), by }),
            self.system_message(line, now.wall, id_generator),
        ];
        Ok(Decision { facts, answer: member })
    }
}

/// A role that the owner can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NewRole {
    /// An admin.
    Admin,
    /// A plain member.
    User,
}

impl NewRole {
    const fn role(self) -> Role {
        match self {
            Self::Admin => Role::Admin,
            Self::User => Role::Member,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, CARA, Table};

    fn gives(table: &mut Table, by: UserId, to: UserId, role: NewRole) -> Result<(), RoleRefusal> {
        let membership = table.group.members[&to].membership_id;
        let changed =
            table.does(|group, now, ids| group.change_role(by, (membership, role), now, ids));
        changed.map(|_| ())
    }

    #[test]
    fn owner_makes_and_unmakes_admins() {
        let mut table = Table::of_two();
        gives(&mut table, ANA, BEN, NewRole::Admin).unwrap();
        assert_eq!(table.lines(), ["Ana made Ben an admin."]);
        assert_eq!(table.group.members[&BEN].role, Role::Admin);
        gives(&mut table, ANA, BEN, NewRole::Admin).unwrap();
        assert!(table.facts.is_empty());
        gives(&mut table, ANA, BEN, NewRole::User).unwrap();
        assert_eq!(table.lines(), ["Ana removed Ben as an admin."]);
    }

    #[test]
    fn admins_step_down_and_change_no_other_role() {
        let mut table = Table::of_three();
        gives(&mut table, ANA, BEN, NewRole::Admin).unwrap();
        let denied = Err(RoleRefusal::Denied(Denied::Role(GroupAct::ChangeRoles)));
        assert_eq!(gives(&mut table, BEN, CARA, NewRole::Admin), denied);
        assert_eq!(gives(&mut table, BEN, ANA, NewRole::User), denied);
        gives(&mut table, BEN, BEN, NewRole::User).unwrap();
        assert_eq!(table.lines(), ["Ben stepped down as an admin."]);
        assert_eq!(gives(&mut table, BEN, BEN, NewRole::Admin), denied);
        assert_eq!(gives(&mut table, ANA, ANA, NewRole::User), Err(RoleRefusal::Owner));
    }
}
