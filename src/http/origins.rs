//! Pages of other origins, as those of applications that people let in: browsers let them
//! use the API, and read its answers (Fetch standard, CORS protocol).
//!
//! That opens nothing: the API takes tokens and no cookies, so a page can do what its token
//! can and no more. Where people log in and consent is not open to the scripts of others.

use actix_cors::Cors;
use actix_web::guard::GuardContext;
use actix_web::http::header::ORIGIN;

/// Paths outside `/v3` that are part of the API.
const OPEN: [&str; 8] = [
    "/pictures",
    "/images/{name}",
    "/faye",
    "/faye/{step}",
    "/oauth/token",
    "/.well-known/oauth-authorization-server",
    "/openapi.json",
    "/asyncapi.json",
];
/// Headers of answers that say something to programs, beside those that browsers show anyway.
const SHOWN: [&str; 9] = [
    "Retry-After",
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "Idempotency-Replayed",
    "X-Existing-Message-Id",
    "Content-Range",
    "X-Request-Id",
    "ETag",
];
/// Seconds for which a browser need not ask again.
const REMEMBERED: usize = 86_400;

/// Whether pages of other origins may use a path outside `/v3`.
pub(super) fn is_open(path: &str) -> bool {
    OPEN.contains(&path)
}

/// Whether a page sends a request: programs name no origin, and need none of this.
pub(super) fn is_of_a_page(request: &GuardContext<'_>) -> bool {
    request.head().headers().contains_key(ORIGIN)
}

/// Lets pages of any origin in.
pub(super) fn any() -> Cors {
    Cors::default()
        .allow_any_origin()
        .send_wildcard()
        .allowed_methods(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
        .allow_any_header()
        .expose_headers(SHOWN)
        .max_age(REMEMBERED)
}
