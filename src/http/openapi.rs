//! `GET /openapi.json`: the API as an OpenAPI 3.1 document, built from the table of routes that is
//! served, so that no route can be missing.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde_json::{Map, Value, json};

use crate::http::{response_headers, routes};
use domain::guests::{self, AccountKind};
use wire::schema::components::{Components, pascal};

const ABOUT: &str = "Group messaging on your own server. Answers stand in an envelope: \
    `{\"response\": …, \"meta\": {\"code\": N}}`; refusals have `\"response\": null` and \
    `meta.errors`. Ids are decimal strings; only `group_id` in `shared_groups` is a number. \
    HEAD is answered wherever GET is. The same paths are served under \
    `/compat/v3`, and on a compatibility host, for clients from before the specification, with \
    these differences: `POST /bots/post` is answered with 202; `other_user.id` is a text; users \
    who may not list former members get 401 instead of 403; the `text` of a deleted message says \
    that it was deleted; mentions count in UTF-16 units and write `-1` for everybody, also in \
    requests, where wrong mentions and replies are corrected or left out instead of refused; a \
    direct message may name its `conversation_id` in place of the recipient; pinning answers null; \
    attachments of type `file` have a `file_id` alone; \
    `meta.code` of polls is a hundred times the status, and `user_vote` and `user_votes` are absent \
    before a vote; and groups, chats and your account have further fields, which the schemas name. Events of a push \
    session are the same everywhere. `/v2` and `/v4` serve what `/v3` serves. In requests, `null` \
    and an empty text count as absent, unless a field says otherwise. \
    `x-guests: false` marks operations that refuse guests (403). \
    `x-scopes` of an operation names the scopes of which the token needs one: with a conversation in \
    the path, that of groups or that of chats. \
    Fields may be added to answers; clients ignore those that they do not know.";

/// The tags, in the order of the specification.
const TAGS: [&str; 22] = [
    "Groups",
    "Members",
    "Messages",
    "Polls",
    "Events",
    "Chats",
    "Likes",
    "Bots",
    "Users",
    "Blocks",
    "Push",
    "Bayeux",
    "Notices",
    "Accounts",
    "Applications",
    "Images",
    "Files",
    "Original clients",
    "admin",
    "SCIM",
    "Health",
    "Pages",
];

/// Built once: the document depends on nothing but the program.
static TEXT: LazyLock<String> = LazyLock::new(|| document().to_string());

/// `GET /openapi.json`
pub(super) async fn show() -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(TEXT.as_str())
}

/// Builds the whole document.
pub fn document() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for row in routes::table() {
        let method = row.method.as_str().to_ascii_lowercase();
        let mut operation =
            (row.operation)().document(&row.method, &row.path, row.keys, row.access);
        if row.act.is_some_and(|act| !guests::may(AccountKind::Guest, act)) {
            operation["x-guests"] = json!(false);
        }
        paths.entry(row.path).or_insert_with(|| json!({}))[method] = operation;
    }
    let mut paths = Value::Object(paths);
    let schemas = name_schemas(&mut paths);
    let responses = share_responses(&mut paths);
    let tags: Vec<Value> = TAGS.iter().map(|name| json!({"name": name})).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Coterie",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
        },
        "servers": [{"url": "/"}],
        "tags": tags,
        "security": [{"header": []}, {"bearer": []}, {"query": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": responses,
            "headers": response_headers::components(),
            "securitySchemes": {
                "header": {"type": "apiKey", "in": "header", "name": "X-Access-Token"},
                "bearer": {"type": "http", "scheme": "bearer"},
                "query": {
                    "type": "apiKey",
                    "in": "query",
                    "name": "token",
                    "description": "`access_token` is understood as well.",
                },
            },
        },
    })
}

/// Makes every object in the bodies of requests and responses a component, and returns these. An
/// object without a name of its own is named after its operation.
fn name_schemas(paths: &mut Value) -> Map<String, Value> {
    let mut components = Components::default();
    components.take(paths);
    components.name_parts();
    each_operation(paths, |operation| {
        let name = pascal(operation["operationId"].as_str().unwrap_or_default());
        let body = operation.get_mut("requestBody");
        body.into_iter().for_each(|it| name_content(&mut components, it, &format!("{name}Body")));
        for (status, response) in operation["responses"].as_object_mut().into_iter().flatten() {
            name_content(&mut components, response, &format!("{name}{status}"));
        }
    });
    components.into_schemas()
}

/// Names the objects in the schemas of a body.
fn name_content(components: &mut Components, body: &mut Value, name: &str) {
    let Some(content) = body.get_mut("content").and_then(Value::as_object_mut) else { return };
    for media in content.values_mut() {
        components.name(&mut media["schema"], name);
    }
}

/// Puts responses that several operations have into components, with references in their place, and
/// returns these components. Each is named after its status, in the order of the document:
/// `NotFound`, `NotFound2`.
fn share_responses(paths: &mut Value) -> Map<String, Value> {
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    each_response(paths, |_, response| *uses.entry(response.to_string()).or_default() += 1);
    let mut components = Map::new();
    let mut names = BTreeMap::new();
    let mut named: BTreeMap<String, usize> = BTreeMap::new();
    each_response(paths, |status, response| {
        let text = response.to_string();
        if uses.get(&text).is_none_or(|count| *count == 1) {
            return;
        }
        let name = names.entry(text).or_insert_with(|| {
            let reason = reason(status);
            let number = named.entry(reason.clone()).and_modify(|it| *it += 1).or_insert(1);
            let name = if *number == 1 { reason } else { format!("{reason}{number}") };
            components.insert(name.clone(), response.clone());
            name
        });
        *response = json!({"$ref": format!("#/components/responses/{name}")});
    });
    components
}

/// Visits each operation.
fn each_operation(paths: &mut Value, visit: impl FnMut(&mut Value)) {
    let methods = paths.as_object_mut().into_iter().flat_map(Map::values_mut);
    methods.filter_map(Value::as_object_mut).flat_map(Map::values_mut).for_each(visit);
}

/// Visits each response of each operation, with its status.
fn each_response(paths: &mut Value, mut visit: impl FnMut(&str, &mut Value)) {
    each_operation(paths, |operation| {
        for (status, response) in operation["responses"].as_object_mut().into_iter().flatten() {
            visit(status, response);
        }
    });
}

/// The reason phrase of a status (RFC 9110, section 15) as one word: `NotFound`.
fn reason(status: &str) -> String {
    let status: Option<StatusCode> = status.parse().ok();
    let reason = status.and_then(|it| it.canonical_reason()).unwrap_or("Response");
    reason.chars().filter(char::is_ascii_alphanumeric).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::http::counts::STATUSES;
    use crate::http::once::Keys;

    #[test]
    fn operations_without_token_have_no_idempotency_key() {
        for row in routes::table().into_iter().filter(|row| row.keys == Keys::Caller) {
            assert!((row.operation)().needs_token(), "{} {}", row.method, row.path);
        }
    }

    #[test]
    fn every_status_of_the_document_is_counted_separately() {
        let document = document();
        let paths = document["paths"].as_object().unwrap().values();
        let operations = paths.flat_map(|path| path.as_object().unwrap().values());
        let answers = operations.flat_map(|it| it["responses"].as_object().unwrap().keys());
        let told: BTreeSet<u16> = answers.map(|status| status.parse().unwrap()).collect();
        let counted = BTreeSet::from(STATUSES);
        assert_eq!(told.difference(&counted).collect::<Vec<_>>(), [] as [&u16; 0]);
    }
}
