//! Reading bodies leniently, once for all endpoints: what counts as absent, what is
//! taken for text, a number or a flag, and how every problem is named at once.

use std::str::FromStr;

use serde_json::{Map, Value};

/// Everything that is wrong with a request, in words that name field and limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems(Vec<String>);

impl Problems {
    /// Adds one.
    pub fn add(&mut self, problem: String) {
        self.0.push(problem);
    }

    /// The value, if nothing is wrong.
    ///
    /// # Errors
    /// With every problem found.
    pub fn or<T>(self, value: Option<T>) -> Result<T, Self> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            Some(_) | None => Err(self),
        }
    }

    /// One problem alone.
    pub fn one(problem: impl Into<String>) -> Self {
        Self(vec![problem.into()])
    }

    /// All of them.
    pub fn into_list(self) -> Vec<String> {
        self.0
    }
}

/// The fields of an object, read one by one; what is wrong goes into the problems.
///
/// `null` and an empty text count as absent, whole numbers are taken where an id is wanted,
/// unknown fields are never looked at. Where an empty text means something (it takes a
/// description away), [`Fields::is_emptied`] says that it is there; where `null` does so too,
/// [`Fields::is_taken_away`].
#[derive(Debug)]
pub struct Fields<'a> {
    map: &'a Map<String, Value>,
    path: String,
    problems: &'a mut Problems,
}

impl<'a> Fields<'a> {
    /// The fields of a whole body or query.
    pub fn of(map: &'a Map<String, Value>, problems: &'a mut Problems) -> Self {
        Self { map, path: String::new(), problems }
    }

    /// How messages call a field: with the objects around it.
    pub fn named(&self, field: &str) -> String {
        format!("{}{field}", self.path)
    }

    /// Notes that a field is wrong: "`field` `what`".
    pub fn wrong(&mut self, field: &str, what: impl std::fmt::Display) {
        let name = self.named(field);
        self.problems.add(format!("{name} {what}"));
    }

    /// The raw value, unless it is absent or an empty text.
    pub fn value(&self, field: &str) -> Option<&'a Value> {
        self.map.get(field).filter(|value| !value.is_null() && value.as_str() != Some(""))
    }

    /// Whether there is an empty text, for fields where that takes something away.
    pub fn is_emptied(&self, field: &str) -> bool {
        self.map.get(field).and_then(Value::as_str) == Some("")
    }

    /// Whether there is an empty text or `null`, for fields where both take something away.
    pub fn is_taken_away(&self, field: &str) -> bool {
        self.map.get(field).is_some_and(Value::is_null) || self.is_emptied(field)
    }

    /// Text, and nothing else: a number would come back as somebody else writes it.
    pub fn text(&mut self, field: &str) -> Option<String> {
        match self.value(field)? {
            Value::String(text) => Some(text.clone()),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => {
                self.wrong(field, "must be a string");
                None
            }
        }
    }

    /// Something that names a thing: text, or a whole number, since some clients send ids
    /// as numbers.
    pub fn name(&mut self, field: &str) -> Option<String> {
        let name = name(self.value(field)?);
        if name.is_none() {
            self.wrong(field, "must be a string");
        }
        name
    }

    /// A number as it was written, also as text.
    pub fn number(&mut self, field: &str) -> Option<String> {
        match self.value(field)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                self.wrong(field, "must be a number");
                None
            }
        }
    }

    /// Something that names a thing and must be there.
    pub fn required_name(&mut self, field: &str) -> Option<String> {
        if self.value(field).is_none() {
            self.wrong(field, "is required");
        }
        self.name(field)
    }

    /// Text that must be there.
    pub fn required_text(&mut self, field: &str) -> Option<String> {
        if self.value(field).is_none() {
            self.wrong(field, "is required");
        }
        self.text(field)
    }

    /// Text of a certain form.
    pub fn parsed<T, E: std::fmt::Display>(
        &mut self,
        field: &str,
        parse: impl FnOnce(String) -> Result<T, E>,
    ) -> Option<T> {
        let text = self.text(field)?;
        self.checked(field, parse(text))
    }

    /// Text of a certain form that must be there.
    pub fn required<T, E: std::fmt::Display>(
        &mut self,
        field: &str,
        parse: impl FnOnce(String) -> Result<T, E>,
    ) -> Option<T> {
        let text = self.required_text(field)?;
        self.checked(field, parse(text))
    }

    /// An id, as text or as a number.
    pub fn id<T: FromStr<Err = crate::domain::ids::NotAnId>>(&mut self, field: &str) -> Option<T> {
        let name = self.name(field)?;
        self.checked(field, name.parse())
    }

    /// An id that must be there.
    pub fn required_id<T: FromStr<Err = crate::domain::ids::NotAnId>>(
        &mut self,
        field: &str,
    ) -> Option<T> {
        let name = self.required_name(field)?;
        self.checked(field, name.parse())
    }

    /// Yes or no, also as forms and queries write it.
    pub fn flag(&mut self, field: &str) -> Option<bool> {
        let read = match self.value(field)? {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) => match text.to_ascii_lowercase().as_str() {
                "true" | "1" | "on" => Some(true),
                "false" | "0" | "off" => Some(false),
                _ => None,
            },
            Value::Number(number) => match number.as_u64() {
                Some(1) => Some(true),
                Some(0) => Some(false),
                _ => None,
            },
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        if read.is_none() {
            self.wrong(field, "must be true or false");
        }
        read
    }

    /// A whole number above zero, as paging has it; larger ones than `most` are cut.
    pub fn page_size(&mut self, field: &str, default: usize, most: usize) -> usize {
        let Some(value) = self.value(field) else { return default };
        let number = match value {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => text.trim().parse().ok(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        match number.filter(|number| *number > 0) {
            Some(number) => usize::try_from(number).unwrap_or(most).min(most),
            None => {
                self.wrong(field, "must be a whole number above zero");
                default
            }
        }
    }

    /// The number of a page, counted from 1; some clients count from 0, and mean the same by it.
    pub fn page(&mut self, field: &str) -> usize {
        let is_zero = match self.value(field) {
            Some(Value::Number(number)) => number.as_u64() == Some(0),
            Some(Value::String(text)) => text.trim() == "0",
            Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => false,
        };
        if is_zero { 1 } else { self.page_size(field, 1, usize::MAX) }
    }

    /// A whole number, zero if it is absent; larger ones than `most` are cut.
    pub fn amount(&mut self, field: &str, most: u64) -> u64 {
        let Some(value) = self.value(field) else { return 0 };
        let number = match value {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => text.trim().parse().ok(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        if number.is_none() {
            self.wrong(field, "must be a whole number");
        }
        number.unwrap_or_default().min(most)
    }

    /// The fields of an object inside.
    pub fn object(&mut self, field: &str) -> Option<Fields<'_>> {
        match self.value(field)? {
            Value::Object(map) => {
                let path = format!("{}.", self.named(field));
                Some(Fields { map, path, problems: self.problems })
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => {
                self.wrong(field, "must be an object");
                None
            }
        }
    }

    /// A list, at most `most` long; empty when absent.
    pub fn list(&mut self, field: &str, most: usize) -> &'a [Value] {
        match self.value(field) {
            None => &[],
            Some(Value::Array(list)) if list.len() <= most => list,
            Some(Value::Array(list)) => {
                let what = format!("has {} entries, at most {most} are allowed", list.len());
                self.wrong(field, what);
                &[]
            }
            Some(_) => {
                self.wrong(field, "must be an array");
                &[]
            }
        }
    }

    /// The fields of one entry of a list.
    pub fn entry(&mut self, field: &str, index: usize, value: &'a Value) -> Option<Fields<'_>> {
        let name = format!("{field}[{index}]");
        let Value::Object(map) = value else {
            self.wrong(&name, "must be an object");
            return None;
        };
        let path = format!("{}.", self.named(&name));
        Some(Fields { map, path, problems: self.problems })
    }

    /// Notes what is wrong with something that was parsed.
    pub fn checked<T, E: std::fmt::Display>(
        &mut self,
        field: &str,
        parsed: Result<T, E>,
    ) -> Option<T> {
        parsed.map_err(|problem| self.wrong(field, problem)).ok()
    }
}

/// What names a thing: text, or a whole number that JSON tells exactly.
pub fn name(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if number.is_u64() || number.is_i64() => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}
