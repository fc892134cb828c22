//! Chats and direct messages.

use crate::http::operation::Operation;
use crate::wire::schema::{self, bodies, id, named, number, object};

const TAG: &str = "Chats";

pub(in crate::http) fn list() -> Operation {
    let told = Operation::of(TAG, "Lists your chats, the one with the newest message first");
    super::numbered(told).gives(200, schema::list(named("Chat")))
}

pub(in crate::http) fn messages() -> Operation {
    let answer = object([
        ("count", number("Messages that paging can reach.")),
        ("direct_messages", schema::list(named("DirectMessage"))),
    ]);
    let told = Operation::of(TAG, "Lists the messages of a chat, newest first")
        .needs("other_user_id", id("The other one."));
    super::beside(told)
        .gives(200, answer)
        .silent(304, "There are no such messages.")
        .refuses(404, "No such user.")
}

pub(in crate::http) fn write() -> Operation {
    let answer =
        object([("message", named("DirectMessage")), ("direct_message", named("DirectMessage"))]);
    Operation::of(TAG, "Writes a direct message")
        .detail("The same `source_guid` to the same user within a minute: the message stored.")
        .body(bodies::direct_message())
        .gives(201, answer)
        .refuses(403, "They have blocked you, or you wrote too much.")
        .refuses(404, "No such user.")
}
