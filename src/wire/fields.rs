//! Lenient reading of request bodies and queries, the same for all endpoints: decides what counts
//! as absent, what is accepted as text, number or flag, and collects every problem, so that one
//! response reports them all.

use std::ops::RangeInclusive;
use std::str::FromStr;

use serde_json::{Map, Value};

/// The text without the byte order mark that some programs write before it (RFC 8259, section
/// 8.1).
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// Everything that is wrong with a request; each text names the field and the limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems(Vec<String>);

impl Problems {
    /// Adds a problem.
    pub fn add(&mut self, problem: String) {
        self.0.push(problem);
    }

    /// Returns the value if there are no problems.
    ///
    /// # Errors
    /// If there are problems, or no value.
    pub fn or<T>(self, value: Option<T>) -> Result<T, Self> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            Some(_) | None => Err(self),
        }
    }

    /// Creates a list of a single problem.
    pub fn one(problem: impl Into<String>) -> Self {
        Self(vec![problem.into()])
    }

    /// Returns the texts of all problems.
    pub fn into_list(self) -> Vec<String> {
        self.0
    }
}

/// The fields of an object, read one by one; problems are added to [`Problems`].
///
/// `null` and an empty text count as absent, a whole number is accepted as an id, unknown fields
/// are ignored. Where an empty text has a meaning (it removes a description),
/// [`Fields::is_emptied`] detects it; where `null` has one, [`Fields::is_null`] does.
#[derive(Debug)]
pub struct Fields<'a> {
    map: &'a Map<String, Value>,
    path: String,
    problems: &'a mut Problems,
}

impl<'a> Fields<'a> {
    /// Starts reading the fields of a whole body or query.
    pub fn of(map: &'a Map<String, Value>, problems: &'a mut Problems) -> Self {
        Self { map, path: String::new(), problems }
    }

    /// Returns the field's name as problems give it: after the names of the objects around it.
    pub fn named(&self, field: &str) -> String {
        format!("{}{field}", self.path)
    }

    /// Adds a problem about a field, in the form "`field` `what`".
    pub fn wrong(&mut self, field: &str, what: impl std::fmt::Display) {
        let name = self.named(field);
        self.problems.add(format!("{name} {what}"));
    }

    /// Returns the raw value, unless it is absent, `null` or an empty text.
    pub fn value(&self, field: &str) -> Option<&'a Value> {
        self.map.get(field).filter(|value| !value.is_null() && value.as_str() != Some(""))
    }

    /// Whether the value is an empty text, for fields that an empty text removes.
    pub fn is_emptied(&self, field: &str) -> bool {
        self.map.get(field).and_then(Value::as_str) == Some("")
    }

    /// Whether the value is `null`, for fields that `null` removes.
    pub fn is_null(&self, field: &str) -> bool {
        self.map.get(field).is_some_and(Value::is_null)
    }

    /// Reads text. A number is refused: it might be returned in another notation than the client's.
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

    /// Reads an id or a name: text, or a whole number, since some clients send ids as numbers.
    pub fn name(&mut self, field: &str) -> Option<String> {
        let name = name(self.value(field)?);
        if name.is_none() {
            self.wrong(field, "must be a string");
        }
        name
    }

    /// Reads a number as it was written, from a number or from text; the caller parses it.
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

    /// Checks degrees as they were written: a number of at most `most` in either direction.
    pub fn degrees(&mut self, field: &str, written: &str, most: f64) -> Option<String> {
        let written = written.trim();
        let is_within = written.parse().is_ok_and(|degrees: f64| degrees.abs() <= most);
        let what = format!("must be degrees between -{most} and {most}");
        self.checked(field, is_within.then(|| written.to_owned()).ok_or(what))
    }

    /// Reads a required id or name.
    pub fn required_name(&mut self, field: &str) -> Option<String> {
        if self.value(field).is_none() {
            self.wrong(field, "is required");
        }
        self.name(field)
    }

    /// Reads required text.
    pub fn required_text(&mut self, field: &str) -> Option<String> {
        if self.value(field).is_none() {
            self.wrong(field, "is required");
        }
        self.text(field)
    }

    /// Reads text and parses it.
    pub fn parsed<T, E: std::fmt::Display>(
        &mut self,
        field: &str,
        parse: impl FnOnce(String) -> Result<T, E>,
    ) -> Option<T> {
        let text = self.text(field)?;
        self.checked(field, parse(text))
    }

    /// Reads text that `null` removes, and parses it; `Some(None)` for `null`.
    pub fn parsed_or_null<T, E: std::fmt::Display>(
        &mut self,
        field: &str,
        parse: impl FnOnce(String) -> Result<T, E>,
    ) -> Option<Option<T>> {
        match self.is_null(field) {
            true => Some(None),
            false => self.parsed(field, parse).map(Some),
        }
    }

    /// Reads required text and parses it.
    pub fn required<T, E: std::fmt::Display>(
        &mut self,
        field: &str,
        parse: impl FnOnce(String) -> Result<T, E>,
    ) -> Option<T> {
        let text = self.required_text(field)?;
        self.checked(field, parse(text))
    }

    /// Reads an id, from text or from a number.
    pub fn id<T: FromStr<Err = domain::ids::NotAnId>>(&mut self, field: &str) -> Option<T> {
        let name = self.name(field)?;
        self.checked(field, name.parse())
    }

    /// Reads a required id.
    pub fn required_id<T: FromStr<Err = domain::ids::NotAnId>>(
        &mut self,
        field: &str,
    ) -> Option<T> {
        let name = self.required_name(field)?;
        self.checked(field, name.parse())
    }

    /// Reads a flag: a boolean, or what forms and queries write (1, 0, on, off).
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

    /// Reads a whole number above zero, as for paging. A number above `most` is reduced to `most`.
    pub fn page_size(&mut self, field: &str, default: usize, most: usize) -> usize {
        let Some(value) = self.value(field) else { return default };
        let number = whole(value);
        match number.filter(|number| *number > 0) {
            Some(number) => usize::try_from(number).unwrap_or(most).min(most),
            None => {
                self.wrong(field, "must be a whole number above zero");
                default
            }
        }
    }

    /// Reads a page number, counted from 1. Some clients send 0 for the first page, so 0 counts as
    /// 1.
    pub fn page(&mut self, field: &str) -> usize {
        let is_zero = match self.value(field) {
            Some(Value::Number(number)) => number.as_u64() == Some(0),
            Some(Value::String(text)) => text.trim() == "0",
            Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => false,
        };
        if is_zero { 1 } else { self.page_size(field, 1, usize::MAX) }
    }

    /// Reads a whole number; zero if absent. A number above `most` is reduced to `most`.
    pub fn amount(&mut self, field: &str, most: u64) -> u64 {
        let Some(value) = self.value(field) else { return 0 };
        let number = whole(value);
        if number.is_none() {
            self.wrong(field, "must be a whole number");
        }
        number.unwrap_or_default().min(most)
    }

    /// Reads a number within limits, if it is given.
    pub fn between_if_given(&mut self, field: &str, range: &RangeInclusive<u32>) -> Option<u32> {
        let number = whole(self.value(field)?).and_then(|number| u32::try_from(number).ok());
        let number = number.filter(|number| range.contains(number));
        if number.is_none() {
            let least = range.start();
            let most = range.end();
            self.wrong(field, format!("must be between {least} and {most}"));
        }
        number
    }

    /// Reads a nested object.
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

    /// Reads a list of at most `most` entries; empty if absent.
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

    /// Whether [`Fields::list`] finds nothing wrong with the list.
    pub fn is_list_or_absent(&self, field: &str, most: usize) -> bool {
        let is_list = |it: &Value| it.as_array().is_some_and(|list| list.len() <= most);
        self.value(field).is_none_or(is_list)
    }

    /// Reads an entry of a list, which must be an object.
    pub fn entry(&mut self, field: &str, index: usize, value: &'a Value) -> Option<Fields<'_>> {
        let name = format!("{field}[{index}]");
        let Value::Object(map) = value else {
            self.wrong(&name, "must be an object");
            return None;
        };
        let path = format!("{}.", self.named(&name));
        Some(Fields { map, path, problems: self.problems })
    }

    /// Returns the parsed value, or adds the parser's error as a problem.
    pub fn checked<T, E: std::fmt::Display>(
        &mut self,
        field: &str,
        parsed: Result<T, E>,
    ) -> Option<T> {
        parsed.map_err(|problem| self.wrong(field, problem)).ok()
    }
}

/// Returns an id or a name from text or from an integer; None for any other value.
pub fn name(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if number.is_u64() || number.is_i64() => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

/// A whole number that is not negative, written as a number or as text. One beyond 64 bits counts as
/// the largest that fits.
fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => {
            let is_beyond = number.as_f64().is_some_and(|number| number >= u64::MAX as f64);
            number.as_u64().or(is_beyond.then_some(u64::MAX))
        }
        Value::String(text) => {
            let text = text.trim();
            let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().or(is_plain.then_some(u64::MAX))
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
