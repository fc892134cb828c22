//! JSON of `/v3/admin/directory_groups`: the groups that a directory writes through SCIM.

use schemars::JsonSchema;
use serde::Serialize;

use crate::schema::scalars::TextId;
use domain::directory_groups::ProvisionedGroup;
use domain::operators::OperatorRole;

/// A group of a directory.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdminDirectoryGroup {
    /// The group's id.
    id: TextId,
    /// The group's name.
    name: String,
    /// The directory's id of the group; null if it sent none.
    external_id: Option<String>,
    /// The number of members.
    members: usize,
    /// The role that the members get: `admin`, `moderator` or `auditor`; null for none.
    role: Option<&'static str>,
    /// When the directory created it. Unix time in seconds.
    created_at: u64,
    /// When it last changed. Unix time in seconds.
    updated_at: u64,
}

/// The groups of directories.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdminDirectoryGroups {
    /// The groups, oldest first.
    pub groups: Vec<AdminDirectoryGroup>,
}

/// Builds the JSON of a group.
pub fn group(group: &ProvisionedGroup) -> AdminDirectoryGroup {
    AdminDirectoryGroup {
        id: group.id.into(),
        name: group.names.name.clone(),
        external_id: group.names.external_id.clone(),
        members: group.members.len(),
        role: group.role.map(OperatorRole::as_str),
        created_at: group.created_at.seconds(),
        updated_at: group.updated_at.seconds(),
    }
}
