//! Holds every answer that a test sees against the document at `/openapi.json`: its
//! status must be told for its route, its type too, and its body must fit the schema.
//!
//! For clients the schemas leave room for fields to come; here that room is closed, so
//! that a field which nobody documented fails the test that saw it.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::world::answer::Answer;

/// The document that is published, without room for unknown fields.
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
            if let Some(schema) = told.pointer("/content/application~1json/schema") {
                schemas.insert(place(&method, &path, status), schema.clone());
            }
        }
    }
    SchemaByName::new(schemas, &DOCUMENT["components"])
});

/// Schemas with names, as one that is made once: each by itself would have all that it refers
/// to a second time, and those of all answers together take gigabytes.
pub(crate) struct SchemaByName(Validator);

impl SchemaByName {
    /// Of these, which may refer to those parts of their document.
    pub(crate) fn new(schemas: Map<String, Value>, components: &Value) -> Self {
        let whole = json!({
            "properties": schemas,
            "additionalProperties": false,
            "components": components,
        });
        Self(jsonschema::draft202012::new(&whole).unwrap())
    }

    /// What keeps a value from being what the schema of this name tells.
    pub(crate) fn faults(&self, name: &str, value: Value) -> Vec<String> {
        let named = json!({name: value});
        self.0.iter_errors(&named).map(|it| format!("{}: {it}", it.instance_path())).collect()
    }
}

/// Makes everything ready for answers, so that none has to wait.
pub(crate) fn prepare() {
    LazyLock::force(&ANSWERS);
}

/// Names an answer of the document.
fn place(method: &str, path: &str, status: &str) -> String {
    format!("{method} {path} {status}")
}

/// Every route of the document: method in capitals, and path.
pub(crate) fn routes() -> Vec<(String, String)> {
    let paths = DOCUMENT["paths"].as_object().unwrap().iter();
    let methods = |(path, methods): (&String, &Value)| -> Vec<(String, String)> {
        let methods = methods.as_object().unwrap().keys();
        methods.map(|method| (method.to_uppercase(), path.clone())).collect()
    };
    paths.flat_map(methods).collect()
}

/// Fails unless the document tells of this answer.
pub(crate) fn hold(method: &str, path: &str, answer: &Answer) {
    let asked = format!("{method} {path} answered {}: {}", answer.status, answer.text);
    let Some(template) = template_of(path) else {
        // A file of the web client, or nothing.
        assert!(matches!(answer.status, 200 | 304 | 404), "no route, yet {asked}");
        return;
    };
    let Some(operation) = DOCUMENT["paths"][template].get(method.to_lowercase()) else {
        assert_eq!(answer.status, 405, "no such method, yet {asked}");
        return;
    };
    let told = operation["responses"].get(answer.status.to_string());
    let told = told.unwrap_or_else(|| panic!("an undocumented status: {asked}"));
    let Some(content) = told.get("content").and_then(Value::as_object) else {
        assert_eq!(answer.text, "", "documented without a body: {asked}");
        return;
    };
    let media = content.keys().next().unwrap();
    let kind = answer.header("content-type").unwrap_or_default();
    // `image/*` is told of every image.
    let told = media.trim_end_matches('*');
    assert!(media == "*/*" || kind.starts_with(told), "{kind:?} is not {media}: {asked}");
    if method != "HEAD" && media == "application/json" {
        let body = serde_json::from_str(&answer.text).unwrap();
        let wrong = ANSWERS.faults(&place(method, template, &answer.status.to_string()), body);
        assert!(wrong.is_empty(), "not as documented: {wrong:#?}\n{asked}");
    }
}

/// The path of the document that serves this one: the one with the fewest variables.
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

/// Takes the room for unknown fields away from every object of a schema.
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

    /// What a server that drifted would answer.
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
    fn a_field_that_nobody_documented_is_noticed() {
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
    #[should_panic(expected = "an undocumented status")]
    fn a_status_that_nobody_documented_is_noticed() {
        hold("GET", "/v3/groups", &answer(418, &Value::Null));
    }
}
