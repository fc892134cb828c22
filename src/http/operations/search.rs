//! Search for messages.

use serde_json::json;

use crate::http::operation::Operation;
use crate::wire::schema::{id, number, object, of, text, with_optional, words};
use crate::wire::search::{FoundInChat, FoundInGroup};

const TAG: &str = "Messages";

const HOW: &str = "All words must occur; case and accents do not matter. `\"words in quotes\"` stand \
    beside each other, `word*` is the beginning of a word. In scripts without spaces any part is \
    found. At least one of q, user_id and has. What was posted a moment ago is found within a \
    second; what was deleted or edited away is found no more at once.";

pub(in crate::http) fn messages() -> Operation {
    let found = json!({"anyOf": [of::<FoundInGroup>(), of::<FoundInChat>()]});
    let answer = object([
        ("count", number("Messages with all that is asked for, on all pages; at most 1000.")),
        ("messages", json!({"type": "array", "items": found})),
    ]);
    let more = number("There are more messages than this.");
    Operation::of(TAG, "Finds messages in your conversations, newest first")
        .query("q", words("What to look for.", crate::domain::limits::SEARCH_CHARS))
        .query("conversation_id", text("Only in this group, or this chat (`a+b`)."))
        .query("user_id", id("Only by this user or bot."))
        .query("has", json!({"type": "string", "enum": ["image", "video", "file", "link"]}))
        .query("from", number("Written then or later. Unix time in seconds."))
        .query("to", number("Written then or before. Unix time in seconds."))
        .query("before_id", id("Those before this message."))
        .query("limit", super::least_one("How many.", 20, Some(100)))
        .detail(HOW)
        .gives(200, with_optional(answer, [("count_at_least", more)]))
        .silent(304, "There are no such messages.")
        .refuses(404, "No such conversation that you are in.")
}
