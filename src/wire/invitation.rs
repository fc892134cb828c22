//! What a share URL opens, in JSON, for whoever has it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::group::Group;
use crate::domain::ids::UserId;
use crate::domain::text::{Description, GroupName, Nickname};
use crate::wire::instance::Instance;
use crate::wire::schema::scalars::TextId;

/// What one is invited to, and by whom.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Invitation<'a> {
    /// The group.
    group: SharedSettings<'a>,
    /// Who invites: a member named by `from`, otherwise the owner.
    invited_by: Inviter<'a>,
}

/// As much of a group as somebody sees who is not in it yet.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct SharedSettings<'a> {
    /// Names the group.
    id: TextId,
    /// What it is called.
    name: &'a GroupName,
    /// What it is about.
    description: &'a Option<Description>,
    /// The picture of the group.
    image_url: Option<String>,
    /// How many people are in it.
    members_count: usize,
}

/// Who invites.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct Inviter<'a> {
    /// Names the user.
    user_id: TextId,
    /// What they are called in the group.
    nickname: &'a Nickname,
    /// Their picture.
    image_url: Option<String>,
}

impl<'a> Invitation<'a> {
    /// The invitation to a group; nothing where the roster lacks even its owner.
    pub fn of(group: &'a Group, from: Option<UserId>, instance: &Instance) -> Option<Self> {
        let member = from.and_then(|user| group.member(user));
        let by = member.or_else(|| group.member(group.creator))?;
        let settings = &group.settings;
        Some(Self {
            group: SharedSettings {
                id: group.id.into(),
                name: &settings.name,
                description: &settings.description,
                image_url: settings.image.as_ref().map(|image| instance.image_url(image)),
                members_count: group.members.len(),
            },
            invited_by: Inviter {
                user_id: by.user_id.into(),
                nickname: &by.nickname,
                image_url: by.image.as_ref().map(|image| instance.image_url(image)),
            },
        })
    }
}
