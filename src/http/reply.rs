//! Saying yes: the envelope around a payload.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_LENGTH;
use serde::Serialize;
use serde_json::Value;

use crate::http::error::ApiError;
use crate::wire::envelope;

/// What a handler comes back with.
pub(super) type Answer = Result<HttpResponse, ApiError>;

/// 200 with a payload.
pub(super) fn ok(payload: &Value) -> HttpResponse {
    with(StatusCode::OK, payload)
}

/// 201 with a payload.
pub(super) fn created(payload: &Value) -> HttpResponse {
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

/// 202 with a payload.
pub(super) fn accepted(payload: &Value) -> HttpResponse {
    with(StatusCode::ACCEPTED, payload)
}

/// 304: nothing found.
pub(super) fn not_modified() -> HttpResponse {
    // Without a length, some clients wait for a body that never comes.
    HttpResponse::NotModified().insert_header((CONTENT_LENGTH, 0)).finish()
}

/// A payload that `write` adds as JSON.
pub(super) fn raw(status: StatusCode, write: impl FnOnce(&mut Vec<u8>)) -> HttpResponse {
    let body = envelope::around(status.as_u16(), write);
    HttpResponse::build(status).content_type("application/json").body(body)
}

fn with(status: StatusCode, payload: &Value) -> HttpResponse {
    raw(status, |body| body.extend_from_slice(payload.to_string().as_bytes()))
}
