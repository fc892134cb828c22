//! Permissions in JSON, and the bodies that change roles.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use crate::timeouts::TimeoutResource;
use domain::group::permissions::GroupAct;
use domain::group::{Group, Member, NewRole, Role};
use domain::time::Timestamp;

/// What you may do in a group.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Permissions<'a> {
    /// Your role.
    #[schemars(extend("enum" = Role::ALL.map(Role::as_str)))]
    role: &'static str,
    /// What you may do, by the names of the table of permissions.
    may: Vec<&'static str>,
    /// Until when you are timed out; null if you are not. Unix time in seconds.
    timed_out_until: Option<u64>,
    /// The timeouts of all members, for those who may end them.
    #[serde(skip_serializing_if = "Option::is_none")]
    timeouts: Option<Vec<TimeoutResource<'a>>>,
}

impl<'a> Permissions<'a> {
    /// The permissions of a member.
    pub fn of(group: &'a Group, member: &Member, now: Timestamp) -> Self {
        let own = group.timeout_of(member.user_id, now);
        let lasting = || group.timeouts.values().filter(|it| it.until > now).map(Into::into);
        Self {
            role: member.role.as_str(),
            may: names(group, member, now),
            timed_out_until: own.map(|timeout| timeout.until.seconds()),
            timeouts: group.sees_timeouts(member.user_id).then(|| lasting().collect()),
        }
    }
}

/// The names of what a member may do.
pub fn names(group: &Group, member: &Member, now: Timestamp) -> Vec<&'static str> {
    group.permissions(member, now).map(GroupAct::as_str).collect()
}

/// Reads `{"role": "admin" / "user"}`, with or without a `membership` object around it.
///
/// # Errors
/// If the role is missing or not one of these.
pub fn read_role(body: &Map<String, Value>) -> Result<NewRole, Problems> {
    let mut problems = Problems::default();
    let mut top = Fields::of(body, &mut problems);
    let role = match top.value("membership") {
        Some(_) => top.object("membership").and_then(|mut it| role(&mut it)),
        None => role(&mut top),
    };
    problems.or(role)
}

fn role(fields: &mut Fields<'_>) -> Option<NewRole> {
    fields.required("role", |name| match name.as_str() {
        "admin" => Ok(NewRole::Admin),
        "user" => Ok(NewRole::User),
        _ => Err("must be admin or user"),
    })
}
