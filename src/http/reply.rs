//! Saying yes: the envelope around a payload.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_LENGTH;
use serde::Serialize;

use crate::actors::idempotency::Rendered;
use crate::http::error::ApiError;
use crate::wire::envelope;

/// What a handler comes back with.
pub(super) type Answer = Result<HttpResponse, ApiError>;

/// 200 with a payload.
pub(super) fn ok(payload: &impl Serialize) -> HttpResponse {
    with(StatusCode::OK, payload)
}

/// 201 with a payload.
pub(super) fn created(payload: &impl Serialize) -> HttpResponse {
    with(StatusCode::CREATED, payload)
}

/// A payload that is written as JSON here.
///
/// # Errors
/// When it cannot be.
pub(super) fn of<T: Serialize>(status: StatusCode, payload: &T) -> Answer {
    let payload = serde_json::to_vec(payload).map_err(|error| ApiError::fault(&error))?;
    Ok(raw(status, |body| body.extend_from_slice(&payload)))
}

/// 304: nothing found.
pub(super) fn not_modified() -> HttpResponse {
    // Without a length, some clients wait for a body that never comes.
    HttpResponse::NotModified().insert_header((CONTENT_LENGTH, 0)).finish()
}

/// A payload that `write` adds as JSON.
pub(super) fn raw(status: StatusCode, write: impl FnOnce(&mut Vec<u8>)) -> HttpResponse {
    rendered(status, write).into()
}

/// The same as bytes, which a room can keep.
pub(super) fn rendered(status: StatusCode, write: impl FnOnce(&mut Vec<u8>)) -> Rendered {
    Rendered { status: status.as_u16(), body: envelope::around(status.as_u16(), write) }
}

/// A payload with this status, as bytes.
pub(super) fn payload(status: StatusCode, payload: &impl Serialize) -> Rendered {
    rendered(status, |body| write(body, payload))
}

/// 200 and nothing more to say, as bytes.
pub(super) fn done<T>(_: &T) -> Rendered {
    payload(StatusCode::OK, &())
}

impl From<Rendered> for HttpResponse {
    fn from(rendered: Rendered) -> Self {
        let status = StatusCode::from_u16(rendered.status).unwrap_or(StatusCode::OK);
        Self::build(status).content_type("application/json").body(rendered.body)
    }
}

fn with(status: StatusCode, payload: &impl Serialize) -> HttpResponse {
    raw(status, |body| write(body, payload))
}

fn write(body: &mut Vec<u8>, payload: &impl Serialize) {
    serde_json::to_writer(body, payload).expect("texts, numbers and lists are always JSON");
}
