//! The upgrade to a WebSocket (`GET /v3/push`): who may open one, and with which token.

use std::future::Future;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{HOST, ORIGIN};
use actix_web::{HttpRequest, HttpResponse, web};

use crate::http::app_state::AppState;
use crate::http::caller::token_of;
use crate::http::client_address::network_of;
use crate::http::error::ApiError;
use crate::http::limits::too_many;
use crate::subscribers::closing::Close;
use crate::subscribers::live_feed::ThreadFeed;
use crate::subscribers::session::{self, SessionStart};
use crate::subscribers::websocket::{self, ClientSocket, Subprotocol};

/// `GET /v3/push`
pub(super) async fn socket(
    app: web::Data<AppState>,
    local: web::Data<ThreadFeed>,
    request: HttpRequest,
    stream: web::Payload,
) -> Result<HttpResponse, actix_web::Error> {
    let shared = Arc::clone(&app.subscribers);
    let start =
        SessionStart { shared, local: ThreadFeed::clone(&local), token: token_of(&request) };
    let speak = |wire: ClientSocket| session::run(wire, start);
    upgrade(&app, &request, stream, session::SUBPROTOCOL, speak)
}

/// Opens a socket for a protocol, unless a page of another origin asks for it or its address opens
/// too many.
pub(super) fn upgrade<P: Future<Output = Close> + 'static>(
    app: &AppState,
    request: &HttpRequest,
    stream: web::Payload,
    subprotocol: Subprotocol,
    protocol: impl FnOnce(ClientSocket) -> P,
) -> Result<HttpResponse, actix_web::Error> {
    if !is_own_page(app, request) {
        return Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "pages of another origin may not open sockets here",
        )
        .into());
    }
    if let (Some(buckets), Some(address)) = (&app.upgrades, network_of(request)) {
        let allowance = buckets.take(&address, app.clock.now().mono);
        if !allowance.passes {
            let refusal = too_many("too many sockets are being opened from this address");
            return Err(refusal.retry_after_millis(allowance.wait_millis).into());
        }
    }
    let upgraded = websocket::upgrade(request, stream, subprotocol, &app.clock, protocol);
    upgraded.map_err(|error| {
        // The status of this error is known from its response only.
        let status = error.as_response_error().error_response().status();
        ApiError::new(status, format!("only WebSockets are served here: {error}")).into()
    })
}

/// Whether a request comes from a page of this server, or from a program, which sends no `Origin`.
fn is_own_page(app: &AppState, request: &HttpRequest) -> bool {
    let header = |name| request.headers().get(name).and_then(|it| it.to_str().ok());
    let Some(origin) = header(ORIGIN) else { return true };
    let host = origin.split_once("://").map(|(_, host)| host);
    let is_same_host =
        host.zip(header(HOST)).is_some_and(|(origin, host)| origin.eq_ignore_ascii_case(host));
    is_same_host || app.instance.is_own_origin(origin)
}
