//! Push and the snapshot with which a client starts.

use crate::http::operation::Operation;
use crate::wire::schema::named;

const TAG: &str = "Push";

pub(in crate::http) fn socket() -> Operation {
    Operation::of(TAG, "Opens a WebSocket that hears everything as it happens")
        .detail(
            "Subprotocol `coterie.push.v1`. The token may come in the request or in the first \
             frame; one that does not work closes the socket with a code of its own.",
        )
        .open()
        .silent(101, "The protocol is switched.")
        .refuses(400, "No WebSocket handshake.")
        .refuses(403, "Pages of another origin may not.")
}

pub(in crate::http) fn snapshot() -> Operation {
    Operation::of(TAG, "Shows everything that a client starts with")
        .detail("Its cursor `c` is where a push session goes on.")
        .gives(200, named("Snapshot"))
}
