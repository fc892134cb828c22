//! The frames of the push protocol in JSON Schema, as `/asyncapi.json` publishes them.
//! The same events come over every transport, so `/openapi.json` names them too.

use serde_json::{Value, json};

use crate::wire::schema::resources;
use crate::wire::schema::{always, flag, id, list, named, number, object, text, with_optional};

/// What the numbers of events promise.
const NUMBER: &str = "Its number in `conv`, without holes while the reader is in it. Whoever is \
    out of a group is told that (their own `membership.delete`, or `group.delete`) and nothing \
    else of it any more, so that event may have any number.";

/// A conversation, or what concerns one user only.
fn conv() -> Value {
    json!({
        "type": "string", "pattern": "^(g:[0-9]+|d:[0-9]+\\+[0-9]+|u:[0-9]+|p:[0-9]+)$",
        "description": "`g:<group>`, `d:<user>+<user>`, `u:<own id>`, or `p:<user>`: what \
            somebody looks like with whom the reader has a chat.",
    })
}

fn cursor() -> Value {
    text("A cursor: opaque, grows in the order of commits.")
}

fn millis(what: &str) -> Value {
    json!({"type": "integer", "description": format!("{what} Unix time in milliseconds.")})
}

fn anything(what: &str) -> Value {
    json!({"description": what})
}

/// Milliseconds after which something may be tried again, if that helps.
fn retry() -> Value {
    json!({"type": ["integer", "null"], "description": "Milliseconds to wait before trying again."})
}

/// Every type of event with its data.
fn events() -> [(&'static str, Value); 16] {
    let memberships = || object([("memberships", list(membership())), ("by", id("Who did it."))]);
    let favorite = object([
        ("message_id", id("Of which message.")),
        ("user_id", id("Whose like.")),
        ("liked", flag("Whether it was given, or taken back.")),
        ("favorited_by", list(id("Who likes it then."))),
    ]);
    let read = object([
        ("conv", conv()),
        ("n", number("Up to this event.")),
        ("count", number("How many messages there were with it: those after it are unread.")),
    ]);
    [
        ("line.create", named("Message")),
        ("direct_message.create", named("DirectMessage")),
        ("favorite", favorite),
        ("membership.create", memberships()),
        ("membership.update", memberships()),
        ("membership.delete", memberships()),
        ("group.update", named("Group")),
        ("group.delete", object([("group_id", id("Which."))])),
        ("bot.create", bot()),
        ("bot.update", bot()),
        ("bot.delete", bot()),
        ("user.update", named("User")),
        ("other_user.update", resources::other_user()),
        ("block.create", named("Block")),
        ("block.delete", named("Block")),
        ("read", read),
    ]
}

/// A membership with what a list of members shows beside it.
fn membership() -> Value {
    let role = json!({"enum": ["admin", "owner", "user"]});
    let more = [("name", text("What they are called elsewhere.")), ("roles", list(role))];
    with_optional(resources::membership(), more)
}

/// A bot: its secret id is shown to its creator alone.
fn bot() -> Value {
    let shown = object([
        ("group_id", id("Where it is.")),
        ("name", text("What it is called.")),
        ("avatar_url", json!({"type": ["string", "null"]})),
        ("active", flag("Whether it may post.")),
    ]);
    let secret = [
        ("bot_id", text("For its creator alone.")),
        ("callback_url", json!({"type": ["string", "null"]})),
        ("dm_notification", flag("For its creator alone.")),
    ];
    with_optional(shown, secret)
}

/// An `ev` frame.
pub fn event() -> Value {
    let kinds = events().map(|(kind, data)| {
        object([
            ("t", always("ev")),
            ("c", cursor()),
            ("conv", conv()),
            ("n", number(NUMBER)),
            ("type", always(kind)),
            ("at", millis("When it happened.")),
            ("data", data),
            ("alert", text("What a notice would say.")),
        ])
    });
    json!({"description": "A durable event.", "oneOf": kinds})
}

/// What `GET /v3/events` answers.
pub fn page() -> Value {
    let why = json!({"enum": ["unknown", "too_far"]});
    let page = object([
        ("events", list(named("EventFrame"))),
        ("c", cursor()),
        ("more", flag("Whether there is more at once.")),
    ]);
    with_optional(page, [("reset", why)])
}

fn ephemeral_event() -> Value {
    let user = || id("Who.");
    let kinds = [
        ("typing", object([("user_id", user()), ("until", millis("Valid until then."))])),
        ("receipt", object([("user_id", user()), ("n", number("They have read up to here."))])),
        ("presence", object([("user_id", user()), ("online", flag("Whether they are here."))])),
    ];
    let kinds = kinds.map(|(kind, data)| {
        object([("t", always("eph")), ("conv", conv()), ("type", always(kind)), ("data", data)])
    });
    json!({"description": "May be dropped, is never told again.", "oneOf": kinds})
}

fn limits() -> Value {
    object([
        ("frame_bytes", number("Bytes of one frame of a client.")),
        ("frames_per_second", number("Frames of a client, in the long run.")),
        ("frames_at_once", number("Frames of a client at once.")),
        ("replay_events", number("Events that are replayed at most.")),
        ("subscriptions", number("Conversations of `sub` at most.")),
    ])
}

/// Frames of the server, by name.
pub fn of_server() -> Vec<(&'static str, Value)> {
    let code = || number("A close code.");
    vec![
        (
            "WelcomeFrame",
            object([
                ("t", always("welcome")),
                ("v", json!({"const": 1})),
                ("sid", text("Names the session, for support.")),
                ("user_id", id("Whose it is; of a bot what its messages name as `sender_id`.")),
                ("c", cursor()),
                ("resumed", flag("Whether it goes on after the cursor that was asked for.")),
                ("hb", number("Seconds of silence after which the server pings.")),
                ("limits", limits()),
                ("time", millis("Now.")),
            ]),
        ),
        ("EventFrame", event()),
        ("EphemeralFrame", ephemeral_event()),
        ("SyncedFrame", object([("t", always("synced")), ("c", cursor())])),
        (
            "ResetFrame",
            object([
                ("t", always("reset")),
                ("c", cursor()),
                ("why", json!({"enum": ["unknown", "expired", "too_far"]})),
            ]),
        ),
        (
            "ErrFrame",
            object([
                ("t", always("err")),
                (
                    "code",
                    json!({"enum": ["hello", "unknown_t", "missing_t", "field", "conv", "too_many", "fault", "bot"]}),
                ),
                ("msg", text("In words.")),
                ("retry_ms", retry()),
            ]),
        ),
        ("ServerPingFrame", object([("t", always("ping")), ("c", cursor())])),
        (
            "PongFrame",
            object([
                ("t", always("pong")),
                ("c", cursor()),
                ("x", anything("What the ping carried.")),
            ]),
        ),
        ("ByeFrame", object([("t", always("bye")), ("code", code()), ("retry_ms", retry())])),
    ]
}

/// Frames of a client, by name.
pub fn of_client() -> Vec<(&'static str, Value)> {
    let hello = object([("t", always("hello")), ("v", json!({"const": 1}))]);
    let hello = with_optional(
        hello,
        [
            ("token", text("Of a user, unless the upgrade carried one.")),
            ("bot_id", text("Of a bot that wants to hear, in place of a token.")),
            ("secret", text("The bot's, unless the upgrade carried it as a bearer token.")),
            ("after", text("A cursor. Bots may also name the `id` of a message.")),
        ],
    );
    let convs = |t: &str| object([("t", always(t)), ("conv", list(conv()))]);
    vec![
        ("HelloFrame", hello),
        ("SubFrame", convs("sub")),
        ("UnsubFrame", convs("unsub")),
        ("AckFrame", object([("t", always("ack")), ("c", cursor())])),
        ("TypingFrame", object([("t", always("typing")), ("conv", conv())])),
        (
            "ReadFrame",
            object([("t", always("read")), ("conv", conv()), ("n", number("Up to this event."))]),
        ),
        (
            "PingFrame",
            with_optional(
                object([("t", always("ping"))]),
                [("x", anything("Comes back with the `pong`."))],
            ),
        ),
    ]
}
