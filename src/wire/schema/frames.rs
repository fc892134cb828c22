//! JSON Schemas of the frames of the push protocol, as `/asyncapi.json` publishes them. Every
//! transport carries the same events, so `/openapi.json` refers to them too.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use crate::block::BlockResource;
use crate::bot::{BotResource, PublicBot};
use crate::calendar::EventResource;
use crate::chat::OtherUser;
use crate::confidential::{
    BanData, HeldData, InviteData, ReportData, RequestData, RuleData, TimeoutData,
};
use crate::conversation_list::ConversationListResource;
use crate::draft::DraftResource;
use crate::group::{DisbandedGroup, GroupResource};
use crate::live::{
    EphemeralFrame, EventFrame, FavoriteData, MessageRequestData, PresenceData, ReadData,
    ReceiptData, ServerFrame, TypingData,
};
use crate::membership::ChangedMemberships;
use crate::message::{DirectMessage, GroupMessage};
use crate::notices::{AllMuted, LevelData, Mute};
use crate::poll::ToldPoll;
use crate::saved::SavedData;
use crate::schema::components::{CARRIED, pascal};
use crate::schema::scalars::{ConversationName, CursorText};
use crate::schema::{always, list, named, number, object, of, text, with_optional};
use crate::topic::{RemovedTopic, TopicResource};
use crate::user::UserResource;

fn conv() -> Value {
    of::<ConversationName>()
}

fn cursor() -> Value {
    of::<CursorText>()
}

fn anything(what: &str) -> Value {
    json!({"description": what})
}

/// Every type of event, with the schema of its data.
fn events() -> [(&'static str, Value); 54] {
    [
        ("line.create", of::<GroupMessage>()),
        ("direct_message.create", of::<DirectMessage>()),
        ("favorite", of::<FavoriteData>()),
        ("membership.create", of::<ChangedMemberships>()),
        ("membership.update", of::<ChangedMemberships>()),
        ("membership.delete", of::<ChangedMemberships>()),
        ("message.update", said()),
        ("message.deleted", said()),
        ("pin", said()),
        ("unpin", said()),
        ("group.update", of::<GroupResource>()),
        ("group.delete", of::<DisbandedGroup>()),
        ("topic.create", of::<TopicResource<'_>>()),
        ("topic.update", of::<TopicResource<'_>>()),
        ("topic.delete", of::<RemovedTopic>()),
        ("bot.create", bot()),
        ("bot.update", bot()),
        ("bot.delete", bot()),
        ("user.update", of::<UserResource>()),
        ("other_user.update", of::<OtherUser>()),
        ("block.create", of::<BlockResource>()),
        ("block.delete", of::<BlockResource>()),
        ("read", of::<ReadData>()),
        ("draft", of::<DraftResource>()),
        ("notifications", of::<LevelData>()),
        ("mute", of::<Mute>()),
        ("mute_all", of::<AllMuted>()),
        ("conversation_list", of::<ConversationListResource>()),
        ("message.saved", of::<SavedData>()),
        ("message.unsaved", of::<SavedData>()),
        ("report.resolved", of::<ReportData>()),
        ("message_request.update", of::<MessageRequestData>()),
        ("membership.requested", of::<RequestData>()),
        ("ban.create", of::<BanData>()),
        ("ban.delete", of::<BanData>()),
        ("timeout.create", of::<TimeoutData>()),
        ("timeout.delete", of::<TimeoutData>()),
        ("report.create", of::<ReportData>()),
        ("report.update", of::<ReportData>()),
        ("held.create", of::<HeldData>()),
        ("held.update", of::<HeldData>()),
        ("invite.update", of::<InviteData>()),
        ("rule.create", of::<RuleData>()),
        ("rule.update", of::<RuleData>()),
        ("rule.delete", of::<RuleData>()),
        ("rule.refusal", of::<RuleData>()),
        ("poll.create", of::<ToldPoll<'_>>()),
        ("poll.update", of::<ToldPoll<'_>>()),
        ("poll.finished", of::<ToldPoll<'_>>()),
        ("event.create", of::<EventResource<'_>>()),
        ("event.update", of::<EventResource<'_>>()),
        ("event.delete", of::<EventResource<'_>>()),
        ("event.rsvp", of::<EventResource<'_>>()),
        ("event.reminder", of::<EventResource<'_>>()),
    ]
}

/// A message of a group or a chat.
fn said() -> Value {
    json!({"anyOf": [of::<GroupMessage>(), of::<DirectMessage>()]})
}

/// A bot, in the form for its creator or in that for others.
fn bot() -> Value {
    json!({"anyOf": [of::<BotResource>(), of::<PublicBot>()]})
}

/// Restricts the schema of a frame to one type of event and the data of that type. Its name is that
/// of the type, followed by that of all frames of its kind.
fn typed(mut frame: Value, all: &str, kind: &str, data: Value) -> Value {
    frame["properties"]["type"] = always(kind);
    frame["properties"]["data"] = data;
    named(&format!("{}{all}", pascal(kind)), frame)
}

/// The schema of an `ev` frame.
pub fn event() -> Value {
    let typed = |it: (&str, Value)| typed(of::<EventFrame>(), "EventFrame", it.0, it.1);
    let kinds: Vec<Value> = events().into_iter().map(typed).collect();
    json!({"description": "A durable event.", "oneOf": kinds})
}

/// Any `ev` frame; stands for the schema in responses that contain events.
#[derive(Debug)]
pub enum AnyEvent {}

impl JsonSchema for AnyEvent {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("EventFrame")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::try_from(event()).expect("an object with two fields is a schema")
    }
}

fn ephemeral_event() -> Value {
    fn of_kind<T: JsonSchema>(kind: &str) -> Value {
        typed(of::<EphemeralFrame<T>>(), "EphemeralFrame", kind, of::<T>())
    }
    let kinds = [
        of_kind::<TypingData>("typing"),
        of_kind::<ReceiptData>("receipt"),
        of_kind::<PresenceData>("presence"),
    ];
    json!({"description": "An event that may be dropped and is not sent again.", "oneOf": kinds})
}

/// The schemas of the server's frames, by name.
pub fn of_server() -> Vec<(String, Value)> {
    let mut told = of::<ServerFrame>();
    let carried = told[CARRIED].take();
    let mut others = told["oneOf"].as_array_mut().map(std::mem::take).unwrap_or_default();
    others.iter_mut().for_each(|frame| frame[CARRIED] = carried.clone());
    let events =
        [("EventFrame".to_owned(), event()), ("EphemeralFrame".to_owned(), ephemeral_event())];
    events.into_iter().chain(others.into_iter().map(|frame| (name(&frame), frame))).collect()
}

/// Names the schema of a server's frame after its `t`.
fn name(frame: &Value) -> String {
    match frame["properties"]["t"]["const"].as_str() {
        // Clients have a ping frame too, called `PingFrame`.
        Some("ping") => "ServerPingFrame".to_owned(),
        t => {
            let (first, rest) = t.unwrap_or_default().split_at(1);
            format!("{}{rest}Frame", first.to_ascii_uppercase())
        }
    }
}

/// The schemas of a client's frames, by name.
pub fn of_client() -> Vec<(String, Value)> {
    let hello = object([("t", always("hello")), ("v", json!({"const": 1}))]);
    let hello = with_optional(
        hello,
        [
            ("token", text("Access token of a user, unless the upgrade request carried it.")),
            ("bot_id", text("Id of a bot that wants to receive events, in place of a token.")),
            ("secret", text("The bot's secret, unless the upgrade carried it as a bearer token.")),
            ("after", text("Cursor to resume after. Bots may also send the `id` of a message.")),
        ],
    );
    let convs = |t: &str| object([("t", always(t)), ("conv", list(conv()))]);
    let told = [
        ("HelloFrame", hello),
        ("SubFrame", convs("sub")),
        ("UnsubFrame", convs("unsub")),
        ("AckFrame", object([("t", always("ack")), ("c", cursor())])),
        ("TypingFrame", object([("t", always("typing")), ("conv", conv())])),
        (
            "ReadFrame",
            object([
                ("t", always("read")),
                ("conv", conv()),
                ("n", number("Number of the newest event read.")),
            ]),
        ),
        (
            "PingFrame",
            with_optional(
                object([("t", always("ping"))]),
                [("x", anything("Any value; returned in the `pong`."))],
            ),
        ),
    ];
    told.map(|(name, frame)| (name.to_owned(), frame)).to_vec()
}
