//! `/faye`: push for existing clients.

use serde_json::{Value, json};

use crate::http::operation::Operation;
use crate::wire::schema::text;

const TAG: &str = "Bayeux";

const WHAT: &str = "Bayeux 1.0. Every answer is an array of messages, whatever went wrong: \
    look at `successful` and `error` of each. The token stands in `ext.access_token` of \
    `/meta/subscribe`. Channels: `/user/<own id>`, `/group/<id>`, `/direct_message/<a>_<b>`. \
    Takes no `Idempotency-Key`: nothing that is told here is kept.";

pub(in crate::http) fn post() -> Operation {
    let one = message();
    Operation::bare(TAG, "Tells messages of a Bayeux client, and hears what there is")
        .detail(WHAT)
        .body(json!({"oneOf": [one, {"type": "array", "maxItems": 100, "items": one}]}))
        .never_refuses()
        .plain(200, "Messages; the reply to `/meta/connect` is the first.", messages())
}

pub(in crate::http) fn get() -> Operation {
    Operation::bare(TAG, "Opens a WebSocket for Bayeux, or calls back with messages")
        .detail(WHAT)
        .query("message", text("One message or an array of them, in JSON."))
        .query("jsonp", text("The function to call."))
        .never_refuses()
        .silent(101, "The protocol is switched.")
        .typed(200, "A call of that function.", "text/javascript", json!({"type": "string"}))
        .refuses(400, "No WebSocket handshake.")
        .refuses(403, "Pages of another origin may not open sockets.")
        .refuses(429, "Too many sockets are being opened from this address.")
}

fn messages() -> Value {
    json!({"type": "array", "items": message()})
}

fn message() -> Value {
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
                    "description": "CometD's acknowledgements: wished for and granted in a \
                        handshake; then the number of an answer to a connect, and in the next \
                        connect the number of the last one that has arrived.",
                },
                "after": {"type": "string"},
                "c": {"type": "string"},
                "reset": {"type": "string"},
            }},
            "data": {},
        },
    })
}
