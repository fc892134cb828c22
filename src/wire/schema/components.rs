//! The named schemas of a document. Every object of the API becomes a component with a name of its
//! own, so that programs which generate code from the document never have to invent one.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The key under which a schema contains the named schemas that it refers to, until
/// [`Components::take`] moves them to the components of a document.
pub(super) const CARRIED: &str = "$defs";
/// The fields whose constant text names a variant.
const TELLING: [&str; 3] = ["type", "t", "state"];

/// A reference to a schema of this name, which it carries along.
pub fn named(name: &str, schema: Value) -> Value {
    json!({"$ref": place(name), CARRIED: {name: schema}})
}

fn place(name: &str) -> String {
    format!("#/components/schemas/{name}")
}

/// A name for code: the words of the text, each with a capital letter.
pub fn pascal(text: &str) -> String {
    let words = text.split(|sign: char| !sign.is_ascii_alphanumeric());
    words
        .filter_map(|word| word.split_at_checked(1))
        .map(|(first, rest)| format!("{}{rest}", first.to_ascii_uppercase()))
        .collect()
}

/// The components of a document, as far as they were found.
#[derive(Debug, Default)]
pub struct Components {
    schemas: Map<String, Value>,
    /// The names of the schemas that were named here, by their text.
    names: BTreeMap<String, String>,
}

impl Components {
    /// Moves the named schemas that anything below `document` carries to the components.
    ///
    /// # Panics
    /// In debug builds, if a name has two shapes.
    pub fn take(&mut self, document: &mut Value) {
        match document {
            Value::Object(fields) => {
                if let Some(Value::Object(named)) = fields.remove(CARRIED) {
                    for (name, mut schema) in named {
                        self.take(&mut schema);
                        let known = self.schemas.get(&name);
                        debug_assert!(
                            known.is_none_or(|it| *it == schema),
                            "two shapes for {name}"
                        );
                        self.schemas.insert(name, schema);
                    }
                }
                fields.values_mut().for_each(|it| self.take(it));
            }
            Value::Array(items) => items.iter_mut().for_each(|it| self.take(it)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Names every object inside the components, after the component and the fields that lead to
    /// it.
    pub fn name_parts(&mut self) {
        let known: Vec<String> = self.schemas.keys().cloned().collect();
        for name in known {
            let Some(mut schema) = self.schemas.get(&name).cloned() else { continue };
            self.within(&mut schema, &name);
            self.schemas.insert(name, schema);
        }
    }

    /// Puts a reference in the place of an object, which becomes a component of this name, and of
    /// every object inside it.
    pub fn name(&mut self, schema: &mut Value, name: &str) {
        self.within(schema, name);
        if !is_object(schema) {
            return;
        }
        let may_be_null = schema["type"].is_array();
        let mut object = schema.take();
        object["type"] = json!("object");
        let reference = json!({"$ref": place(&self.insert(name, object))});
        *schema = match may_be_null {
            true => json!({"anyOf": [reference, {"type": "null"}]}),
            false => reference,
        };
    }

    /// Returns the name under which the object is known, which is this one unless there is an equal
    /// object, or another object of this name.
    fn insert(&mut self, name: &str, object: Value) -> String {
        let text = object.to_string();
        if let Some(known) = self.names.get(&text) {
            return known.clone();
        }
        let numbered = (2..).map(|number| format!("{name}{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        let free = names.find(|it| self.schemas.get(it).is_none_or(|known| *known == object));
        let free = free.unwrap_or_default();
        self.schemas.insert(free.clone(), object);
        self.names.insert(text, free.clone());
        free
    }

    /// Names every object inside a schema.
    fn within(&mut self, schema: &mut Value, name: &str) {
        let Some(fields) = schema.as_object_mut() else { return };
        for (key, below) in fields {
            match (key.as_str(), below) {
                ("properties", Value::Object(properties)) => {
                    for (field, of) in properties {
                        self.name(of, &format!("{name}{}", pascal(field)));
                    }
                }
                ("items" | "additionalProperties", of @ Value::Object(_)) => {
                    self.name(of, &format!("{name}Item"));
                }
                ("anyOf" | "oneOf" | "allOf", Value::Array(variants)) => {
                    self.name_variants(variants, name);
                }
                _ => {}
            }
        }
    }

    fn name_variants(&mut self, variants: &mut [Value], name: &str) {
        let is_alone = variants.iter().filter(|it| is_object(it)).count() == 1;
        for (variant, number) in variants.iter_mut().zip(1..) {
            let own = match constant(variant) {
                Some(own) => pascal(own),
                None if is_alone && !self.schemas.contains_key(name) => String::new(),
                None => format!("Variant{number}"),
            };
            self.name(variant, &format!("{name}{own}"));
        }
    }

    /// Returns the components by name.
    pub fn into_schemas(self) -> Map<String, Value> {
        self.schemas
    }
}

/// Whether the schema is that of an object with fields, or of a map.
fn is_object(schema: &Value) -> bool {
    let kind = &schema["type"];
    let is_typed = match kind.as_array() {
        Some(kinds) => kinds.iter().any(|kind| kind == "object"),
        None => kind == "object",
    };
    is_typed && (schema.get("properties").is_some() || schema["additionalProperties"].is_object())
}

/// The constant text that distinguishes a variant from others.
fn constant(variant: &Value) -> Option<&str> {
    TELLING.iter().find_map(|field| variant["properties"][field]["const"].as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_code_have_no_signs() {
        assert_eq!(pascal("line.create"), "LineCreate");
        assert_eq!(pascal("get_v3_groups_id"), "GetV3GroupsId");
        assert_eq!(pascal("..added_users"), "AddedUsers");
    }

    #[test]
    fn objects_are_named_after_their_place_and_equal_ones_once() {
        let place = json!({"type": "object", "properties": {"lat": {"type": "string"}}});
        let mut whole = json!({"type": "object", "properties": {
            "place": place,
            "places": {"type": "array", "items": place},
            "maybe": {"type": ["object", "null"], "properties": {"x": {"type": "string"}}},
        }});
        let mut components = Components::default();
        components.name(&mut whole, "Trip");
        assert_eq!(whole, json!({"$ref": "#/components/schemas/Trip"}));
        let schemas = components.into_schemas();
        assert_eq!(schemas.keys().collect::<Vec<_>>(), ["Trip", "TripMaybe", "TripPlace"]);
        let fields = &schemas["Trip"]["properties"];
        assert_eq!(fields["places"]["items"], fields["place"]);
        assert_eq!(fields["maybe"]["anyOf"][1], json!({"type": "null"}));
    }

    #[test]
    fn another_object_of_a_name_gets_a_number() {
        let object = |field: &str| json!({"type": "object", "properties": {field: {}}});
        let mut components = Components::default();
        let mut one = object("a");
        let mut other = object("b");
        components.name(&mut one, "Thing");
        components.name(&mut other, "Thing");
        assert_eq!(other, json!({"$ref": "#/components/schemas/Thing2"}));
    }
}
