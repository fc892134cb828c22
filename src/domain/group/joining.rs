//! Joining a group with the share URL, and rejoining it after leaving.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::group::{
    Ban, Group, GroupFact, Member, MembershipEnd, Newcomer, SharedLink, invite_links,
};
use crate::id_generator::IdGenerator;
use crate::ids::{MembershipId, UserId};
use crate::limits::{GROUP_MEMBERS, JOIN_REQUESTS};
use crate::message::SystemMessage;
use crate::text::Nickname;
use crate::time::{Moment, Timestamp};

/// Why a user may not join.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum JoinRefusal {
    /// The group is gone, the share token is wrong, or the user never was a member; one refusal for
    /// all, so that strangers learn nothing of the group.
    #[error("there is no such group")]
    NoSuchGroup,
    /// Only for rejoining: a user who was removed needs the share URL, or a member who adds them.
    #[error("you were removed from this group; a member can add you or send you its share URL")]
    Removed,
    /// The user is banned.
    #[error("you are banned from this group")]
    Banned(Box<Ban>),
    /// The group has too many members.
    #[error("a group has at most {GROUP_MEMBERS} members")]
    Full,
    /// The link was used up or ended.
    #[error("this link has ended; ask for a new one")]
    LinkEnded,
    /// Too many people wait for a decision.
    #[error("{JOIN_REQUESTS} people ask to join this group; try again later")]
    TooManyRequests,
}

/// What became of a user who wanted to join.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Joining {
    /// They are a member.
    In,
    /// The owner or an admin decides about their request, which has the id of the membership.
    Requested(MembershipId),
}

impl Group {
    /// Makes a member of a user who has a link of the group, or files their request if the link asks
    /// for approval. Decides nothing for a member, or for one whose request is open.
    ///
    /// # Errors
    /// If the link is unknown or ended, the user is banned, or the group is gone or full.
    pub fn join(
        &self,
        user: Newcomer,
        token: &str,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<Joining>, JoinRefusal> {
        let link = self.link_of(token, now.wall);
        if link == Err(JoinRefusal::NoSuchGroup) {
            return Err(JoinRefusal::NoSuchGroup);
        }
        if self.member(user.id).is_some() {
            return Ok(Decision::unchanged(Joining::In));
        }
        self.refuse_banned(user.id, now.wall)?;
        let asked = self.requests.get(&user.id).filter(|request| !request.is_over(now.wall));
        if let Some(request) = asked.filter(|request| request.came_by(token)) {
            return Ok(Decision::unchanged(Joining::Requested(request.id)));
        }
        let link = match link? {
            SharedLink::ShareUrl => None,
            SharedLink::Invite(link) => Some(link),
        };
        if let Some(link) = link.filter(|link| link.asks()) {
            return self.ask_to_join(user, link, now, id_generator);
        }
        let used = link.map(|link| invite_links::used(link, user.id));
        let nickname = Nickname::from(user.name.clone());
        let member = Member::added(user, nickname, id_generator);
        let line = SystemMessage::Joined { user: member.named(), approver: None };
        let mut decided = self.let_in(member, line, now, id_generator)?;
        decided.facts.extend(used);
        Ok(Decision { facts: decided.facts, answer: Joining::In })
    }

    /// Makes a member again of a user who left, under their last nickname. Decides nothing for a
    /// member.
    ///
    /// # Errors
    /// If the user never was a member or was removed, or the group is gone or full.
    pub fn rejoin(
        &self,
        user: Newcomer,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, JoinRefusal> {
        if self.member(user.id).is_some() {
            return Ok(Decision::unchanged(()));
        }
        if !self.disbanded {
            self.refuse_banned(user.id, now.wall)?;
        }
        let former = self.former.get(&user.id).filter(|_| !self.disbanded);
        let former = former.ok_or(JoinRefusal::NoSuchGroup)?;
        if former.parting == MembershipEnd::Removed {
            return Err(JoinRefusal::Removed);
        }
        let member = Member::added(user, former.member.nickname.clone(), id_generator);
        let line = SystemMessage::Rejoined { user: member.named() };
        self.let_in(member, line, now, id_generator)
    }

    fn refuse_banned(&self, user: UserId, now: Timestamp) -> Result<(), JoinRefusal> {
        let ban = self.ban_of(user, now);
        ban.map_or(Ok(()), |ban| Err(JoinRefusal::Banned(Box::new(ban.clone()))))
    }

    fn let_in(
        &self,
        member: Member,
        line: SystemMessage,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, JoinRefusal> {
        if self.members.len() >= GROUP_MEMBERS {
            return Err(JoinRefusal::Full);
        }
        let by: UserId = member.user_id;
        let members = vec![member];
        let mut facts = self.wake_bots(&members);
        facts.insert(0, Fact::Group(GroupFact::MembersJoined { members, by }));
        facts.push(self.system_message(line, now.wall, id_generator));
        Ok(Decision { facts, answer: () })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::testing::{ANA, BEN, CARA, Table, newcomer};

    fn shared() -> (Table, String) {
        let mut table = Table::of_two();
        let token = table.shares();
        (table, token)
    }

    fn joins(table: &mut Table, user: UserId, token: &str) -> Result<(), JoinRefusal> {
        let join = table.does(|group, now, ids| group.join(newcomer(user), token, now, ids));
        join.map(|joining| assert_eq!(joining, Joining::In))
    }

    fn rejoins(table: &mut Table, user: UserId) -> Result<(), JoinRefusal> {
        table.does(|group, now, id_generator| group.rejoin(newcomer(user), now, id_generator))
    }

    #[test]
    fn share_token_admits_its_holder() {
        let (mut table, token) = shared();
        joins(&mut table, CARA, &token).unwrap();
        assert_eq!(table.group.member(CARA).unwrap().nickname.as_str(), "Cara");
        assert_eq!(table.lines(), ["Cara has joined the group."]);
    }

    #[test]
    fn share_token_must_match_and_sharing_be_on() {
        let (mut table, token) = shared();
        assert_eq!(joins(&mut table, CARA, "wrong"), Err(JoinRefusal::NoSuchGroup));
        table.unshares();
        assert_eq!(joins(&mut table, CARA, &token), Err(JoinRefusal::NoSuchGroup));
    }

    #[test]
    fn joining_as_a_member_changes_nothing() {
        let (mut table, token) = shared();
        joins(&mut table, BEN, &token).unwrap();
        assert_eq!(table.facts.len(), 0);
    }

    #[test]
    fn removed_member_may_join_but_not_rejoin() {
        let (mut table, token) = shared();
        table.removes(ANA, BEN);
        assert_eq!(rejoins(&mut table, BEN), Err(JoinRefusal::Removed));
        joins(&mut table, BEN, &token).unwrap();
        assert!(table.group.member(BEN).is_some());
    }

    #[test]
    fn rejoining_member_keeps_nickname_but_no_role() {
        let mut table = Table::of_two();
        table.promote(BEN);
        table.renames(BEN, "Benny");
        let before = table.group.members[&BEN].membership_id;
        table.removes(BEN, BEN);
        rejoins(&mut table, BEN).unwrap();
        let member = table.group.member(BEN).unwrap();
        assert_eq!(member.nickname.as_str(), "Benny");
        assert_eq!(member.role, crate::group::Role::Member);
        assert_ne!(member.membership_id, before, "a membership names one stay");
        assert_eq!(table.lines(), ["Benny has rejoined the group."]);
    }

    #[test]
    fn strangers_and_members_cannot_rejoin() {
        let mut table = Table::of_two();
        assert_eq!(rejoins(&mut table, CARA), Err(JoinRefusal::NoSuchGroup));
        rejoins(&mut table, BEN).unwrap();
        assert_eq!(table.facts.len(), 0);
    }

    #[test]
    fn nobody_joins_a_group_that_is_gone() {
        let (mut table, token) = shared();
        table.removes(BEN, BEN);
        table.does(|group, _, _| group.disband(ANA)).unwrap();
        assert_eq!(joins(&mut table, CARA, &token), Err(JoinRefusal::NoSuchGroup));
        assert_eq!(rejoins(&mut table, BEN), Err(JoinRefusal::NoSuchGroup));
    }

    #[test]
    fn a_full_group_lets_nobody_in() {
        let (mut table, token) = shared();
        table.fills_up();
        assert_eq!(joins(&mut table, CARA, &token), Err(JoinRefusal::Full));
    }
}
