//! Memberships: removing members, leaving, and changing one's nickname.

use serde::{Deserialize, Serialize};

use crate::attachment::ImageRef;
use crate::event::{Decision, Fact};
use crate::group::{BrokenRule, Denied, Group, GroupAct, GroupFact, Member, MembershipEnd, Role};
use crate::id_generator::IdGenerator;
use crate::ids::{MembershipId, UserId};
use crate::message::SystemMessage;
use crate::text::Nickname;
use crate::time::Moment;

/// Why a membership was not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum RemoveRefusal {
    /// The caller is no member, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
    /// The membership is not one of the group's, or ended already.
    #[error("there is no such membership in this group")]
    NoSuchMembership,
    /// The caller may not remove this member.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The owner can neither leave nor be removed (specification, section 3).
    #[error("the owner can neither leave nor be removed; hand the group over first")]
    Owner,
}

/// Why a nickname was not changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum RenameRefusal {
    /// The caller is no member, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
    /// The caller may not change their nickname now.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// A rule of the group does not allow it.
    #[error(transparent)]
    Broken(#[from] BrokenRule),
}

impl Group {
    /// Ends a membership: the caller's own, or somebody else's: the owner removes everybody, an
    /// admin plain members. The bots of a member who is removed are removed too: through them, the
    /// member would read and post on.
    ///
    /// # Errors
    /// If there is no such membership, the caller may not end it, or it is the owner's.
    pub fn remove(
        &self,
        by: UserId,
        membership: MembershipId,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, RemoveRefusal> {
        let asker = self.member(by).ok_or(RemoveRefusal::NotAMember)?;
        let mut members = self.all_members();
        let member = members.find(|member| member.membership_id == membership);
        let member = member.ok_or(RemoveRefusal::NoSuchMembership)?;
        let is_own = member.user_id == by;
        if !is_own {
            self.permit(asker, GroupAct::RemoveMembers, now.wall)?;
        }
        if member.user_id == self.creator {
            return Err(RemoveRefusal::Owner);
        }
        match member.role {
            Role::Owner | Role::Admin if !is_own => {
                self.permit(asker, GroupAct::RemoveAdmins, now.wall)?
            }
            Role::Owner | Role::Admin | Role::Member => {}
        }
        let (parting, line) = match is_own {
            true => (MembershipEnd::Left, SystemMessage::Left { user: member.named() }),
            false => {
                let removed = member.named();
                let remover = asker.named();
                (MembershipEnd::Removed, SystemMessage::Removed { removed, remover })
            }
        };
        let are_removed = parting == MembershipEnd::Removed;
        let bots = self.bots.values().filter(|bot| are_removed && bot.creator == member.user_id);
        let mut facts: Vec<Fact> =
            bots.map(|bot| Fact::Group(GroupFact::BotRemoved(bot.clone()))).collect();
        // The system message comes after the fact, so the user who is out does not get it.
        facts.push(Fact::Group(GroupFact::MemberLeft { member: member.clone(), parting, by }));
        facts.push(self.system_message(line, now.wall, id_generator));
        Ok(Decision { facts, answer: () })
    }

    /// Changes the caller's nickname in this group.
    ///
    /// # Errors
    /// If the caller is no member.
    pub fn rename(
        &self,
        by: UserId,
        nickname: Nickname,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<Member>, RenameRefusal> {
        let known = self.member(by).ok_or(RenameRefusal::NotAMember)?;
        self.permit(known, GroupAct::Rename, now.wall)?;
        if known.nickname == nickname {
            return Ok(Decision::unchanged(known.clone()));
        }
        let name = nickname.as_str().to_owned();
        let line = self.system_message(
            SystemMessage::NicknameChanged { user: known.named(), name },
            now.wall,
            id_generator,
        );
        let member = Member { nickname, ..known.clone() };
        let fact = Fact::Group(GroupFact::MemberChanged { member: member.clone(), by });
        Ok(Decision { facts: vec![fact, line], answer: member })
    }

    /// Takes over a member's name, picture and kind of account from their profile. The nickname stays
    /// as it is: it belongs to this group. Makes no system message, and decides nothing if all are
    /// the same or the user is no member.
    pub fn update_member_profile(
        &self,
        user: UserId,
        name: &str,
        image: Option<&ImageRef>,
        is_guest: bool,
    ) -> Decision<()> {
        let Some(known) = self.member(user) else { return Decision::unchanged(()) };
        let mut member = known.clone();
        member.name = name.to_owned();
        member.image = image.cloned();
        member.is_guest = is_guest;
        if member == *known {
            return Decision::unchanged(());
        }
        let fact = Fact::Group(GroupFact::MemberChanged { member, by: user });
        Decision { facts: vec![fact], answer: () }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, CARA, Table};

    fn removing(table: &mut Table, by: UserId, whom: UserId) -> Result<(), RemoveRefusal> {
        let membership = table.group.members[&whom].membership_id;
        table.does(|group, now, id_generator| group.remove(by, membership, now, id_generator))
    }

    #[test]
    fn removal_by_owner_adds_a_line() {
        let mut table = Table::of_two();
        removing(&mut table, ANA, BEN).unwrap();
        assert!(table.group.member(BEN).is_none());
        assert_eq!(table.group.former[&BEN].parting, MembershipEnd::Removed);
        assert_eq!(table.lines(), ["Ana removed Ben from the group."]);
    }

    #[test]
    fn the_removed_hear_of_their_removal_and_not_of_the_line() {
        let mut table = Table::of_two();
        removing(&mut table, ANA, BEN).unwrap();
        let heard: Vec<bool> = table.heard_by(BEN);
        assert_eq!(heard, [true, false]);
    }

    #[test]
    fn every_member_may_leave() {
        let mut table = Table::of_two();
        removing(&mut table, BEN, BEN).unwrap();
        assert_eq!(table.group.former[&BEN].parting, MembershipEnd::Left);
        assert_eq!(table.lines(), ["Ben has left the group."]);
    }

    #[test]
    fn a_plain_member_removes_nobody_else() {
        let mut table = Table::of_three();
        let denied = |act| Err(RemoveRefusal::Denied(Denied::Role(act)));
        let may_not = denied(GroupAct::RemoveMembers);
        assert_eq!(removing(&mut table, BEN, CARA), may_not);
        table.promote(BEN);
        table.promote(CARA);
        let may_not = denied(GroupAct::RemoveAdmins);
        assert_eq!(removing(&mut table, BEN, CARA), may_not);
        removing(&mut table, ANA, CARA).unwrap();
    }

    #[test]
    fn the_owner_can_neither_leave_nor_be_removed() {
        let mut table = Table::of_two();
        assert_eq!(removing(&mut table, ANA, ANA), Err(RemoveRefusal::Owner));
        table.promote(BEN);
        assert_eq!(removing(&mut table, BEN, ANA), Err(RemoveRefusal::Owner));
    }

    #[test]
    fn a_membership_ends_once() {
        let mut table = Table::of_two();
        let membership = table.group.members[&BEN].membership_id;
        removing(&mut table, ANA, BEN).unwrap();
        let again =
            table.does(|group, now, id_generator| group.remove(ANA, membership, now, id_generator));
        assert_eq!(again, Err(RemoveRefusal::NoSuchMembership));
        let outside =
            table.does(|group, now, id_generator| group.remove(BEN, membership, now, id_generator));
        assert_eq!(outside, Err(RemoveRefusal::NotAMember));
    }

    #[test]
    fn nickname_line_has_old_and_new_name() {
        let mut table = Table::of_two();
        let nickname = Nickname::parse("Benny".to_owned()).unwrap();
        let rename = |table: &mut Table| {
            table
                .does(|group, now, id_generator| {
                    group.rename(BEN, nickname.clone(), now, id_generator)
                })
                .unwrap()
        };
        assert_eq!(rename(&mut table).nickname.as_str(), "Benny");
        assert_eq!(table.lines(), ["Ben changed name to Benny."]);
        assert_eq!(table.group.member(BEN).unwrap().nickname.as_str(), "Benny");
        assert_eq!(rename(&mut table).nickname.as_str(), "Benny");
        assert_eq!(table.facts.len(), 0, "the same again is no change");
    }
}
