//! The resources that answers carry (specification, section 2, with the fields that
//! existing clients read).

use serde_json::{Value, json};

use crate::wire::schema::frames;
use crate::wire::schema::{
    always, flag, id, list, named, number, number_or_null, object, seconds, text, text_or_null,
    with_optional,
};

/// Every resource with its name.
pub fn all() -> Vec<(&'static str, Value)> {
    vec![
        ("Group", group()),
        ("Member", member()),
        ("Membership", membership()),
        ("AddResult", with_optional(membership(), [("guid", text("The guid of the item."))])),
        ("Message", message()),
        ("Event", event()),
        ("DirectMessage", direct_message()),
        ("Chat", chat()),
        ("Attachment", attachment()),
        ("User", user()),
        ("Account", object([("user", named("User")), ("access_token", text("Shown this once."))])),
        ("Token", token()),
        ("Application", application()),
        ("Bot", bot()),
        ("CreatedBot", with_optional(bot_with_secret(), [("bot", bot_with_secret())])),
        (
            "ChangedBot",
            with_optional(
                bot(),
                [
                    ("receive_own", flag("Whether it hears its own posts.")),
                    ("client_id", text_or_null("The application with which it ends.")),
                ],
            ),
        ),
        ("Delivery", delivery()),
        ("DeliveryWithRequest", with_optional(delivery(), [("request", request())])),
        ("Block", block()),
        ("OwnerResult", owner_result()),
        ("Snapshot", snapshot()),
        ("EventFrame", frames::event()),
        ("EventPage", frames::page()),
        ("Device", device()),
        ("Refusal", refusal()),
    ]
}

fn group() -> Value {
    let preview = object([
        ("nickname", text_or_null("Who wrote it.")),
        ("text", text_or_null("What they wrote.")),
        ("image_url", text_or_null("The picture of who wrote it.")),
        ("attachments", list(named("Attachment"))),
    ]);
    let messages = object([
        ("count", number("Messages that paging can reach.")),
        ("last_message_id", text_or_null("The newest message.")),
        ("last_message_created_at", number_or_null("When it was written.")),
        ("preview", preview),
    ]);
    let members = json!({
        "description": "`null` when `omit=memberships` was asked for, and in lists where there \
                        would be more than 8 MiB.",
        "anyOf": [list(named("Member")), {"type": "null"}],
    });
    let group = object([
        ("id", id("Names the group.")),
        ("group_id", id("The same as `id`.")),
        ("name", text("At most 140 characters.")),
        ("type", always("private")),
        ("description", text_or_null("At most 255 characters.")),
        ("image_url", text_or_null("The picture of the group.")),
        ("creator_user_id", id("The owner.")),
        ("created_at", seconds("When it was created.")),
        ("updated_at", seconds("When it last changed.")),
        ("office_mode", flag("Only owner and admins change settings and add people.")),
        ("max_members", number("How many members it may have.")),
        ("members", members),
        ("messages", messages),
    ]);
    let sometimes = [
        ("share_url", text("By which anyone can join, while sharing is on.")),
        ("unread_count", number("Messages that you have not read; in lists of groups only.")),
    ];
    with_optional(group, sometimes)
}

fn member() -> Value {
    let role = json!({"enum": ["admin", "owner", "user"]});
    object([
        ("id", id("The membership: what removing needs.")),
        ("user_id", id("Who it is.")),
        ("nickname", text("What they are called in this group.")),
        ("name", text("What they are called elsewhere.")),
        ("image_url", text_or_null("Their picture.")),
        ("muted", flag("Whether they muted the group.")),
        ("autokicked", flag("Always false here.")),
        ("roles", list(role)),
    ])
}

/// A membership, as adding and renaming answer it.
pub(super) fn membership() -> Value {
    object([
        ("id", id("The membership: what removing needs.")),
        ("user_id", id("Who it is.")),
        ("nickname", text("What they are called in this group.")),
        ("muted", flag("Whether they muted the group.")),
        ("image_url", text_or_null("Their picture.")),
        ("autokicked", flag("Always false here.")),
        ("app_installed", flag("Always true here.")),
    ])
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
        ("attachments", list(named("Attachment"))),
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
        ("attachments", list(named("Attachment"))),
        ("created_at", seconds("When it was written.")),
        ("conversation_id", json!({"type": "string", "pattern": "^[0-9]+\\+[0-9]+$"})),
        ("sender_id", id("The same as `user_id`.")),
        ("sender_type", sender_type()),
    ])
}

/// The other one of a chat.
pub(super) fn other_user() -> Value {
    let other_id = json!({
        "type": ["integer", "string"],
        "description": "A number; a text under `/compat/v3` and on a compatibility host.",
    });
    object([
        ("avatar_url", text_or_null("Their picture.")),
        ("id", other_id),
        ("name", text("What they are called.")),
    ])
}

fn chat() -> Value {
    let chat = object([
        ("created_at", seconds("When the first message was written.")),
        ("updated_at", seconds("When the newest message was written.")),
        ("messages_count", number("Messages that paging can reach.")),
        ("last_message", named("DirectMessage")),
        ("other_user", other_user()),
    ]);
    let unread = number("Messages that you have not read; in lists of chats only.");
    with_optional(chat, [("unread_count", unread)])
}

/// Any attachment.
fn attachment() -> Value {
    let pairs = list(json!({
        "type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2,
    }));
    json!({"oneOf": [
        object([("type", always("image")), ("url", text("An image of this server."))]),
        object([
            ("type", always("location")),
            ("name", text("What the place is called.")),
            ("lat", text("Degrees north, as text.")),
            ("lng", text("Degrees east, as text.")),
        ]),
        object([("type", always("split")), ("token", text("In groups only."))]),
        object([
            ("type", always("emoji")),
            ("placeholder", text("The character of the text that is replaced.")),
            ("charmap", pairs.clone()),
        ]),
        object([
            ("type", always("mentions")),
            ("user_ids", list(text("Who is mentioned."))),
            ("loci", pairs),
        ]),
        object([
            ("type", always("reply")),
            ("reply_id", text("The message that is answered.")),
            ("base_reply_id", text("The message with which the thread began.")),
        ]),
    ]})
}

fn user() -> Value {
    object([
        ("id", id("Names the user.")),
        ("user_id", id("The same as `id`.")),
        ("phone_number", text_or_null("As it was given.")),
        ("image_url", text_or_null("Their picture.")),
        ("name", text("What they are called.")),
        ("created_at", seconds("When they registered.")),
        ("updated_at", seconds("When they last changed something.")),
        ("email", text("With which they log in.")),
        ("zip_code", text_or_null("As it was given.")),
        ("sms", flag("Whether SMS mode is on.")),
    ])
}

fn token() -> Value {
    object([
        ("id", id("Names the token; it is not the token.")),
        ("application", text_or_null("The application that it was given to; `log-in` for none.")),
        ("created_at", seconds("When it was made.")),
        (
            "last_used_at",
            number_or_null(
                "When it was last used, to a minute; to a day over a restart of the server. Unix time in seconds.",
            ),
        ),
        ("current", flag("Whether it is the token of this request.")),
    ])
}

fn application() -> Value {
    object([
        ("client_id", text("Names the application.")),
        ("name", text("What people see.")),
        ("callback_url", text("Where people are sent back to.")),
    ])
}

fn bot() -> Value {
    object([
        ("bot_id", text("With which the bot posts: a secret.")),
        ("group_id", id("Where it is.")),
        ("name", text("What it is called.")),
        ("avatar_url", text_or_null("Its picture.")),
        ("callback_url", text_or_null("Where messages of the group are sent.")),
        ("dm_notification", flag("As it was set.")),
        ("active", flag("Whether it may post.")),
    ])
}

fn bot_with_secret() -> Value {
    with_optional(bot(), [("secret", text("Signs its callbacks; shown only here."))])
}

fn delivery() -> Value {
    object([
        ("id", id("Counted from 1 for each bot.")),
        ("message_id", id("Which message.")),
        ("state", json!({"enum": ["pending", "delivered", "failed", "parked", "dead"]})),
        ("attempt", number("Attempts that ended.")),
        ("status", number_or_null("What the listener answered last.")),
        ("latency_ms", number("How long the last attempt took.")),
        ("at", seconds("When it became so.")),
        ("next_at", number_or_null("When it is tried again. Unix time in seconds.")),
        ("answer", text_or_null("The beginning of the last answer, or why there was none.")),
    ])
}

fn request() -> Value {
    let request = object([
        ("url", text_or_null("Where it goes.")),
        ("headers", json!({"type": "object", "additionalProperties": {"type": "string"}})),
        ("body", text("The message.")),
    ]);
    json!({"anyOf": [request, {"type": "null"}]})
}

fn block() -> Value {
    object([
        ("user_id", id("Who blocks.")),
        ("blocked_user_id", id("Who is blocked.")),
        ("created_at", seconds("Since when.")),
    ])
}

fn owner_result() -> Value {
    object([
        ("group_id", text_or_null("As it was asked.")),
        ("owner_id", text_or_null("As it was asked.")),
        ("status", json!({"enum": ["200", "400", "403", "404", "405"]})),
    ])
}

fn snapshot() -> Value {
    let newest = || ("n", number("The number of the newest event."));
    let read = || ("read_n", number("The number of the newest event that you have read."));
    let unread = || ("unread", number("How many messages you have not read."));
    let group = object([
        ("group", named("Group")),
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
        ("user", named("User")),
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

fn device() -> Value {
    object([
        ("registration_id", text("Names it, also in SMS mode.")),
        ("service", text("The host of its push service.")),
        ("created_at", seconds("Since when.")),
    ])
}
