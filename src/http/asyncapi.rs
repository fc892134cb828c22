//! `GET /asyncapi.json`: the push protocol as an AsyncAPI 3.0 document, built from the same schemas
//! as `/openapi.json`. The tests check every frame that they receive against it.

use std::sync::LazyLock;

use actix_web::{HttpResponse, web};
use serde_json::{Map, Value, json};

use crate::http::app_state::AppState;
use wire::live::{HELLO_SECONDS, SILENCE_SECONDS, SLOW_SECONDS};
use wire::schema::components::Components;
use wire::schema::frames;

const ABOUT: &str = "Live events of group messaging on your own server. A client sends `hello` \
    with its token and the cursor of its snapshot (`GET /v3/sync`) or of the last event that it has \
    processed. It receives every later event, then `synced`, and then new events as they happen. \
    Events of one conversation carry numbers `n` without gaps. What only some members of a group \
    receive (reports, bans, requests to join, rules) has the name `m:<group>` and no number. Fields \
    may be added; clients ignore those that they do not know.\n\nA bot without a callback URL sends `hello` with its \
    `bot_id` and `secret`, and with its last cursor or message id. It receives only \
    the messages of its group (`line.create`), so its numbers `n` have gaps; \
    it receives its own messages with `receive_own` only. It receives everything after its cursor: \
    the server never sends `too_far` to bots. After `reset` with `unknown`, the bot continues from \
    the last message that it has. It may send `ping`, `pong` and `ack`.";

/// Close codes, with what a client should do.
fn closes() -> [(u16, String); 12] {
    let fixed = str::to_owned;
    [
        (4000, fixed("Internal error: reconnect and resume.")),
        (4001, format!("No frame from the client for {SILENCE_SECONDS} seconds.")),
        (
            4002,
            format!(
                "Too slow: the client read nothing for {SLOW_SECONDS} seconds. Reconnect and resume."
            ),
        ),
        (4003, fixed("The server is shutting down. Reconnect after the `retry_ms` of `bye`.")),
        (4004, fixed("Rate limited: reconnect later and resume.")),
        (4400, fixed("The frame is binary or not a JSON object.")),
        (
            4401,
            fixed(
                "The token is invalid or revoked; or the secret is not this bot's, the bot is not \
                 active, or the account that created it is disabled. Do not reconnect.",
            ),
        ),
        (
            4403,
            fixed(
                "The token has neither the scope `messages:read` nor `dms:read`. Do not reconnect.",
            ),
        ),
        (4408, format!("No `hello` within {HELLO_SECONDS} seconds.")),
        (4409, fixed("More than 100 readers of one user or bot; the newest is closed.")),
        (4413, fixed("The frame is too large.")),
        (4426, fixed("The server does not speak this version. Do not reconnect.")),
    ]
}

/// Built once: all but the servers depends on nothing but the program.
static TEXT: LazyLock<String> = LazyLock::new(|| without_servers().to_string());

/// `GET /asyncapi.json`
pub(super) async fn show(app: web::Data<AppState>) -> HttpResponse {
    let servers = servers(app.instance.public_url());
    let body = format!("{{\"servers\":{servers},{}", &TEXT[1..]);
    HttpResponse::Ok().content_type("application/json").body(body)
}

/// Builds the whole document of a server with this public URL.
pub fn document(public_url: &str) -> Value {
    let mut document = without_servers();
    document["servers"] = servers(public_url);
    document
}

/// The addresses of the server: for WebSockets, and for streams over HTTP.
fn servers(public_url: &str) -> Value {
    let (scheme, rest) = public_url.split_once("://").unwrap_or(("http", public_url));
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let socket = if scheme == "https" { "wss" } else { "ws" };
    let server = |protocol: &str| {
        let mut server = json!({"host": host, "protocol": protocol});
        if !path.is_empty() {
            server["pathname"] = json!(path);
        }
        server
    };
    json!({"socket": server(socket), "web": server(scheme)})
}

fn names(frames: &[(String, Value)]) -> Vec<&str> {
    frames.iter().map(|(name, _)| name.as_str()).collect()
}

fn refer(to: &str, names: &[&str]) -> Vec<Value> {
    names.iter().map(|name| json!({"$ref": format!("{to}/{name}")})).collect()
}

/// A channel of a server that carries these messages.
fn channel(server: &str, address: &str, what: &str, carried: &[&str]) -> Value {
    let messages: Map<String, Value> = carried
        .iter()
        .map(|name| {
            let message = json!({"$ref": format!("#/components/messages/{name}")});
            ((*name).to_owned(), message)
        })
        .collect();
    json!({
        "address": address,
        "description": what,
        "servers": refer("#/servers", &[server]),
        "messages": messages,
    })
}

fn operation(action: &str, channel: &str, what: &str, messages: &[&str]) -> Value {
    json!({
        "action": action,
        "channel": {"$ref": format!("#/channels/{channel}")},
        "summary": what,
        "messages": refer(&format!("#/channels/{channel}/messages"), messages),
    })
}

/// Builds all of the document but the servers.
fn without_servers() -> Value {
    let server = frames::of_server();
    let client = frames::of_client();
    let told = names(&server);
    let heard = names(&client);
    // A stream carries frames in one direction only, so it has no replies and no pings.
    let streamed: Vec<&str> = told
        .iter()
        .copied()
        .filter(|name| !matches!(*name, "ErrFrame" | "ServerPingFrame" | "PongFrame"))
        .collect();
    let both: Vec<&str> = told.iter().chain(&heard).copied().collect();
    let messages: Map<String, Value> = both
        .iter()
        .map(|name| {
            let payload = json!({"$ref": format!("#/components/schemas/{name}")});
            let message = json!({
                "name": name, "contentType": "application/json", "payload": payload,
            });
            ((*name).to_owned(), message)
        })
        .collect();
    let mut schemas = Components::default();
    let frames: Map<String, Value> = server.iter().chain(&client).cloned().collect();
    schemas.take(&mut json!({"$defs": frames}));
    schemas.name_parts();
    let closes: Vec<String> =
        closes().iter().map(|(code, what)| format!("- `{code}` {what}")).collect();
    let push = format!(
        "A WebSocket with the subprotocol `coterie.push.v1`: one JSON object in each text \
         frame. It is closed with one of these codes:\n\n{}",
        closes.join("\n")
    );
    json!({
        "asyncapi": "3.0.0",
        "info": {
            "title": "Coterie push",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
        },
        "defaultContentType": "application/json",
        "channels": {
            "push": channel("socket", "/v3/push", &push, &both),
            "stream": channel(
                "web",
                "/v3/events/stream",
                "Server-sent events: `id` is the cursor, `event` the frame's `t`, `data` the frame.",
                &streamed,
            ),
        },
        "operations": {
            "tell": operation("send", "push", "Frames from the server.", &told),
            "hear": operation("receive", "push", "Frames from the client.", &heard),
            "stream": operation("send", "stream", "Frames from the server.", &streamed),
        },
        "components": {"messages": messages, "schemas": schemas.into_schemas()},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_follow_the_public_url() {
        let told = servers("https://example.org/chat");
        let expected = json!({
            "socket": {"host": "example.org", "protocol": "wss", "pathname": "/chat"},
            "web": {"host": "example.org", "protocol": "https", "pathname": "/chat"},
        });
        assert_eq!(told, expected);
        let told = servers("http://127.0.0.1:8080");
        assert_eq!(told["socket"], json!({"host": "127.0.0.1:8080", "protocol": "ws"}));
    }
}
