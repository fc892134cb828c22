//! Ownership: what only the owner may do, which is to hand the group over and to disband it.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::group::{Denied, Group, GroupAct, GroupFact, Member, Role};
use crate::id_generator::IdGenerator;
use crate::ids::UserId;
use crate::message::SystemMessage;
use crate::time::Moment;

/// Why a group was not disbanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum DisbandRefusal {
    /// The caller is no member, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
    /// The caller is a member, but not the owner.
    #[error("only the owner may disband this group")]
    NotTheOwner,
    /// The group is frozen.
    #[error(transparent)]
    Denied(#[from] Denied),
}

/// Why a group was not handed over (specification, section 4, change_owners).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum OwnerRefusal {
    /// The caller named themselves.
    #[error("you cannot hand a group to yourself")]
    Oneself,
    /// The caller is not the owner.
    #[error("only the owner may hand this group over")]
    NotTheOwner,
    /// The group is gone.
    #[error("there is no such group")]
    NoSuchGroup,
    /// The named user is not a member.
    #[error("the new owner is not a member of this group")]
    NotAMember,
    /// The group is frozen.
    #[error(transparent)]
    Denied(#[from] Denied),
}

impl Group {
    /// Disbands the group. It is gone for its members at once; there is no system message, since
    /// nobody is left to read one.
    ///
    /// # Errors
    /// If the caller is not the owner.
    pub fn disband(&self, by: UserId) -> Result<Decision<()>, DisbandRefusal> {
        let member = self.member(by).ok_or(DisbandRefusal::NotAMember)?;
        if !self.grants(member, GroupAct::Disband) {
            return Err(DisbandRefusal::NotTheOwner);
        }
        self.settings.refuse_at_standstill(GroupAct::Disband)?;
        let fact = Fact::Group(GroupFact::Disbanded { by });
        Ok(Decision { facts: vec![fact], answer: () })
    }

    /// Hands the group to another member. The old owner stays, as an admin.
    ///
    /// # Errors
    /// If the caller is not the owner, the new owner is the caller or no member, or the group is
    /// gone.
    pub fn hand_to(
        &self,
        by: UserId,
        new: UserId,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, OwnerRefusal> {
        if by == new {
            return Err(OwnerRefusal::Oneself);
        }
        if self.disbanded {
            return Err(OwnerRefusal::NoSuchGroup);
        }
        let old = self.member(by).filter(|member| self.grants(member, GroupAct::HandOver));
        let old = old.ok_or(OwnerRefusal::NotTheOwner)?;
        self.settings.refuse_at_standstill(GroupAct::HandOver)?;
        let new = self.member(new).ok_or(OwnerRefusal::NotAMember)?;
        let with = |member: &Member, role| {
            let member = Member { role, ..member.clone() };
            Fact::Group(GroupFact::MemberChanged { member, by })
        };
        let line = SystemMessage::OwnerChanged { old: old.named(), new: new.named() };
        let facts = vec![
            Fact::Group(GroupFact::OwnerChanged { old: by, new: new.user_id }),
            with(old, Role::Admin),
            with(new, Role::Owner),
            self.system_message(line, now.wall, id_generator),
        ];
        Ok(Decision { facts, answer: () })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, CARA, Table};

    #[test]
    fn only_the_owner_disbands() {
        let mut table = Table::of_two();
        assert_eq!(table.does(|group, _, _| group.disband(BEN)), Err(DisbandRefusal::NotTheOwner));
        assert_eq!(table.does(|group, _, _| group.disband(CARA)), Err(DisbandRefusal::NotAMember));
        table.does(|group, _, _| group.disband(ANA)).unwrap();
        assert!(table.group.member(ANA).is_none() && table.group.member(BEN).is_none());
        assert_eq!(table.does(|group, _, _| group.disband(ANA)), Err(DisbandRefusal::NotAMember));
    }

    #[test]
    fn the_old_owner_stays_as_an_admin() {
        let mut table = Table::of_two();
        table.does(|group, now, id_generator| group.hand_to(ANA, BEN, now, id_generator)).unwrap();
        assert_eq!(table.group.creator, BEN);
        assert_eq!(table.group.member(ANA).unwrap().role, Role::Admin);
        assert_eq!(table.group.member(BEN).unwrap().role, Role::Owner);
        assert_eq!(table.lines(), ["Ana made Ben the owner of the group."]);
    }

    #[test]
    fn a_group_is_handed_by_its_owner_to_another_member_only() {
        let mut table = Table::of_two();
        let mut hand = |by, new| {
            table
                .does(|group, now, id_generator| group.hand_to(by, new, now, id_generator))
                .unwrap_err()
        };
        assert_eq!(hand(ANA, ANA), OwnerRefusal::Oneself);
        assert_eq!(hand(BEN, ANA), OwnerRefusal::NotTheOwner);
        assert_eq!(hand(CARA, ANA), OwnerRefusal::NotTheOwner);
        assert_eq!(hand(ANA, CARA), OwnerRefusal::NotAMember);
        table.does(|group, _, _| group.disband(ANA)).unwrap();
        let gone =
            table.does(|group, now, id_generator| group.hand_to(ANA, BEN, now, id_generator));
        assert_eq!(gone, Err(OwnerRefusal::NoSuchGroup));
    }
}
