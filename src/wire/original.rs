//! Shapes that only clients of the original service read.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::instance::Instance;
use crate::join_request::{self, PendingResource, QuestionResource};
use crate::schema::scalars::TextId;
use crate::system_event::iso;
use domain::factors::{Factors, Totp};
use domain::group::{
    Group, GroupKind, JoinRequest, Member, MembershipState, SentRequest, Settings,
};
use domain::ids::{GroupId, MembershipId, UserId};
use domain::message_requests::RequestState;
use domain::text::{Description, GroupName};
use domain::time::Timestamp;
use domain::user::KnownPerson;

/// The number of requests to write to somebody and to join groups.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct PendingCounts {
    /// Requests to write to you.
    dm: u64,
    /// Requests to join your groups.
    received: u64,
    /// Your requests to join groups.
    sent: u64,
    /// All of them.
    total: u64,
}

impl PendingCounts {
    /// So many requests to write, requests to join that the reader may decide, and requests that they
    /// sent.
    pub const fn of(dm: u64, received: u64, sent: u64) -> Self {
        Self { dm, received, sent, total: dm + received + sent }
    }
}

/// A request to join one of your groups that you may decide.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReceivedRequest {
    /// The group's id.
    group_id: TextId,
    #[serde(flatten)]
    request: PendingResource,
}

/// Builds the JSON of a request that the reader may decide.
pub fn received(group: GroupId, request: &JoinRequest, instance: &Instance) -> ReceivedRequest {
    let request = join_request::pending(request, instance);
    ReceivedRequest { group_id: group.into(), request }
}

/// Your request to join a group.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SentRequestResource<'a> {
    /// The group's id.
    group_id: TextId,
    /// The group's name.
    name: &'a GroupName,
    /// URL of the group's picture; null if it has none.
    image_url: Option<String>,
    /// `requested_pending`, or `denied` in the last day.
    #[schemars(extend("enum" = ["requested_pending", "denied"]))]
    state: &'static str,
    /// When you asked, or the request was denied. Unix time in seconds.
    updated_at: u64,
    /// Number of members.
    user_count: usize,
}

/// Builds the JSON of a request that the reader sent.
pub fn sent<'a>(request: &'a SentRequest, instance: &Instance) -> SentRequestResource<'a> {
    let SentRequest { group, settings, members, at, is_denied } = request;
    let state = if *is_denied { MembershipState::Denied } else { MembershipState::Requested };
    SentRequestResource {
        group_id: (*group).into(),
        name: &settings.name,
        image_url: settings.image.as_ref().map(|image| instance.image_url(image)),
        state: state.as_str(),
        updated_at: at.seconds(),
        user_count: *members,
    }
}

/// A group of yours with requests that you may decide.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RequestedGroup<'a> {
    /// The group's id.
    group_id: TextId,
    /// The group's name.
    name: &'a GroupName,
    /// URL of the group's picture; null if it has none.
    image_url: Option<String>,
    /// Number of requests.
    count: usize,
}

/// Builds the JSON of a group with requests that the reader may decide.
pub fn requested<'a>(
    id: GroupId,
    settings: &'a Settings,
    count: usize,
    instance: &Instance,
) -> RequestedGroup<'a> {
    let image_url = settings.image.as_ref().map(|image| instance.image_url(image));
    RequestedGroup { group_id: id.into(), name: &settings.name, image_url, count }
}

/// A person whom you have a chat with or block.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Relationship<'a> {
    /// Id of the user.
    id: TextId,
    /// The same as `id`.
    user_id: TextId,
    /// The user's name.
    name: &'a str,
    /// `guest` if the user is a guest; absent for everybody else.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["guest"]))]
    kind: Option<&'static str>,
    /// URL of the user's picture; null if they have none.
    avatar_url: Option<String>,
    /// When the relationship began. Unix time in seconds.
    created_at: u64,
    /// The same as `created_at`, in ISO 8601.
    created_at_iso8601: String,
    /// When the user's profile last changed. Unix time in seconds.
    updated_at: u64,
    /// The same as `updated_at`, in ISO 8601.
    updated_at_iso8601: String,
    /// Always 0 on this server.
    reason: u64,
    /// Always false on this server.
    hidden: bool,
    /// Always true on this server.
    app_installed: bool,
    /// Whether you block the user.
    is_blocked: bool,
    /// The same as `is_blocked`, under the name that other clients read.
    blocked: bool,
}

/// Builds the JSON of a relationship.
pub fn relationship<'a>(person: &'a KnownPerson, instance: &Instance) -> Relationship<'a> {
    let image = person.profile.image.as_ref();
    Relationship {
        id: person.id.into(),
        user_id: person.id.into(),
        name: person.profile.name.as_str(),
        kind: person.profile.kind().mark(),
        avatar_url: image.map(|image| instance.image_url(image)),
        created_at: person.since.seconds(),
        created_at_iso8601: iso(person.since),
        updated_at: person.updated_at.seconds(),
        updated_at_iso8601: iso(person.updated_at),
        reason: 0,
        hidden: false,
        app_installed: true,
        is_blocked: person.is_blocked,
        blocked: person.is_blocked,
    }
}

/// A group as its share link shows it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GroupPreview<'a> {
    /// The group's id.
    id: TextId,
    /// The group's name.
    name: &'a GroupName,
    /// What the group is about; null if it has no description.
    description: &'a Option<Description>,
    /// URL of the group's picture; null if it has none.
    image_url: Option<String>,
    /// Number of members.
    members_count: usize,
    /// The type of group: `private`, `closed` or `announcement`.
    #[schemars(extend("enum" = GroupKind::ALL.map(GroupKind::as_str)))]
    r#type: &'static str,
    /// Whether people who join this way wait for the owner or an admin.
    requires_approval: bool,
    /// Whether people who ask to join answer a question.
    show_join_question: bool,
    /// The question; null if there is none.
    join_question: Option<QuestionResource<'a>>,
    /// Always 0 on this server.
    children_count: u64,
    /// What you are to the group: `active`, `requested_pending`, `denied` in the last day, `exited` or
    /// `removed`; null if you never were in it, or are not logged in.
    #[schemars(extend("enum" = states()))]
    membership_state: Option<&'static str>,
}

/// The values of `membership_state`.
pub fn states() -> Vec<Value> {
    let names = MembershipState::ALL.map(|state| Value::from(state.as_str()));
    names.into_iter().chain([Value::Null]).collect()
}

/// Builds the preview of a group. `requires_approval` says whether people who join wait, `state` what
/// the reader is to the group.
pub fn preview<'a>(
    group: &'a Group,
    requires_approval: bool,
    state: Option<MembershipState>,
    instance: &Instance,
) -> GroupPreview<'a> {
    let settings = &group.settings;
    GroupPreview {
        id: group.id.into(),
        name: &settings.name,
        description: &settings.description,
        image_url: settings.image.as_ref().map(|image| instance.image_url(image)),
        members_count: group.members.len(),
        r#type: settings.kind.as_str(),
        requires_approval,
        show_join_question: settings.admission.shows_question,
        join_question: join_request::question(&settings.admission),
        children_count: 0,
        membership_state: state.map(MembershipState::as_str),
    }
}

/// A request to join a group, as the user who asks sees it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RequestedJoin<'a> {
    /// The group.
    group: GroupPreview<'a>,
    /// The membership that the user asks for.
    membership: RequestedMembership,
}

/// A membership that the owner or an admin decides about.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct RequestedMembership {
    /// The membership's id, which the member keeps.
    id: TextId,
    /// Always `requested_pending`.
    state: &'static str,
}

impl<'a> RequestedJoin<'a> {
    /// Builds the answer to who asks to join.
    pub fn of(group: &'a Group, membership: MembershipId, instance: &Instance) -> Self {
        let membership = RequestedMembership { id: membership.into(), state: "requested_pending" };
        let state = Some(MembershipState::Requested);
        Self { group: preview(group, true, state, instance), membership }
    }
}

/// Fields of groups for existing clients alone (under `/compat`). This server has no topics,
/// themes or numbers of groups.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OriginalGroup {
    /// Always empty on this server.
    phone_number: &'static str,
    /// Until when you muted the group; null if it is not muted. Unix time in seconds; 253402300800
    /// means until you unmute it.
    #[schemars(extend("x-null-or-absent" = true))]
    muted_until: Option<u64>,
    /// Number of members.
    members_count: usize,
    /// Always 0 on this server.
    children_count: u64,
    /// Always null on this server.
    theme_name: (),
    /// Always null on this server.
    like_icon: (),
    /// URL of the QR code of `share_url`; absent while sharing is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    share_qr_code_url: Option<String>,
    /// Which system messages the group has.
    system_message_settings: SystemMessageSettings,
    /// Always null on this server: read marks are listed at `/read_receipts`.
    last_read_message_id: (),
    /// Always null on this server.
    last_read_at: (),
}

/// Which system messages a group has: all of them on this server.
#[derive(Debug, Serialize, JsonSchema)]
struct SystemMessageSettings {
    /// Always true.
    all_notifications: bool,
    /// Always true, each.
    categories: SystemMessageCategories,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct SystemMessageCategories {
    albums: bool,
    events: bool,
    join_leave: bool,
}

impl OriginalGroup {
    /// The group's fields for this reader.
    pub fn of(group: &Group, reader: Option<UserId>, instance: &Instance) -> Self {
        let member = reader.and_then(|reader| group.member(reader));
        let token = group.settings.share_token.as_ref();
        let categories = SystemMessageCategories { albums: true, events: true, join_leave: true };
        Self {
            phone_number: "",
            muted_until: member.and_then(Member::muted_until).map(Timestamp::seconds),
            members_count: group.members.len(),
            children_count: 0,
            theme_name: (),
            like_icon: (),
            share_qr_code_url: token.map(|token| instance.share_code_url(group.id, token)),
            system_message_settings: SystemMessageSettings { all_notifications: true, categories },
            last_read_message_id: (),
            last_read_at: (),
        }
    }
}

/// Fields of chats for existing clients alone (under `/compat`).
#[derive(Debug, Serialize, JsonSchema)]
pub struct OriginalChat {
    /// Whether the other user waits for your approval: you have not accepted their message request.
    requires_approval: bool,
    /// Always null on this server: read marks are listed at `/read_receipts`.
    last_read_message_id: (),
    /// Always null on this server.
    last_read_at: (),
}

impl OriginalChat {
    /// The fields of a chat that began with a request in this state.
    pub fn of(request: Option<RequestState>) -> Self {
        let requires_approval = request.is_some();
        Self { requires_approval, last_read_message_id: (), last_read_at: () }
    }
}

/// Fields of your account for existing clients alone (under `/compat`).
#[derive(Debug, Serialize, JsonSchema)]
pub struct OriginalUser {
    /// Always true on this server.
    email_verified: bool,
    /// Always empty on this server.
    bio: &'static str,
    /// Always `en` on this server.
    locale: &'static str,
    /// Always false on this server.
    friend_suggestable: bool,
    /// Always false on this server.
    facebook_connected: bool,
    /// Always false on this server.
    microsoft_connected: bool,
    /// Always false on this server.
    twitter_connected: bool,
    /// URL of your page.
    share_url: String,
    /// URL of the QR code of `share_url`.
    share_qr_code_url: String,
    /// The second factor of your account.
    mfa: SecondFactor,
    /// Always empty on this server.
    tags: [(); 0],
    /// Always false on this server.
    prompt_for_survey: bool,
    /// Always false on this server.
    show_age_gate: bool,
    /// Always true on this server, so that clients ask for no date.
    birth_date_set: bool,
    /// Always empty on this server.
    graduation_year: &'static str,
    /// Always empty on this server.
    campus_profile_visibility: &'static str,
    /// Always empty on this server.
    consents: [(); 0],
}

/// The second factor of an account.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SecondFactor {
    /// Whether log-ins need a second factor.
    enabled: bool,
    /// The ways to show it; null if none is needed.
    channels: Option<[FactorChannel; 1]>,
}

/// A way to show the second factor.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct FactorChannel {
    /// Always `totp`.
    r#type: &'static str,
    /// When it was set up. Unix time in seconds.
    created_at: u64,
}

impl SecondFactor {
    /// The second factor of an account.
    pub fn of(factors: &Factors) -> Self {
        let channel =
            |totp: &Totp| [FactorChannel { r#type: "totp", created_at: totp.since.seconds() }];
        Self { enabled: factors.is_on(), channels: factors.totp.as_ref().map(channel) }
    }
}

impl OriginalUser {
    /// The account's fields for this user.
    pub fn of(user: UserId, factors: &Factors, instance: &Instance) -> Self {
        // The page needs no secret.
        let token = user.to_string();
        Self {
            email_verified: true,
            bio: "",
            locale: "en",
            friend_suggestable: false,
            facebook_connected: false,
            microsoft_connected: false,
            twitter_connected: false,
            share_url: instance.contact_url(user, &token),
            share_qr_code_url: instance.contact_code_url(user, &token),
            mfa: SecondFactor::of(factors),
            tags: [],
            prompt_for_survey: false,
            show_age_gate: false,
            birth_date_set: true,
            graduation_year: "",
            campus_profile_visibility: "",
            consents: [],
        }
    }
}
