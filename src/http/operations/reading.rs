//! Read marks, and drafts.

use crate::http::operation::Operation;
use crate::wire::draft::{KeptDraft, KeptDrafts};
use crate::wire::reading::ReadBy;
use crate::wire::schema::{bodies, id, number, object, of};

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

pub(in crate::http) fn read_by() -> Operation {
    Operation::of(TAG, "Tells who has read a group up to a message, the earliest first")
        .detail("The members of today but its sender. A member's own posts count as reading.")
        .gives(200, of::<ReadBy>())
        .refuses(400, "The group has more than 100 members.")
        .refuses(404, "No such message in a group that you are in.")
}

pub(in crate::http) fn drafts() -> Operation {
    Operation::of(TAG, "Lists what you have written and not sent").gives(200, of::<KeptDrafts>())
}

pub(in crate::http) fn draft() -> Operation {
    Operation::of(TAG, "Shows what you have written in a conversation and not sent")
        .gives(200, of::<KeptDraft>())
        .refuses(404, NO_CONVERSATION)
}

pub(in crate::http) fn keep_draft() -> Operation {
    Operation::of(TAG, "Keeps what you have written and not sent, on all devices")
        .detail(
            "For 30 days, in place of the one before. Neither `text` nor `attachments` ends it.",
        )
        .body(bodies::edit())
        .gives(200, of::<KeptDraft>())
        .refuses(404, NO_CONVERSATION)
}

const NO_CONVERSATION: &str = "No such conversation, or you are not in it.";
