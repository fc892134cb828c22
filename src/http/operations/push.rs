//! Push and the snapshot with which a client starts.

use serde_json::json;

use crate::http::events::EventPage;
use crate::http::operation::Operation;
use crate::http::sync::SnapshotDocument;
use wire::schema::{number, of, text};

const TAG: &str = "Push";

pub(in crate::http) fn socket() -> Operation {
    Operation::of(TAG, "Opens a WebSocket for live events")
        .detail(
            "Subprotocol `coterie.push.v1`. The token may be in the request or in the first frame; \
             an invalid one closes the socket with code 4401. Bots authenticate with `bot_id` and \
             `secret` in the first frame and receive the messages of their group. The frames are \
             described in `/asyncapi.json`.",
        )
        .open()
        .without_body(101, "The connection becomes a WebSocket.")
        .refuses(429, "Too many sockets are being opened from this address.")
        .refuses(400, "The request is not a WebSocket handshake.")
}

pub(in crate::http) fn poll() -> Operation {
    let wait = json!({
        "type": "integer", "minimum": 0, "default": 0,
        "description": "Seconds to wait for an event if there is none; at most 60.",
    });
    Operation::of(TAG, "Lists the events after a cursor, or waits for one (long polling)")
        .detail(
            "Send the `c` of the response as `after` of the next request. `reset` means that the \
             cursor cannot be resumed: load `/v3/sync` and continue from its `c`.",
        )
        .query(
            "after",
            text("The `c` of the last response, or of `/v3/sync`. Absent: from now on."),
        )
        .query("wait", wait)
        .gives(200, of::<EventPage>())
}

pub(in crate::http) fn stream() -> Operation {
    Operation::of(TAG, "Streams events as they happen (server-sent events)")
        .detail(
            "`id` is the cursor, `event` the frame's `t`, and `data` the frame as on the \
             WebSocket. `Last-Event-ID`, which browsers send when they reconnect, resumes the \
             stream and replaces `after`.",
        )
        .query("after", text("The `c` of `/v3/sync`. Absent: from now on."))
        .with_media_type(
            200,
            "An endless stream of events.",
            "text/event-stream",
            json!({"type": "string"}),
        )
}

pub(in crate::http) fn snapshot() -> Operation {
    Operation::of(TAG, "Shows all that a client needs at its start")
        .detail(
            "A push session continues from the cursor `c`. Each conversation has up to 20 \
             messages, 64 KiB in all; its count shows whether there are more. The conversation \
             that `open` names has up to 60, 192 KiB in all. The snapshot has at most 8 MiB: the \
             least active conversations that do not fit come without messages and members, or \
             are left out: `skip` shows those.",
        )
        .query(
            "parts",
            text(
                "Comma-separated: `groups`, `topics`, `chats`, `drafts`, `blocks`, \
                 `conversation_list` and `saved`. Absent: all.",
            ),
        )
        .query(
            "open",
            text(
                "The conversation that the user looks at: a group, or two users as `a+b`; or as \
                 events name it, `g:1` or `d:1+2`.",
            ),
        )
        .query(
            "skip",
            number(
                "How many groups, and how many chats, to leave out, the most active first. Shows \
                 the rest if `more_groups` or `more_chats` is set. Each such answer is a snapshot \
                 of its own moment.",
            ),
        )
        .gives(200, of::<SnapshotDocument>())
}
