//! Rate limits, and the response headers about them.
//!
//! Header names follow the IETF draft "RateLimit header fields for HTTP".

use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{HttpMessage, HttpRequest, body::MessageBody};

use crate::auth::keyring::Caller;
use crate::auth::throttle::{Allowance, Buckets, Rate};
use crate::domain::ids::GroupId;
use crate::domain::time::Monotonic;
use crate::http::app_state::AppState;
use crate::http::error::ApiError;

const LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("ratelimit-reset");

/// The rate of posts by all bots of one group. Stops bots that answer each other in a loop.
pub const BOT_POSTS: Rate = Rate { per_second: 2.0, burst: 20.0 };

/// The rate of bots' posts in words.
pub(super) fn bots_may_post() -> String {
    let Rate { per_second, burst } = BOT_POSTS;
    format!(
        "all bots of a group together may post {burst} messages at once and {per_second} more \
             each second"
    )
}

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
    Err(too_many(&bots_may_post()).retry_after_millis(allowance.wait_millis))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_writes_a_bot_reads_how_often_it_may_post() {
        let read = include_str!("../../static/docs/bots/index.html");
        let read = read.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        assert!(read.contains(&bots_may_post()), "{}", bots_may_post());
    }
}
