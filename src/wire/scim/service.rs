//! What the SCIM service is: its configuration, its types of resources, and their schemas
//! (RFC 7643, sections 5 to 7).

use serde_json::{Value, json};

use super::query::LIST_MOST;
use super::{GROUP, PATH, USER};
use crate::instance::Instance;

const CONFIG: &str = "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig";
const RESOURCE_TYPE: &str = "urn:ietf:params:scim:schemas:core:2.0:ResourceType";
const SCHEMA: &str = "urn:ietf:params:scim:schemas:core:2.0:Schema";

fn meta(kind: &str, path: &str, instance: &Instance) -> Value {
    json!({"resourceType": kind, "location": format!("{}{PATH}{path}", instance.public_url())})
}

/// The configuration of the service.
pub fn service_provider_config(instance: &Instance) -> Value {
    json!({
        "schemas": [CONFIG],
        "documentationUri": format!("{}/docs/operators#scim", instance.public_url()),
        "patch": {"supported": true},
        "bulk": {"supported": false, "maxOperations": 0, "maxPayloadSize": 0},
        "filter": {"supported": true, "maxResults": LIST_MOST},
        "changePassword": {"supported": false},
        "sort": {"supported": false},
        "etag": {"supported": false},
        "authenticationSchemes": [{
            "type": "oauthbearertoken",
            "name": "Bearer token",
            "description": "A token with the scope scim, which an admin makes",
            "specUri": "https://www.rfc-editor.org/rfc/rfc6750",
            "primary": true,
        }],
        "meta": meta("ServiceProviderConfig", "/ServiceProviderConfig", instance),
    })
}

/// The types of resources.
pub fn resource_types(instance: &Instance) -> Vec<Value> {
    let resource_type = |(name, description, endpoint, schema): (&str, &str, &str, &str)| {
        json!({
            "schemas": [RESOURCE_TYPE],
            "id": name,
            "name": name,
            "description": description,
            "endpoint": endpoint,
            "schema": schema,
            "schemaExtensions": [],
            "meta": meta("ResourceType", &format!("/ResourceTypes/{name}"), instance),
        })
    };
    let groups = ("Group", "Groups of accounts", "/Groups", GROUP);
    [("User", "Accounts", "/Users", USER), groups].map(resource_type).to_vec()
}

/// The schemas of users, groups and of what the service says about itself.
pub fn schemas(instance: &Instance) -> Vec<Value> {
    [
        (USER, "User", "An account", user()),
        (GROUP, "Group", "A group of accounts", group()),
        (CONFIG, "ServiceProviderConfig", "What the service supports", config()),
        (RESOURCE_TYPE, "ResourceType", "A type of resources", resource_type()),
        (SCHEMA, "Schema", "A schema", schema()),
    ]
    .into_iter()
    .map(|(id, name, description, attributes)| {
        let path = format!("/Schemas/{id}");
        json!({
            "schemas": [SCHEMA],
            "id": id,
            "name": name,
            "description": description,
            "attributes": attributes,
            "meta": meta("Schema", &path, instance),
        })
    })
    .collect()
}

/// An attribute that clients only read.
fn shown(name: &str, kind: &str, description: &str) -> Value {
    json!({
        "name": name,
        "type": kind,
        "multiValued": false,
        "description": description,
        "required": false,
        "caseExact": false,
        "mutability": "readOnly",
        "returned": "default",
        "uniqueness": "none",
    })
}

/// An attribute with others in it that clients only read.
fn parts(name: &str, description: &str, is_list: bool, attributes: &[Value]) -> Value {
    let mut whole = shown(name, "complex", description);
    whole["multiValued"] = json!(is_list);
    whole["subAttributes"] = json!(attributes);
    whole
}

/// An attribute that every user has and clients write.
fn needed(mut attribute: Value) -> Value {
    attribute["required"] = json!(true);
    attribute["mutability"] = json!("readWrite");
    attribute
}

fn writable(mut attribute: Value) -> Value {
    attribute["mutability"] = json!("readWrite");
    attribute
}

fn user() -> Vec<Value> {
    let mut user_name = needed(shown("userName", "string", "The directory's name of the account"));
    user_name["uniqueness"] = json!("server");
    let formatted = shown("formatted", "string", "The whole name");
    let address = [
        needed(shown("value", "string", "The address")),
        writable(shown("type", "string", "Always work")),
        writable(shown("primary", "boolean", "Always true")),
    ];
    let emails = parts("emails", "The email address to log in with: one", true, &address);
    let joined = [
        shown("value", "string", "The id of the group"),
        shown("$ref", "reference", "The URL of the group"),
        shown("display", "string", "The name of the group"),
        shown("type", "string", "Always direct"),
    ];
    vec![
        user_name,
        needed(shown("displayName", "string", "The name; without it, that of userName")),
        parts("name", "The name, as displayName says it", false, &[formatted]),
        needed(emails),
        needed(shown("active", "boolean", "Whether the account can be used; true without it")),
        parts("groups", "The groups that the account is in", true, &joined),
    ]
}

fn group() -> Vec<Value> {
    let member = [
        needed(shown("value", "string", "The id of the user")),
        writable(shown("$ref", "reference", "The URL of the user")),
        writable(shown("type", "string", "Always User")),
    ];
    let mut members = writable(parts("members", "The members: accounts", true, &member));
    members["subAttributes"].as_array_mut().into_iter().flatten().for_each(|part| {
        part["mutability"] = json!("immutable");
        match part["name"].as_str() {
            Some("$ref") => part["referenceTypes"] = json!(["User"]),
            Some("type") => part["canonicalValues"] = json!(["User"]),
            _ => {}
        }
    });
    vec![needed(shown("displayName", "string", "The name of the group")), members]
}

fn config() -> Vec<Value> {
    let supported = || shown("supported", "boolean", "Whether the service supports it");
    let feature = |name: &str, more: &[Value]| {
        let attributes: Vec<Value> =
            [supported()].into_iter().chain(more.iter().cloned()).collect();
        parts(name, "A feature of SCIM", false, &attributes)
    };
    let number = |name: &str| shown(name, "integer", "A limit");
    let text = |name: &str| shown(name, "string", "A way to authenticate");
    let scheme = [
        text("type"),
        text("name"),
        text("description"),
        shown("specUri", "reference", "Its specification"),
        shown("primary", "boolean", "Whether it is the usual one"),
    ];
    vec![
        shown("documentationUri", "reference", "The documentation"),
        feature("patch", &[]),
        feature("bulk", &[number("maxOperations"), number("maxPayloadSize")]),
        feature("filter", &[number("maxResults")]),
        feature("changePassword", &[]),
        feature("sort", &[]),
        feature("etag", &[]),
        parts("authenticationSchemes", "Ways to authenticate", true, &scheme),
    ]
}

fn resource_type() -> Vec<Value> {
    let extension = [
        shown("schema", "reference", "The schema"),
        shown("required", "boolean", "Whether each resource has it"),
    ];
    vec![
        shown("id", "string", "The id"),
        shown("name", "string", "The name"),
        shown("description", "string", "The description"),
        shown("endpoint", "reference", "The path"),
        shown("schema", "reference", "The schema"),
        parts("schemaExtensions", "More schemas", true, &extension),
    ]
}

fn schema() -> Vec<Value> {
    let traits = || {
        let text = |name: &str| shown(name, "string", "A trait of the attribute");
        let flag = |name: &str| shown(name, "boolean", "A trait of the attribute");
        vec![
            text("name"),
            text("type"),
            flag("multiValued"),
            text("description"),
            flag("required"),
            flag("caseExact"),
            text("mutability"),
            text("returned"),
            text("uniqueness"),
        ]
    };
    let below = parts("subAttributes", "The attributes in it", true, &traits());
    let attributes: Vec<Value> = traits().into_iter().chain([below]).collect();
    vec![
        shown("id", "string", "The id"),
        shown("name", "string", "The name"),
        shown("description", "string", "The description"),
        parts("attributes", "The attributes", true, &attributes),
    ]
}
