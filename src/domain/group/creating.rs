//! Creating: what a new group starts with.

use serde::{Deserialize, Serialize};

use crate::domain::attachment::ImageRef;
use crate::domain::group::{GroupFact, Member, MentionAll, Role, Settings};
use crate::domain::id_generator::IdGenerator;
use crate::domain::ids::UserId;
use crate::domain::revision::RevisionPolicy;
use crate::domain::text::{Description, GroupName, UserName};

/// A group that somebody wants: parsed, always allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewGroup {
    /// Its name.
    pub name: GroupName,
    /// What it is about.
    pub description: Option<Description>,
    /// Its picture.
    pub image: Option<ImageRef>,
    /// Whether it gets a share URL at once.
    pub share: bool,
    /// Whether settings and members are for the owner and admins only.
    pub office_mode: bool,
    /// Who may mention everybody.
    pub mention_all: MentionAll,
}

/// Who comes into a group, as far as the group has to know them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Starter {
    /// Who.
    pub id: UserId,
    /// Called what.
    pub name: UserName,
    /// Their picture.
    pub image: Option<ImageRef>,
}

impl NewGroup {
    /// The first fact of the group. It writes no line: a new group's list of
    /// messages is empty.
    pub fn found(self, owner: Starter, id_generator: &dyn IdGenerator) -> GroupFact {
        let settings = Settings {
            name: self.name,
            description: self.description,
            image: self.image,
            office_mode: self.office_mode,
            share_token: self.share.then(|| id_generator.share_token()),
            revising: RevisionPolicy::default(),
            mention_all: self.mention_all,
        };
        let owner = Member {
            membership_id: id_generator.membership(),
            user_id: owner.id,
            name: owner.name.as_str().to_owned(),
            nickname: owner.name.into(),
            image: owner.image,
            role: Role::Owner,
            muted: false,
            mute_ends: None,
        };
        GroupFact::Created { settings, owner }
    }
}
