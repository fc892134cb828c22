//! CORS: pages of other origins, such as those of applications, may use the API and read its
//! responses (Fetch standard, CORS protocol).
//!
//! That grants no access: the API takes tokens and no cookies, so a page can do what its token
//! allows and no more. The pages where people log in and consent are closed to scripts of other
//! origins.

use std::rc::Rc;

use actix_cors::Cors;
use actix_web::Error;
use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform, forward_ready};
use actix_web::http::header::ORIGIN;
use futures_util::future::{Either, LocalBoxFuture, MapOk};
use futures_util::{FutureExt as _, TryFutureExt as _};

use crate::http::response_headers::{
    CHALLENGED, EXISTING_MESSAGE, LOCATION, RATE_LIMIT, REPLAYED, RETRY_AFTER, UPLOAD,
};

/// Paths outside `/v3` that are part of the API.
const OPEN: [&str; 13] = [
    "/pictures",
    "/uploads",
    "/uploads/{picture}",
    "/uploads/{picture}/{name}",
    "/images/{name}",
    "/faye",
    "/faye/{step}",
    "/oauth/token",
    "/oauth/access_token",
    "/oauth/revoke",
    "/.well-known/oauth-authorization-server",
    "/openapi.json",
    "/asyncapi.json",
];
/// Response headers that programs need, beside those that browsers expose anyway.
const SHOWN: [&str; 16] = {
    let [limit, remaining, reset] = RATE_LIMIT;
    let [offset, complete, length, upload_limit] = UPLOAD;
    [
        LOCATION,
        CHALLENGED,
        RETRY_AFTER,
        offset,
        complete,
        length,
        upload_limit,
        limit,
        remaining,
        reset,
        REPLAYED,
        EXISTING_MESSAGE,
        "Content-Range",
        "Content-Disposition",
        "X-Request-Id",
        "ETag",
    ]
};
/// Seconds for which a browser caches the answer to a preflight request.
const REMEMBERED: usize = 86_400;

/// Whether pages of other origins may use a path outside `/v3`.
pub(super) fn is_open(path: &str) -> bool {
    OPEN.contains(&path)
}

/// Allows pages of any origin.
pub(super) fn any() -> Cors {
    Cors::default()
        .allow_any_origin()
        .send_wildcard()
        .allowed_methods(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
        .allow_any_header()
        .expose_headers(SHOWN)
        .max_age(REMEMBERED)
}

/// The middleware that allows pages of any origin. A request without `Origin`, such as a program's,
/// skips the CORS code.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnyOrigin;

/// A service that pages of any origin may use.
pub(super) struct OpenService<S: 'static>
where
    Cors: Transform<Rc<S>, ServiceRequest>,
{
    service: Rc<S>,
    for_pages: <Cors as Transform<Rc<S>, ServiceRequest>>::Transform,
}

impl<S, B> Transform<S, ServiceRequest> for AnyOrigin
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = Error;
    type Transform = OpenService<S>;
    type InitError = ();
    type Future = LocalBoxFuture<'static, Result<Self::Transform, ()>>;

    fn new_transform(&self, service: S) -> Self::Future {
        let service = Rc::new(service);
        let for_pages = any().new_transform(Rc::clone(&service));
        for_pages.map_ok(|for_pages| OpenService { service, for_pages }).boxed_local()
    }
}

impl<S, B> Service<ServiceRequest> for OpenService<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = Error;
    type Future = Either<
        MapOk<S::Future, fn(ServiceResponse<B>) -> Self::Response>,
        LocalBoxFuture<'static, Result<Self::Response, Error>>,
    >;

    forward_ready!(service);

    fn call(&self, request: ServiceRequest) -> Self::Future {
        if request.headers().contains_key(ORIGIN) {
            return Either::Right(self.for_pages.call(request));
        }
        Either::Left(self.service.call(request).map_ok(ServiceResponse::map_into_left_body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::response_headers::components;

    #[test]
    fn pages_may_read_every_header_that_is_documented() {
        for name in components().keys() {
            assert!(SHOWN.contains(&name.as_str()), "{name}");
        }
    }
}
