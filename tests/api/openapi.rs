//! The document at `/openapi.json`: that it is complete. That it is true is checked on every
//! response that the other tests see (`world/documented.rs`).

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::world::World;
use crate::world::person::text;

async fn served() -> Value {
    let world = World::start().await;
    let answer = world.get("/openapi.json").await;
    assert_eq!(answer.status, 200);
    serde_json::from_str(&answer.text).unwrap()
}

/// Every operation of the document, with its path.
fn operations(document: &Value) -> Vec<(&str, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    paths
        .flat_map(|(path, methods)| {
            methods.as_object().unwrap().values().map(move |it| (path.as_str(), it))
        })
        .collect()
}

/// Collects every `$ref` in the value, however deep.
pub(crate) fn refs<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(fields) => {
            // A property of SCIM has this name, too.
            found.extend(fields.get("$ref").and_then(Value::as_str));
            fields.values().for_each(|it| refs(it, found));
        }
        Value::Array(items) => items.iter().for_each(|it| refs(it, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn served_openapi_is_the_tested_one() {
    let document = served().await;
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(document, coterie::http::openapi::document());
}

#[tokio::test]
async fn openapi_references_and_components_match() {
    let document = served().await;
    let mut found = Vec::new();
    refs(&document, &mut found);
    let mut known = HashSet::new();
    for kind in ["schemas", "responses", "headers"] {
        let names = document["components"][kind].as_object().unwrap().keys();
        known.extend(names.map(|name| format!("#/components/{kind}/{name}")));
    }
    let named: HashSet<String> = found.into_iter().map(str::to_owned).collect();
    assert_eq!(named, known);
}

#[tokio::test]
async fn every_operation_has_id_section_and_success() {
    let document = served().await;
    let sections: HashSet<&str> =
        document["tags"].as_array().unwrap().iter().map(|tag| text(&tag["name"])).collect();
    let mut names = HashSet::new();
    for (path, operation) in operations(&document) {
        assert!(names.insert(text(&operation["operationId"])), "twice: {operation}");
        assert!(sections.contains(text(&operation["tags"][0])), "no such section: {operation}");
        let answers = operation["responses"].as_object().unwrap();
        // The form of a page succeeds with a redirect.
        let succeeds = |it: &String| it.starts_with(['1', '2']) || it == "302";
        assert!(answers.keys().any(succeeds), "{path} never succeeds");
    }
}

#[tokio::test]
async fn every_variable_of_a_path_is_explained() {
    let document = served().await;
    for (path, operation) in operations(&document) {
        let parameters = operation["parameters"].as_array().unwrap();
        let explained: Vec<&str> = parameters
            .iter()
            .filter(|it| it["in"] == "path" && !text(&it["description"]).is_empty())
            .map(|it| text(&it["name"]))
            .collect();
        let parts = path.split('/').filter_map(|it| it.strip_prefix('{')?.strip_suffix('}'));
        assert_eq!(explained, parts.collect::<Vec<_>>(), "{path}");
    }
}

/// POSTs of log-ins and accounts that take no key.
const UNKEYED_LOG_INS: [&str; 24] = [
    "/auth/confirm",
    "/auth/confirm/{secret}",
    "/auth/fresh",
    "/auth/login",
    "/auth/login/verify",
    "/auth/logout",
    "/auth/oidc/finish",
    "/auth/oidc/{provider}/link",
    "/auth/oidc/{provider}/logout",
    "/auth/oidc/{provider}/proof",
    "/auth/passkeys/login/finish",
    "/auth/passkeys/login/start",
    "/auth/passkeys/register/finish",
    "/auth/passkeys/register/start",
    "/auth/password",
    "/auth/protest/{secret}",
    "/auth/recover",
    "/auth/recover/{secret}",
    "/auth/setup",
    "/auth/tokens",
    "/auth/totp",
    "/auth/totp/confirm",
    "/auth/totp/recovery-codes",
    "/auth/unsubscribe/{sealed}",
];

#[tokio::test]
async fn every_authenticated_post_documents_its_key() {
    let document = served().await;
    let mut unkeyed = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let Some(operation) = methods.get("post") else { continue };
        let parameters = operation["parameters"].as_array().unwrap();
        let takes_key = parameters
            .iter()
            .any(|it| (&it["name"], &it["in"]) == (&json!("Idempotency-Key"), &json!("header")));
        if takes_key {
            for status in ["400", "409", "422"] {
                assert!(operation["responses"].get(status).is_some(), "{path} tells no {status}");
            }
        } else {
            let why = text(&operation["description"]);
            assert!(why.contains("Takes no `Idempotency-Key`"), "{path}: {why}");
            unkeyed.push(path.as_str());
        }
    }
    let bayeux = ["/faye", "/faye/{step}"];
    let pages = [
        "/oauth/access_token",
        "/oauth/authorize",
        "/oauth/revoke",
        "/oauth/token",
        "/pictures",
        "/scim/v2/.search",
        "/scim/v2/Groups",
        "/scim/v2/Groups/.search",
        "/scim/v2/Users",
        "/uploads",
    ];
    let service = [
        "/v1/{conversation}/fileData",
        "/v1/{conversation}/files",
        "/v1/{conversation}/files/{file}",
        "/v3/access_tokens",
    ];
    let admin = ["/v3/admin/mail/test", "/v3/admin/scim_tokens", "/v3/admin/users/{user}/recover"];
    let chats_and_files = [
        "/v3/chats/{chat}/approve",
        "/v3/conversations/{conversation}/files",
        "/v3/files/{conversation}/{file}/link",
    ];
    let factor = ["/v3/verifications/{code}/confirm", "/v3/verifications/{code}/initiate"];
    let others = [&service[..], &admin[..], &chats_and_files[..], &factor[..]].concat();
    assert_eq!(unkeyed, [&UNKEYED_LOG_INS[..], &bayeux[..], &pages[..], &others[..]].concat());
}

/// Every schema below a value, with its place.
fn schemas<'a>(value: &'a Value, place: &str, found: &mut Vec<(String, &'a Value)>) {
    match value {
        Value::Object(fields) => {
            found.push((place.to_owned(), value));
            fields.iter().for_each(|(key, below)| schemas(below, &format!("{place}/{key}"), found));
        }
        Value::Array(items) => {
            let numbered = items.iter().zip(0..);
            numbered.for_each(|(it, at)| schemas(it, &format!("{place}/{at}"), found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether programs that generate code would have to invent a name for this schema.
fn needs_a_name(schema: &Value) -> bool {
    let kinds = schema["type"].as_array().cloned().unwrap_or_else(|| vec![schema["type"].clone()]);
    kinds.contains(&json!("object")) && schema["properties"].is_object()
}

#[test]
fn objects_of_both_documents_have_names_of_their_own() {
    for document in [
        coterie::http::openapi::document(),
        coterie::http::asyncapi::document("https://example.org"),
    ] {
        let components = document["components"]["schemas"].as_object().unwrap();
        let plain = |name: &String| name.to_lowercase().replace('_', "");
        let names: HashSet<String> = components.keys().map(plain).collect();
        assert_eq!(names.len(), components.len(), "names that differ in their case alone");
        let mut found = Vec::new();
        schemas(&document["paths"], "paths", &mut found);
        schemas(&document["components"]["responses"], "responses", &mut found);
        for (name, component) in components {
            let mut within = Vec::new();
            schemas(component, name, &mut within);
            found.extend(within.into_iter().skip(1));
        }
        assert!(found.len() > 200, "{}", found.len());
        let unnamed: Vec<&String> =
            found.iter().filter(|(_, it)| needs_a_name(it)).map(|(place, _)| place).collect();
        assert_eq!(unnamed, [] as [&String; 0]);
        let titled = found.iter().filter(|(_, it)| it["title"].is_string());
        assert_eq!(titled.count(), 0, "titles are names for generators");
    }
}

/// Whether a part of a path fits a part of a template, by the pattern of its variable.
fn fits(part: &str, template: &str, parameters: &Value) -> bool {
    let Some(name) = template.strip_prefix('{').and_then(|it| it.strip_suffix('}')) else {
        return part == template;
    };
    let is_variable = |it: &&Value| it["in"] == "path" && it["name"] == name;
    let parameter = parameters.as_array().unwrap().iter().find(is_variable).unwrap();
    part.starts_with('{') || jsonschema::is_valid(&parameter["schema"], &json!(part))
}

#[test]
fn no_request_fits_two_paths() {
    let document = coterie::http::openapi::document();
    let paths = document["paths"].as_object().unwrap();
    let parameters = |path: &String| {
        let methods = paths[path].as_object().unwrap();
        methods.values().next().unwrap()["parameters"].clone()
    };
    for (one, other) in paths
        .keys()
        .flat_map(|one| paths.keys().filter(move |it| *it > one).map(move |it| (one, it)))
    {
        let (ours, theirs) = (parameters(one), parameters(other));
        let (left, right): (Vec<&str>, Vec<&str>) =
            (one.split('/').collect(), other.split('/').collect());
        let pairs = || left.iter().zip(&right);
        let is_same = left.len() == right.len()
            && pairs().all(|(a, b)| fits(a, b, &theirs) || fits(b, a, &ours));
        let more_exact = |a: &str, b: &str| !a.starts_with('{') && b.starts_with('{');
        let (ahead, behind) = (
            pairs().filter(|(a, b)| more_exact(a, b)).count(),
            pairs().filter(|(a, b)| more_exact(b, a)).count(),
        );
        assert!(!is_same || (ahead == 0) != (behind == 0), "{one} and {other}");
    }
}
