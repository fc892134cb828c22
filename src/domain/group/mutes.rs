//! Muting a group: a member gets no notices of it, for a time or until they unmute it.

use serde::{Deserialize, Serialize};

use crate::alarm::AlarmAnswer;
use crate::event::{Decision, Fact};
use crate::group::{Group, GroupFact, Member};
use crate::ids::UserId;
use crate::notices::{FOR_EVER, Muting};
use crate::time::Timestamp;

/// Why a group was not muted or unmuted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum MuteRefusal {
    /// The caller is no member, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
}

impl Group {
    /// Mutes or unmutes the group for a member. No system message tells of it, since it concerns
    /// nobody else.
    ///
    /// # Errors
    /// If the caller is no member.
    pub fn mute(
        &self,
        by: UserId,
        muting: Muting,
        now: Timestamp,
    ) -> Result<Decision<Member>, MuteRefusal> {
        let known = self.member(by).ok_or(MuteRefusal::NotAMember)?;
        let until = muting.until(now);
        if known.muted_until() == until {
            return Ok(Decision::unchanged(known.clone()));
        }
        let mute_ends = until.filter(|until| *until < FOR_EVER);
        let member = Member { muted: until.is_some(), mute_ends, ..known.clone() };
        let fact = Fact::Group(GroupFact::MemberChanged { member: member.clone(), by });
        Ok(Decision { facts: vec![fact], answer: member })
    }

    /// The facts of the end of a mute whose time is over.
    pub(super) fn end_mute(&self, of: UserId, now: Timestamp) -> AlarmAnswer<Vec<Fact>> {
        let muted = self.member(of).and_then(|member| Some((member.mute_ends?, member)));
        AlarmAnswer::due(muted, now).map(|member| {
            let member = Member { muted: false, mute_ends: None, ..member.clone() };
            vec![Fact::Group(GroupFact::MemberChanged { member, by: of })]
        })
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use crate::group::fixtures::{BEN, Table};

    fn mute(table: &mut Table, muting: Muting) -> Member {
        table.does(|group, now, _| group.mute(BEN, muting, now.wall)).unwrap()
    }

    #[test]
    fn muting_adds_no_line_and_persists() {
        let mut table = Table::of_two();
        assert_eq!(mute(&mut table, Muting::ForEver).muted_until(), Some(FOR_EVER));
        assert!(table.group.member(BEN).unwrap().muted);
        assert!(table.lines().is_empty());
        mute(&mut table, Muting::ForEver);
        assert_eq!(table.facts.len(), 0, "the same again is no change");
        assert_eq!(mute(&mut table, Muting::Over).muted_until(), None);
    }

    #[test]
    fn a_mute_for_a_time_ends_then_and_not_before() {
        let mut table = Table::of_two();
        let minute = Muting::For(NonZeroU32::MIN);
        let end = mute(&mut table, minute).mute_ends.unwrap();
        let early = Timestamp::from_millis(end.millis() - 1);
        assert_eq!(table.group.end_mute(BEN, early), AlarmAnswer::NotBefore(end));
        assert!(
            matches!(table.group.end_mute(BEN, end), AlarmAnswer::Rung(facts) if facts.len() == 1)
        );
        mute(&mut table, Muting::ForEver);
        assert_eq!(table.group.end_mute(BEN, FOR_EVER), AlarmAnswer::NothingToDo);
    }
}
