//! Bodies of SCIM: whole users and patches, in the forms that Entra ID and Okta send.

use serde_json::{Map, Value};

use super::query::short_name;
use super::{ScimRefusal, ScimType, WrittenProfile, by_name};
use domain::limits::SHORT_CHARS;
use domain::text::{Email, LineText, UserName};

/// What a directory writes of a user; absent fields stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WantedUser {
    /// The `userName`.
    pub user_name: Option<String>,
    /// The `externalId`; `Some(None)` removes it.
    pub external_id: Option<Option<String>>,
    /// Name and email address.
    pub profile: WrittenProfile,
    /// Whether the account can be used.
    pub is_active: Option<bool>,
}

/// Reads a whole user. Attributes that the server has not are left out.
///
/// # Errors
/// If `userName` is missing or a value is invalid.
pub fn read_user(body: &Map<String, Value>) -> Result<WantedUser, ScimRefusal> {
    let mut draft = Draft::default();
    draft.object(body)?;
    let wanted = draft.finish()?;
    match wanted.user_name {
        Some(_) => Ok(wanted),
        None => Err(invalid("userName is required")),
    }
}

/// Reads a patch (RFC 7644, section 3.5.2).
///
/// # Errors
/// If it has another form, removes what every user has, or a value is invalid.
pub fn read_patch(body: &Map<String, Value>) -> Result<WantedUser, ScimRefusal> {
    let syntax = |detail: &str| ScimRefusal::new(ScimType::InvalidSyntax, detail);
    let operations = by_name(body, "Operations").and_then(Value::as_array);
    let operations = operations.ok_or_else(|| syntax("Operations must be an array"))?;
    let mut draft = Draft::default();
    for operation in operations {
        let operation =
            operation.as_object().ok_or_else(|| syntax("each operation must be an object"))?;
        let act = by_name(operation, "op").and_then(Value::as_str).unwrap_or_default();
        let path = by_name(operation, "path").and_then(Value::as_str).map(str::trim);
        let path = path.filter(|path| !path.is_empty());
        let value = by_name(operation, "value");
        match (act.to_ascii_lowercase().as_str(), path) {
            ("add" | "replace", Some(path)) => {
                let value = value.ok_or_else(|| invalid(format!("{path}: value is required")))?;
                draft.at_path(path, value)?;
            }
            ("add" | "replace", None) => {
                let fields = value.and_then(Value::as_object);
                let detail = "value must be an object in an operation without a path";
                draft.object(fields.ok_or_else(|| syntax(detail))?)?;
            }
            ("remove", Some(path)) => draft.at_path(path, &Value::Null)?,
            ("remove", None) => {
                let detail = "a removal needs a path";
                return Err(ScimRefusal::new(ScimType::NoTarget, detail));
            }
            _ => return Err(syntax("op must be add, replace or remove")),
        }
    }
    draft.finish()
}

fn invalid(detail: impl Into<String>) -> ScimRefusal {
    ScimRefusal::new(ScimType::InvalidValue, detail)
}

fn mutability(path: &str, detail: &str) -> ScimRefusal {
    ScimRefusal::new(ScimType::Mutability, format!("{path} {detail}"))
}

/// The values that a body names, the last one of each.
#[derive(Debug, Default)]
struct Draft {
    user_name: Option<String>,
    external_id: Option<Option<String>>,
    display_name: Option<String>,
    formatted: Option<String>,
    given_name: Option<String>,
    family_name: Option<String>,
    email: Option<String>,
    is_active: Option<bool>,
}

impl Draft {
    /// Takes the attributes of an object, whose names may have dots and filters in them.
    fn object(&mut self, fields: &Map<String, Value>) -> Result<(), ScimRefusal> {
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
            self.attribute(name, value)?;
        }
        Ok(())
    }

    /// Takes the value of a path; null removes what is there.
    fn at_path(&mut self, path: &str, value: &Value) -> Result<(), ScimRefusal> {
        let name = short_name(path);
        let opened = name.matches('[').count();
        let is_path = name.starts_with(|first: char| first.is_ascii_alphabetic())
            && opened == name.matches(']').count()
            && opened <= 1;
        if !is_path {
            return Err(ScimRefusal::new(ScimType::InvalidPath, format!("{path} is no path")));
        }
        let first = name.split(['.', '[']).next().unwrap_or_default();
        if matches!(first, "id" | "meta" | "schemas" | "groups") {
            return Err(mutability(path, "cannot be changed"));
        }
        let is_needed = matches!(first, "username" | "displayname" | "emails" | "active");
        if value.is_null() && is_needed {
            return Err(mutability(path, "cannot be removed"));
        }
        if value.is_null() && first == "externalid" {
            self.external_id = Some(None);
        }
        match value.is_null() {
            true => Ok(()),
            false => self.attribute(path, value),
        }
    }

    fn attribute(&mut self, path: &str, value: &Value) -> Result<(), ScimRefusal> {
        let name = short_name(path);
        let (first, rest) = match name.find(['.', '[']) {
            Some(at) => name.split_at(at),
            None => (name.as_str(), ""),
        };
        match (first, rest) {
            ("username", "") => self.user_name = Some(text(path, value)?),
            ("externalid", "") => self.external_id = Some(Some(text(path, value)?)),
            ("displayname", "") => self.display_name = Some(text(path, value)?),
            ("name", "") => self.name(value)?,
            ("name", ".formatted") => self.formatted = Some(text(path, value)?),
            ("name", ".givenname") => self.given_name = Some(text(path, value)?),
            ("name", ".familyname") => self.family_name = Some(text(path, value)?),
            ("active", "") => self.is_active = Some(flag(path, value)?),
            ("emails", "") => self.email = Some(address(path, value)?),
            ("emails", filter) if filter.ends_with(".value") => {
                self.email = Some(text(path, value)?);
            }
            ("emails", filter) if filter.ends_with(']') => self.email = Some(address(path, value)?),
            // Other attributes, such as a department, are not kept here.
            _ => {}
        }
        Ok(())
    }

    fn name(&mut self, value: &Value) -> Result<(), ScimRefusal> {
        let parts = value.as_object().ok_or_else(|| invalid("name must be an object"))?;
        for (part, value) in parts.iter().filter(|(_, value)| !value.is_null()) {
            self.attribute(&format!("name.{part}"), value)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<WantedUser, ScimRefusal> {
        let line = |name: &str, text: Option<String>| match text {
            Some(text) => match LineText::parse(text.trim().to_owned(), SHORT_CHARS) {
                Ok(line) => Ok(Some(String::from(line))),
                Err(error) => Err(invalid(format!("{name} {error}"))),
            },
            None => Ok(None),
        };
        let user_name = line("userName", self.user_name)?;
        let external_id = match self.external_id {
            Some(Some(id)) => Some(line("externalId", Some(id))?),
            Some(None) => Some(None),
            None => None,
        };
        let joined = self.given_name.zip(self.family_name);
        let joined = joined.map(|(given, family)| format!("{given} {family}"));
        let filled = |text: &String| !text.trim().is_empty();
        let named = self.display_name.or(self.formatted.filter(filled)).or(joined.filter(filled));
        let name = match named {
            Some(name) => Some(
                UserName::parse(name.trim().to_owned())
                    .map_err(|error| invalid(format!("displayName {error}")))?,
            ),
            None => None,
        };
        let email = match self.email {
            Some(email) => {
                Some(Email::parse(&email).map_err(|error| invalid(format!("emails {error}")))?)
            }
            None => None,
        };
        let profile = WrittenProfile { name, email };
        Ok(WantedUser { user_name, external_id, profile, is_active: self.is_active })
    }
}

fn text(path: &str, value: &Value) -> Result<String, ScimRefusal> {
    match value {
        Value::String(text) => Ok(text.clone()),
        // Entra ID sends a single value in an array, too.
        Value::Array(list) if list.len() == 1 => text(path, &list[0]),
        Value::Object(fields) => match by_name(fields, "value") {
            Some(value) => text(path, value),
            None => Err(invalid(format!("{path} must be text"))),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
            Err(invalid(format!("{path} must be text")))
        }
    }
}

/// A flag, also as the text that Entra ID sends: `"False"`.
fn flag(path: &str, value: &Value) -> Result<bool, ScimRefusal> {
    let as_text = value.as_str().map(str::to_ascii_lowercase);
    match (value.as_bool(), as_text.as_deref()) {
        (Some(flag), _) => Ok(flag),
        (None, Some("true")) => Ok(true),
        (None, Some("false")) => Ok(false),
        (None, _) => Err(invalid(format!("{path} must be true or false"))),
    }
}

/// The address of a list of addresses: the primary one, else that for work, else the first.
fn address(path: &str, value: &Value) -> Result<String, ScimRefusal> {
    let Some(list) = value.as_array() else { return text(path, value) };
    let fields = || list.iter().filter_map(Value::as_object);
    let is_primary = |it: &&Map<String, Value>| {
        by_name(it, "primary").is_some_and(|flagged| flag(path, flagged).unwrap_or(false))
    };
    let is_for_work = |it: &&Map<String, Value>| {
        let kind = by_name(it, "type").and_then(Value::as_str);
        kind.is_some_and(|kind| kind.eq_ignore_ascii_case("work"))
    };
    let chosen = fields().find(is_primary).or_else(|| fields().find(is_for_work));
    let value = chosen.or_else(|| fields().next()).and_then(|it| by_name(it, "value"));
    text(path, value.ok_or_else(|| invalid(format!("{path} must have a value")))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fields(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn patch(operations: Value) -> Result<WantedUser, ScimRefusal> {
        read_patch(&fields(json!({ "Operations": operations })))
    }

    #[test]
    fn entra_and_okta_deactivate_in_their_forms() {
        for operations in [
            json!([{"op": "Replace", "path": "active", "value": "False"}]),
            json!([{"op": "replace", "value": {"active": false}}]),
            json!([{"op": "Replace", "value": {"active": "False"}}]),
            json!([{"op": "add", "path": "urn:ietf:params:scim:schemas:core:2.0:User:active",
                "value": false}]),
        ] {
            let wanted = patch(operations.clone()).unwrap();
            assert_eq!(wanted.is_active, Some(false), "{operations}");
        }
    }

    #[test]
    fn addresses_and_names_are_read_in_every_form() {
        for operations in [
            json!([{"op": "replace", "path": "emails[type eq \"work\"].value", "value": "b@x.org"}]),
            json!([{"op": "add", "path": "emails", "value": [
                {"value": "a@x.org"}, {"value": "b@x.org", "primary": true}]}]),
            json!([{"op": "add", "path": "emails", "value": [
                {"value": "a@x.org", "type": "home"}, {"value": "b@x.org", "type": "work"}]}]),
            json!([{"op": "replace", "value": {"emails[type eq \"work\"].value": "b@x.org"}}]),
        ] {
            let email = patch(operations.clone()).unwrap().profile.email.unwrap();
            assert_eq!(email.as_str(), "b@x.org", "{operations}");
        }
        let named = |value| patch(json!([{"op": "replace", "value": value}])).unwrap().profile.name;
        let name = |value| named(value).unwrap().as_str().to_owned();
        assert_eq!(name(json!({"name": {"givenName": "Ana", "familyName": "Lee"}})), "Ana Lee");
        assert_eq!(name(json!({"name.formatted": "Ana Lee", "displayName": "Ana"})), "Ana");
        assert_eq!(named(json!({"name.givenName": "Ana"})), None);
    }

    #[test]
    fn refusals_name_their_kind() {
        for (operations, kind) in [
            (json!([{"op": "remove"}]), ScimType::NoTarget),
            (json!([{"op": "remove", "path": "userName"}]), ScimType::Mutability),
            (
                json!([{"op": "replace", "path": "meta.location", "value": "x"}]),
                ScimType::Mutability,
            ),
            (
                json!([{"op": "replace", "path": "emails[type", "value": "x"}]),
                ScimType::InvalidPath,
            ),
            (json!([{"op": "replace", "path": "active", "value": "no"}]), ScimType::InvalidValue),
            (json!([{"op": "replace", "path": "emails", "value": "no"}]), ScimType::InvalidValue),
            (json!([{"op": "move", "path": "active", "value": true}]), ScimType::InvalidSyntax),
            (json!([{"op": "replace", "value": true}]), ScimType::InvalidSyntax),
            (json!([7]), ScimType::InvalidSyntax),
        ] {
            assert_eq!(patch(operations.clone()).unwrap_err().kind, kind, "{operations}");
        }
        let nameless = read_user(&fields(json!({"displayName": "Ana"}))).unwrap_err();
        assert_eq!(nameless.detail, "userName is required");
    }

    #[test]
    fn external_id_is_removed_by_its_path() {
        let removed = patch(json!([{"op": "remove", "path": "externalId"}])).unwrap();
        assert_eq!(removed.external_id, Some(None));
        let kept = read_user(&fields(json!({"userName": "ana", "externalId": null}))).unwrap();
        assert_eq!(kept.external_id, None);
    }
}
