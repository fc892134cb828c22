//! Bodies on their way in: read whole and as they are, so many bytes for each route and so
//! many for all together. Nothing here or below inflates one: a kilobyte must not become a
//! megabyte before somebody has said who they are.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH};
use actix_web::web::{Bytes, BytesMut, Data};
use actix_web::{FromRequest, HttpMessage, HttpRequest};
use futures_util::StreamExt;

use crate::bounds::places::Places;
use crate::bounds::{Bound, Budget, Full, Permit};
use crate::http::app_state::AppState;
use crate::http::error::ApiError;

/// Bytes of a body, unless its route means a larger one: several times a message with
/// everything in it that a message may have.
pub(super) const BODY_BYTES: usize = 64 << 10;

/// Routes that mean larger bodies, how large, and why. (Images have limits of their own,
/// see `media/intake.rs`.)
pub(super) const LARGER: [(&str, usize, &str); 2] = [
    (
        "/groups/{id}/members/add",
        1 << 20,
        "a thousand people in one request, each with nickname, email, phone number and guid",
    ),
    ("/groups/change_owners", 128 << 10, "a thousand groups in one request, each with two ids"),
];

/// Bodies that are held for requests under way. Small ones are not counted: the buffer of a
/// connection is as large.
const HELD: Bound = Bound { items: 16 << 10, bytes: 64 << 20 };
/// Bytes of a small one.
const SMALL: usize = 8 << 10;

/// A budget for bodies.
pub fn budget(places: &Places) -> Budget {
    Budget::new(places, "bodies", HELD)
}

/// How many bytes a body may have on some route; none of these on the others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit(usize);

impl Limit {
    /// What is meant on the route with this path, if that is more than usual.
    pub(super) fn of(path: &str) -> Option<Self> {
        LARGER.iter().find(|(larger, ..)| *larger == path).map(|(_, bytes, _)| Self(*bytes))
    }
}

/// Why a body was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BodyRefusal {
    /// More than its route means.
    #[error("the body is larger than {limit} bytes")]
    TooLarge {
        /// What may come here.
        limit: usize,
    },
    /// It would have to be inflated.
    #[error("a body is taken as it is, not compressed (Content-Encoding: {0})")]
    Encoded(String),
    /// All bodies together are more than there is room for.
    #[error("too many large bodies at once")]
    Full,
    /// It ended too early, or was no body at all.
    #[error("the body could not be read")]
    Broken,
}

impl From<Full> for BodyRefusal {
    fn from(_: Full) -> Self {
        Self::Full
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
            BodyRefusal::Broken => Self::new(StatusCode::BAD_REQUEST, refusal),
        }
    }
}

/// A whole body.
#[derive(Debug, Clone, Default)]
pub(super) struct WholeBody(pub(super) Bytes);

impl FromRequest for WholeBody {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move { Ok(Self(read(&request, payload).await?)) })
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
    let mut held = Held { budget: None, permit: None };
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

/// Refuses bodies that came in a coding.
fn as_it_is(request: &HttpRequest) -> Result<(), BodyRefusal> {
    let Some(coding) = request.headers().get(CONTENT_ENCODING) else { return Ok(()) };
    let coding = String::from_utf8_lossy(coding.as_bytes());
    match coding.trim() {
        "" | "identity" => Ok(()),
        other => Err(BodyRefusal::Encoded(other.chars().take(40).collect())),
    }
}

/// What a body holds of what all share.
struct Held {
    budget: Option<Budget>,
    permit: Option<Permit>,
}

impl Held {
    /// Holds as much as a body of this length needs.
    fn reach(&mut self, request: &HttpRequest, length: usize) -> Result<(), Full> {
        if length <= SMALL {
            return Ok(());
        }
        if let Some(permit) = &mut self.permit {
            return permit.grow(length - permit.bytes());
        }
        if self.budget.is_none() {
            self.budget = request.app_data::<Data<AppState>>().map(|app| app.bodies.clone());
        }
        if let Some(budget) = &self.budget {
            self.permit = Some(budget.try_hold(length)?);
        }
        Ok(())
    }

    /// Holds it until the request is over: what was read of it is still there.
    fn keep(self, request: &HttpRequest) {
        if let Some(permit) = self.permit {
            request.extensions_mut().insert(permit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::routes;

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
