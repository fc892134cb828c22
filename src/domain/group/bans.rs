//! Bans: users who are kept out of a group. A ban that ends by itself is over from that time on; no
//! fact notes it. After a ban, the user counts as removed.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::group::{Denied, Group, GroupAct, GroupFact, MembershipEnd, Moderation, Newcomer, Role};
use crate::id_generator::IdGenerator;
use crate::ids::{MembershipId, UserId};
use crate::limits::GROUP_BANS;
use crate::message::SystemMessage;
use crate::text::ModerationReason;
use crate::time::{Moment, Timestamp};

/// A user who is kept out of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ban {
    /// The user.
    pub user: UserId,
    /// The last nickname of the user in the group, or else the name of the account.
    pub name: String,
    /// The reason, for the owner, admins and the user.
    pub reason: Option<ModerationReason>,
    /// When the ban ends; `None` if it lasts until it is lifted.
    pub until: Option<Timestamp>,
    /// The member who banned the user.
    pub by: UserId,
    /// When the user was banned.
    pub at: Timestamp,
}

impl Ban {
    /// Whether the ban has ended by itself.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}

/// A ban that a member wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewBan {
    /// The user.
    pub user: Newcomer,
    /// The reason.
    pub reason: Option<ModerationReason>,
    /// When the ban ends; `None` if it lasts until it is lifted.
    pub until: Option<Timestamp>,
    /// Whether messages of the user are to be deleted too.
    pub deletes: bool,
}

/// Why a user was not banned, or a ban not lifted or listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum BanRefusal {
    /// The caller is no member, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
    /// There is no such account.
    #[error("there is no such user")]
    NoUser,
    /// The membership is none of the group's.
    #[error("there is no such membership in this group")]
    NoSuchMembership,
    /// The caller may not ban this user.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// Nobody bans the owner.
    #[error("the owner cannot be banned")]
    Owner,
    /// The caller named themselves.
    #[error("you cannot ban yourself; leave the group instead")]
    Oneself,
    /// The ban would be over already.
    #[error("until must be in the future")]
    Past,
    /// The group has too many bans.
    #[error("a group has at most {GROUP_BANS} bans")]
    Full,
}

impl Group {
    /// The ban that keeps a user out now.
    pub fn ban_of(&self, user: UserId, now: Timestamp) -> Option<&Ban> {
        self.bans.get(&user).filter(|ban| !ban.is_over(now))
    }

    /// Bans a user: a member goes at once, a request to become a member ends, and a stranger is
    /// kept out. Replaces a ban of the same user.
    ///
    /// # Errors
    /// If the caller may not ban this user, the ban would be over, or the group has too many.
    pub fn ban(
        &self,
        by: UserId,
        new: NewBan,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<Ban>, BanRefusal> {
        let asker = self.member(by).ok_or(BanRefusal::NotAMember)?;
        self.permit(asker, GroupAct::Ban, now.wall)?;
        if new.deletes {
            self.permit(asker, GroupAct::DeleteMessages, now.wall)?;
        }
        let NewBan { user: Newcomer { id: user, name, .. }, reason, until, .. } = new;
        if user == by {
            return Err(BanRefusal::Oneself);
        }
        if user == self.creator {
            return Err(BanRefusal::Owner);
        }
        let member = self.member(user);
        match member.map(|member| member.role) {
            Some(Role::Owner | Role::Admin) => {
                self.permit(asker, GroupAct::RemoveAdmins, now.wall)?
            }
            Some(Role::Member) | None => {}
        }
        if until.is_some_and(|until| until <= now.wall) {
            return Err(BanRefusal::Past);
        }
        let others = self.bans.values().filter(|ban| ban.user != user && !ban.is_over(now.wall));
        if others.count() >= GROUP_BANS {
            return Err(BanRefusal::Full);
        }
        let last = member.or_else(|| self.former.get(&user).map(|former| &former.member));
        let name = last.map_or(name.as_str(), |member| member.nickname.as_str()).to_owned();
        let ban = Ban { user, name, reason, until, by, at: now.wall };
        let banned = Moderation::Banned(ban.clone());
        let mut facts = vec![Fact::Group(GroupFact::Moderated(banned.into()))];
        if let Some(member) = member {
            let line = SystemMessage::Removed { removed: member.named(), remover: asker.named() };
            let member = member.clone();
            let parting = MembershipEnd::Removed;
            facts.push(Fact::Group(GroupFact::MemberLeft { member, parting, by }));
            facts.push(self.system_message(line, now.wall, id_generator));
        }
        Ok(Decision { facts, answer: ban })
    }

    /// Lifts the ban of a user. Decides nothing if there is none.
    ///
    /// # Errors
    /// If the caller may not lift bans.
    pub fn unban(
        &self,
        by: UserId,
        user: UserId,
        now: Timestamp,
    ) -> Result<Decision<()>, BanRefusal> {
        let asker = self.member(by).ok_or(BanRefusal::NotAMember)?;
        self.permit(asker, GroupAct::Ban, now)?;
        if self.ban_of(user, now).is_none() {
            return Ok(Decision::unchanged(()));
        }
        let lifted = Moderation::Unbanned { user, by };
        Ok(Decision { facts: vec![Fact::Group(GroupFact::Moderated(lifted.into()))], answer: () })
    }

    /// The bans that are not over, the newest first.
    ///
    /// # Errors
    /// If the reader may not see them.
    pub fn bans_for(&self, reader: UserId, now: Timestamp) -> Result<Vec<Ban>, BanRefusal> {
        let reader = self.member(reader).ok_or(BanRefusal::NotAMember)?;
        self.permit(reader, GroupAct::Ban, now)?;
        let mut bans: Vec<Ban> =
            self.bans.values().filter(|ban| !ban.is_over(now)).cloned().collect();
        bans.sort_by_key(|ban| std::cmp::Reverse((ban.at, ban.user)));
        Ok(bans)
    }

    /// The user of a membership that lasts or has ended, and whether it lasts.
    ///
    /// # Errors
    /// If the reader is no member and the membership not their own, or there is no such membership.
    pub fn user_of_membership(
        &self,
        reader: UserId,
        membership: MembershipId,
    ) -> Result<(UserId, bool), BanRefusal> {
        let is_asked = |id: MembershipId| id == membership && !self.disbanded;
        let lasting = self.members.values().find(|it| is_asked(it.membership_id));
        let former = || self.former.values().find(|it| is_asked(it.member.membership_id));
        let found = match lasting {
            Some(member) => Some((member.user_id, true)),
            None => former().map(|former| (former.member.user_id, false)),
        };
        match found {
            Some((user, is_member)) if user == reader => Ok((user, is_member)),
            _ if self.member(reader).is_none() => Err(BanRefusal::NotAMember),
            found => found.ok_or(BanRefusal::NoSuchMembership),
        }
    }

    /// Keeps a ban, and forgets those that are over. The user's request to become a member ends; a
    /// former member counts as removed.
    pub(super) fn keep_ban(&mut self, ban: &Ban, at: Timestamp) {
        self.bans.retain(|_, known| !known.is_over(at));
        self.bans.insert(ban.user, ban.clone());
        self.requests.remove(&ban.user);
        if let Some(former) = self.former.get_mut(&ban.user) {
            former.parting = MembershipEnd::Removed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, CARA, Table, newcomer};
    use crate::group::{JoinAttempt, JoinRefusal};

    fn bans(table: &mut Table, by: UserId, whom: UserId) -> Result<Ban, BanRefusal> {
        let new = NewBan { user: newcomer(whom), reason: None, until: None, deletes: false };
        table.does(|group, now, id_generator| group.ban(by, new, now, id_generator))
    }

    fn joins(table: &mut Table, user: UserId, token: &str) -> Result<(), JoinRefusal> {
        let join = table
            .does(|group, now, ids| group.join(newcomer(user), JoinAttempt::by(token), now, ids));
        join.map(drop)
    }

    #[test]
    fn banned_member_goes_with_a_line_and_cannot_return() {
        let mut table = Table::of_two();
        let token = table.shares();
        bans(&mut table, ANA, BEN).unwrap();
        assert_eq!(table.lines(), ["Ana removed Ben from the group."]);
        assert_eq!(table.heard_by(BEN), [false, true, false]);
        let is_refused = |refusal| matches!(refusal, Err(JoinRefusal::Banned(_)));
        assert!(is_refused(joins(&mut table, BEN, &token)));
        let rejoined = table.does(|group, now, ids| group.rejoin(newcomer(BEN), now, ids));
        assert!(is_refused(rejoined));
        table.does(|group, now, _| group.unban(ANA, BEN, now.wall)).unwrap();
        joins(&mut table, BEN, &token).unwrap();
    }

    #[test]
    fn ban_of_one_who_left_makes_them_removed() {
        let mut table = Table::of_two();
        table.removes(BEN, BEN);
        bans(&mut table, ANA, BEN).unwrap();
        assert!(table.lines().is_empty());
        assert_eq!(table.group.former[&BEN].parting, MembershipEnd::Removed);
        table.does(|group, now, _| group.unban(ANA, BEN, now.wall)).unwrap();
        let rejoined = table.does(|group, now, ids| group.rejoin(newcomer(BEN), now, ids));
        assert_eq!(rejoined, Err(JoinRefusal::Removed));
    }

    #[test]
    fn admins_ban_members_and_only_the_owner_admins() {
        let mut table = Table::of_three();
        let denied = |act| Err(BanRefusal::Denied(Denied::Role(act)));
        assert_eq!(bans(&mut table, BEN, CARA), denied(GroupAct::Ban));
        table.promote(BEN);
        table.promote(CARA);
        assert_eq!(bans(&mut table, BEN, CARA), denied(GroupAct::RemoveAdmins));
        assert_eq!(bans(&mut table, BEN, ANA), Err(BanRefusal::Owner));
        assert_eq!(bans(&mut table, BEN, BEN), Err(BanRefusal::Oneself));
        bans(&mut table, ANA, CARA).unwrap();
    }

    #[test]
    fn ban_ends_by_itself() {
        let mut table = Table::of_two();
        let end = Timestamp::from_seconds(1_800_000_060);
        let user = newcomer(CARA);
        let new = NewBan { user, reason: None, until: Some(end), deletes: false };
        table.does(|group, now, ids| group.ban(ANA, new, now, ids)).unwrap();
        let before = Timestamp::from_millis(end.millis() - 1);
        assert!(table.group.ban_of(CARA, before).is_some());
        assert_eq!(table.group.ban_of(CARA, end), None);
        assert!(table.group.bans_for(ANA, end).unwrap().is_empty());
        let past = NewBan {
            user: newcomer(CARA),
            reason: None,
            until: Some(Timestamp::from_seconds(1_800_000_000)),
            deletes: false,
        };
        let refused = table.does(|group, now, ids| group.ban(ANA, past, now, ids));
        assert_eq!(refused, Err(BanRefusal::Past));
    }
}
