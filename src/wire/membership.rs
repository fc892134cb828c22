//! Members and memberships in JSON.

use schemars::JsonSchema;
use serde::Serialize;

use crate::instance::Instance;
use crate::old_form::MessageForm;
use crate::schema::scalars::TextId;
use domain::group::{AddResults, FormerMember, Member, MembershipEnd, Role};
use domain::ids::{AddId, GroupId, UserId};
use domain::text::Nickname;
use domain::time::Timestamp;

/// A member of a group.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Member")]
pub struct MemberResource<'a> {
    /// The membership's id, with which the member can be removed.
    id: TextId,
    /// The member's user id.
    user_id: TextId,
    /// The member's nickname in this group.
    nickname: &'a Nickname,
    /// The name of the member's account.
    name: &'a str,
    /// `guest` if the member is a guest; absent for everybody else.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["guest"]))]
    kind: Option<&'static str>,
    /// URL of the member's picture; null if they have none.
    image_url: Option<String>,
    /// Whether the member muted the group.
    muted: bool,
    /// Until when the member muted the group; null if it is not muted. Unix time in seconds;
    /// 253402300800 means until they unmute it.
    muted_until: Option<u64>,
    /// Always false on this server.
    autokicked: bool,
    /// The member's roles: `admin` and `owner` for the owner, `admin` for an admin, `user` for
    /// others.
    roles: &'static [RoleName],
}

/// A role of a member.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum RoleName {
    /// May change the group's settings and members.
    Admin,
    /// May also disband the group.
    Owner,
    /// Has no special rights.
    User,
}

/// A membership, in the response to adding and renaming.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Membership")]
pub struct MembershipResource {
    /// The membership's id, with which the member can be removed.
    id: TextId,
    /// The member's user id.
    user_id: TextId,
    /// The member's nickname in this group.
    nickname: Nickname,
    /// Whether the member muted the group.
    muted: bool,
    /// Until when the member muted the group; null if it is not muted. Unix time in seconds;
    /// 253402300800 means until they unmute it.
    muted_until: Option<u64>,
    /// URL of the member's picture; null if they have none.
    image_url: Option<String>,
    /// `guest` if the member is a guest; absent for everybody else.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["guest"]))]
    kind: Option<&'static str>,
    /// Always false on this server.
    autokicked: bool,
    /// Always true on this server.
    app_installed: bool,
}

/// A membership whose role was asked for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemberWithRole<'a> {
    /// The membership as it is then.
    membership: ToldMembership<'a>,
    /// The same, under the name that clients of the original service read (under `/compat`).
    #[serde(skip_serializing_if = "Option::is_none")]
    member: Option<MemberResource<'a>>,
}

impl<'a> MemberWithRole<'a> {
    /// Builds the response for a member.
    pub fn of(changed: &'a Member, form: MessageForm, instance: &Instance) -> Self {
        let old = match form {
            MessageForm::Specified => None,
            MessageForm::Old => Some(member(changed, instance)),
        };
        Self { membership: told_one(changed, instance), member: old }
    }
}

/// A membership in events. It has everything that a list of members shows, so that a client that
/// knows the group needs no further request.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ChangedMembership")]
struct ToldMembership<'a> {
    #[serde(flatten)]
    membership: MembershipResource,
    /// The name of the member's account.
    name: &'a str,
    /// The member's roles: `admin` and `owner` for the owner, `admin` for an admin, `user` for
    /// others.
    roles: &'static [RoleName],
}

/// A membership that was muted or unmuted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MutedMembership {
    /// The membership's fields at the top level, as in other responses.
    #[serde(flatten)]
    own: MembershipResource,
    /// The same membership in an object, where other clients expect it.
    membership: MembershipResource,
}

impl MutedMembership {
    /// Builds the response for a member who muted or unmuted the group.
    pub fn of(member: &Member, instance: &Instance) -> Self {
        Self { own: membership(member, instance), membership: membership(member, instance) }
    }
}

/// A membership that was muted or unmuted, in the compatibility dialect.
#[derive(Debug, Serialize)]
pub struct OldMutedMembership {
    membership: OldMembership,
}

/// The fields that clients of the original service read of a membership.
#[derive(Debug, Serialize)]
struct OldMembership {
    id: TextId,
    user_id: TextId,
    nickname: Nickname,
    avatar_url: Option<String>,
    state: OldMuteState,
    muted_until: Option<u64>,
    recap_enabled: bool,
    child_states: [(); 0],
    has_sound_enabled: bool,
    autokicked: bool,
}

/// Whether a member muted the group, as the original service words it.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
enum OldMuteState {
    Muted,
    Active,
}

impl OldMutedMembership {
    /// Builds the response for a member who muted or unmuted the group.
    pub fn of(member: &Member, instance: &Instance) -> Self {
        let MembershipResource { id, user_id, nickname, muted, muted_until, image_url, .. } =
            membership(member, instance);
        Self {
            membership: OldMembership {
                id,
                user_id,
                nickname,
                avatar_url: image_url,
                state: if muted { OldMuteState::Muted } else { OldMuteState::Active },
                muted_until,
                recap_enabled: false,
                child_states: [],
                has_sound_enabled: !muted,
                autokicked: false,
            },
        }
    }
}

/// A membership in the list for the owner and admins.
#[derive(Debug, Serialize, JsonSchema)]
struct StatedMembership<'a> {
    #[serde(flatten)]
    told: ToldMembership<'a>,
    /// Whether the membership is active, or how it ended.
    state: SeatState,
}

/// The state of a user's membership of a group.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum SeatState {
    /// The user is a member.
    Active,
    /// The user left.
    Exited,
    /// The user was removed by somebody else.
    Removed,
    /// The user asks to join.
    Pending,
}

/// The current or former members of a group.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StatedMemberships<'a> {
    memberships: Vec<StatedMembership<'a>>,
}

/// The state of your membership of a group.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GroupState {
    /// Id of a group that you are or were a member of.
    group_id: TextId,
    /// State of your membership.
    state: SeatState,
}

/// Memberships that began, changed or ended.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedMemberships<'a> {
    memberships: Vec<ToldMembership<'a>>,
    /// Id of the user who caused the change.
    by: TextId,
}

/// The result of a request to add people.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AddedMembers<'a> {
    /// One entry for each item that led to a membership.
    members: Vec<AddResult<'a>>,
}

/// A membership with the guid of the item that led to it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AddResult")]
struct AddResult<'a> {
    #[serde(flatten)]
    membership: MembershipResource,
    /// The guid of the item in the request.
    guid: &'a str,
}

/// The response to a request to add people, who are added afterwards.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AddRequested {
    /// The id with which the result can be requested.
    results_id: TextId,
}

impl From<AddId> for AddRequested {
    fn from(id: AddId) -> Self {
        Self { results_id: id.into() }
    }
}

/// Builds the JSON of a member in a group.
pub fn member<'a>(member: &'a Member, instance: &Instance) -> MemberResource<'a> {
    MemberResource {
        id: member.membership_id.into(),
        user_id: member.user_id.into(),
        nickname: &member.nickname,
        name: &member.name,
        kind: member.kind().mark(),
        image_url: member.image.as_ref().map(|image| instance.image_url(image)),
        muted: member.muted,
        muted_until: member.muted_until().map(Timestamp::seconds),
        autokicked: false,
        roles: roles(member.role),
    }
}

/// Appends the JSON of a member, as groups list it.
pub fn write_member(json: &mut Vec<u8>, shown: &Member, instance: &Instance) {
    serde_json::to_writer(json, &member(shown, instance)).expect("texts are always JSON");
}

fn roles(role: Role) -> &'static [RoleName] {
    match role {
        Role::Owner => &[RoleName::Admin, RoleName::Owner],
        Role::Admin => &[RoleName::Admin],
        Role::Member => &[RoleName::User],
    }
}

/// Builds the JSON of a membership, for the response to adding and renaming.
pub fn membership(member: &Member, instance: &Instance) -> MembershipResource {
    MembershipResource {
        id: member.membership_id.into(),
        user_id: member.user_id.into(),
        nickname: member.nickname.clone(),
        muted: member.muted,
        muted_until: member.muted_until().map(Timestamp::seconds),
        image_url: member.image.as_ref().map(|image| instance.image_url(image)),
        kind: member.kind().mark(),
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

/// Builds the JSON of changed memberships for events.
pub fn told<'a>(members: &'a [Member], by: UserId, instance: &Instance) -> ChangedMemberships<'a> {
    let memberships = members.iter().map(|member| told_one(member, instance)).collect();
    ChangedMemberships { memberships, by: by.into() }
}

/// Builds the list of current memberships for the owner and admins.
pub fn active<'a>(
    members: impl Iterator<Item = &'a Member>,
    instance: &Instance,
) -> StatedMemberships<'a> {
    let stated =
        |member| StatedMembership { told: told_one(member, instance), state: SeatState::Active };
    StatedMemberships { memberships: members.map(stated).collect() }
}

/// Builds the list of former memberships for the owner and admins.
pub fn former<'a>(former: &'a [FormerMember], instance: &Instance) -> StatedMemberships<'a> {
    let stated = |former: &'a FormerMember| StatedMembership {
        told: told_one(&former.member, instance),
        state: match former.parting {
            MembershipEnd::Left => SeatState::Exited,
            MembershipEnd::Removed => SeatState::Removed,
        },
    };
    StatedMemberships { memberships: former.iter().map(stated).collect() }
}

/// Builds the state of a user's membership. `left` counts only if the user is not active: whether
/// they left by themselves.
pub fn state(group: GroupId, is_active: bool, left: bool) -> GroupState {
    let state = match (is_active, left) {
        (true, _) => SeatState::Active,
        (false, true) => SeatState::Exited,
        (false, false) => SeatState::Removed,
    };
    GroupState { group_id: group.into(), state }
}

/// Builds the state of a user who asks to join a group.
pub fn pending(group: GroupId) -> GroupState {
    GroupState { group_id: group.into(), state: SeatState::Pending }
}

/// Builds the result of a request to add people.
pub fn add_results<'a>(results: &'a AddResults, instance: &Instance) -> AddedMembers<'a> {
    let shown = |(guid, member): &'a (String, Member)| AddResult {
        membership: membership(member, instance),
        guid,
    };
    AddedMembers { members: results.iter().map(shown).collect() }
}
