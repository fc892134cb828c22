//! The upgrade to a WebSocket (`GET /v3/push`): who may open one, and with which token.

use std::future::Future;
use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};

use crate::http::app_state::AppState;
use crate::http::caller::token_of;
use crate::http::client_address::network_of;
use crate::http::error::ApiError;
use crate::http::limits::too_many;
use subscribers::close::Close;
use subscribers::live_feed::ThreadFeed;
use subscribers::session::{self, SessionStart};
use subscribers::websocket::{self, ClientSocket, Subprotocol};

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

/// Opens a socket for a protocol, unless its address opens too many.
///
/// Pages of any origin connect (RFC 6455, 10.2): no cookie is read, so a page can do what the token
/// in its first frame allows and no more.
pub(super) fn upgrade<P: Future<Output = Close> + 'static>(
    app: &AppState,
    request: &HttpRequest,
    stream: web::Payload,
    subprotocol: Subprotocol,
    protocol: impl FnOnce(ClientSocket) -> P,
) -> Result<HttpResponse, actix_web::Error> {
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
