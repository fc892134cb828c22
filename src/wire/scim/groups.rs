//! Groups of SCIM: as a directory reads and writes them, in the forms that Entra ID and Okta send.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::query::{comparisons, short_name};
use super::{GROUP, PATH, ScimMeta, ScimRefusal, ScimType, always_two, by_name, location, moment};
use crate::instance::Instance;
use domain::directory_groups::ProvisionedGroup;
use domain::ids::DirectoryGroupId;
use domain::limits::SHORT_CHARS;
use domain::text::LineText;

/// A group as a directory sees it. A request may leave out all attributes but `id` and `schemas`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = always_two)]
pub struct ScimGroup {
    /// The schema of a group.
    schemas: [&'static str; 1],
    /// The group's id.
    id: String,
    /// The directory's id of the group; absent if it sent none.
    #[serde(skip_serializing_if = "Option::is_none")]
    external_id: Option<String>,
    /// The group's name.
    display_name: String,
    /// The members.
    members: Vec<ScimMember>,
    /// The resource.
    meta: ScimMeta,
}

/// A member of a group.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct ScimMember {
    /// The user's id.
    value: String,
    /// The URL of the user.
    #[serde(rename = "$ref")]
    url: String,
    /// Always `User`.
    r#type: &'static str,
}

/// The URL of the resource of a group.
pub fn group_location(group: DirectoryGroupId, instance: &Instance) -> String {
    format!("{}{PATH}/Groups/{group}", instance.public_url())
}

/// Builds the JSON of a group.
pub fn group(group: &ProvisionedGroup, instance: &Instance) -> ScimGroup {
    let member = |user| ScimMember {
        value: format!("{user}"),
        url: location(user, instance),
        r#type: "User",
    };
    ScimGroup {
        schemas: [GROUP],
        id: group.id.to_string(),
        external_id: group.names.external_id.clone(),
        display_name: group.names.name.clone(),
        members: group.members.iter().copied().map(member).collect(),
        meta: ScimMeta {
            resource_type: "Group",
            created: moment(group.created_at),
            last_modified: moment(group.updated_at),
            location: group_location(group.id, instance),
        },
    }
}

/// A step of a change of members, by the ids that the directory sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WantedMembers {
    /// These come.
    Add(Vec<String>),
    /// These go.
    Remove(Vec<String>),
    /// These are all.
    Replace(Vec<String>),
}

/// What a directory writes of a group; absent fields stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WantedGroup {
    /// The `displayName`.
    pub name: Option<String>,
    /// The `externalId`; `Some(None)` removes it.
    pub external_id: Option<Option<String>>,
    /// The changes of members, in their order.
    pub members: Vec<WantedMembers>,
}

/// Reads a whole group. Attributes that the server has not are left out.
///
/// # Errors
/// If `displayName` is missing or a value is invalid.
pub fn read_group(body: &Map<String, Value>) -> Result<WantedGroup, ScimRefusal> {
    let mut wanted = WantedGroup::default();
    wanted.object(body, Act::Replace)?;
    match wanted.name {
        Some(_) => Ok(wanted),
        None => Err(invalid("displayName is required")),
    }
}

/// Reads a patch of a group (RFC 7644, section 3.5.2).
///
/// # Errors
/// If it has another form, removes what every group has, or a value is invalid.
pub fn read_group_patch(body: &Map<String, Value>) -> Result<WantedGroup, ScimRefusal> {
    let syntax = |detail: &str| ScimRefusal::new(ScimType::InvalidSyntax, detail);
    let operations = by_name(body, "Operations").and_then(Value::as_array);
    let operations = operations.ok_or_else(|| syntax("Operations must be an array"))?;
    let mut wanted = WantedGroup::default();
    for operation in operations {
        let operation =
            operation.as_object().ok_or_else(|| syntax("each operation must be an object"))?;
        let act = by_name(operation, "op").and_then(Value::as_str).unwrap_or_default();
        let act = match act.to_ascii_lowercase().as_str() {
            "add" => Act::Add,
            "replace" => Act::Replace,
            "remove" => Act::Remove,
            _ => return Err(syntax("op must be add, replace or remove")),
        };
        let path = by_name(operation, "path").and_then(Value::as_str).map(str::trim);
        let value = by_name(operation, "value").filter(|value| !value.is_null());
        match (act, path.filter(|path| !path.is_empty())) {
            (_, Some(path)) => wanted.at_path(act, path, value)?,
            (Act::Remove, None) => {
                return Err(ScimRefusal::new(ScimType::NoTarget, "a removal needs a path"));
            }
            (Act::Add | Act::Replace, None) => {
                let detail = "value must be an object in an operation without a path";
                let fields = value.and_then(Value::as_object).ok_or_else(|| syntax(detail))?;
                wanted.object(fields, act)?;
            }
        }
    }
    Ok(wanted)
}

/// An operation of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Add,
    Replace,
    Remove,
}

impl WantedGroup {
    /// Takes the attributes of an object.
    fn object(&mut self, fields: &Map<String, Value>, act: Act) -> Result<(), ScimRefusal> {
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
            match short_name(name).as_str() {
                // Okta repeats the id in the value.
                "id" | "meta" | "schemas" => {}
                _ => self.at_path(act, name, Some(value))?,
            }
        }
        Ok(())
    }

    fn at_path(&mut self, act: Act, path: &str, value: Option<&Value>) -> Result<(), ScimRefusal> {
        let name = short_name(path);
        let required = || invalid(format!("{path}: value is required"));
        match (name.as_str(), act) {
            ("displayname", Act::Remove) => Err(mutability(path, "cannot be removed")),
            ("displayname", _) => {
                self.name = Some(line(path, value.ok_or_else(required)?)?);
                Ok(())
            }
            ("externalid", Act::Remove) => {
                self.external_id = Some(None);
                Ok(())
            }
            ("externalid", _) => {
                self.external_id = Some(Some(line(path, value.ok_or_else(required)?)?));
                Ok(())
            }
            ("members", _) => self.members(act, value, path),
            ("id" | "meta" | "schemas", _) => Err(mutability(path, "cannot be changed")),
            (name, _) if name.starts_with("members[") => self.selected(act, path),
            (name, _) if name.starts_with(|it: char| it.is_ascii_alphabetic()) => Ok(()),
            _ => Err(ScimRefusal::new(ScimType::InvalidPath, format!("{path} is no path"))),
        }
    }

    fn members(&mut self, act: Act, value: Option<&Value>, path: &str) -> Result<(), ScimRefusal> {
        let ids = value.map(|value| ids(path, value)).transpose()?;
        self.members.push(match (act, ids) {
            (Act::Add, Some(ids)) => WantedMembers::Add(ids),
            (Act::Replace, Some(ids)) => WantedMembers::Replace(ids),
            // Entra ID names those who go in the value, too.
            (Act::Remove, Some(ids)) => WantedMembers::Remove(ids),
            (Act::Remove, None) => WantedMembers::Replace(Vec::new()),
            (Act::Add | Act::Replace, None) => {
                return Err(invalid(format!("{path}: value is required")));
            }
        });
        Ok(())
    }

    /// Takes the path of one member: `members[value eq "7"]`.
    fn selected(&mut self, act: Act, path: &str) -> Result<(), ScimRefusal> {
        let no_path = || ScimRefusal::new(ScimType::InvalidPath, format!("{path} is no path"));
        let opened = path.find('[').ok_or_else(no_path)?;
        let filter = path.get(opened + 1..).and_then(|rest| rest.strip_suffix(']'));
        let compared = filter.and_then(comparisons).ok_or_else(no_path)?;
        match compared.as_slice() {
            [(attribute, id)] if attribute == "value" && act == Act::Remove => {
                self.members.push(WantedMembers::Remove(vec![id.clone()]));
                Ok(())
            }
            [(attribute, _)] if attribute == "value" => {
                Err(mutability(path, "can only be removed"))
            }
            _ => Err(no_path()),
        }
    }
}

fn invalid(detail: impl Into<String>) -> ScimRefusal {
    ScimRefusal::new(ScimType::InvalidValue, detail)
}

fn mutability(path: &str, detail: &str) -> ScimRefusal {
    ScimRefusal::new(ScimType::Mutability, format!("{path} {detail}"))
}

fn line(path: &str, value: &Value) -> Result<String, ScimRefusal> {
    let text = value.as_str().ok_or_else(|| invalid(format!("{path} must be text")))?;
    LineText::parse(text.trim().to_owned(), SHORT_CHARS)
        .map(String::from)
        .map_err(|error| invalid(format!("{path} {error}")))
}

/// The ids of members: a list of objects with a `value`, or one of them.
fn ids(path: &str, value: &Value) -> Result<Vec<String>, ScimRefusal> {
    let one = |value: &Value| {
        let id = match value.as_object() {
            Some(fields) => by_name(fields, "value").and_then(Value::as_str),
            None => value.as_str(),
        };
        id.map(str::to_owned).ok_or_else(|| invalid(format!("{path} must have a value")))
    };
    match value.as_array() {
        Some(list) => list.iter().map(one).collect(),
        None => Ok(vec![one(value)?]),
    }
}

/// Reads the filter of a list of groups: attributes in lower case, and the texts that they equal.
///
/// # Errors
/// If it compares other attributes, or not by `eq`.
pub fn read_group_filter(query: &Map<String, Value>) -> Result<Vec<(String, String)>, ScimRefusal> {
    let Some(filter) = by_name(query, "filter").and_then(Value::as_str) else {
        return Ok(Vec::new());
    };
    let is_known = |(attribute, _): &(String, String)| {
        matches!(
            attribute.as_str(),
            "id" | "displayname" | "externalid" | "members" | "members.value"
        )
    };
    let compared = comparisons(filter).filter(|all| all.iter().all(is_known));
    compared.ok_or_else(|| {
        let detail = "filter must compare displayName, externalId, id or members by eq \"…\", \
                      joined by and";
        ScimRefusal::new(ScimType::InvalidFilter, detail)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fields(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn patch(operations: Value) -> Result<WantedGroup, ScimRefusal> {
        read_group_patch(&fields(json!({ "Operations": operations })))
    }

    fn texts(ids: &[&str]) -> Vec<String> {
        ids.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn entra_and_okta_change_members_in_their_forms() {
        for (operation, step) in [
            (
                json!({"op": "Add", "path": "members", "value": [{"value": "7"}, {"value": "8"}]}),
                WantedMembers::Add(texts(&["7", "8"])),
            ),
            (
                json!({"op": "add", "value": {"members": [{"value": "7", "display": "Ana"}]}}),
                WantedMembers::Add(texts(&["7"])),
            ),
            (
                json!({"op": "Remove", "path": "members", "value": [{"value": "7"}]}),
                WantedMembers::Remove(texts(&["7"])),
            ),
            (
                json!({"op": "remove", "path": "members[value eq \"7\"]"}),
                WantedMembers::Remove(texts(&["7"])),
            ),
            (json!({"op": "remove", "path": "members"}), WantedMembers::Replace(Vec::new())),
            (
                json!({"op": "replace", "path": "members", "value": [{"value": "9"}]}),
                WantedMembers::Replace(texts(&["9"])),
            ),
        ] {
            let wanted = patch(json!([operation.clone()])).unwrap();
            assert_eq!(wanted.members, [step], "{operation}");
        }
        let renamed = json!([{"op": "replace", "value": {"id": "1", "displayName": "Staff"}}]);
        assert_eq!(patch(renamed).unwrap().name.as_deref(), Some("Staff"));
        let path = format!("{GROUP}:displayName");
        let renamed = json!([{"op": "Replace", "path": path, "value": "All"}]);
        assert_eq!(patch(renamed).unwrap().name.as_deref(), Some("All"));
        let removed = patch(json!([{"op": "remove", "path": "externalId"}])).unwrap();
        assert_eq!(removed.external_id, Some(None));
    }

    #[test]
    fn refusals_of_groups_name_their_kind() {
        for (operation, kind) in [
            (json!({"op": "remove"}), ScimType::NoTarget),
            (json!({"op": "remove", "path": "displayName"}), ScimType::Mutability),
            (json!({"op": "replace", "path": "id", "value": "2"}), ScimType::Mutability),
            (
                json!({"op": "replace", "path": "members[value eq \"7\"]", "value": "8"}),
                ScimType::Mutability,
            ),
            (json!({"op": "remove", "path": "members[value"}), ScimType::InvalidPath),
            (json!({"op": "remove", "path": "members[type eq \"User\"]"}), ScimType::InvalidPath),
            (json!({"op": "add", "path": "members", "value": [7]}), ScimType::InvalidValue),
            (json!({"op": "add", "path": "members"}), ScimType::InvalidValue),
            (json!({"op": "replace", "path": "displayName", "value": ""}), ScimType::InvalidValue),
            (json!({"op": "move", "path": "members", "value": []}), ScimType::InvalidSyntax),
            (json!({"op": "add", "value": true}), ScimType::InvalidSyntax),
            (json!(7), ScimType::InvalidSyntax),
        ] {
            let refusal = patch(json!([operation.clone()])).unwrap_err();
            assert_eq!(refusal.kind, kind, "{operation}");
        }
        let nameless = read_group(&fields(json!({"members": []}))).unwrap_err();
        assert_eq!(nameless.detail, "displayName is required");
    }

    #[test]
    fn filters_of_groups_are_joined() {
        let read = |filter: &str| read_group_filter(&fields(json!({ "filter": filter })));
        let both = read("id eq \"7\" AND members eq \"8 and 9\"").unwrap();
        let both: Vec<_> = both.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        assert_eq!(both, [("id", "7"), ("members", "8 and 9")]);
        for filter in ["userName eq \"a\"", "id eq \"7\" or id eq \"8\"", "id eq \"7\" and"] {
            assert_eq!(read(filter).unwrap_err().kind, ScimType::InvalidFilter, "{filter}");
        }
    }
}
