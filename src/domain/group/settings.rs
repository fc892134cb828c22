//! Settings: who may change them, and which system messages tell of it.

use serde::{Deserialize, Serialize};

use crate::attachment::ImageRef;
use crate::event::{Decision, Fact};
use crate::group::{
    AdmissionChange, BrokenRule, Denied, Group, GroupAct, GroupFact, GroupKind, MentionAll,
    Settings,
};
use crate::id_generator::IdGenerator;
use crate::ids::UserId;
use crate::message::SystemMessage;
use crate::named::NamedUser;
use crate::nested_option;
use crate::revision::RevisionPolicy;
use crate::text::{Description, GroupName};
use crate::time::Moment;

/// The settings that a member wants changed: valid, but not yet permitted. `None` leaves a setting
/// as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsChange {
    /// The new name.
    pub name: Option<GroupName>,
    /// The new description; `Some(None)` removes it.
    #[serde(with = "nested_option")]
    pub description: Option<Option<Description>>,
    /// The new picture; `Some(None)` removes it.
    #[serde(with = "nested_option")]
    pub image: Option<Option<ImageRef>>,
    /// Whether a private group is to be closed, or a closed one private.
    pub office_mode: Option<bool>,
    /// Whether sharing is to be on.
    pub share: Option<bool>,
    /// Changes to how messages may be edited and deleted.
    pub revising: RevisionPolicyChange,
    /// The users who may mention everybody.
    pub mention_all: Option<MentionAll>,
    /// What plain members may do.
    #[serde(default)]
    pub group_type: Option<GroupKind>,
    /// Seconds between two posts of one plain member; 0 switches slow mode off.
    #[serde(default)]
    pub slow_mode: Option<u32>,
    /// Changes of how people become members.
    #[serde(default)]
    pub admission: AdmissionChange,
    /// Whether strangers are to find the group in the directory.
    #[serde(default)]
    pub is_searchable: Option<bool>,
}

/// Changes to how messages may be edited and deleted. `None` leaves a value as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevisionPolicyChange {
    /// Minutes in which a sender may edit; as [`RevisionPolicy::edit_minutes`].
    pub edit_minutes: Option<u32>,
    /// Seconds in which a sender may delete; as [`RevisionPolicy::delete_seconds`].
    pub delete_seconds: Option<u32>,
    /// Whether senders may delete, and whether the owner and admins may.
    pub deleters: Option<(bool, bool)>,
}

impl RevisionPolicyChange {
    /// The policy after the change.
    pub fn applied_to(self, policy: RevisionPolicy) -> RevisionPolicy {
        let (by_sender, by_admin) = self.deleters.unwrap_or((policy.by_sender, policy.by_admin));
        RevisionPolicy {
            edit_minutes: self.edit_minutes.unwrap_or(policy.edit_minutes),
            delete_seconds: self.delete_seconds.unwrap_or(policy.delete_seconds),
            by_sender,
            by_admin,
        }
    }
}

/// Why settings were not changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum ChangeRefusal {
    /// The caller is no member, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
    /// The caller's role does not allow the change.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// A rule of the group does not allow it.
    #[error(transparent)]
    Broken(#[from] BrokenRule),
    /// Office mode was switched off in an announcement group.
    #[error("office_mode cannot be false in an announcement group; change group_type")]
    Announcement,
}

impl Group {
    /// Changes settings; a system message tells of each name, description, picture, type, office
    /// mode, slow mode, approval of new members, visibility or sharing that differs. Switching sharing on makes
    /// a token, and a new one each time after it was off.
    ///
    /// # Errors
    /// If the caller may not change the settings of this group.
    pub fn change(
        &self,
        by: UserId,
        wanted: SettingsChange,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, ChangeRefusal> {
        let member = self.member(by).ok_or(ChangeRefusal::NotAMember)?;
        self.permit(member, GroupAct::ChangeGroup, now.wall)?;
        let settings = self.settings.changed(wanted, id_generator)?;
        if settings == self.settings {
            return Ok(Decision::unchanged(()));
        }
        if settings.restricts_otherwise_than(&self.settings) {
            self.permit(member, GroupAct::ChangeType, now.wall)?;
        }
        if settings.share_token != self.settings.share_token {
            self.permit(member, GroupAct::Share, now.wall)?;
        }
        let lines = self.settings.messages_to(&settings, &member.named());
        let mut facts = vec![Fact::Group(GroupFact::SettingsChanged { settings, by })];
        facts.extend(self.system_messages(lines, now.wall, id_generator));
        Ok(Decision { facts, answer: () })
    }
}

impl Settings {
    fn changed(
        &self,
        wanted: SettingsChange,
        id_generator: &dyn IdGenerator,
    ) -> Result<Self, ChangeRefusal> {
        let kind = self.kind_after(&wanted)?;
        let SettingsChange { name, description, image, share, .. } = wanted;
        let share_token = match share {
            None => self.share_token.clone(),
            Some(false) => None,
            Some(true) => self.share_token.clone().or_else(|| Some(id_generator.share_token())),
        };
        Ok(Self {
            name: name.unwrap_or_else(|| self.name.clone()),
            description: description.unwrap_or_else(|| self.description.clone()),
            image: image.unwrap_or_else(|| self.image.clone()),
            kind,
            share_token,
            revising: wanted.revising.applied_to(self.revising),
            mention_all: wanted.mention_all.unwrap_or(self.mention_all),
            slow_mode: wanted.slow_mode.unwrap_or(self.slow_mode),
            admission: wanted.admission.applied_to(&self.admission),
            is_searchable: wanted.is_searchable.unwrap_or(self.is_searchable),
            archived_at: self.archived_at,
            frozen: self.frozen.clone(),
        })
    }

    /// Whether a setting differs that only the owner and admins may change.
    fn restricts_otherwise_than(&self, old: &Self) -> bool {
        self.kind != old.kind
            || self.slow_mode != old.slow_mode
            || self.admission != old.admission
            || self.is_searchable != old.is_searchable
    }

    /// The type of the group after a change. Office mode alone closes a private group and opens a
    /// closed one.
    fn kind_after(&self, wanted: &SettingsChange) -> Result<GroupKind, ChangeRefusal> {
        match (wanted.group_type, wanted.office_mode, self.kind) {
            (Some(kind), ..) => Ok(kind),
            (None, Some(true), GroupKind::Private) => Ok(GroupKind::Closed),
            (None, Some(false), GroupKind::Closed) => Ok(GroupKind::Private),
            (None, Some(false), GroupKind::Announcement) => Err(ChangeRefusal::Announcement),
            (None, _, kind) => Ok(kind),
        }
    }

    /// The system messages for the change from these settings to `new`.
    fn messages_to(&self, new: &Self, user: &NamedUser) -> Vec<SystemMessage> {
        let user = || user.clone();
        let mut lines = Vec::new();
        if new.name != self.name {
            let name = new.name.as_str().to_owned();
            lines.push(SystemMessage::NameChanged { user: user(), name });
        }
        if new.description != self.description {
            let topic = new.description.as_ref().map_or("", Description::as_str).to_owned();
            lines.push(SystemMessage::TopicChanged { user: user(), topic });
        }
        if new.image != self.image {
            lines.push(SystemMessage::AvatarChanged { user: user(), image: new.image.clone() });
        }
        if new.kind != self.kind {
            let edit_minutes = new.revising.edit_minutes;
            lines.push(SystemMessage::TypeChanged { user: user(), kind: new.kind, edit_minutes });
        }
        let on = new.kind.office_mode();
        if on != self.kind.office_mode() {
            lines.push(SystemMessage::OfficeModeChanged { user: user(), on });
        }
        if new.slow_mode != self.slow_mode {
            let seconds = new.slow_mode;
            lines.push(SystemMessage::SlowModeChanged { user: user(), seconds });
        }
        let asks = new.admission.requires_approval;
        if asks != self.admission.requires_approval {
            lines.push(SystemMessage::ApprovalChanged { user: user(), on: asks });
        }
        if new.is_searchable != self.is_searchable {
            let is_searchable = new.is_searchable;
            lines.push(SystemMessage::VisibilityChanged { user: user(), is_searchable });
        }
        if new.share_token != self.share_token {
            lines.push(SystemMessage::SharingChanged {
                user: user(),
                token: new.share_token.clone(),
            });
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, Table};

    fn rename(name: &str) -> SettingsChange {
        SettingsChange {
            name: Some(GroupName::parse(name.to_owned()).unwrap()),
            ..SettingsChange::default()
        }
    }

    fn share(on: bool) -> SettingsChange {
        SettingsChange { share: Some(on), ..SettingsChange::default() }
    }

    #[test]
    fn any_member_may_change_settings() {
        let mut table = Table::of_two();
        table
            .does(|group, now, id_generator| {
                group.change(BEN, rename("Bergsteiger"), now, id_generator)
            })
            .unwrap();
        assert_eq!(table.group.settings.name.as_str(), "Bergsteiger");
        assert_eq!(table.lines(), ["Ben changed the group's name to Bergsteiger."]);
    }

    #[test]
    fn office_mode_keeps_settings_for_owner_and_admins() {
        let mut table = Table::of_two();
        let on = SettingsChange { office_mode: Some(true), ..SettingsChange::default() };
        table.does(|group, now, id_generator| group.change(ANA, on, now, id_generator)).unwrap();
        let refused = table
            .does(|group, now, id_generator| group.change(BEN, rename("x"), now, id_generator));
        let denied = ChangeRefusal::Denied(Denied::Role(GroupAct::ChangeGroup));
        assert_eq!(refused, Err(denied));
        table.promote(BEN);
        table
            .does(|group, now, id_generator| group.change(BEN, rename("x"), now, id_generator))
            .unwrap();
    }

    #[test]
    fn plain_member_of_a_private_group_changes_everything_but_its_type() {
        let mut table = Table::of_two();
        let changes = |table: &mut Table, by, change: SettingsChange| {
            table.does(|group, now, ids| group.change(by, change, now, ids))
        };
        let on = SettingsChange { office_mode: Some(true), ..SettingsChange::default() };
        let denied = Err(ChangeRefusal::Denied(Denied::Role(GroupAct::ChangeType)));
        assert_eq!(changes(&mut table, BEN, on.clone()), denied);
        let off = SettingsChange { office_mode: Some(false), ..SettingsChange::default() };
        changes(&mut table, BEN, off.clone()).unwrap();
        changes(&mut table, BEN, share(true)).unwrap();
        let announcement = Some(GroupKind::Announcement);
        let change = SettingsChange { group_type: announcement, ..SettingsChange::default() };
        changes(&mut table, ANA, change).unwrap();
        assert_eq!(changes(&mut table, ANA, off), Err(ChangeRefusal::Announcement));
        changes(&mut table, ANA, on).unwrap();
        assert!(table.facts.is_empty());
    }

    #[test]
    fn each_setting_change_adds_one_counted_line() {
        let mut table = Table::of_two();
        let description = Description::parse("ropes".to_owned()).unwrap();
        let wanted = SettingsChange {
            description: Some(Some(description)),
            office_mode: Some(true),
            share: Some(true),
            ..rename("Climbers United")
        };
        table
            .does(|group, now, id_generator| group.change(ANA, wanted, now, id_generator))
            .unwrap();
        let told = [
            "Ana changed the group's name to Climbers United.",
            "Ana changed the topic to: ropes",
            "Ana changed the group's type to closed.",
            "Ana switched office mode on.",
            "Ana switched the share link on.",
        ];
        assert_eq!(table.lines(), told);
        assert_eq!(table.group.count, 6, "they follow the message about Ben");
    }

    #[test]
    fn unchanged_setting_makes_no_event() {
        let mut table = Table::of_two();
        let same = SettingsChange { share: Some(false), ..rename("Climbers") };
        table.does(|group, now, id_generator| group.change(ANA, same, now, id_generator)).unwrap();
        assert_eq!(table.facts.len(), 0);
    }

    #[test]
    fn reenabled_sharing_makes_a_new_token() {
        let mut table = Table::of_two();
        let mut token_after = |on: bool| {
            table
                .does(|group, now, id_generator| group.change(ANA, share(on), now, id_generator))
                .unwrap();
            table.group.settings.share_token.clone()
        };
        let first = token_after(true);
        assert!(first.is_some());
        assert_eq!(token_after(true), first);
        assert_eq!(token_after(false), None);
        let second = token_after(true);
        assert!(second.is_some() && second != first);
    }
}
