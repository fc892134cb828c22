//! Push and the snapshot with which a client starts.

use serde_json::json;

use crate::http::events::EventPage;
use crate::http::operation::Operation;
use crate::http::sync::SnapshotDocument;
use crate::wire::schema::{of, text};

const TAG: &str = "Push";

pub(in crate::http) fn socket() -> Operation {
    Operation::of(TAG, "Opens a WebSocket that hears everything as it happens")
        .detail(
            "Subprotocol `coterie.push.v1`. The token may come in the request or in the first \
             frame; one that does not work closes the socket with a code of its own. Bots come in \
             with `bot_id` and `secret` in the first frame, and hear the messages of their group. \
             The frames are described in `/asyncapi.json`.",
        )
        .open()
        .silent(101, "The protocol is switched.")
        .refuses(429, "Too many sockets are being opened from this address.")
        .refuses(400, "No WebSocket handshake.")
        .refuses(403, "Pages of another origin may not.")
}

pub(in crate::http) fn poll() -> Operation {
    let wait = json!({
        "type": "integer", "minimum": 0, "default": 0,
        "description": "Seconds to wait if there is nothing; at most 60.",
    });
    Operation::of(TAG, "Tells of the events after a cursor, and waits for the first")
        .detail(
            "Ask again with the `c` of the answer. `reset` says that the cursor could not be \
             honoured: load `/v3/sync`, and go on from its `c`.",
        )
        .query("after", text("The `c` of the last answer, or of `/v3/sync`. Absent: from now on."))
        .query("wait", wait)
        .gives(200, of::<EventPage>())
}

pub(in crate::http) fn stream() -> Operation {
    Operation::of(TAG, "Streams events as they happen (server-sent events)")
        .detail(
            "`id` is the cursor, `event` the frame's `t`, `data` the frame as the WebSocket has \
             it. `Last-Event-ID`, which browsers send by themselves, goes on where it was.",
        )
        .query("after", text("The `c` of `/v3/sync`. Absent: from now on."))
        .typed(200, "Events, without an end.", "text/event-stream", json!({"type": "string"}))
}

pub(in crate::http) fn snapshot() -> Operation {
    Operation::of(TAG, "Shows everything that a client starts with")
        .detail(
            "Its cursor `c` is where a push session goes on. Each conversation comes with up to 20 \
             messages and 64 KiB of them; its count says whether there are more. The one that \
             `open` names comes with up to 60, and 192 KiB. All of it has 8 MiB at most: what does \
             not fit comes without messages and members, the quietest first.",
        )
        .query(
            "parts",
            text("Any of `groups`, `chats`, `drafts` and `blocks`, with commas. Absent: all."),
        )
        .query("open", text("The conversation that is looked at: a group, or two users as `a+b`."))
        .gives(200, of::<SnapshotDocument>())
}
