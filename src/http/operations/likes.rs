//! Likes.

use serde_json::json;

use crate::http::operation::Operation;
use crate::wire::message::LikedMessage;
use crate::wire::reaction::Liked;
use crate::wire::schema::{bodies, object, of};

const TAG: &str = "Likes";

pub(in crate::http) fn like() -> Operation {
    operation("Likes a message")
        .detail(
            "With a sign: exactly one emoji, or a picture of a pack that clients know. Without \
             `like_icon` it is the heart. Another sign takes the place of the one before.",
        )
        .body(bodies::like())
        .refuses(400, "`like_icon` is no single emoji, or the message was deleted.")
}

pub(in crate::http) fn unlike() -> Operation {
    operation("Takes a like back")
}

fn operation(summary: &'static str) -> Operation {
    Operation::of(TAG, summary)
        .gives(200, of::<Liked>())
        .refuses(404, "No such message, or none that you can see.")
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
