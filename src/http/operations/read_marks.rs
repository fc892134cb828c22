//! Read marks, and drafts.

use serde_json::Value;

use crate::http::operation::Operation;
use wire::draft::{KeptDraft, KeptDrafts};
use wire::read_receipts::ReadBy;
use wire::schema::{bodies, id, named, number, object, of, text};

const TAG: &str = "Messages";

pub(in crate::http) fn mark() -> Operation {
    let body = object([("message_id", id("The newest message that you have read."))]);
    let body = named("LastRead", body);
    Operation::of(TAG, "Marks a conversation as read up to a message, on all devices")
        .detail(
            "An earlier message than the one you have read already is ignored; to mark messages as \
             unread there is a request of its own. Your own posts move it, too, and \
             system messages that name you in `caused_by`. Later requests see the mark at \
             once, `/v3/sync` when it is on disk: within half a second. A power cut before that can \
             undo it.",
        )
        .body(body)
        .gives(200, marked())
        .refuses(404, "No such conversation or message, or you are not in it.")
}

pub(in crate::http) fn mark_unread() -> Operation {
    let body = object([("message_id", id("The first message that is to be unread."))]);
    let body = named("FirstUnread", body);
    Operation::of(TAG, "Marks a message and all later ones as unread, on all devices")
        .detail(
            "If the message is unread already, nothing changes. The lists of who has read a message \
             follow the mark; other users receive no event.",
        )
        .body(body)
        .gives(200, marked())
        .refuses(404, "No such conversation or message, or you are not in it.")
}

fn marked() -> Value {
    object([
        ("read_n", number("Number of the newest event that you have read.")),
        ("unread_count", number("Number of unread messages.")),
        ("unread_mentions", number("How many of these mention you or reply to you, up to 1000.")),
    ])
}

pub(in crate::http) fn read_by() -> Operation {
    Operation::of(TAG, "Lists the members who have read a message of a group, earliest first")
        .detail("Only current members, without the sender. A member's own posts and acts count as reading.")
        .gives(200, of::<ReadBy>())
        .refuses(400, "The group has more than 100 members.")
        .refuses(404, "No such message in a group that you are in.")
}

pub(in crate::http) fn drafts() -> Operation {
    Operation::of(TAG, "Lists your drafts")
        .detail("A page has at most 8 MiB.")
        .query("after", text("The `conversation_id` of the last draft of the page before."))
        .gives(200, of::<KeptDrafts>())
}

pub(in crate::http) fn draft() -> Operation {
    Operation::of(TAG, "Shows your draft in a conversation")
        .gives(200, of::<KeptDraft>())
        .refuses(404, NO_CONVERSATION)
}

pub(in crate::http) fn keep_draft() -> Operation {
    Operation::of(TAG, "Saves your draft in a conversation, on all devices")
        .detail(
            "The draft replaces the earlier one and is kept for 30 days. With neither `text` nor \
             `attachments` it is removed.",
        )
        .body(bodies::draft())
        .gives(200, of::<KeptDraft>())
        .refuses(404, NO_CONVERSATION)
}

const NO_CONVERSATION: &str = "No such conversation, or you are not in it.";
