//! Valid values, made from a JSON Schema and from ids that a user has seen: inputs before they are
//! broken.

use fastrand::Rng;
use serde_json::{Map, Value, json};

use crate::server::Person;

/// Below this depth only required fields are made.
const DEPTH: usize = 6;

/// Makes values that fit schemas.
pub(crate) struct Sampler<'a> {
    /// The document in which references are resolved.
    pub(crate) document: &'a Value,
    /// The user whose ids are used.
    pub(crate) person: &'a Person,
    /// The generator of all random choices.
    pub(crate) random: Rng,
}

impl Sampler<'_> {
    /// A value of this schema, for a field of this name.
    pub(crate) fn value(&mut self, name: &str, schema: &Value, depth: usize) -> Value {
        if let Some(Value::String(to)) = schema.get("$ref") {
            let document = self.document;
            let found =
                document.pointer(to.trim_start_matches('#')).expect("the reference leads on");
            return self.value(name, found, depth);
        }
        if let Some(one) = schema.get("const") {
            return one.clone();
        }
        if let Some(Value::Array(some)) = schema.get("enum") {
            return self.random.choice(some).cloned().unwrap_or_default();
        }
        if let Some(Value::Array(all)) = schema.get("allOf") {
            let parts = all.iter().map(|part| self.value(name, part, depth));
            let objects = parts.filter_map(|it| it.as_object().cloned());
            return Value::Object(objects.flatten().collect());
        }
        for some in ["oneOf", "anyOf"] {
            let alternatives = schema.get(some).and_then(Value::as_array);
            if let Some(alternatives) = alternatives.filter(|_| schema.get("type").is_none()) {
                let one = self.random.choice(alternatives).cloned().unwrap_or_default();
                return self.value(name, &one, depth);
            }
        }
        let kinds = match schema.get("type") {
            Some(Value::Array(kinds)) => kinds.clone(),
            Some(kind) => vec![kind.clone()],
            None if schema.get("properties").is_some() => vec![json!("object")],
            None => vec![json!("string")],
        };
        let kind = self.random.choice(kinds).unwrap_or_default();
        match kind.as_str().unwrap_or_default() {
            "object" => self.object(schema, depth),
            "array" => self.array(name, schema, depth),
            "boolean" => json!(self.random.bool()),
            "integer" | "number" => self.number(schema),
            "null" => Value::Null,
            _ => Value::String(self.text(name, schema)),
        }
    }

    fn object(&mut self, schema: &Value, depth: usize) -> Value {
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut made = Map::new();
        for (name, of) in schema["properties"].as_object().into_iter().flatten() {
            let is_wanted =
                required.contains(&name.as_str()) || (depth < DEPTH && self.random.u8(..) < 140);
            if is_wanted {
                made.insert(name.clone(), self.value(name, of, depth + 1));
            }
        }
        Value::Object(made)
    }

    fn array(&mut self, name: &str, schema: &Value, depth: usize) -> Value {
        let most = schema["maxItems"].as_u64().unwrap_or(3);
        let count = if depth >= DEPTH { 0 } else { self.random.u64(0..=most.min(3)) };
        // Once in a while one item more than allowed.
        let count = if self.random.u8(..) == 0 && most < 200 { most + 1 } else { count };
        (0..count).map(|_| self.value(name, &schema["items"], depth + 1)).collect()
    }

    fn number(&mut self, schema: &Value) -> Value {
        let least = schema["minimum"].as_i64().unwrap_or(0);
        let most = schema["maximum"].as_i64().unwrap_or(least.saturating_add(100)).max(least);
        match self.random.u8(..8) {
            0 => json!(least.saturating_sub(1)),
            1 => json!(most.saturating_add(1)),
            2 => json!(most),
            _ => json!(self.random.i64(least..=most)),
        }
    }

    fn text(&mut self, name: &str, schema: &Value) -> String {
        if name == "source_guid" || name == "guid" {
            return format!("{:x}", self.random.u64(..));
        }
        if let Some(known) = self.person.knows(name, &mut self.random) {
            return known;
        }
        let is_id = name.ends_with("id") || schema["pattern"] == "^[0-9]+$";
        if is_id {
            return self.person.any_id(&mut self.random);
        }
        let most = schema["maxLength"].as_u64().unwrap_or(60);
        let length = match self.random.u8(..16) {
            0 => most + 1,
            1 => most,
            _ => self.random.u64(1..=most.clamp(1, 20)),
        };
        let sign = *self.random.choice(&['a', 'é', '漢', '🧗']).expect("there are some");
        (0..length.min(20_000)).map(|at| if at % 7 == 6 { ' ' } else { sign }).collect()
    }
}
