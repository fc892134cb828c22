//! `/faye`: push for existing clients.

use serde_json::{Value, json};

use crate::http::operation::Operation;
use wire::schema::{named, text};

const TAG: &str = "Bayeux";

const WHAT: &str = "Bayeux 1.0. Every response is an array of messages, also after errors: check \
    `successful` and `error` of each. The access token is sent in `ext.access_token` of \
    `/meta/subscribe`. Channels: `/user/<own id>`, `/group/<id>`, `/direct_message/<a>_<b>`. They \
    carry the types that existing clients know, and all others if `ext.types` of the subscription \
    is `all`. Each WebSocket frame has one message, each response at most one message with data. \
    Takes no `Idempotency-Key`: nothing that is sent here is stored.";

pub(in crate::http) fn post() -> Operation {
    let one = message();
    Operation::bare(TAG, "Exchanges messages with a Bayeux client")
        .detail(WHAT)
        .body(json!({"oneOf": [one, {"type": "array", "maxItems": 100, "items": one}]}))
        .never_refuses()
        .without_envelope(200, "Messages; the reply to `/meta/connect` comes first.", messages())
}

pub(in crate::http) fn get() -> Operation {
    Operation::bare(TAG, "Opens a WebSocket for Bayeux, or exchanges messages by JSONP")
        .detail(WHAT)
        .query("message", text("One message or an array of them, in JSON."))
        .query("jsonp", text("Function to call; `jsonpcallback` by default."))
        .never_refuses()
        .without_body(101, "The connection becomes a WebSocket.")
        .with_media_type(
            200,
            "A call of the function.",
            "text/javascript",
            json!({"type": "string"}),
        )
        .refuses(400, "The WebSocket handshake is invalid.")
        .refuses(429, "Too many sockets are being opened from this address.")
}

fn messages() -> Value {
    json!({"type": "array", "items": message()})
}

fn message() -> Value {
    named("BayeuxMessage", message_fields())
}

fn message_fields() -> Value {
    json!({
        "type": "object",
        "required": ["channel"],
        "properties": {
            "channel": {"type": "string", "maxLength": 255},
            "clientId": {"type": "string"},
            "id": {"type": ["string", "number"]},
            "successful": {"type": "boolean"},
            "error": {"type": "string", "description": "`code:arguments:text`"},
            "version": {"type": "string"},
            "minimumVersion": {"type": "string"},
            "supportedConnectionTypes": {"type": "array", "items": {"type": "string"}},
            "connectionType": {"type": "string"},
            "subscription": {"oneOf": [
                {"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            "advice": {"type": "object", "properties": {
                "reconnect": {"enum": ["retry", "handshake", "none"]},
                "interval": {"type": "integer"},
                "timeout": {"type": "integer"},
            }},
            "ext": {"type": "object", "properties": {
                "access_token": {"type": "string"},
                "ack": {
                    "type": ["boolean", "integer", "object"],
                    "description": "CometD's acknowledgement extension: in a handshake `true` asks \
                        for it, and in the reply grants it; then the number of each reply to a \
                        connect, and in the next connect the number of the last reply that \
                        arrived.",
                },
                "after": {"type": "string"},
                "types": {"enum": ["all"]},
                "c": {"type": "string"},
                "reset": {"type": "string"},
            }},
            "data": {},
        },
    })
}
