//! Queries of SCIM: filters, pages and the attributes of a response.

use serde_json::{Map, Value};

use super::{GROUP, Projection, ScimRefusal, ScimType, USER};

/// The most accounts of a page.
pub const LIST_MOST: usize = 200;
/// The accounts of a page, unless the request says otherwise.
const LIST_USUAL: usize = 100;

/// A page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListWanted {
    /// The number of the first resource, counted from 1.
    pub start_index: usize,
    /// The number of resources.
    pub count: usize,
}

/// Reads the page of a list. Numbers out of range are moved into it (RFC 7644, section 3.4.2.4).
///
/// # Errors
/// If one is no number.
pub fn read_list(query: &Map<String, Value>) -> Result<ListWanted, ScimRefusal> {
    let start_index = number(query, "startIndex")?.map_or(1, |it| it.max(1));
    let count =
        number(query, "count")?.map_or(LIST_USUAL, |it| it.clamp(0, LIST_MOST as i64) as usize);
    Ok(ListWanted { start_index: usize::try_from(start_index).unwrap_or(usize::MAX), count })
}

fn number(query: &Map<String, Value>, name: &str) -> Result<Option<i64>, ScimRefusal> {
    let Some(text) = super::by_name(query, name).and_then(Value::as_str) else { return Ok(None) };
    match text.trim().parse() {
        Ok(number) => Ok(Some(number)),
        Err(_) => Err(ScimRefusal::new(ScimType::InvalidValue, format!("{name} must be a number"))),
    }
}

/// The query in the body of a search, in the form of the query of a list.
pub fn read_search(body: Map<String, Value>) -> Map<String, Value> {
    let text = |value: Value| match value {
        Value::Array(ref names) => {
            names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",")
        }
        Value::String(text) => text,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    };
    body.into_iter().map(|(name, value)| (name, Value::String(text(value)))).collect()
}

/// Reads the filter of a list: the attribute in lower case, and the text that it equals.
///
/// # Errors
/// If it is no comparison of `id`, `userName` or `externalId` by `eq`.
pub fn read_filter(query: &Map<String, Value>) -> Result<Option<(String, String)>, ScimRefusal> {
    let Some(filter) = super::by_name(query, "filter").and_then(Value::as_str) else {
        return Ok(None);
    };
    let refused = || {
        let detail =
            "filter must have the form userName eq \"…\", externalId eq \"…\" or id eq \"…\"";
        ScimRefusal::new(ScimType::InvalidFilter, detail)
    };
    let mut compared = comparisons(filter).ok_or_else(refused)?;
    match (compared.pop(), compared.is_empty()) {
        (Some((attribute, value)), true)
            if matches!(attribute.as_str(), "id" | "username" | "externalid") =>
        {
            Ok(Some((attribute, value)))
        }
        _ => Err(refused()),
    }
}

/// The comparisons of a filter that consists of `attribute eq "…"`, joined by `and`: attributes in
/// lower case and the texts that they equal. `None` if it has another form.
pub(super) fn comparisons(filter: &str) -> Option<Vec<(String, String)>> {
    let mut compared = Vec::new();
    let mut rest = filter.trim();
    loop {
        let (attribute, after) = rest.split_once(' ')?;
        let (operator, value) = after.trim_start().split_once(' ')?;
        let mut texts = serde_json::Deserializer::from_str(value).into_iter::<String>();
        let text = texts.next()?.ok()?;
        if !operator.eq_ignore_ascii_case("eq") {
            return None;
        }
        compared.push((short_name(attribute), text));
        rest = value.get(texts.byte_offset()..)?.trim();
        if rest.is_empty() {
            return Some(compared);
        }
        let (word, after) = rest.split_once(' ')?;
        if !word.eq_ignore_ascii_case("and") {
            return None;
        }
        rest = after.trim_start();
    }
}

/// Reads the attributes that a response has.
///
/// # Errors
/// If the request names attributes to include and to exclude.
pub fn read_projection(query: &Map<String, Value>) -> Result<Projection, ScimRefusal> {
    let names = |field: &str| {
        let text = super::by_name(query, field).and_then(Value::as_str)?;
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let whole = |name: &str| {
            let name = short_name(name);
            name.split(['.', '[']).next().unwrap_or_default().to_owned()
        };
        Some(names.map(whole).collect::<Vec<String>>()).filter(|names| !names.is_empty())
    };
    match (names("attributes"), names("excludedAttributes")) {
        (Some(_), Some(_)) => {
            let detail = "attributes and excludedAttributes exclude each other";
            Err(ScimRefusal::new(ScimType::InvalidValue, detail))
        }
        (Some(only), None) => Ok(Projection::Only(only)),
        (None, Some(without)) => Ok(Projection::Without(without)),
        (None, None) => Ok(Projection::All),
    }
}

/// An attribute's name in lower case, without the schema of users or groups.
pub(super) fn short_name(name: &str) -> String {
    let lower = name.trim().to_ascii_lowercase();
    let schemas = [USER, GROUP].map(str::to_ascii_lowercase);
    let mut rests = schemas.iter().filter_map(|schema| lower.strip_prefix(schema.as_str()));
    match rests.find_map(|rest| rest.strip_prefix(':')) {
        Some(rest) => rest.to_owned(),
        None => lower,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn query(fields: Value) -> Map<String, Value> {
        fields.as_object().unwrap().clone()
    }

    #[test]
    fn filters_compare_three_attributes() {
        for (filter, attribute, value) in [
            ("userName eq \"ana@example.org\"", "username", "ana@example.org"),
            ("USERNAME EQ \"a\\\"b\"", "username", "a\"b"),
            ("externalId  eq  \"7 8\"", "externalid", "7 8"),
            ("urn:ietf:params:scim:schemas:core:2.0:User:id eq \"7\"", "id", "7"),
        ] {
            let read = read_filter(&query(json!({ "filter": filter })));
            assert_eq!(read, Ok(Some((attribute.to_owned(), value.to_owned()))), "{filter}");
        }
        for filter in [
            "userName",
            "userName sw \"a\"",
            "displayName eq \"a\"",
            "id eq 7",
            "id eq \"7\" and userName eq \"a\"",
            "id eq \"7\" or userName eq \"a\"",
            "",
        ] {
            let read = read_filter(&query(json!({ "filter": filter })));
            assert_eq!(read.unwrap_err().kind, ScimType::InvalidFilter, "{filter}");
        }
        assert_eq!(read_filter(&Map::new()), Ok(None));
    }

    #[test]
    fn pages_are_moved_into_their_range() {
        for (asked, start_index, count) in [
            (json!({}), 1, 100),
            (json!({"startIndex": "-3", "count": "9999"}), 1, 200),
            (json!({"startIndex": "5", "count": "0"}), 5, 0),
            (json!({"startIndex": "5", "count": "-1"}), 5, 0),
        ] {
            assert_eq!(read_list(&query(asked)), Ok(ListWanted { start_index, count }));
        }
        assert!(read_list(&query(json!({"count": "many"}))).is_err());
    }

    #[test]
    fn projections_name_whole_attributes() {
        let read = |fields| read_projection(&query(fields));
        let only = Projection::Only(vec!["username".to_owned(), "emails".to_owned()]);
        assert_eq!(read(json!({"attributes": "userName, emails.value"})), Ok(only));
        let without = Projection::Without(vec!["name".to_owned()]);
        assert_eq!(read(json!({"excludedAttributes": "name"})), Ok(without));
        assert_eq!(read(json!({})), Ok(Projection::All));
        assert!(read(json!({"attributes": "a", "excludedAttributes": "b"})).is_err());
    }
}
