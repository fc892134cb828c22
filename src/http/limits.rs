//! Rate limits, and the response headers about them.
//!
//! Header names follow the IETF draft "RateLimit header fields for HTTP".

use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{HttpMessage, HttpRequest, body::MessageBody};

use crate::auth::keyring::Caller;
use crate::auth::throttle::{Allowance, Buckets};
use crate::domain::ids::GroupId;
use crate::domain::time::Monotonic;
use crate::http::app_state::AppState;
use crate::http::error::ApiError;

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
    caller: &Caller,
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

/// Counts a post against the limit of the group's bots.
///
/// # Errors
/// 429 if the limit is exceeded.
pub(super) fn admit_bot(
    buckets: &Buckets<GroupId>,
    group: GroupId,
    now: Monotonic,
    request: &HttpRequest,
) -> Result<(), ApiError> {
    let allowance = buckets.take(&group, now);
    let limit = buckets.rate().burst as u64;
    request.extensions_mut().insert(RateLimitStatus { limit, allowance });
    if allowance.passes {
        return Ok(());
    }
    let reason = "the bots of this group post too often, 20 messages in 10 seconds are allowed";
    Err(too_many(reason).retry_after_millis(allowance.wait_millis))
}

/// 429 with this reason.
pub(super) fn too_many(reason: &str) -> ApiError {
    ApiError::new(StatusCode::TOO_MANY_REQUESTS, reason)
}

/// Adds the rate limit's headers to the response to a counted request.
///
/// # Errors
/// If the wrapped service fails.
pub async fn tell<B: MessageBody>(
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
