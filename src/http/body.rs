//! Bodies and queries. A body is read whole, within a limit for its route and a budget for all
//! bodies together, and then parsed leniently: JSON without a Content-Type, JSON with an empty
//! body, forms with `bot[name]=…`, and the query of a POST all become the same fields.
//!
//! Bodies are never decompressed, here or below: a kilobyte must not become a megabyte before the
//! caller is known.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use actix_web::web::{Bytes, BytesMut, Data};
use actix_web::{FromRequest, HttpMessage, HttpRequest};
use futures_util::StreamExt;
use serde_json::{Map, Value};

use crate::http::app_state::AppState;
use crate::http::client_address::network_of;
use crate::http::error::ApiError;
use base::bounds::Bound;
use base::bounds::places::Places;
use base::bounds::shares::{OwnedShare, ShareRefusal, Shares};
use wire::fields::{Problems, without_mark};

/// Largest body, in bytes, unless its route has a limit of its own: several times a message with
/// everything in it that a message may have.
pub(super) const BODY_BYTES: usize = 64 << 10;

/// Routes that take larger bodies: the path, the limit in bytes, and the reason. (Images have
/// limits of their own, see `media/intake.rs`.)
pub(super) const LARGER: [(&str, usize, &str); 2] = [
    (
        "/groups/{id}/members/add",
        1 << 20,
        "a thousand people in one request, each with nickname, email, phone number and guid",
    ),
    ("/groups/change_owners", 128 << 10, "a thousand groups in one request, each with two ids"),
];

/// Bodies of requests in progress that are held at once. Small ones are not counted: a connection's
/// buffer is as large.
const HELD: Bound = Bound { items: 16 << 10, bytes: 64 << 20 };
/// The share of the clients of one network. (Not of one token: a log-in has none yet.)
const SHARE: Bound = Bound { items: 8 << 10, bytes: 32 << 20 };
/// Bodies of at most this many bytes are small.
const SMALL: usize = 8 << 10;

/// A budget for the bodies of all requests together.
pub fn budget(places: &Places) -> Shares {
    Shares::new(places, "bodies", HELD, SHARE)
}

/// Largest body, in bytes, on a route with a limit of its own. Other routes have no `Limit`, and
/// [`BODY_BYTES`] applies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit(usize);

impl Limit {
    /// The limit of the route with this path, if it has one of its own.
    pub(super) fn of(path: &str) -> Option<Self> {
        LARGER.iter().find(|(larger, ..)| *larger == path).map(|(_, bytes, _)| Self(*bytes))
    }
}

/// Why a body was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BodyRefusal {
    /// The body is larger than its route allows.
    #[error("the body is larger than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The body has a `Content-Encoding`, so it would have to be decompressed.
    #[error("compressed bodies are not accepted (Content-Encoding: {0})")]
    Encoded(String),
    /// The budget for all bodies together is used up.
    #[error("too many large bodies at once")]
    Full,
    /// The clients of one network hold too much of it.
    #[error("too many large bodies from your network at once")]
    NetworkFull,
    /// The body ended too early or could not be read.
    #[error("the body could not be read")]
    Broken,
}

impl From<ShareRefusal> for BodyRefusal {
    fn from(refusal: ShareRefusal) -> Self {
        match refusal {
            ShareRefusal::OfOwner => Self::NetworkFull,
            ShareRefusal::OfAll => Self::Full,
        }
    }
}

impl From<BodyRefusal> for ApiError {
    fn from(refusal: BodyRefusal) -> Self {
        match &refusal {
            BodyRefusal::TooLarge { .. } => Self::new(StatusCode::PAYLOAD_TOO_LARGE, refusal),
            BodyRefusal::Encoded(_) => Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, refusal)
                .with_header(ACCEPT_ENCODING, "identity"),
            BodyRefusal::Full => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, refusal).retry_after_millis(1000)
            }
            BodyRefusal::NetworkFull => {
                Self::new(StatusCode::TOO_MANY_REQUESTS, refusal).retry_after_millis(1000)
            }
            BodyRefusal::Broken => Self::new(StatusCode::BAD_REQUEST, refusal),
        }
    }
}

/// A whole body of text, not parsed, without a byte order mark.
#[derive(Debug, Clone, Default)]
pub(super) struct WholeBody(pub(super) Bytes);

impl FromRequest for WholeBody {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        let payload = payload.take();
        Box::pin(async move {
            let body = read(&request, payload).await?;
            let mark = body.len() - without_mark(&body).len();
            Ok(Self(body.slice(mark..)))
        })
    }
}

async fn read(request: &HttpRequest, mut payload: Payload) -> Result<Bytes, BodyRefusal> {
    let limit = request.app_data::<Limit>().map_or(BODY_BYTES, |limit| limit.0);
    as_it_is(request)?;
    let header = request.headers().get(CONTENT_LENGTH).and_then(|it| it.to_str().ok());
    let announced: usize = header.and_then(|it| it.parse().ok()).unwrap_or(0);
    if announced > limit {
        return Err(BodyRefusal::TooLarge { limit });
    }
    let mut held = Held { share: None };
    let mut next = async |so_far: usize| -> Result<Option<Bytes>, BodyRefusal> {
        let Some(piece) = payload.next().await else { return Ok(None) };
        let piece = piece.map_err(|_| BodyRefusal::Broken)?;
        let length = so_far + piece.len();
        if length > limit {
            return Err(BodyRefusal::TooLarge { limit });
        }
        held.reach(request, length)?;
        Ok(Some(piece))
    };
    // Most bodies come in one piece.
    let Some(first) = next(0).await? else { return Ok(Bytes::new()) };
    let Some(second) = next(first.len()).await? else {
        held.keep(request);
        return Ok(first);
    };
    let mut whole = BytesMut::with_capacity(announced.max(first.len() + second.len()));
    whole.extend_from_slice(&first);
    whole.extend_from_slice(&second);
    while let Some(piece) = next(whole.len()).await? {
        whole.extend_from_slice(&piece);
    }
    held.keep(request);
    Ok(whole.freeze())
}

/// Refuses a body with a `Content-Encoding`.
fn as_it_is(request: &HttpRequest) -> Result<(), BodyRefusal> {
    let Some(coding) = request.headers().get(CONTENT_ENCODING) else { return Ok(()) };
    let coding = String::from_utf8_lossy(coding.as_bytes());
    match coding.trim() {
        "" | "identity" => Ok(()),
        other => Err(BodyRefusal::Encoded(other.chars().take(40).collect())),
    }
}

/// The reservation of a body in the budget that all bodies share.
struct Held {
    share: Option<OwnedShare>,
}

impl Held {
    /// Holds as much of the budget as a body of this length needs.
    fn reach(&mut self, request: &HttpRequest, length: usize) -> Result<(), ShareRefusal> {
        if length <= SMALL {
            return Ok(());
        }
        if let Some(share) = &mut self.share {
            return share.grow(length - share.bytes());
        }
        if let Some(app) = request.app_data::<Data<AppState>>() {
            self.share = Some(app.bodies.try_hold(&network_of(request), length)?);
        }
        Ok(())
    }

    /// Holds it until the request is over, since the values parsed from the body live that long.
    fn keep(self, request: &HttpRequest) {
        if let Some(share) = self.share {
            request.extensions_mut().insert(share);
        }
    }
}

/// An unparsed body; the handler parses it once the caller is known.
pub(super) struct Body {
    bytes: Bytes,
    is_form: bool,
    query: Map<String, Value>,
}

impl Body {
    /// The fields of the body, and those of the query that the body does not have.
    pub(super) fn fields(self) -> Result<Map<String, Value>, Problems> {
        let bytes = &self.bytes;
        // PHP encodes a call without arguments as an empty array.
        let is_empty_array = bytes
            .trim_ascii()
            .strip_prefix(b"[")
            .is_some_and(|rest| rest.trim_ascii_start() == b"]");
        let blank = is_empty_array || bytes.iter().all(u8::is_ascii_whitespace);
        let looks_like_json = bytes.trim_ascii_start().starts_with(b"{");
        let mut fields = match (blank, self.is_form && !looks_like_json) {
            (true, _) => Map::new(),
            (false, true) => form(bytes),
            (false, false) => json(bytes)?,
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

/// Parses the pairs of a form or a query; `a[b]=c` becomes an object in an object.
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

/// The query of a request. A name in mixed case is also found in lower case, since some clients
/// write `before_ID`.
pub(super) struct Query(pub(super) Map<String, Value>);

impl FromRequest for Query {
    type Error = ApiError;
    type Future = std::future::Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let mut fields = form(request.query_string().as_bytes());
        let odd: Vec<String> =
            fields.keys().filter(|it| **it != it.to_ascii_lowercase()).cloned().collect();
        for name in odd {
            let value = fields[&name].clone();
            fields.entry(name.to_ascii_lowercase()).or_insert(value);
        }
        std::future::ready(Ok(Self(fields)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::routes;

    fn body(text: &str, is_form: bool, query: &str) -> Result<Map<String, Value>, Problems> {
        let bytes = Bytes::copy_from_slice(text.as_bytes());
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
    fn body_without_object_is_refused() {
        assert!(body("[1]", false, "").is_err());
        assert!(body("{\"a\":", false, "").is_err());
    }

    #[test]
    fn deep_nesting_is_refused_and_not_followed() {
        let deep = format!("{{\"a\":{}", "[".repeat(100_000));
        assert!(body(&deep, false, "").is_err());
    }

    #[test]
    fn every_larger_limit_is_that_of_a_route_and_has_a_reason() {
        let routes = routes::names();
        for (path, bytes, why) in LARGER {
            let whole = format!("/v3{path}");
            assert!(routes.iter().any(|(_, route)| *route == whole), "{path} is no route");
            assert!(bytes > BODY_BYTES && !why.is_empty());
        }
    }
}
