//! Members and memberships in JSON.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::group::{AddResults, Former, Member, Parting, Role};
use crate::domain::ids::{AddId, GroupId, UserId};
use crate::domain::text::Nickname;
use crate::domain::time::Timestamp;
use crate::wire::instance::Instance;
use crate::wire::schema::scalars::TextId;

/// A member of a group.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Member")]
pub struct MemberResource<'a> {
    /// The membership: what removing needs.
    id: TextId,
    /// Who it is.
    user_id: TextId,
    /// What they are called in this group.
    nickname: &'a Nickname,
    /// What they are called elsewhere.
    name: &'a str,
    /// Their picture.
    image_url: Option<String>,
    /// Whether they muted the group.
    muted: bool,
    /// Until when. Unix time in seconds; 253402300800 is until they say otherwise.
    muted_until: Option<u64>,
    /// Always false here.
    autokicked: bool,
    /// What they may do.
    roles: &'static [RoleName],
}

/// What a member may do.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum RoleName {
    /// Change everything.
    Admin,
    /// Disband the group, too.
    Owner,
    /// Speak.
    User,
}

/// A membership: what adding and renaming answer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Membership")]
pub struct MembershipResource {
    /// The membership: what removing needs.
    id: TextId,
    /// Who it is.
    user_id: TextId,
    /// What they are called in this group.
    nickname: Nickname,
    /// Whether they muted the group.
    muted: bool,
    /// Until when. Unix time in seconds; 253402300800 is until they say otherwise.
    muted_until: Option<u64>,
    /// Their picture.
    image_url: Option<String>,
    /// Always false here.
    autokicked: bool,
    /// Always true here.
    app_installed: bool,
}

/// A membership as events tell of it: with what a list of members shows beside it, so that
/// a reader who knows the group needs to ask nothing.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct ToldMembership<'a> {
    #[serde(flatten)]
    membership: MembershipResource,
    /// What they are called elsewhere.
    name: &'a str,
    /// What they may do.
    roles: &'static [RoleName],
}

/// A membership that was muted or is heard again.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct MutedMembership {
    /// As other answers have it.
    #[serde(flatten)]
    own: MembershipResource,
    /// The same once more, where other clients look for it.
    membership: MembershipResource,
}

impl MutedMembership {
    /// This one.
    pub fn of(member: &Member, instance: &Instance) -> Self {
        Self { own: membership(member, instance), membership: membership(member, instance) }
    }
}

/// A membership in the list for owner and admins.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct StatedMembership<'a> {
    #[serde(flatten)]
    told: ToldMembership<'a>,
    /// Whether it goes on, or how it ended.
    state: SeatState,
}

/// Where somebody stands in a group.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum SeatState {
    /// In it.
    Active,
    /// They left by themselves.
    Exited,
    /// Somebody took them out.
    Removed,
}

/// The members of a group, or those who were.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct StatedMemberships<'a> {
    memberships: Vec<StatedMembership<'a>>,
}

/// Where the caller stands in one group.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct GroupState {
    /// A group that you are in or were.
    group_id: TextId,
    /// Where you stand in it.
    state: SeatState,
}

/// Memberships that began, changed or ended.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ChangedMemberships<'a> {
    memberships: Vec<ToldMembership<'a>>,
    /// Who did it.
    by: TextId,
}

/// Memberships that came of an add request.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct AddedMembers<'a> {
    /// Those that are settled.
    members: Vec<AddResult<'a>>,
}

/// A membership with the guid of the item that it came of.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AddResult")]
struct AddResult<'a> {
    #[serde(flatten)]
    membership: MembershipResource,
    /// The guid of the item.
    guid: &'a str,
}

/// What the results of adding are asked with.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct AddRequested {
    /// What the results are asked with.
    results_id: TextId,
}

impl From<AddId> for AddRequested {
    fn from(id: AddId) -> Self {
        Self { results_id: id.into() }
    }
}

/// A member as a group shows them.
pub fn member<'a>(member: &'a Member, instance: &Instance) -> MemberResource<'a> {
    MemberResource {
        id: member.membership_id.into(),
        user_id: member.user_id.into(),
        nickname: &member.nickname,
        name: &member.name,
        image_url: member.image.as_ref().map(|image| instance.image_url(image)),
        muted: member.muted,
        muted_until: member.muted_until().map(Timestamp::seconds),
        autokicked: false,
        roles: roles(member.role),
    }
}

fn roles(role: Role) -> &'static [RoleName] {
    match role {
        Role::Owner => &[RoleName::Admin, RoleName::Owner],
        Role::Admin => &[RoleName::Admin],
        Role::Member => &[RoleName::User],
    }
}

/// A membership: what adding and renaming answer.
pub fn membership(member: &Member, instance: &Instance) -> MembershipResource {
    MembershipResource {
        id: member.membership_id.into(),
        user_id: member.user_id.into(),
        nickname: member.nickname.clone(),
        muted: member.muted,
        muted_until: member.muted_until().map(Timestamp::seconds),
        image_url: member.image.as_ref().map(|image| instance.image_url(image)),
        autokicked: false,
        app_installed: true,
    }
}

fn told_one<'a>(member: &'a Member, instance: &Instance) -> ToldMembership<'a> {
    ToldMembership {
        membership: membership(member, instance),
        name: &member.name,
        roles: roles(member.role),
    }
}

/// Memberships as events tell of them.
pub fn told<'a>(members: &'a [Member], by: UserId, instance: &Instance) -> ChangedMemberships<'a> {
    let memberships = members.iter().map(|member| told_one(member, instance)).collect();
    ChangedMemberships { memberships, by: by.into() }
}

/// Memberships that go on, in the list for owner and admins.
pub fn active<'a>(
    members: impl Iterator<Item = &'a Member>,
    instance: &Instance,
) -> StatedMemberships<'a> {
    let stated =
        |member| StatedMembership { told: told_one(member, instance), state: SeatState::Active };
    StatedMemberships { memberships: members.map(stated).collect() }
}

/// Memberships that are over, in the list for owner and admins.
pub fn former<'a>(former: &'a [Former], instance: &Instance) -> StatedMemberships<'a> {
    let stated = |former: &'a Former| StatedMembership {
        told: told_one(&former.member, instance),
        state: match former.parting {
            Parting::Left => SeatState::Exited,
            Parting::Removed => SeatState::Removed,
        },
    };
    StatedMemberships { memberships: former.iter().map(stated).collect() }
}

/// Where somebody stands in a group: whether they are in it, and if not, whether they left
/// by themselves.
pub fn state(group: GroupId, is_active: bool, left: bool) -> GroupState {
    let state = match (is_active, left) {
        (true, _) => SeatState::Active,
        (false, true) => SeatState::Exited,
        (false, false) => SeatState::Removed,
    };
    GroupState { group_id: group.into(), state }
}

/// The results of an add request: memberships with the guid of their item.
pub fn add_results<'a>(results: &'a AddResults, instance: &Instance) -> AddedMembers<'a> {
    let shown = |(guid, member): &'a (String, Member)| AddResult {
        membership: membership(member, instance),
        guid,
    };
    AddedMembers { members: results.iter().map(shown).collect() }
}
