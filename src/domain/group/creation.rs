//! Creating a group: what a new group starts with.

use serde::{Deserialize, Serialize};

use crate::attachment::ImageRef;
use crate::group::{Admission, GroupFact, GroupKind, Member, MentionAll, Role, Settings};
use crate::id_generator::IdGenerator;
use crate::ids::UserId;
use crate::text::{Description, GroupName, UserName};

/// A group to be created. The values are valid, and anybody may create a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewGroup {
    /// The group's name.
    pub name: GroupName,
    /// The group's description.
    pub description: Option<Description>,
    /// The group's picture.
    pub image: Option<ImageRef>,
    /// Whether it gets a share URL at once.
    pub share: bool,
    /// Whether the group is closed, if no type is given.
    pub office_mode: bool,
    /// The users who may mention everybody.
    pub mention_all: MentionAll,
    /// What plain members may do.
    #[serde(default)]
    pub group_type: Option<GroupKind>,
    /// Seconds between two posts of one plain member; 0 leaves slow mode off.
    #[serde(default)]
    pub slow_mode: u32,
    /// How people become members.
    #[serde(default)]
    pub admission: Admission,
    /// Whether strangers find it in the directory.
    #[serde(default)]
    pub is_searchable: bool,
}

/// A user who comes into a group, as far as the group has to know them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Newcomer {
    /// The user's id.
    pub id: UserId,
    /// The user's name, which becomes the nickname unless another is given.
    pub name: UserName,
    /// The user's picture.
    pub image: Option<ImageRef>,
    /// Whether the user is a guest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_guest: bool,
}

impl NewGroup {
    /// The first fact of the group. There is no system message: the list of messages of a new group
    /// is empty.
    pub fn created_by(self, owner: Newcomer, id_generator: &dyn IdGenerator) -> GroupFact {
        let by_office_mode = if self.office_mode { GroupKind::Closed } else { GroupKind::Private };
        let settings = Settings {
            description: self.description,
            image: self.image,
            kind: self.group_type.unwrap_or(by_office_mode),
            share_token: self.share.then(|| id_generator.share_token()),
            mention_all: self.mention_all,
            slow_mode: self.slow_mode,
            admission: self.admission,
            is_searchable: self.is_searchable,
            ..Settings::plain(self.name)
        };
        GroupFact::Created { settings, owner: Member::owner(owner, id_generator) }
    }
}

impl Member {
    /// The first member of a new group.
    pub(super) fn owner(owner: Newcomer, id_generator: &dyn IdGenerator) -> Self {
        let nickname = owner.name.clone().into();
        Self { role: Role::Owner, ..Self::added(owner, nickname, id_generator) }
    }
}
