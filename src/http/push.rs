//! The WebSocket's door (`GET /v3/push`): who may knock, and with which token.

use std::future::Future;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{HOST, ORIGIN};
use actix_web::{HttpRequest, HttpResponse, web};

use crate::http::caller::token_of;
use crate::http::client_address::address_of;
use crate::http::door::Door;
use crate::http::error::ApiError;
use crate::http::limits::too_many;
use crate::subscribers::carrier::{self, Speech, Wire};
use crate::subscribers::closing::Close;
use crate::subscribers::live_feed::Local;
use crate::subscribers::session::{self, Knock};

/// `GET /v3/push`
pub(super) async fn socket(
    door: web::Data<Door>,
    local: web::Data<Local>,
    request: HttpRequest,
    stream: web::Payload,
) -> Result<HttpResponse, actix_web::Error> {
    let shared = Arc::clone(&door.subscribers);
    let knock = Knock { shared, local: Local::clone(&local), token: token_of(&request) };
    let speak = |wire: Wire| session::run(wire, knock);
    upgrade(&door, &request, stream, session::SPEECH, speak)
}

/// Opens a socket for a protocol, unless a stranger's page or too many of one address ask
/// for it.
pub(super) fn upgrade<P: Future<Output = Close> + 'static>(
    door: &Door,
    request: &HttpRequest,
    stream: web::Payload,
    speech: Speech,
    protocol: impl FnOnce(Wire) -> P,
) -> Result<HttpResponse, actix_web::Error> {
    if !is_own_page(door, request) {
        return Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "pages of another origin may not open sockets here",
        )
        .into());
    }
    if let (Some(buckets), Some(address)) = (&door.upgrades, address_of(request)) {
        let allowance = buckets.take(&address, door.clock.now().mono);
        if !allowance.passes {
            let refusal = too_many("too many sockets are being opened from this address");
            return Err(refusal.retry_after_millis(allowance.wait_millis).into());
        }
    }
    let upgraded = carrier::upgrade(request, stream, speech, &door.clock, protocol);
    upgraded.map_err(|error| {
        // Its status stands in its answer only.
        let status = error.as_response_error().error_response().status();
        ApiError::new(status, format!("only WebSockets are served here: {error}")).into()
    })
}

/// Whether a browser's page belongs here; programs send no `Origin`.
fn is_own_page(door: &Door, request: &HttpRequest) -> bool {
    let header = |name| request.headers().get(name).and_then(|it| it.to_str().ok());
    let Some(origin) = header(ORIGIN) else { return true };
    let host = origin.split_once("://").map(|(_, host)| host);
    let is_same_host =
        host.zip(header(HOST)).is_some_and(|(origin, host)| origin.eq_ignore_ascii_case(host));
    is_same_host || door.site.is_own_origin(origin)
}
