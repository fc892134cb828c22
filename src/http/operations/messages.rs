//! Messages of groups.

use crate::http::operation::Operation;
use crate::wire::message::GroupMessage;
use crate::wire::schema::{bodies, number, object, of};

const TAG: &str = "Messages";

pub(in crate::http) fn list() -> Operation {
    let answer = object([
        ("count", number("Messages that paging can reach.")),
        ("messages", of::<Vec<GroupMessage>>()),
    ]);
    super::beside(Operation::of(TAG, "Lists the messages of a group, newest first"))
        .gives(200, answer)
        .silent(304, "There are no such messages.")
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn show() -> Operation {
    Operation::of(TAG, "Shows a message")
        .gives(200, object([("message", of::<GroupMessage>())]))
        .refuses(404, "No such message in a group that you are in.")
}

pub(in crate::http) fn create() -> Operation {
    let again = "The same `source_guid` within a minute; `X-Existing-Message-Id` names it.";
    Operation::of(TAG, "Posts a message")
        .body(bodies::message())
        .gives(201, object([("message", of::<GroupMessage>())]))
        .refuses(404, super::NO_GROUP)
        .refuses(409, again)
}
