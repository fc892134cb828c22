//! Timeouts: members who may read and leave, and nothing else, until a time. A timeout ends by
//! itself, without a fact, or when an admin ends it; leaving the group does not end it.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::group::{Denied, Group, GroupAct, GroupFact, Moderation, NamedRule, Role};
use crate::ids::{MembershipId, UserId};
use crate::limits::TIMEOUT_MILLIS;
use crate::text::ModerationReason;
use crate::time::Timestamp;

/// A user who may only read in a group until a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeout {
    /// The user.
    pub user: UserId,
    /// The reason, for the owner, admins and the user.
    pub reason: Option<ModerationReason>,
    /// When the timeout ends.
    pub until: Timestamp,
    /// The member who timed the user out.
    pub by: UserId,
    /// When the user was timed out.
    pub at: Timestamp,
    /// The rule that timed the user out; `by` is who saved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<NamedRule>,
}

/// A timeout that a member wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewTimeout {
    /// How long it lasts.
    pub end: TimeoutEnd,
    /// The reason.
    pub reason: Option<ModerationReason>,
}

/// When a timeout ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeoutEnd {
    /// After so many seconds.
    After(u64),
    /// At this time.
    At(Timestamp),
}

/// Why a member was not timed out, or a timeout not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum TimeoutRefusal {
    /// The caller is no member, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
    /// The membership is none of the group's.
    #[error("there is no such membership in this group")]
    NoSuchMembership,
    /// The caller may not time this member out.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// Nobody times the owner out.
    #[error("the owner cannot be timed out")]
    Owner,
    /// The caller named themselves.
    #[error("you cannot time yourself out")]
    Oneself,
    /// The timeout would be over already.
    #[error("until must be in the future")]
    Past,
    /// The timeout would be too long.
    #[error("a timeout lasts at most 28 days")]
    TooLong,
}

impl Group {
    /// The timeout of a user that lasts now; in a topic also one in its group.
    pub fn timeout_of(&self, user: UserId, now: Timestamp) -> Option<&Timeout> {
        let own = self.timeouts.get(&user).filter(|timeout| timeout.until > now);
        own.or_else(|| self.parent.as_ref()?.group.timeout_of(user, now))
    }

    /// Whether a member sees the timeouts of others.
    pub fn sees_timeouts(&self, reader: UserId) -> bool {
        self.member(reader).is_some_and(|member| self.grants(member, GroupAct::TimeOut))
    }

    /// Times a member out, or replaces their timeout.
    ///
    /// # Errors
    /// If the caller may not time this member out, or the end is past or more than 28 days away.
    pub fn time_out(
        &self,
        by: UserId,
        membership: MembershipId,
        new: NewTimeout,
        now: Timestamp,
    ) -> Result<Decision<Timeout>, TimeoutRefusal> {
        let asker = self.member(by).ok_or(TimeoutRefusal::NotAMember)?;
        self.permit(asker, GroupAct::TimeOut, now)?;
        let mut members = self.all_members();
        let member = members.find(|member| member.membership_id == membership);
        let member = member.ok_or(TimeoutRefusal::NoSuchMembership)?;
        match member.role {
            _ if member.user_id == by => return Err(TimeoutRefusal::Oneself),
            Role::Owner => return Err(TimeoutRefusal::Owner),
            Role::Admin => self.permit(asker, GroupAct::RemoveAdmins, now)?,
            Role::Member => {}
        }
        let until = match new.end {
            TimeoutEnd::After(seconds) => now.plus_millis(seconds.saturating_mul(1000)),
            TimeoutEnd::At(until) => until,
        };
        if until <= now {
            return Err(TimeoutRefusal::Past);
        }
        if until > now.plus_millis(TIMEOUT_MILLIS) {
            return Err(TimeoutRefusal::TooLong);
        }
        let user = member.user_id;
        let timeout = Timeout { user, reason: new.reason, until, by, at: now, rule: None };
        let fact = GroupFact::Moderated(Moderation::TimedOut(timeout.clone()).into());
        Ok(Decision { facts: vec![Fact::Group(fact)], answer: timeout })
    }

    /// Ends the timeout of a user, named by a membership that lasts or has ended. Decides nothing
    /// if there is none.
    ///
    /// # Errors
    /// If there is no such membership, or the caller may not end timeouts.
    pub fn end_timeout(
        &self,
        by: UserId,
        membership: MembershipId,
        now: Timestamp,
    ) -> Result<Decision<()>, TimeoutRefusal> {
        let asker = self.member(by).ok_or(TimeoutRefusal::NotAMember)?;
        self.permit(asker, GroupAct::TimeOut, now)?;
        let found = self.user_of_membership(by, membership);
        let (user, _) = found.map_err(|_| TimeoutRefusal::NoSuchMembership)?;
        if self.timeout_of(user, now).is_none() {
            return Ok(Decision::unchanged(()));
        }
        let is_admin = self.member(user).is_some_and(|member| member.role != Role::Member);
        if is_admin {
            self.permit(asker, GroupAct::RemoveAdmins, now)?;
        }
        let fact = GroupFact::Moderated(Moderation::TimeoutEnded { user, by }.into());
        Ok(Decision { facts: vec![Fact::Group(fact)], answer: () })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::JoinAttempt;
    use crate::group::fixtures::{ANA, BEN, CARA, Table};

    const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);

    fn times_out(
        table: &mut Table,
        by: UserId,
        whom: UserId,
        seconds: u64,
    ) -> Result<Timeout, TimeoutRefusal> {
        let membership = table.group.members[&whom].membership_id;
        let new = NewTimeout { end: TimeoutEnd::After(seconds), reason: None };
        table.does(|group, now, _| group.time_out(by, membership, new, now.wall))
    }

    #[test]
    fn timeout_bars_writing_until_it_ends() {
        let mut table = Table::of_two();
        let timeout = times_out(&mut table, ANA, BEN, 60).unwrap();
        let ben = table.group.members[&BEN].clone();
        let permit = |act, at| table.group.permit(&ben, act, at);
        assert_eq!(permit(GroupAct::Post, NOW), Err(Denied::TimedOut(timeout.until)));
        assert_eq!(permit(GroupAct::Read, NOW), Ok(()));
        assert_eq!(permit(GroupAct::Leave, NOW), Ok(()));
        assert_eq!(permit(GroupAct::Post, timeout.until), Ok(()));
    }

    #[test]
    fn timeouts_survive_leaving_and_end_by_an_admin() {
        let mut table = Table::of_two();
        let token = table.shares();
        let membership = table.group.members[&BEN].membership_id;
        times_out(&mut table, ANA, BEN, 60).unwrap();
        table.removes(BEN, BEN);
        let ben = crate::group::fixtures::newcomer(BEN);
        table.does(|group, now, ids| group.join(ben, JoinAttempt::by(&token), now, ids)).unwrap();
        assert!(table.group.timeout_of(BEN, NOW).is_some());
        let membership = table.group.members.get(&BEN).map_or(membership, |it| it.membership_id);
        table.does(|group, now, _| group.end_timeout(ANA, membership, now.wall)).unwrap();
        assert!(table.group.timeout_of(BEN, NOW).is_none());
    }

    #[test]
    fn timeouts_are_refused_by_role_and_length() {
        let mut table = Table::of_three();
        let denied = |act| Err(TimeoutRefusal::Denied(Denied::Role(act)));
        assert_eq!(times_out(&mut table, BEN, CARA, 60), denied(GroupAct::TimeOut));
        table.promote(BEN);
        table.promote(CARA);
        assert_eq!(times_out(&mut table, BEN, CARA, 60), denied(GroupAct::RemoveAdmins));
        assert_eq!(times_out(&mut table, BEN, ANA, 60), Err(TimeoutRefusal::Owner));
        assert_eq!(times_out(&mut table, BEN, BEN, 60), Err(TimeoutRefusal::Oneself));
        assert_eq!(times_out(&mut table, ANA, CARA, 0), Err(TimeoutRefusal::Past));
        let long = 28 * 86_400 + 1;
        assert_eq!(times_out(&mut table, ANA, CARA, long), Err(TimeoutRefusal::TooLong));
    }
}
