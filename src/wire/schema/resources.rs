//! The resources that answers carry (specification, section 2, with the fields that
//! existing clients read).

use serde_json::{Value, json};

use crate::wire::attachment::AttachmentResource;
use crate::wire::chat::OtherUser;
use crate::wire::group::GroupResource;
use crate::wire::schema::frames;
use crate::wire::schema::{
    always, flag, id, list, named, number, object, of, seconds, text, text_or_null, with_optional,
};
use crate::wire::user::UserResource;

/// Every resource with its name.
pub fn all() -> Vec<(&'static str, Value)> {
    vec![
        ("Message", message()),
        ("Event", event()),
        ("DirectMessage", direct_message()),
        ("Chat", chat()),
        ("Snapshot", snapshot()),
        ("EventFrame", frames::event()),
        ("EventPage", frames::page()),
        ("Refusal", refusal()),
    ]
}

fn sender_type() -> Value {
    json!({"enum": ["user", "bot", "system"]})
}

fn message() -> Value {
    let message = object([
        ("id", id("Grows with time in its conversation.")),
        ("source_guid", text("What the sender's client called it.")),
        ("created_at", seconds("When it was written.")),
        ("updated_at", seconds("When it last changed.")),
        ("user_id", text("Who wrote it: a user, a bot, or `system`.")),
        ("group_id", id("Where.")),
        ("name", text("The sender's nickname in the group.")),
        ("avatar_url", text_or_null("The sender's picture.")),
        ("text", text_or_null("At most 1000 characters.")),
        ("system", flag("Whether it is a system message about the group.")),
        ("favorited_by", list(id("Who likes it."))),
        ("attachments", list(of::<AttachmentResource>())),
        ("sender_id", text("The same as `user_id`.")),
        ("sender_type", sender_type()),
        ("platform", always("gm")),
    ]);
    let liked_at = text("When you liked it (ISO 8601); in `likes/mine` only.");
    with_optional(message, [("event", named("Event")), ("liked_at", liked_at)])
}

fn event() -> Value {
    let kinds = json!({"enum": [
        "membership.announce.added", "membership.announce.joined",
        "membership.announce.rejoined", "membership.notifications.exited",
        "membership.notifications.removed", "membership.nickname_changed",
        "group.name_change", "group.topic_change", "group.avatar_change",
        "group.office_mode_enabled", "group.office_mode_disabled", "group.shared",
        "group.unshared", "group.owner_changed", "bot.add", "bot.del",
    ]});
    let mut event = object([("type", kinds), ("data", json!({"type": "object"}))]);
    event["description"] = json!("A system message in the form that programs read.");
    event
}

fn direct_message() -> Value {
    object([
        ("id", id("Grows with time in its conversation.")),
        ("source_guid", text("What the sender's client called it.")),
        ("recipient_id", text_or_null("To whom.")),
        ("user_id", id("Who wrote it.")),
        ("name", text("What the sender is called.")),
        ("avatar_url", text_or_null("The sender's picture.")),
        ("text", text_or_null("At most 1000 characters.")),
        ("favorited_by", list(id("Who likes it."))),
        ("attachments", list(of::<AttachmentResource>())),
        ("created_at", seconds("When it was written.")),
        ("conversation_id", json!({"type": "string", "pattern": "^[0-9]+\\+[0-9]+$"})),
        ("sender_id", id("The same as `user_id`.")),
        ("sender_type", sender_type()),
    ])
}

fn chat() -> Value {
    let chat = object([
        ("created_at", seconds("When the first message was written.")),
        ("updated_at", seconds("When the newest message was written.")),
        ("messages_count", number("Messages that paging can reach.")),
        ("last_message", named("DirectMessage")),
        ("other_user", of::<OtherUser>()),
    ]);
    let unread = number("Messages that you have not read; in lists of chats only.");
    with_optional(chat, [("unread_count", unread)])
}

fn snapshot() -> Value {
    let newest = || ("n", number("The number of the newest event."));
    let read = || ("read_n", number("The number of the newest event that you have read."));
    let unread = || ("unread", number("How many messages you have not read."));
    let group = object([
        ("group", of::<GroupResource>()),
        ("messages", list(named("Message"))),
        newest(),
        read(),
        unread(),
    ]);
    let chat = object([
        ("chat", named("Chat")),
        ("messages", list(named("DirectMessage"))),
        newest(),
        read(),
        unread(),
        ("other_read_n", number("The number of the newest event that the other has read.")),
        ("other_unread", number("How many messages the other has not read.")),
    ]);
    let snapshot = object([
        ("c", text("The cursor from which a push session goes on.")),
        ("user", of::<UserResource>()),
    ]);
    let more = |of: &str| {
        let what =
            format!("There are more than fit; all are in `GET /{of}`. Absent when there are not.");
        json!({"type": "boolean", "description": what})
    };
    let lists = [
        ("groups", list(group)),
        ("more_groups", more("groups")),
        ("chats", list(chat)),
        ("more_chats", more("chats")),
    ];
    with_optional(snapshot, lists)
}

fn refusal() -> Value {
    let reasons = json!({
        "type": "array", "items": {"type": "string"}, "minItems": 1,
        "description": "Every problem at once, in words.",
    });
    let code = json!({"type": "integer", "description": "The HTTP status."});
    object([
        ("response", json!({"type": "null"})),
        ("meta", object([("code", code), ("errors", reasons)])),
    ])
}
