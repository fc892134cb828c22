//! Rate limits, and the response headers about them.
//!
//! Header names follow the IETF draft "RateLimit header fields for HTTP".

use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{HttpMessage, HttpRequest, body::MessageBody};

use crate::http::app_state::AppState;
use crate::http::error::ApiError;
use auth::keyring::TokenOwner;
use auth::throttle::Allowance;
use domain::ids::GroupId;

const LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("ratelimit-reset");

/// The allowance of a request, kept until its response is sent.
#[derive(Clone, Copy)]
struct RateLimitStatus {
    limit: u64,
    allowance: Allowance,
}

/// Counts a request against the limit of its token.
///
/// # Errors
/// 429 if the limit is exceeded.
pub(super) fn admit(
    app: &AppState,
    caller: &TokenOwner,
    request: &HttpRequest,
) -> Result<(), ApiError> {
    let Some(buckets) = &app.requests else { return Ok(()) };
    let allowance = buckets.take(&caller.token, app.clock.now().mono);
    let limit = buckets.rate().burst as u64;
    request.extensions_mut().insert(RateLimitStatus { limit, allowance });
    if allowance.passes {
        return Ok(());
    }
    Err(too_many("too many requests with this token").retry_after_millis(allowance.wait_millis))
}

/// Notes, for the headers of the response, how many posts the bots of a group have left. Nothing is
/// noted on a node that does not count posts.
pub(super) fn note_bot_posts(app: &AppState, group: GroupId, request: &HttpRequest) {
    let context = app.directory.context();
    if !context.archive.journal.leads() {
        return;
    }
    if let Some((limit, allowance)) =
        context.write_limits.bot_posts_left(group, app.clock.now().mono)
    {
        request.extensions_mut().insert(RateLimitStatus { limit, allowance });
    }
}

/// 429 with this reason.
pub(super) fn too_many(reason: &str) -> ApiError {
    ApiError::new(StatusCode::TOO_MANY_REQUESTS, reason)
}

/// Adds the rate limit's headers to the response to a counted request.
///
/// # Errors
/// If the wrapped service fails.
pub async fn add_headers<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, actix_web::Error> {
    let mut answer = next.call(request).await?;
    let told = answer.request().extensions().get::<RateLimitStatus>().copied();
    if let Some(RateLimitStatus { limit, allowance }) = told {
        let headers = answer.headers_mut();
        headers.insert(LIMIT, HeaderValue::from(limit));
        headers.insert(REMAINING, HeaderValue::from(allowance.left));
        headers.insert(RESET, HeaderValue::from(allowance.wait_millis.div_ceil(1000)));
    }
    Ok(answer)
}
