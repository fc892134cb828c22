//! What brings a group to a standstill: its owner archives it, or operators freeze it. Both can be
//! undone, and nothing is lost meanwhile.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::group::{
    ChangeRefusal, Denied, Group, GroupAct, GroupFact, JoinRefusal, NOBODY, Settings,
};
use crate::id_generator::IdGenerator;
use crate::ids::UserId;
use crate::message::SystemMessage;
use crate::time::{Moment, Timestamp};

/// When operators froze a group, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Freeze {
    /// When they froze it.
    pub at: Timestamp,
    /// Why they froze it, in words for the members.
    pub reason: String,
}

/// What an operator does to a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum OperatorGroupAct {
    /// Freezes it for this reason.
    Freeze {
        /// Why, in words for the members.
        reason: String,
    },
    /// Ends the freeze.
    Unfreeze,
    /// Takes it out of the directory.
    Unlist,
    /// Disbands it.
    Disband,
}

/// Why an operator's act on a group was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum OperatorGroupRefusal {
    /// There is no such group.
    #[error("there is no such group")]
    NoSuchGroup,
    /// It is frozen already.
    #[error("this group is frozen already")]
    Frozen,
    /// It is not frozen.
    #[error("this group is not frozen")]
    NotFrozen,
    /// The directory does not list it.
    #[error("this group is not in the directory")]
    NotListed,
}

impl GroupAct {
    /// Whether a member may do it while the group is archived.
    const fn survives_archive(self) -> bool {
        self.only_looks() || matches!(self, Self::Archive | Self::HandOver | Self::Disband)
    }

    /// Whether a member may do it while the group is frozen: what looks after the group. A copy would be
    /// a way around the freeze.
    const fn survives_freeze(self) -> bool {
        self.only_looks() && !matches!(self, Self::Copy)
            || matches!(
                self,
                Self::DeleteMessages
                    | Self::RemoveMembers
                    | Self::RemoveAdmins
                    | Self::Ban
                    | Self::TimeOut
                    | Self::DecideReports
            )
    }
}

impl Settings {
    /// Whether the group is archived or frozen.
    pub const fn is_at_standstill(&self) -> bool {
        self.archived_at.is_some() || self.frozen.is_some()
    }

    /// Lets an act through if the group is neither archived nor frozen, or the act needs no more.
    ///
    /// # Errors
    /// If the act has to wait.
    pub(super) fn refuse_at_standstill(&self, act: GroupAct) -> Result<(), Denied> {
        if self.frozen.is_some() && !act.survives_freeze() {
            return Err(Denied::Frozen);
        }
        if self.archived_at.is_some() && !act.survives_archive() {
            return Err(Denied::Archived);
        }
        Ok(())
    }
}

impl Group {
    /// Refuses newcomers while the group is archived or frozen.
    ///
    /// # Errors
    /// If it is.
    pub(super) fn refuse_newcomers_at_standstill(&self) -> Result<(), JoinRefusal> {
        Ok(self.settings.refuse_at_standstill(GroupAct::AddMembers)?)
    }

    /// Archives the group, or takes it out of the archive. Decides nothing if it is as wanted.
    ///
    /// # Errors
    /// If the caller is not the owner, or the group is frozen.
    pub fn archive(
        &self,
        by: UserId,
        is_wanted: bool,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, ChangeRefusal> {
        let member = self.member(by).ok_or(ChangeRefusal::NotAMember)?;
        self.permit(member, GroupAct::Archive, now.wall)?;
        if self.settings.archived_at.is_some() == is_wanted {
            return Ok(Decision::unchanged(()));
        }
        let archived_at = is_wanted.then_some(now.wall);
        let settings = Settings { archived_at, ..self.settings.clone() };
        let line = SystemMessage::ArchiveChanged { user: member.named(), is_archived: is_wanted };
        Ok(self.settled(settings, by, Some(line), now, id_generator))
    }

    /// Does what an operator asks for.
    ///
    /// # Errors
    /// If there is nothing to do.
    pub fn operate(
        &self,
        act: OperatorGroupAct,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, OperatorGroupRefusal> {
        if self.disbanded {
            return Err(OperatorGroupRefusal::NoSuchGroup);
        }
        let old = self.settings.clone();
        match act {
            OperatorGroupAct::Freeze { .. } if old.frozen.is_some() => {
                Err(OperatorGroupRefusal::Frozen)
            }
            OperatorGroupAct::Freeze { reason } => {
                let line = SystemMessage::FreezeChanged { reason: Some(reason.clone()) };
                let settings = Settings { frozen: Some(Freeze { at: now.wall, reason }), ..old };
                Ok(self.settled(settings, NOBODY, Some(line), now, id_generator))
            }
            OperatorGroupAct::Unfreeze if old.frozen.is_none() => {
                Err(OperatorGroupRefusal::NotFrozen)
            }
            OperatorGroupAct::Unfreeze => {
                let line = SystemMessage::FreezeChanged { reason: None };
                let settings = Settings { frozen: None, ..old };
                Ok(self.settled(settings, NOBODY, Some(line), now, id_generator))
            }
            OperatorGroupAct::Unlist if !old.is_searchable => Err(OperatorGroupRefusal::NotListed),
            OperatorGroupAct::Unlist => {
                let settings = Settings { is_searchable: false, ..old };
                Ok(self.settled(settings, NOBODY, None, now, id_generator))
            }
            OperatorGroupAct::Disband => {
                let fact = Fact::Group(GroupFact::Disbanded { by: NOBODY });
                Ok(Decision { facts: vec![fact], answer: () })
            }
        }
    }

    fn settled(
        &self,
        settings: Settings,
        by: UserId,
        line: Option<SystemMessage>,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Decision<()> {
        let mut facts = vec![Fact::Group(GroupFact::SettingsChanged { settings, by })];
        facts.extend(line.map(|line| self.system_message(line, now.wall, id_generator)));
        Decision { facts, answer: () }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, CARA, Table, newcomer};
    use crate::group::{JoinAttempt, Role};

    fn left(table: &Table, by: UserId) -> Vec<&'static str> {
        let member = table.group.member(by).unwrap();
        table.group.permissions(member, Timestamp::default()).map(GroupAct::as_str).collect()
    }

    #[test]
    fn archived_group_is_read_left_and_taken_out_again() {
        let mut table = Table::of_two();
        let token = table.shares();
        let archives = |table: &mut Table, by, is_wanted| {
            table.does(|group, now, ids| group.archive(by, is_wanted, now, ids))
        };
        let denied = ChangeRefusal::Denied(Denied::Role(GroupAct::Archive));
        assert_eq!(archives(&mut table, BEN, true), Err(denied));
        archives(&mut table, ANA, true).unwrap();
        assert_eq!(table.lines(), ["Ana archived the group."]);
        archives(&mut table, ANA, true).unwrap();
        assert!(table.facts.is_empty(), "it is archived already");
        assert_eq!(left(&table, BEN), ["read", "report", "leave"]);
        assert_eq!(
            left(&table, ANA),
            [
                "read",
                "report",
                "copy",
                "list_members",
                "read_history",
                "read_audit",
                "hand_over",
                "archive",
                "disband"
            ]
        );
        let join = |table: &mut Table| {
            let attempt = JoinAttempt::by(&token);
            table.does(|group, now, ids| group.join(newcomer(CARA), attempt, now, ids)).map(drop)
        };
        assert_eq!(join(&mut table), Err(JoinRefusal::Denied(Denied::Archived)));
        archives(&mut table, ANA, false).unwrap();
        join(&mut table).unwrap();
    }

    #[test]
    fn frozen_group_is_looked_after_only() {
        let mut table = Table::of_two();
        table.promote(BEN);
        assert_eq!(table.group.member(BEN).unwrap().role, Role::Admin);
        let operates = |table: &mut Table, act: OperatorGroupAct| {
            table.does(|group, now, ids| group.operate(act, now, ids))
        };
        let freeze = OperatorGroupAct::Freeze { reason: "spam".to_owned() };
        let unfreeze = || OperatorGroupAct::Unfreeze;
        assert_eq!(operates(&mut table, unfreeze()), Err(OperatorGroupRefusal::NotFrozen));
        operates(&mut table, freeze.clone()).unwrap();
        assert_eq!(operates(&mut table, freeze), Err(OperatorGroupRefusal::Frozen));
        assert_eq!(
            left(&table, BEN),
            [
                "read",
                "report",
                "leave",
                "list_members",
                "read_history",
                "delete_messages",
                "remove_members",
                "ban",
                "time_out",
                "decide_reports",
                "read_audit"
            ]
        );
        let archived = table.does(|group, now, ids| group.archive(ANA, true, now, ids));
        assert_eq!(archived, Err(ChangeRefusal::Denied(Denied::Frozen)));
        operates(&mut table, unfreeze()).unwrap();
        assert!(table.group.settings.frozen.is_none());
        let unlist = OperatorGroupAct::Unlist;
        assert_eq!(operates(&mut table, unlist), Err(OperatorGroupRefusal::NotListed));
    }
}
