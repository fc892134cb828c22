//! `GET /metrics`, for the operators' monitoring only.
//!
//! The numbers tell strangers too much. Without a token, only this machine may read them, and only
//! if no proxy on it could be passing on somebody else's request.

use actix_web::http::StatusCode;
use actix_web::http::header::FORWARDED;
use actix_web::{HttpRequest, HttpResponse, web};
use sha2::{Digest, Sha256};

use crate::http::app_state::AppState;
use crate::http::caller::token_of;
use crate::http::error::ApiError;

/// The media type of the Prometheus text format.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// `GET /metrics`
pub(super) async fn show(
    app: web::Data<AppState>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    admit(&app, &request)?;
    let page = web::block(move || app.metrics.written()).await;
    let page = page.map_err(|error| ApiError::fault(&error))?;
    Ok(HttpResponse::Ok().content_type(TEXT).body(page))
}

fn admit(app: &AppState, request: &HttpRequest) -> Result<(), ApiError> {
    if let Some(wanted) = &app.metrics_token {
        let shown = token_of(request).ok_or_else(ApiError::unauthorized)?;
        // Comparing hashes reveals nothing about the token by the time it takes.
        if Sha256::digest(shown) == Sha256::digest(wanted) {
            return Ok(());
        }
        return Err(ApiError::invalid_token());
    }
    let is_forwarded = request.headers().contains_key(FORWARDED)
        || request.headers().contains_key("x-forwarded-for");
    let is_local = request.peer_addr().is_some_and(|it| it.ip().to_canonical().is_loopback());
    if is_local && !is_forwarded && !app.is_behind_proxy {
        return Ok(());
    }
    let reason = match app.is_behind_proxy {
        true => {
            "behind a public URL or a proxy, metrics require the token of --metrics-token, which \
             is not set"
        }
        false => "only this machine may read metrics; other machines need --metrics-token",
    };
    Err(ApiError::new(StatusCode::FORBIDDEN, reason))
}
