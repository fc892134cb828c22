//! Saying yes: the envelope around a payload.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use bytes::Bytes;
use serde_json::Value;

use crate::wire::envelope;

/// What a handler comes back with.
pub(super) type Answer = Result<HttpResponse, super::error::ApiError>;

/// 200 with a payload.
pub(super) fn ok(payload: &Value) -> HttpResponse {
    with(StatusCode::OK, payload)
}

/// 201 with a payload.
pub(super) fn created(payload: &Value) -> HttpResponse {
    with(StatusCode::CREATED, payload)
}

/// 202 with a payload.
pub(super) fn accepted(payload: &Value) -> HttpResponse {
    with(StatusCode::ACCEPTED, payload)
}

/// 304: nothing found.
pub(super) fn not_modified() -> HttpResponse {
    HttpResponse::NotModified().finish()
}

/// A payload that is JSON already.
pub(super) fn raw(status: StatusCode, payload: &[u8]) -> HttpResponse {
    json(status, envelope::around(status.as_u16(), payload))
}

fn with(status: StatusCode, payload: &Value) -> HttpResponse {
    raw(status, payload.to_string().as_bytes())
}

fn json(status: StatusCode, body: Bytes) -> HttpResponse {
    HttpResponse::build(status).content_type("application/json").body(body)
}
