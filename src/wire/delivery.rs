//! Deliveries in JSON, as the creator of a bot sees them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use crate::instance::Instance;
use crate::schema::scalars::TextId;
use domain::bot_event::BotEvent;
use domain::callback::{Delivery, DeliveryState};
use domain::ids::{DeliveryId, MessageId};
use journal::Cursor;

/// The delivery of an event to a bot's listener.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Delivery")]
pub struct DeliveryResource {
    /// The delivery's id, counted from 1 for each bot.
    id: TextId,
    /// The message that is delivered or that the event is about; null if the event is not about a
    /// message.
    message_id: Option<TextId>,
    /// Type of the event that is delivered.
    #[schemars(with = "BotEvent")]
    event: &'static str,
    /// State of the delivery.
    #[schemars(with = "DeliveryState")]
    state: &'static str,
    /// Number of attempts that have ended.
    attempt: u32,
    /// HTTP status of the listener's last response; null if there was none.
    status: Option<u16>,
    /// Duration of the last attempt in milliseconds.
    latency_ms: u64,
    /// When the delivery entered its state. Unix time in seconds.
    at: u64,
    /// When the next attempt is due; null if there will be none. Unix time in seconds.
    next_at: Option<u64>,
    /// Up to 500 characters of the last response, or why there was none; null before the first
    /// attempt has ended, and once words of the event were deleted or edited.
    answer: Option<String>,
}

/// A delivery with the request of its last attempt.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DeliveryWithRequest")]
pub struct DeliveryDetail {
    /// The delivery.
    #[serde(flatten)]
    pub delivery: DeliveryResource,
    /// The request that was sent, signed again; null if the message no longer exists.
    pub request: Option<SignedRequest>,
}

/// The HTTP request of a callback.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SignedRequest {
    /// The bot's callback URL; null if the bot has none.
    pub url: Option<String>,
    /// Headers of the request, including the signatures.
    pub headers: BTreeMap<String, String>,
    /// Body of the request: the message or event.
    pub body: String,
}

/// A list of deliveries.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeliveryList {
    /// The deliveries, newest first.
    pub deliveries: Vec<DeliveryResource>,
}

/// Deliveries that were scheduled again.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReplayedDeliveries {
    /// Ids of the deliveries, oldest first.
    pub deliveries: Vec<TextId>,
}

/// The result of testing a callback URL.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CallbackTest {
    /// HTTP status of the listener's response; null if there was none.
    pub status: Option<u16>,
    /// Duration of the request in milliseconds.
    pub latency_ms: u64,
    /// The beginning of the response, or why there was none.
    pub answer: String,
}

/// Builds the JSON of a delivery for the creator of its bot.
pub fn resource(delivery: &Delivery) -> DeliveryResource {
    DeliveryResource {
        id: delivery.id.into(),
        message_id: delivery.delivered().message.map(TextId::from),
        event: delivery.event.as_str(),
        state: delivery.state.name(),
        attempt: delivery.attempt,
        status: delivery.status,
        latency_ms: delivery.latency_millis,
        at: delivery.at.seconds(),
        next_at: delivery.next_at.map(|at| at.seconds()),
        answer: delivery.answer.clone(),
    }
}

/// The selection of deliveries to list.
#[derive(Debug, Clone, Copy)]
pub struct DeliveryFilter {
    /// The state of the deliveries; any state if None.
    pub state: Option<DeliveryState>,
    /// Only deliveries with smaller ids than this one are listed.
    pub before: DeliveryId,
    /// Maximum number of deliveries.
    pub limit: usize,
}

/// Reads the query of a list of deliveries.
///
/// # Errors
/// If parameters are invalid; all problems are reported together.
pub fn read_filter(query: &Map<String, Value>) -> Result<DeliveryFilter, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(query, &mut problems);
    let state = fields.parsed("state", state);
    let before = fields.id("before").unwrap_or(DeliveryId::new(u64::MAX));
    let limit = fields.page_size("limit", 20, 100);
    problems.or(Some(DeliveryFilter { state, before, limit }))
}

fn state(name: String) -> Result<DeliveryState, &'static str> {
    let known = DeliveryState::ALL.into_iter().find(|state| state.name() == name);
    known.ok_or("must be pending, delivered, failed, parked or dead")
}

/// The selection of deliveries to send again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaySelection {
    /// The deliveries from the first id to the second, both inclusive.
    Range(DeliveryId, DeliveryId),
    /// All deliveries that were given up.
    Dead,
}

/// Reads the body of a replay.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_replay(body: &Map<String, Value>) -> Result<ReplaySelection, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    if fields.value("state").is_some() {
        let state = fields.parsed("state", |name| match name.as_str() {
            "dead" => Ok(ReplaySelection::Dead),
            _ => Err("must be dead"),
        });
        return problems.or(state);
    }
    let from = fields.required_id("from_id");
    let to = fields.required_id("to_id");
    problems.or(from.zip(to).map(|(from, to)| ReplaySelection::Range(from, to)))
}

/// The position after which a bot that polls for events reads on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullFrom {
    /// After the message with this id, as callbacks and lists give it.
    Message(MessageId),
    /// After this cursor, as pages and frames give it.
    Cursor(Cursor),
}

impl PullFrom {
    /// Reads the id of a message or a cursor.
    ///
    /// # Errors
    /// If the text is neither, or is a cursor of another history.
    pub fn parse(text: &str, instance: &Instance) -> Result<Self, InvalidPosition> {
        match text.parse() {
            Ok(id) => Ok(Self::Message(id)),
            Err(_) => instance.parse_cursor(text).map(Self::Cursor).map_err(|_| InvalidPosition),
        }
    }
}

/// The error for a position that is neither the id of a message nor a cursor of this server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be the id of a message, or a cursor of this server")]
pub struct InvalidPosition;

/// Reads the query of a bot that polls for events: the position to read on from, and the maximum
/// number of events.
///
/// # Errors
/// If parameters are invalid; all problems are reported together.
pub fn read_events(
    query: &Map<String, Value>,
    instance: &Instance,
) -> Result<(PullFrom, usize), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(query, &mut problems);
    let after = match fields.value("after") {
        Some(_) => fields.parsed("after", |text| PullFrom::parse(&text, instance)),
        None => Some(PullFrom::Message(MessageId::new(0))),
    };
    let limit = fields.page_size("limit", 20, 100);
    problems.or(after.map(|after| (after, limit)))
}
