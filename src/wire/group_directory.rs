//! The directory of searchable groups in JSON, in the form that clients of the original service know.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use crate::instance::Instance;
use crate::original::states;
use crate::schema::scalars::TextId;
use domain::group::{DirectoryOrder, DirectoryQuery, FoundGroup, GroupKind, MembershipState};
use domain::ids::UserId;
use domain::limits::{GROUP_MEMBERS, QUERY_CHARS};
use domain::text::{Description, GroupName, at_most};

/// Default number of groups on a page.
pub const PAGE: usize = 20;
/// Maximum number of groups on a page.
pub const LARGEST_PAGE: usize = 100;
/// Maximum number of groups that a page leaves out.
const MOST_SKIPPED: u64 = 1_000_000;

/// A group in the directory.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DirectoryGroup")]
pub struct DirectoryGroup<'a> {
    /// The group's id.
    id: TextId,
    /// The group's name.
    name: &'a GroupName,
    /// What the group is about; empty if it has no description.
    description: &'a str,
    /// URL of the group's picture; null if it has none.
    avatar_url: Option<String>,
    /// Always empty on this server.
    directory_id: &'static str,
    /// The type of group: `private`, `closed` or `announcement`.
    #[schemars(extend("enum" = GroupKind::ALL.map(GroupKind::as_str)))]
    group_type: &'static str,
    /// Maximum number of members.
    max_members: usize,
    /// Number of members.
    members_count: u64,
    /// Always 0 on this server.
    children_count: u64,
    /// Always empty on this server.
    locations: [(); 0],
    /// Whether people who join wait for the owner or an admin.
    requires_approval: bool,
    /// What you are to the group: `active`, `requested_pending`, `denied` in the last day, `exited` or
    /// `removed`; null if you never were in it.
    #[schemars(extend("enum" = states()))]
    membership_state: Option<&'static str>,
}

/// Builds the JSON of a group in the directory.
pub fn group<'a>(found: &'a FoundGroup, instance: &Instance) -> DirectoryGroup<'a> {
    let FoundGroup { id, settings, members, state } = found;
    DirectoryGroup {
        id: (*id).into(),
        name: &settings.name,
        description: settings.description.as_ref().map_or("", Description::as_str),
        avatar_url: settings.image.as_ref().map(|image| instance.image_url(image)),
        directory_id: "",
        group_type: settings.kind.as_str(),
        max_members: GROUP_MEMBERS,
        members_count: *members,
        children_count: 0,
        locations: [],
        requires_approval: settings.admission.requires_approval,
        membership_state: state.map(MembershipState::as_str),
    }
}

/// A page of the directory.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DirectoryGroups<'a> {
    /// The groups.
    pub groups: Vec<DirectoryGroup<'a>>,
    /// Number of groups on all pages.
    pub count: usize,
}

/// Groups of the directory, in the lists that clients of the original service read.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct DirectoryLists<'a> {
    /// Always empty on this server.
    pub directories: [(); 0],
    /// Always empty on this server: groups have no locations.
    pub nearby: [(); 0],
    /// The groups, those with the most members first.
    pub popular: Vec<DirectoryGroup<'a>>,
    /// The groups that somebody joined last.
    pub trending: Vec<DirectoryGroup<'a>>,
}

/// Reads the query of the directory; `field` has the words.
///
/// # Errors
/// If a parameter is invalid; all problems are reported together.
pub fn read_query(
    query: &Map<String, Value>,
    field: &str,
    reader: UserId,
    order: DirectoryOrder,
) -> Result<DirectoryQuery, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(query, &mut problems);
    let words = fields.parsed(field, |text| at_most(text, QUERY_CHARS)).unwrap_or_default();
    let from = usize::try_from(fields.amount("from", MOST_SKIPPED)).unwrap_or(usize::MAX);
    let limit = fields.page_size("per_page", PAGE, LARGEST_PAGE);
    problems.or(Some(DirectoryQuery { reader, words, order, from, limit }))
}
