//! Bayeux over HTTP: `/faye`, and one path segment below it. Every response has status 200; errors
//! are in its messages.

use std::sync::Arc;

use actix_web::http::header::{CONTENT_TYPE, UPGRADE};
use actix_web::{HttpRequest, HttpResponse, web};

use crate::http::app_state::AppState;
use crate::http::body::WholeBody;
use crate::http::client_address::network_of;
use crate::http::dialect::{self, Dialect};
use crate::http::error::ApiError;
use crate::http::push;
use subscribers::bayeux::connection::ConnectionGuard;
use subscribers::bayeux::exchange::RequestSource;
use subscribers::bayeux::message::{self, BayeuxTrouble, Incoming};
use subscribers::bayeux::{BayeuxContext, TEXT_BYTES, exchange, socket};
use subscribers::live_feed::ThreadFeed;
use subscribers::websocket;

/// The function that a script calls if the client names none.
const CALLBACK: &str = "jsonpcallback";
/// Headers that proxies add.
const PROXIES: [&str; 3] = ["via", "forwarded", "x-forwarded-for"];
/// Longest name of a callback function, in characters.
const CALLBACK_CHARS: usize = 100;

/// `POST /faye`: long-polling.
pub(super) async fn post(
    app: web::Data<AppState>,
    local: web::Data<ThreadFeed>,
    dialect: Dialect,
    request: HttpRequest,
    body: Result<WholeBody, ApiError>,
) -> HttpResponse {
    let text = match body {
        Ok(WholeBody(body)) if body.len() <= TEXT_BYTES => messages_of(&request, &body),
        Ok(_) | Err(_) => {
            let refused = BayeuxTrouble::new(413, "", "The message is too large or incomplete");
            return json(&message::batch(vec![Incoming::default().fails(&refused)]));
        }
    };
    let context = context(&app, &local, &request, dialect);
    json(&exchanged(&app, &context, &request, &text).await)
}

/// `GET /faye`: a WebSocket, or callback-polling.
pub(super) async fn get(
    app: web::Data<AppState>,
    local: web::Data<ThreadFeed>,
    dialect: Dialect,
    request: HttpRequest,
    stream: web::Payload,
) -> Result<HttpResponse, actix_web::Error> {
    let context = context(&app, &local, &request, dialect);
    let upgrade = request.headers().get(UPGRADE).and_then(|it| it.to_str().ok());
    if upgrade.is_some_and(|it| it.eq_ignore_ascii_case("websocket")) {
        let address = network_of(&request);
        let speak = |wire: websocket::ClientSocket| socket::run(wire, context, address);
        return push::upgrade(&app, &request, stream, socket::SUBPROTOCOL, speak);
    }
    let query = request.query_string().as_bytes();
    let name = form_urlencoded::parse(query).find(|(name, _)| name == "jsonp");
    let name = name.map_or(CALLBACK.into(), |(_, name)| name);
    if !is_callback(&name) {
        let refused = BayeuxTrouble::new(400, "jsonp", "Not the name of a function");
        let refused = message::batch(vec![Incoming::default().fails(&refused)]);
        return Ok(call(CALLBACK, &refused));
    }
    Ok(call(&name, &exchanged(&app, &context, &request, &of_form(query)).await))
}

/// A script that calls a function with the replies.
fn call(name: &str, replies: &str) -> HttpResponse {
    // Two characters are line breaks in scripts but not in JSON.
    let replies = replies.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    answer("text/javascript; charset=utf-8", format!("/**/{name}({replies});"))
}

fn context(
    app: &AppState,
    local: &ThreadFeed,
    request: &HttpRequest,
    dialect: Dialect,
) -> BayeuxContext {
    let shared = app.subscribers.clone();
    let sessions = app.bayeux.clone();
    let instance = match dialect::is_on_compat_host(app, request) {
        true => Arc::clone(&app.instance_of_existing_clients),
        false => Arc::clone(&app.instance),
    };
    BayeuxContext { shared, local: local.clone(), sessions, form: dialect.messages(), instance }
}

async fn exchanged(
    app: &AppState,
    context: &BayeuxContext,
    request: &HttpRequest,
    text: &[u8],
) -> String {
    let is_proxied = PROXIES.iter().any(|name| request.headers().contains_key(*name));
    let connection =
        request.conn_data::<ConnectionGuard>().filter(|_| !is_proxied).map(ConnectionGuard::known);
    let _held = app.held.hold(0);
    let from = RequestSource { address: network_of(request), connection };
    message::batch(exchange::request(context, &from, text).await)
}

/// The messages in a body: JSON, or a form with the field `message`.
fn messages_of(request: &HttpRequest, body: &[u8]) -> Vec<u8> {
    let content_type = request.headers().get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let is_form =
        content_type.is_some_and(|it| it.starts_with("application/x-www-form-urlencoded"));
    let looks_like_json = matches!(body.trim_ascii_start().first(), Some(b'[' | b'{'));
    if !looks_like_json && (is_form || body.starts_with(b"message=")) {
        return of_form(body);
    }
    body.to_vec()
}

/// The field `message` of a form.
fn of_form(form: &[u8]) -> Vec<u8> {
    let found = form_urlencoded::parse(form).find(|(name, _)| name == "message");
    found.map(|(_, text)| text.into_owned().into_bytes()).unwrap_or_default()
}

/// Whether a name consists of identifiers and dots only, so that it cannot run code.
fn is_callback(name: &str) -> bool {
    let is_allowed = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '$' | '.');
    !name.is_empty() && name.len() <= CALLBACK_CHARS && name.chars().all(is_allowed)
}

fn json(text: &str) -> HttpResponse {
    answer("application/json", text.to_owned())
}

fn answer(kind: &'static str, text: String) -> HttpResponse {
    HttpResponse::Ok().content_type(kind).body(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callbacks_are_names() {
        assert!(is_callback("cb") && is_callback("window.__jsonp1__") && is_callback("$_1"));
        for name in ["", "alert(1)//", "a;b", "a b", "<x>", &"a".repeat(101)] {
            assert!(!is_callback(name), "{name}");
        }
    }
}
