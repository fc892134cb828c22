//! Checks every frame that a test sees against the document at `/asyncapi.json`, with unknown
//! fields forbidden, as responses are checked against `/openapi.json`.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::world::documented::{SchemaByName, close};

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let mut document = coterie::http::asyncapi::document("http://here");
    close(&mut document);
    document
});
/// The schema of each kind of frame, by its `t` and, where it has one, its `type`.
static SCHEMAS: LazyLock<Map<String, Value>> = LazyLock::new(|| {
    let told = DOCUMENT["operations"]["tell"]["messages"].as_array().unwrap();
    let mut kinds = Map::new();
    for message in told {
        let message = followed(followed(message));
        let schema = followed(&message["payload"]);
        let several = schema["oneOf"].as_array().map(|all| all.iter().map(followed).collect());
        for schema in several.unwrap_or_else(|| vec![schema]) {
            let fields = &schema["properties"];
            kinds.insert(kind(&fields["t"]["const"], &fields["type"]["const"]), schema.clone());
        }
    }
    kinds
});
static KINDS: LazyLock<SchemaByName> =
    LazyLock::new(|| SchemaByName::new(SCHEMAS.clone(), &DOCUMENT["components"]));

/// The part of the document to which a `$ref` points.
fn followed(reference: &'static Value) -> &'static Value {
    let place = reference["$ref"].as_str().unwrap().trim_start_matches('#');
    DOCUMENT.pointer(place).unwrap()
}

fn kind(t: &Value, kind: &Value) -> String {
    format!("{} {}", t.as_str().unwrap_or_default(), kind.as_str().unwrap_or_default())
}

/// Compiles the schemas in advance, so that no test has to wait for it.
pub(crate) fn prepare() {
    LazyLock::force(&KINDS);
}

/// Panics unless the document describes this frame.
pub(crate) fn hold(frame: &Value) {
    let kind = kind(&frame["t"], &frame["type"]);
    assert!(SCHEMAS.contains_key(&kind), "an undocumented frame: {frame}");
    let wrong = KINDS.faults(&kind, frame.clone());
    assert!(wrong.is_empty(), "not as documented: {wrong:#?}\n{frame}");
}

mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_documented_frame_is_let_through() {
        hold(&json!({"t": "synced", "c": "1"}));
    }

    #[test]
    #[should_panic(expected = "not as documented")]
    fn undocumented_field_is_detected() {
        hold(&json!({"t": "synced", "c": "1", "new": 1}));
    }

    #[test]
    #[should_panic(expected = "an undocumented frame")]
    fn undocumented_frame_is_detected() {
        hold(&json!({"t": "ev", "type": "dance"}));
    }

    #[test]
    #[should_panic(expected = "not as documented")]
    fn the_data_of_an_event_is_looked_at() {
        hold(&json!({"t": "ev", "c": "1", "conv": "u:1", "n": 1, "type": "read", "at": 1,
            "alert": "", "data": {"conv": "g:1"}}));
    }
}
