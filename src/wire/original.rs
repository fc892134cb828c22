//! Shapes that only clients of the original service read.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::group::Group;
use crate::domain::text::{Description, GroupName};
use crate::domain::user::KnownPerson;
use crate::wire::instance::Instance;
use crate::wire::schema::scalars::TextId;
use crate::wire::system_event::iso;

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

/// No requests: this server has none.
pub const NO_REQUESTS: PendingCounts = PendingCounts { dm: 0, received: 0, sent: 0, total: 0 };

/// A person whom you have a chat with or block.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Relationship<'a> {
    /// Id of the user.
    id: TextId,
    /// The same as `id`.
    user_id: TextId,
    /// The user's name.
    name: &'a str,
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
    /// Always false on this server.
    requires_approval: bool,
    /// Always false on this server.
    show_join_question: bool,
    /// Always null on this server.
    join_question: Option<()>,
}

/// Builds the preview of a group.
pub fn preview<'a>(group: &'a Group, instance: &Instance) -> GroupPreview<'a> {
    let settings = &group.settings;
    GroupPreview {
        id: group.id.into(),
        name: &settings.name,
        description: &settings.description,
        image_url: settings.image.as_ref().map(|image| instance.image_url(image)),
        members_count: group.members.len(),
        requires_approval: false,
        show_join_question: false,
        join_question: None,
    }
}
