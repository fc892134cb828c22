//! SCIM 2.0 (RFC 7643, RFC 7644): accounts as a directory reads and writes them.

use std::time::{Duration, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::instance::Instance;
use domain::ids::{DirectoryGroupId, UserId};
use domain::scim::Provisioning;
use domain::text::{Email, UserName};
use domain::time::Timestamp;
use domain::user::Profile;

mod groups;
mod query;
mod requests;
mod service;

pub use groups::{
    ScimGroup, WantedGroup, WantedMembers, group, group_location, read_group, read_group_filter,
    read_group_patch,
};
pub use query::{LIST_MOST, ListWanted, read_filter, read_list, read_projection, read_search};
pub use requests::{WantedUser, read_patch, read_user};
pub use service::{resource_types, schemas, service_provider_config};

/// The media type of SCIM.
pub const MEDIA_TYPE: &str = "application/scim+json";
/// The schema of a user.
pub const USER: &str = "urn:ietf:params:scim:schemas:core:2.0:User";
/// The schema of a group.
pub const GROUP: &str = "urn:ietf:params:scim:schemas:core:2.0:Group";
/// The schema of a list.
const LIST: &str = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
/// The schema of an error.
const ERROR: &str = "urn:ietf:params:scim:api:messages:2.0:Error";
/// The path below which SCIM is served.
pub const PATH: &str = "/scim/v2";

/// The kind of an error (RFC 7644, section 3.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScimType {
    /// The filter has another form than the server takes.
    InvalidFilter,
    /// The path of a patch has no valid form.
    InvalidPath,
    /// The body has not the form of the request.
    InvalidSyntax,
    /// A value is missing or invalid.
    InvalidValue,
    /// The attribute cannot be changed so.
    Mutability,
    /// A removal names no attribute.
    NoTarget,
    /// Another account has the value.
    Uniqueness,
}

impl ScimType {
    /// The name of the kind.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidFilter => "invalidFilter",
            Self::InvalidPath => "invalidPath",
            Self::InvalidSyntax => "invalidSyntax",
            Self::InvalidValue => "invalidValue",
            Self::Mutability => "mutability",
            Self::NoTarget => "noTarget",
            Self::Uniqueness => "uniqueness",
        }
    }
}

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct ScimRefusal {
    /// The kind.
    pub kind: ScimType,
    /// The reason, for people.
    pub detail: String,
}

impl ScimRefusal {
    /// A refusal of this kind.
    pub fn new(kind: ScimType, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }
}

/// An error in the form of SCIM.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScimError {
    /// The schema of an error.
    schemas: [&'static str; 1],
    /// The HTTP status, as text.
    status: String,
    /// The kind of the error, if SCIM has a name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    scim_type: Option<&'static str>,
    /// The reason.
    detail: String,
}

/// Builds the JSON of an error.
pub fn error(status: u16, kind: Option<ScimType>, detail: String) -> ScimError {
    let scim_type = kind.map(ScimType::as_str);
    ScimError { schemas: [ERROR], status: status.to_string(), scim_type, detail }
}

/// An account as a directory sees it. A request may leave out all attributes but `id` and `schemas`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = always_two)]
pub struct ScimUser {
    /// The schema of a user.
    schemas: [&'static str; 1],
    /// The user's id.
    id: String,
    /// The directory's id of the account; absent if it sent none.
    #[serde(skip_serializing_if = "Option::is_none")]
    external_id: Option<String>,
    /// The directory's name of the account; the email address if it sent none.
    user_name: String,
    /// The user's name.
    display_name: String,
    /// The user's name once more: it has no parts here.
    name: ScimName,
    /// The email address to log in with.
    emails: [ScimEmail; 1],
    /// Whether the directory lets the account be used.
    active: bool,
    /// The groups of the directory that the account is in.
    groups: Vec<ScimJoinedGroup>,
    /// The resource.
    meta: ScimMeta,
}

/// A resource of a list of all types.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ScimResource {
    /// An account.
    User(Box<ScimUser>),
    /// A group of accounts.
    Group(Box<ScimGroup>),
}

fn always_two(schema: &mut schemars::Schema) {
    schema.insert("required".to_owned(), json!(["schemas", "id"]));
}

/// The name of a user.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct ScimName {
    /// The whole name.
    formatted: String,
}

/// The email address of a user.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct ScimEmail {
    /// The address.
    value: String,
    /// Always `work`.
    r#type: &'static str,
    /// Always true.
    primary: bool,
}

/// A group of the directory that an account is in.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct ScimJoinedGroup {
    /// The group's id.
    value: String,
    /// The URL of the group.
    #[serde(rename = "$ref")]
    url: String,
    /// The group's name.
    display: String,
    /// Always `direct`: groups have no groups in them.
    r#type: &'static str,
}

/// A resource: its type, its times and its address.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ScimMeta {
    /// `User` or `Group`.
    resource_type: &'static str,
    /// When the account was registered or the group created (RFC 3339).
    created: String,
    /// When the profile or the group last changed (RFC 3339).
    last_modified: String,
    /// The URL of the resource.
    location: String,
}

/// An account, to be shown to a directory.
#[derive(Debug)]
pub struct ShownUser<'a> {
    /// The user.
    pub id: UserId,
    /// The profile.
    pub profile: &'a Profile,
    /// What the directory did.
    pub provisioning: &'a Provisioning,
    /// When the account was registered.
    pub created_at: Timestamp,
    /// When its profile last changed.
    pub updated_at: Timestamp,
    /// The groups of the directory that the account is in: their ids and names.
    pub groups: &'a [(DirectoryGroupId, String)],
}

/// The URL of the resource of a user.
pub fn location(user: UserId, instance: &Instance) -> String {
    format!("{}{PATH}/Users/{user}", instance.public_url())
}

/// Builds the JSON of an account.
pub fn user(shown: &ShownUser<'_>, instance: &Instance) -> ScimUser {
    let ShownUser { id, profile, provisioning, created_at, updated_at, groups } = shown;
    let joined = |(id, name): &(DirectoryGroupId, String)| ScimJoinedGroup {
        value: id.to_string(),
        url: group_location(*id, instance),
        display: name.clone(),
        r#type: "direct",
    };
    let Profile { name, email, .. } = profile;
    let user_name = provisioning.names.user_name.clone();
    ScimUser {
        schemas: [USER],
        id: id.to_string(),
        external_id: provisioning.names.external_id.clone(),
        user_name: user_name.unwrap_or_else(|| email.as_str().to_owned()),
        display_name: name.as_str().to_owned(),
        name: ScimName { formatted: name.as_str().to_owned() },
        emails: [ScimEmail { value: email.as_str().to_owned(), r#type: "work", primary: true }],
        active: provisioning.deactivated_at.is_none(),
        groups: groups.iter().map(joined).collect(),
        meta: ScimMeta {
            resource_type: "User",
            created: moment(*created_at),
            last_modified: moment(*updated_at),
            location: location(*id, instance),
        },
    }
}

fn moment(at: Timestamp) -> String {
    humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(at.millis())).to_string()
}

/// The attributes of a response (RFC 7644, section 3.9).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Projection {
    /// All.
    #[default]
    All,
    /// Only these, in lower case, and those that every response has.
    Only(Vec<String>),
    /// All but these, in lower case.
    Without(Vec<String>),
}

impl Projection {
    /// The attributes of a resource that the request wants.
    pub fn of(&self, resource: &impl Serialize) -> Value {
        let mut shown = serde_json::to_value(resource).unwrap_or_default();
        let keeps = |name: &str| match self {
            _ if matches!(name, "id" | "schemas") => true,
            Self::All => true,
            Self::Only(names) => names.iter().any(|it| it.eq_ignore_ascii_case(name)),
            Self::Without(names) => !names.iter().any(|it| it.eq_ignore_ascii_case(name)),
        };
        if let Some(fields) = shown.as_object_mut() {
            fields.retain(|name, _| keeps(name));
        }
        shown
    }
}

/// A page of resources.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "{T}List")]
pub struct ScimList<T> {
    /// The schema of a list.
    schemas: [&'static str; 1],
    /// The number of all resources that match.
    total_results: usize,
    /// The number of the first resource of the page, counted from 1.
    start_index: usize,
    /// The number of resources in the page.
    items_per_page: usize,
    /// The resources.
    #[serde(rename = "Resources")]
    resources: Vec<T>,
}

/// Builds the JSON of a list.
pub fn list<T>(total_results: usize, start_index: usize, resources: Vec<T>) -> ScimList<T> {
    let items_per_page = resources.len();
    ScimList { schemas: [LIST], total_results, start_index, items_per_page, resources }
}

/// The parts of a user that a directory may write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenProfile {
    /// The name.
    pub name: Option<UserName>,
    /// The email address.
    pub email: Option<Email>,
}

fn by_name<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}
