//! Search for messages.

use serde_json::json;

use crate::http::operation::Operation;
use wire::message::DirectMessage;
use wire::schema::{id, number, object, of, text, with_optional, words};
use wire::search::{FoundInChat, FoundInGroup, InGroup};

const TAG: &str = "Messages";

pub(in crate::http) fn mentions() -> Operation {
    let message = json!({"anyOf": [of::<InGroup>(), of::<DirectMessage>()]});
    let answer = object([("messages", json!({"type": "array", "items": message}))]);
    Operation::of(TAG, "Lists the messages that are for you, newest first")
        .detail(
            "Mentions of you and of everybody, and replies to what you wrote, in all of your \
             conversations; without your own and without deleted ones.",
        )
        .query("limit", super::least_one("Maximum number of messages.", 20, Some(100)))
        .query("before_id", id("Only messages before this one."))
        .gives(200, answer)
}

const HOW: &str = "All words must occur; case and accents are ignored. `\"words in quotes\"` must \
    be adjacent, and `word*` matches the beginning of a word. In scripts without spaces any part \
    is found. At least one of q, user_id and has is required. New messages are found within a \
    second; deleted messages and replaced text are not found from then on.";

pub(in crate::http) fn messages() -> Operation {
    let found = json!({"anyOf": [of::<FoundInGroup>(), of::<FoundInChat>()]});
    let answer = object([
        ("count", number("Number of matching messages on all pages, at most 1000.")),
        ("messages", json!({"type": "array", "items": found})),
    ]);
    let more = number("Present if more messages match than this number.");
    Operation::of(TAG, "Finds messages in your conversations, newest first")
        .query("q", words("The words to search for.", domain::limits::SEARCH_CHARS))
        .query("conversation_id", text("Only messages in this group, or in this chat (`a+b`)."))
        .query("user_id", id("Only messages by this user or bot."))
        .query("has", json!({"type": "string", "enum": ["image", "video", "file", "link"]}))
        .query("from", number("Only messages of this time or later. Unix time in seconds."))
        .query("to", number("Only messages of this time or earlier. Unix time in seconds."))
        .query("before_id", id("Only messages before this one."))
        .query("limit", super::least_one("Maximum number of messages.", 20, Some(100)))
        .detail(HOW)
        .gives(200, with_optional(answer, [("count_at_least", more)]))
        .without_body(304, "There are no such messages.")
        .refuses(404, "No such conversation, or you are not in it.")
}
