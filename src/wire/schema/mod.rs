//! The API in JSON Schema, as `/openapi.json` publishes it.
//!
//! The schemas describe what the files beside this folder read and write. Those of responses are
//! derived from the serialized types: a field's description is its doc comment, a limit is that of
//! its type (`scalars.rs`). The API tests validate every response against these schemas, which
//! allow no other fields.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::envelope::Refusal;

pub mod bodies;
pub mod components;
pub mod factor_bodies;
pub mod frames;
pub mod moderation_bodies;
pub mod scalars;

use components::CARRIED;
pub use components::named;

/// Returns the schema of a serialized `T`. A type with a name of its own becomes a reference.
pub fn of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with(|it| it.definitions_path = "/components/schemas".into());
    let mut generator = settings.into_generator();
    let mut schema = generator.subschema_for::<T>();
    let named = generator.take_definitions(true);
    if !named.is_empty() {
        schema.insert(CARRIED.to_owned(), Value::Object(named));
    }
    let mut schema = schema.to_value();
    polish(&mut schema);
    schema
}

/// Marks an optional field that may be `null`.
const NULL_OR_ABSENT: &str = "x-null-or-absent";

/// Corrects what the generator cannot know: an optional field is absent rather than `null`, and the
/// line breaks of a doc comment are not line breaks of the description.
fn polish(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::String(what)) = fields.get_mut("description") {
                *what = what
                    .split("\n\n")
                    .map(|it| it.replace('\n', " "))
                    .collect::<Vec<_>>()
                    .join("\n\n");
            }
            let required = fields.get("required").cloned().unwrap_or_default();
            let is_required = |name: &str| {
                required.as_array().is_some_and(|names| names.iter().any(|it| it == name))
            };
            if let Some(Value::Object(properties)) = fields.get_mut("properties") {
                let optional = properties.iter_mut().filter(|(name, _)| !is_required(name));
                optional.for_each(|(_, schema)| never_null(schema));
            }
            fields.values_mut().for_each(polish);
        }
        Value::Array(items) => items.iter_mut().for_each(polish),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Removes `null` from the types that a field allows, unless the field is marked: then it is `null`
/// in some objects and absent from others.
fn never_null(schema: &mut Value) {
    if schema.get(NULL_OR_ABSENT).is_some() {
        return;
    }
    if let Some(types) = schema.get_mut("type").and_then(Value::as_array_mut) {
        types.retain(|it| it != "null");
        if let [one] = types.as_slice() {
            schema["type"] = one.clone();
        }
    }
    let Some(choices) = schema.get_mut("anyOf").and_then(Value::as_array_mut) else { return };
    choices.retain(|it| it["type"] != "null");
    if let ([Value::Object(one)], Some(fields)) =
        (choices.clone().as_slice(), schema.as_object_mut())
    {
        fields.remove("anyOf");
        fields.extend(one.clone());
    }
}

/// A field of an object: its name and its schema.
pub type Field = (&'static str, Value);

/// An object in which all of these fields are required.
pub fn object<const N: usize>(fields: [Field; N]) -> Value {
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let mut schema = json!({"type": "object", "required": required});
    schema["properties"] = Value::Object(properties(fields));
    schema
}

/// Adds optional fields to an object.
pub fn with_optional<const N: usize>(mut object: Value, fields: [Field; N]) -> Value {
    if let Some(known) = object.get_mut("properties").and_then(Value::as_object_mut) {
        known.extend(properties(fields));
    }
    object
}

fn properties<const N: usize>(fields: [Field; N]) -> Map<String, Value> {
    fields.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

/// A list of elements of this schema.
pub fn list(of: Value) -> Value {
    json!({"type": "array", "items": of})
}

/// Text of any length.
pub fn text(what: &str) -> Value {
    json!({"type": "string", "description": what})
}

/// Text of at least one character.
pub fn some_text(what: &str) -> Value {
    json!({"type": "string", "description": what, "minLength": 1})
}

/// Text of at most `most` characters.
pub fn words(what: &str, most: usize) -> Value {
    json!({"type": "string", "description": what, "maxLength": most})
}

/// Text of 1 to `most` characters.
pub fn some_words(what: &str, most: usize) -> Value {
    json!({"type": "string", "description": what, "minLength": 1, "maxLength": most})
}

/// A decimal id as text.
pub fn id(what: &str) -> Value {
    json!({"type": "string", "description": what, "pattern": "^[0-9]+$"})
}

/// Text or `null`.
pub fn text_or_null(what: &str) -> Value {
    json!({"type": ["string", "null"], "description": what})
}

/// Text of at most `most` characters, or `null`.
pub fn words_or_null(what: &str, most: usize) -> Value {
    json!({"type": ["string", "null"], "description": what, "maxLength": most})
}

/// An integer.
pub fn number(what: &str) -> Value {
    json!({"type": "integer", "description": what})
}

/// An integer or `null`.
pub fn number_or_null(what: &str) -> Value {
    json!({"type": ["integer", "null"], "description": what})
}

/// A boolean.
pub fn flag(what: &str) -> Value {
    json!({"type": "boolean", "description": what})
}

/// A point in time, in Unix seconds.
pub fn seconds(what: &str) -> Value {
    json!({"type": "integer", "description": format!("{what} Unix time in seconds.")})
}

/// A constant text.
pub fn always(value: &str) -> Value {
    json!({"const": value})
}

/// One of these texts.
pub fn one_of(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
}

/// `null`: the status of the response says everything.
pub fn nothing() -> Value {
    json!({"type": "null"})
}

/// The envelope around the payload of a successful response. It has a name if the payload has one.
pub fn envelope(status: u16, payload: Value) -> Value {
    let name = match payload["type"].as_str() {
        Some("array") => name_of(&payload["items"]).map(|name| format!("{name}List")),
        Some("null") => Some("Empty".to_owned()),
        _ => name_of(&payload).map(str::to_owned),
    };
    let meta = object([("code", json!({"const": status}))]);
    let whole = object([("response", payload), ("meta", named(&format!("Meta{status}"), meta))]);
    let suffix = if status == 200 { String::new() } else { status.to_string() };
    match name {
        Some(name) => named(&format!("{name}Envelope{suffix}"), whole),
        None => whole,
    }
}

/// The name of the schema that this one refers to.
fn name_of(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}

/// The envelope of an error response with this status.
pub fn refusal(status: u16) -> Value {
    let mut refusal = of::<Refusal>();
    let mut envelope = refusal[CARRIED]["Refusal"].take();
    envelope["properties"]["meta"]["properties"]["code"] = json!({"const": status});
    named(&format!("Refusal{status}"), envelope)
}
