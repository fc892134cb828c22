//! JSON Schemas of the request bodies. Limits come from `domain/limits.rs`, which also enforces
//! them.

use serde_json::{Value, json};

use crate::domain::bot_event::BotEvent;
use crate::domain::group::MentionAll;
use crate::domain::limits;
use crate::domain::notices::NoticeLevel;
use crate::domain::polls::{PollKind, Visibility};
use crate::wire::attachment::AttachmentResource;
use crate::wire::schema::{
    flag, id, list, number, object, of, one_of, some_words, text, text_or_null, with_optional,
    words,
};

/// `POST /auth/register`
pub fn registration() -> Value {
    let body = object([
        ("name", some_words("First name, space, last name.", limits::USER_NAME_CHARS)),
        ("email", some_words("In the form name@domain.", limits::EMAIL_CHARS)),
        ("password", fresh_password()),
    ]);
    with_optional(body, [("phone_number", text("3 to 15 digits."))])
}

fn fresh_password() -> Value {
    let (least, most) = (limits::PASSWORD_CHARS.start(), limits::PASSWORD_CHARS.end());
    json!({"type": "string", "minLength": least, "maxLength": most})
}

/// `POST /auth/login`
pub fn login() -> Value {
    object([("email", text("As registered.")), ("password", text("As registered."))])
}

/// `POST /auth/password`
pub fn password_change() -> Value {
    object([("current_password", text("As it is.")), ("new_password", fresh_password())])
}

/// `DELETE /auth/account`
pub fn password() -> Value {
    object([("password", text("Yours, once more."))])
}

/// `POST /oauth/applications`
pub fn application() -> Value {
    let callback = "Where people are sent back to: https, or http on localhost; compared exactly.";
    object([
        ("name", some_words("What people see.", limits::APPLICATION_NAME_CHARS)),
        ("callback_url", words(callback, limits::CALLBACK_URL_CHARS)),
    ])
}

/// `POST /groups`
pub fn group() -> Value {
    let body = object([("name", some_words("What it is called.", limits::GROUP_NAME_CHARS))]);
    with_optional(
        body,
        [
            ("description", words("What it is about.", limits::DESCRIPTION_CHARS)),
            ("image_url", text("An image of this server.")),
            ("share", flag("Makes a URL by which anyone can join.")),
            ("office_mode", flag("Only owner and admins change settings and add people.")),
            ("mention_all", mention_all()),
        ],
    )
}

/// `POST /groups/:id/update`
pub fn group_change() -> Value {
    with_optional(
        object([]),
        [
            ("name", some_words("What it is called.", limits::GROUP_NAME_CHARS)),
            ("description", words("Empty: none any more.", limits::DESCRIPTION_CHARS)),
            ("image_url", text("An image of this server; empty: none any more.")),
            ("office_mode", flag("Only owner and admins change settings and add people.")),
            ("mention_all", mention_all()),
            ("share", flag("Makes or withdraws the URL by which anyone can join.")),
            ("message_edit_period", number("Minutes; 0 is never, 2147483647 for ever.")),
            ("message_deletion_period", number("Seconds; 0 is never, 2147483647 for ever.")),
            ("message_deletion_mode", list(json!({"enum": ["sender", "admin"]}))),
        ],
    )
}

/// The setting of who may mention everybody.
fn mention_all() -> Value {
    let known: Vec<&str> = MentionAll::ALL.iter().map(|(name, _)| *name).collect();
    json!({"enum": known, "description": "Who may mention everybody: `admins` unless given."})
}

/// `POST /groups/join`
pub fn rejoin() -> Value {
    object([("group_id", id("A group that you left."))])
}

/// `POST /groups/change_owners`
pub fn owner_changes() -> Value {
    let request =
        object([("group_id", id("A group of yours.")), ("owner_id", id("A member of it."))]);
    let mut requests = list(request);
    requests["maxItems"] = json!(limits::OWNER_REQUESTS);
    object([("requests", requests)])
}

/// `POST /groups/:id/members/add`
pub fn members() -> Value {
    let item = object([("nickname", some_words("In this group.", limits::NICKNAME_CHARS))]);
    let mut item = with_optional(
        item,
        [
            ("user_id", id("Whom to add.")),
            ("phone_number", text("Whom to add or to invite.")),
            ("email", text("Whom to add or to invite.")),
            ("guid", text("Comes back with the membership.")),
        ],
    );
    item["description"] = json!("Exactly one of user_id, phone_number and email.");
    let mut items = list(item);
    items["maxItems"] = json!(limits::ADD_ITEMS);
    object([("members", items)])
}

/// `POST /groups/:id/memberships/update`
pub fn rename() -> Value {
    let nickname = some_words("In this group.", limits::NICKNAME_CHARS);
    object([("membership", object([("nickname", nickname)]))])
}

/// `POST /groups/:group_id/memberships/mute`
pub fn muting() -> Value {
    let minutes = json!({
        "type": ["integer", "null"], "minimum": 1,
        "description": "For how many minutes; null or absent: until you say otherwise.",
    });
    with_optional(object([]), [("duration", minutes)])
}

/// `PUT /conversations/:conversation_id/notifications`
pub fn level() -> Value {
    let level = one_of(&NoticeLevel::ALL.map(|(name, _)| name));
    let minutes = json!({
        "type": ["integer", "null"], "minimum": 0,
        "description": "Of a chat: for how many minutes it is mute; null: until you say otherwise; \
            0: no longer.",
    });
    let mut body = with_optional(object([]), [("level", level), ("duration", minutes)]);
    body["minProperties"] = json!(1);
    body
}

/// `POST /poll/:group_id`
pub fn poll() -> Value {
    let option = object([("title", some_words("The words.", limits::POLL_CHARS))]);
    let (least, most) = (limits::POLL_OPTIONS.start(), limits::POLL_OPTIONS.end());
    let mut options = list(option);
    options["minItems"] = json!(least);
    options["maxItems"] = json!(most);
    let body = object([
        ("subject", some_words("What is asked.", limits::POLL_CHARS)),
        ("options", options),
        ("expiration", number("When it ends, at least a minute ahead. Unix time in seconds.")),
    ]);
    let kind = one_of(&PollKind::ALL.map(|(name, _)| name));
    let visibility = one_of(&Visibility::ALL.map(|(name, _)| name));
    with_optional(body, [("type", kind), ("visibility", visibility)])
}

/// `POST /conversations/:conversation_id/events/create`
pub fn event() -> Value {
    let mut body = event_change();
    body["required"] = json!(["name", "start_at", "end_at"]);
    body
}

/// `POST /conversations/:conversation_id/events/update`
pub fn event_change() -> Value {
    let name = || some_words("What it is called.", limits::EVENT_NAME_CHARS);
    let place = with_optional(
        object([]),
        [
            ("name", name()),
            ("address", some_words("How to find it.", limits::EVENT_NAME_CHARS)),
            ("lat", json!({"type": "number", "minimum": -90, "maximum": 90})),
            ("lng", json!({"type": "number", "minimum": -180, "maximum": 180})),
        ],
    );
    let second = json!({"type": "integer", "minimum": 0, "maximum": limits::REMINDER_SECONDS});
    let mut reminders = list(second);
    reminders["maxItems"] = json!(limits::EVENT_REMINDERS);
    with_optional(
        object([]),
        [
            ("name", name()),
            ("description", some_words("What it is about.", limits::EVENT_WORDS_CHARS)),
            ("start_at", text("When it begins (ISO 8601).")),
            ("end_at", text("When it is over (ISO 8601).")),
            ("is_all_day", flag("Whether only the days count.")),
            ("timezone", text("The time zone of its place, like `Europe/Berlin`.")),
            ("location", place),
            ("reminders", reminders),
        ],
    )
}

/// `POST /groups/:id/messages`
pub fn message() -> Value {
    object([("message", written(object([guid()])))])
}

/// `POST /direct_messages`
pub fn direct_message() -> Value {
    let fields = object([guid(), ("recipient_id", id("To whom."))]);
    object([("direct_message", written(fields))])
}

/// `POST /messages/:conversation_id/:message_id/like`
pub fn like() -> Value {
    let emoji = object([("type", json!({"const": "unicode"})), ("code", text("One emoji."))]);
    let picture = object([
        ("type", json!({"const": "emoji"})),
        ("pack_id", json!({"type": "integer"})),
        ("pack_index", json!({"type": "integer"})),
    ]);
    with_optional(object([]), [("like_icon", json!({"anyOf": [emoji, picture]}))])
}

/// `PUT …/messages/:message_id`
pub fn edit() -> Value {
    let mut attachments = list(of::<AttachmentResource>());
    attachments["maxItems"] = json!(limits::ATTACHMENTS);
    let text = words("Empty: none any more.", limits::MESSAGE_CHARS);
    with_optional(object([]), [("text", text), ("attachments", attachments)])
}

fn guid() -> (&'static str, Value) {
    (
        "source_guid",
        some_words("Chosen by the client; repeats are known by it.", limits::GUID_CHARS),
    )
}

fn written(fields: Value) -> Value {
    let mut attachments = list(of::<AttachmentResource>());
    attachments["maxItems"] = json!(limits::ATTACHMENTS);
    let mut written = with_optional(
        fields,
        [
            ("text", some_words("Required unless there is an attachment.", limits::MESSAGE_CHARS)),
            ("attachments", attachments),
        ],
    );
    written["anyOf"] = json!([
        {"required": ["text"]},
        {"required": ["attachments"], "properties": {"attachments": {"minItems": 1}}},
    ]);
    written
}

/// The types of event that a bot is called back for.
fn bot_events() -> Value {
    let mut events = list(json!({"enum": BotEvent::ALL.map(BotEvent::as_str)}));
    events["minItems"] = json!(1);
    events["description"] = json!(
        "What it is called back for: messages unless given. Whoever gives it is told in the \
         header `webhook-event` which of them a callback is."
    );
    events
}

/// The optional fields for a bot's habits: commands, posting of responses, age limit.
fn bot_habits() -> [(&'static str, Value); 3] {
    let command = with_optional(
        object([("name", json!({"type": "string", "pattern": "^[a-z0-9_-]{1,32}$"}))]),
        [("description", words("What it does.", limits::COMMAND_ABOUT_CHARS))],
    );
    let mut commands = list(command);
    commands["maxItems"] = json!(limits::BOT_COMMANDS);
    commands["description"] =
        json!("What members can tell it to do, by writing `/` and the name; all others end.");
    [
        ("commands", commands),
        ("post_answers", flag("Whether `{\"text\": …}` in an answer of its listener is posted.")),
        (
            "drop_older_than",
            number("What is older than so many seconds is not sent to it any more; 0 for no end."),
        ),
    ]
}

/// `POST /bots`, with the fields at the top level or in `bot`
pub fn bot() -> Value {
    let body = object([
        ("name", some_words("What it is called.", limits::NICKNAME_CHARS)),
        ("group_id", id("A group that you are in.")),
    ]);
    let body = with_optional(
        body,
        [
            ("avatar_url", text("An image of this server.")),
            ("callback_url", words("Where messages go.", limits::CALLBACK_URL_CHARS)),
            ("dm_notification", flag("False unless given.")),
            ("active", flag("True unless given.")),
            ("events", bot_events()),
        ],
    );
    with_optional(body, bot_habits())
}

/// `POST /bots/post`
pub fn bot_post() -> Value {
    let body = object([
        ("bot_id", text("The secret of the bot.")),
        ("text", some_words("What it says.", limits::MESSAGE_CHARS)),
    ]);
    with_optional(
        body,
        [
            ("picture_url", text("An image of this server.")),
            ("attachments", list(of::<AttachmentResource>())),
        ],
    )
}

/// `POST /bots/destroy`
pub fn bot_removal() -> Value {
    object([("bot_id", text("Which."))])
}

/// `POST /bots/:bot_id/update`
pub fn bot_change() -> Value {
    let body = with_optional(
        object([]),
        [
            ("name", some_words("What it is called.", limits::NICKNAME_CHARS)),
            ("avatar_url", text("An image of this server.")),
            ("callback_url", words("Where messages go.", limits::CALLBACK_URL_CHARS)),
            ("active", flag("Whether it may post and is called back.")),
            ("receive_own", flag("Whether it hears its own posts.")),
            ("events", bot_events()),
            ("keep", flag("Whether it stays when the application ends that made it.")),
        ],
    );
    with_optional(body, bot_habits())
}

/// `POST /bots/update`
pub fn named_bot_change() -> Value {
    let mut body = bot_change();
    body["properties"]["bot_id"] = text("A bot that you made.");
    body["required"] = json!(["bot_id"]);
    body
}

/// `POST /bots/:bot_id/replay`
pub fn replay() -> Value {
    let range =
        object([("from_id", id("The first delivery.")), ("to_id", id("The last delivery."))]);
    let dead = object([("state", json!({"const": "dead"}))]);
    json!({"anyOf": [range, dead]})
}

/// `POST /users/update`
pub fn profile_change() -> Value {
    with_optional(
        object([]),
        [
            ("name", some_words("First name, space, last name.", limits::USER_NAME_CHARS)),
            ("email", some_words("In the form name@domain.", limits::EMAIL_CHARS)),
            ("avatar_url", text("An image of this server, or a JPEG, PNG or GIF to be fetched.")),
            ("zip_code", words("As you like.", limits::SHORT_CHARS)),
            ("phone_number", text_or_null("3 to 15 digits; null or an empty text: none.")),
        ],
    )
}

/// `POST /users/sms_mode`
pub fn sms_mode() -> Value {
    let mut duration = number("Hours.");
    duration["minimum"] = json!(limits::SMS_HOURS.start());
    duration["maximum"] = json!(limits::SMS_HOURS.end());
    let registration = text_or_null("The push id that stays silent meanwhile.");
    with_optional(object([("duration", duration)]), [("registration_id", registration)])
}

/// `POST /push/devices`
pub fn device() -> Value {
    let keys = object([
        ("p256dh", text("The browser's public key: a point of P-256, in base64url.")),
        ("auth", text("The browser's secret: 16 bytes, in base64url.")),
    ]);
    let endpoint = some_words("Where its push service takes notices.", limits::ENDPOINT_CHARS);
    object([("endpoint", endpoint), ("keys", keys)])
}
