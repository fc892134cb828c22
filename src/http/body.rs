//! Bodies and queries, read leniently: JSON without a Content-Type, JSON with an empty
//! body, forms with `bot[name]=…`, and the query of a POST all become the same fields.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{FromRequest, HttpRequest, web};
use serde_json::{Map, Value};

use crate::http::error::ApiError;
use crate::http::incoming::WholeBody;
use crate::wire::fields::Problems;

/// A body as it came, parsed when the handler knows who asks.
pub(super) struct Body {
    bytes: web::Bytes,
    is_form: bool,
    query: Map<String, Value>,
}

impl Body {
    /// The fields of the body; those of the query where the body has none.
    pub(super) fn fields(self) -> Result<Map<String, Value>, Problems> {
        let blank = self.bytes.iter().all(u8::is_ascii_whitespace);
        let looks_like_json = self.bytes.trim_ascii_start().starts_with(b"{");
        let mut fields = match (blank, self.is_form && !looks_like_json) {
            (true, _) => Map::new(),
            (false, true) => form(&self.bytes),
            (false, false) => json(&self.bytes)?,
        };
        for (name, value) in self.query {
            fields.entry(name).or_insert(value);
        }
        Ok(fields)
    }
}

fn json(bytes: &[u8]) -> Result<Map<String, Value>, Problems> {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(Problems::one("the body must be a JSON object")),
        Err(error) => Err(Problems::one(format!("the body is not valid JSON: {error}"))),
    }
}

/// Pairs of a form or a query; `a[b]=c` becomes an object in an object.
pub(super) fn form(bytes: &[u8]) -> Map<String, Value> {
    let mut fields = Map::new();
    for (name, value) in form_urlencoded::parse(bytes) {
        let value = Value::String(value.into_owned());
        let nested = name.strip_suffix(']').and_then(|name| name.split_once('['));
        match nested {
            Some((outer, inner)) => {
                let place = fields.entry(outer).or_insert_with(|| Value::Object(Map::new()));
                if let Value::Object(map) = place {
                    map.insert(inner.to_owned(), value);
                }
            }
            None => drop(fields.insert(name.into_owned(), value)),
        }
    }
    fields
}

impl FromRequest for Body {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let content_type = request.headers().get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
        let is_form = content_type.is_some_and(|it| {
            it.trim_start().to_ascii_lowercase().starts_with("application/x-www-form-urlencoded")
        });
        let query = form(request.query_string().as_bytes());
        let whole = WholeBody::from_request(request, payload);
        Box::pin(async move { Ok(Self { bytes: whole.await?.0, is_form, query }) })
    }
}

/// The query of a request. Names are found in any case, since some clients misspell
/// `before_ID`.
pub(super) struct Query(pub(super) Map<String, Value>);

impl FromRequest for Query {
    type Error = ApiError;
    type Future = std::future::Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let mut fields = form(request.query_string().as_bytes());
        let odd: Vec<String> =
            fields.keys().filter(|it| **it != it.to_lowercase()).cloned().collect();
        for name in odd {
            let value = fields[&name].clone();
            fields.entry(name.to_lowercase()).or_insert(value);
        }
        std::future::ready(Ok(Self(fields)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str, is_form: bool, query: &str) -> Result<Map<String, Value>, Problems> {
        let bytes = web::Bytes::copy_from_slice(text.as_bytes());
        Body { bytes, is_form, query: form(query.as_bytes()) }.fields()
    }

    #[test]
    fn forms_nest_as_bots_send_them() {
        let fields = body("bot[name]=Ada&bot[group_id]=7&x=a+b%21", true, "").unwrap();
        assert_eq!(fields["bot"]["name"], "Ada");
        assert_eq!(fields["bot"]["group_id"], "7");
        assert_eq!(fields["x"], "a b!");
    }

    #[test]
    fn json_may_come_labelled_as_a_form_and_empty_bodies_as_json() {
        assert_eq!(body("{\"a\":1}", true, "").unwrap()["a"], 1);
        assert_eq!(body("", false, "group_id=7").unwrap()["group_id"], "7");
        assert_eq!(body("{\"a\":1}", false, "a=2").unwrap()["a"], 1);
    }

    #[test]
    fn what_is_no_object_is_said_to_be_none() {
        assert!(body("[1]", false, "").is_err());
        assert!(body("{\"a\":", false, "").is_err());
    }

    #[test]
    fn deep_nesting_is_refused_and_not_followed() {
        let deep = format!("{{\"a\":{}", "[".repeat(100_000));
        assert!(body(&deep, false, "").is_err());
    }
}
