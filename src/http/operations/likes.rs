//! Likes.

use serde_json::json;

use crate::http::operation::Operation;
use wire::message::LikedMessage;
use wire::reaction::Liked;
use wire::schema::{bodies, object, of};

const TAG: &str = "Likes";

pub(in crate::http) fn like() -> Operation {
    operation("Likes a message")
        .detail(
            "The reaction is exactly one emoji, or a picture of an emoji pack that clients know; \
             without `like_icon` it is a heart. Another reaction replaces the earlier one.",
        )
        .body(bodies::like())
        .refuses(400, "`like_icon` is no single emoji, or the message was deleted.")
}

pub(in crate::http) fn unlike() -> Operation {
    operation("Withdraws a like")
}

fn operation(summary: &'static str) -> Operation {
    Operation::of(TAG, summary)
        .gives(200, of::<Liked>())
        .refuses(403, super::MAY_NOT)
        .refuses(404, "No such message, or you may not see it.")
}

pub(in crate::http) fn leaders() -> Operation {
    let period = json!({"enum": ["day", "week", "month"]});
    listing("Lists the messages with the most likes").needs("period", period)
}

pub(in crate::http) fn mine() -> Operation {
    listing("Lists the messages that you like, newest like first")
}

pub(in crate::http) fn for_me() -> Operation {
    listing("Lists your messages that others like")
}

fn listing(summary: &'static str) -> Operation {
    Operation::of(TAG, summary)
        .gives(200, object([("messages", of::<Vec<LikedMessage>>())]))
        .refuses(404, super::NO_GROUP)
}
