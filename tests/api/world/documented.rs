//! Checks every response that a test sees against the document at `/openapi.json`: its status, its
//! content type and the headers that clients rely on must be documented for the route, and its body
//! must fit the schema.
//!
//! For clients the schemas allow unknown fields, since fields may be added later. Here they are
//! forbidden, so that a field which nobody documented fails the test that saw it.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::world::answer::Answer;

/// The published document, with unknown fields forbidden.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let mut document = coterie::http::openapi::document();
    close(&mut document);
    document
});
static ANSWERS: LazyLock<SchemaByName> = LazyLock::new(|| {
    let mut schemas = Map::new();
    for (method, path) in routes() {
        let answers = &DOCUMENT["paths"][&path][method.to_lowercase()]["responses"];
        for (status, told) in answers.as_object().unwrap() {
            let content = |media: &str| response(told)["content"].get(media);
            if let Some(schema) = content(JSON).or(content(SCIM)).map(|it| &it["schema"]) {
                schemas.insert(place(&method, &path, status), schema.clone());
            }
        }
    }
    SchemaByName::new(schemas, &DOCUMENT["components"])
});

/// Media types of bodies that are checked.
const JSON: &str = "application/json";
const SCIM: &str = "application/scim+json";

/// Headers that the document declares wherever they are sent.
const DECLARED: [&str; 12] = [
    "location",
    "www-authenticate",
    "retry-after",
    "idempotency-replayed",
    "x-existing-message-id",
    "ratelimit-limit",
    "ratelimit-remaining",
    "ratelimit-reset",
    "upload-offset",
    "upload-complete",
    "upload-length",
    "upload-limit",
];

/// Named schemas, compiled together. Compiled one by one, each would have its own copy of all that
/// it refers to, and the schemas of all responses would take gigabytes.
pub(crate) struct SchemaByName(Validator);

impl SchemaByName {
    /// Compiles these schemas, which may refer to these components of their document.
    pub(crate) fn new(schemas: Map<String, Value>, components: &Value) -> Self {
        let whole = json!({
            "properties": schemas,
            "additionalProperties": false,
            "components": components,
        });
        Self(jsonschema::draft202012::new(&whole).unwrap())
    }

    /// The errors of validating a value against the schema of this name.
    pub(crate) fn faults(&self, name: &str, value: Value) -> Vec<String> {
        let named = json!({name: value});
        self.0.iter_errors(&named).map(|it| format!("{}: {it}", it.instance_path())).collect()
    }
}

/// Compiles the schemas in advance, so that no test has to wait for it.
pub(crate) fn prepare() {
    LazyLock::force(&ANSWERS);
}

/// The name of a response in [`ANSWERS`].
fn place(method: &str, path: &str, status: &str) -> String {
    format!("{method} {path} {status}")
}

/// Every route of the document: its method in capitals and its path.
pub(crate) fn routes() -> Vec<(String, String)> {
    let paths = DOCUMENT["paths"].as_object().unwrap().iter();
    let methods = |(path, methods): (&String, &Value)| -> Vec<(String, String)> {
        let methods = methods.as_object().unwrap().keys();
        methods.map(|method| (method.to_uppercase(), path.clone())).collect()
    };
    paths.flat_map(methods).collect()
}

/// Panics unless the document describes this response.
pub(crate) fn hold(method: &str, path: &str, answer: &Answer) {
    let asked = format!("{method} {path} answered {}: {}", answer.status, answer.text);
    let Some(template) = template_of(path) else {
        // A file of the web client, or a path that nothing serves.
        assert!(matches!(answer.status, 200 | 304 | 404), "no route, yet {asked}");
        return;
    };
    let asked_path = path;
    let path = &DOCUMENT["paths"][template];
    // HEAD is answered like GET, which alone is documented for most paths.
    let as_get = path.get("get").filter(|_| method == "HEAD" && answer.status != 405);
    let Some(operation) = path.get(method.to_lowercase()).or(as_get) else {
        assert_eq!(answer.status, 405, "no such method, yet {asked}");
        return;
    };
    assert!(method != "HEAD" || answer.text.is_empty(), "a body, yet {asked}");
    let told = operation["responses"].get(answer.status.to_string());
    let told = response(told.unwrap_or_else(|| panic!("an undocumented status: {asked}")));
    let challenge = answer.header("www-authenticate").unwrap_or_default();
    let lacks_scope = answer.status == 403 && challenge.contains("insufficient_scope");
    let needs_challenge = answer.status == 401 || lacks_scope;
    let is_challenged = !challenge.is_empty();
    assert_eq!(needs_challenge, is_challenged, "a 401 says how to authenticate: {asked}");
    for name in DECLARED.iter().filter(|name| answer.headers.contains_key(**name)) {
        assert!(declares(told, name), "an undocumented header {name}: {asked}");
    }
    let Some(content) = told.get("content").and_then(Value::as_object) else {
        assert_eq!(answer.text, "", "documented without a body: {asked}");
        return;
    };
    let media = content.keys().next().unwrap();
    let kind = answer.header("content-type").unwrap_or_default();
    // `image/*` stands for every type of image.
    let told = media.trim_end_matches('*');
    assert!(media == "*/*" || kind.starts_with(told), "{kind:?} is not {media}: {asked}");
    if method != "HEAD" && (media == JSON || media == SCIM) {
        let mut body = serde_json::from_str(&answer.text).unwrap();
        if asked_path.starts_with("/compat") {
            specify(&mut body);
        }
        let wrong = ANSWERS.faults(&place(method, template, &answer.status.to_string()), body);
        assert!(wrong.is_empty(), "not as documented: {wrong:#?}\n{asked}");
    }
}

/// Puts a body in the compatibility dialect into the form of the document, which describes `/v3`.
fn specify(body: &mut Value) {
    match body {
        Value::Object(fields) => {
            fields.values_mut().for_each(specify);
            let is_message = fields.contains_key("source_guid");
            if let Some(created_at) = fields.get("created_at").filter(|_| is_message).cloned() {
                fields.entry("updated_at").or_insert(created_at);
            }
            if let Some(code) =
                fields.get("code").and_then(Value::as_u64).filter(|it| *it >= 20_000)
            {
                fields.insert("code".to_owned(), json!(code / 100));
            }
            if fields.get("type") == Some(&json!("file")) && fields.len() == 2 {
                let rest = [("name", json!("")), ("size", json!(0)), ("mime_type", json!(""))];
                fields.extend(rest.map(|(name, value)| (name.to_owned(), value)));
            }
            if fields.get("data").is_some_and(|data| data["subject"].is_string()) {
                for name in ["user_vote", "user_votes"] {
                    fields.entry(name).or_insert(Value::Null);
                }
            }
            for name in ["pack_id", "pack_index"] {
                if let Some(Value::String(number)) = fields.get(name) {
                    let number: i64 = number.parse().unwrap();
                    fields.insert(name.to_owned(), json!(number));
                }
            }
            if let Some(sent) = fields.get("direct_message").cloned() {
                fields.insert("message".to_owned(), sent);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(specify),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The description of a response, which may be one that several operations have.
fn response(told: &'static Value) -> &'static Value {
    let Some(link) = told.get("$ref") else { return told };
    DOCUMENT.pointer(link.as_str().unwrap().trim_start_matches('#')).unwrap()
}

/// Whether the description of a response has this header.
fn declares(told: &Value, header: &str) -> bool {
    let headers = told.get("headers").and_then(Value::as_object);
    let Some((name, link)) =
        headers.and_then(|it| it.iter().find(|(name, _)| name.eq_ignore_ascii_case(header)))
    else {
        return false;
    };
    let place = link["$ref"].as_str().unwrap().trim_start_matches('#');
    place.ends_with(name.as_str()) && DOCUMENT.pointer(place).is_some()
}

/// The documented path that matches this one; of several, the one with the fewest variables.
fn template_of(path: &str) -> Option<&'static String> {
    let path = path.strip_prefix("/compat").unwrap_or(path);
    let later = ["/v2/", "/v4/"].iter().find_map(|version| path.strip_prefix(version));
    let path = later.map_or_else(|| path.to_owned(), |rest| format!("/v3/{rest}"));
    let parts = |path: &'_ str| -> Vec<String> {
        path.split('/').filter(|it| !it.is_empty()).map(str::to_owned).collect()
    };
    let asked = parts(&path);
    let serves = |template: &&String| {
        let told = parts(template);
        let fits = |(told, asked): (&String, &String)| told.starts_with('{') || told == asked;
        told.len() == asked.len() && told.iter().zip(&asked).all(fits)
    };
    let templates = DOCUMENT["paths"].as_object().unwrap().keys().filter(serves);
    templates.min_by_key(|template| template.matches('{').count())
}

/// Forbids unknown fields in every object of a schema.
pub(crate) fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.values_mut().for_each(close);
            if is_whole_object(fields) {
                fields.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_whole_object(schema: &Map<String, Value>) -> bool {
    schema.get("type") == Some(&json!("object")) && schema.contains_key("properties")
}

mod tests {
    use super::*;

    /// A response such as a server could give that has drifted from its document.
    fn answer(status: u16, body: &Value) -> Answer {
        let headers = [("content-type".parse().unwrap(), "application/json".parse().unwrap())];
        let (headers, text) = (headers.into_iter().collect(), body.to_string());
        Answer { status, headers, bytes: text.clone().into_bytes(), text }
    }

    #[test]
    fn a_documented_answer_is_let_through() {
        let block = json!({"user_id": "1", "blocked_user_id": "2", "created_at": 3});
        let body = json!({"response": {"blocks": [block]}, "meta": {"code": 200}});
        hold("GET", "/v3/blocks", &answer(200, &body));
    }

    #[test]
    #[should_panic(expected = "not as documented")]
    fn undocumented_field_is_detected() {
        let block = json!({"user_id": "1", "blocked_user_id": "2", "created_at": 3, "new": 4});
        let body = json!({"response": {"blocks": [block]}, "meta": {"code": 200}});
        hold("GET", "/v3/blocks", &answer(200, &body));
    }

    #[test]
    #[should_panic(expected = "not as documented")]
    fn a_field_that_is_missing_is_noticed() {
        let body = json!({"response": {"blocks": [{"user_id": "1"}]}, "meta": {"code": 200}});
        hold("GET", "/v3/blocks", &answer(200, &body));
    }

    #[test]
    #[should_panic(expected = "an undocumented header")]
    fn undocumented_header_is_detected() {
        let body = json!({"response": {"blocks": []}, "meta": {"code": 200}});
        let mut answer = answer(200, &body);
        answer.headers.insert("upload-offset", "3".parse().unwrap());
        hold("GET", "/v3/blocks", &answer);
    }

    #[test]
    #[should_panic(expected = "an undocumented status")]
    fn undocumented_status_is_detected() {
        hold("GET", "/v3/groups", &answer(418, &Value::Null));
    }
}
