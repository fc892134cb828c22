//! Read marks.

use crate::http::operation::Operation;
use crate::wire::schema::{id, number, object};

const TAG: &str = "Messages";

pub(in crate::http) fn mark() -> Operation {
    let body = object([("message_id", id("The newest message that you have read."))]);
    let answer = object([
        ("read_n", number("The number of the event up to which you have read.")),
        ("unread_count", number("How many messages you have not read.")),
        ("unread_mentions", number("How many of these mention you or answer you, up to 1000.")),
    ]);
    Operation::of(TAG, "Marks a conversation as read up to a message, on all devices")
        .detail("A mark only moves forward; a lower one is ignored. Your own posts move it too.")
        .body(body)
        .gives(200, answer)
        .refuses(404, "No such conversation or message, or you are not in it.")
}
