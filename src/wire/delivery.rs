//! Deliveries in JSON, as the creator of a bot sees them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::bot_event::BotEvent;
use crate::domain::callback::{Delivery, DeliveryState};
use crate::domain::ids::{DeliveryId, MessageId};
use crate::journal::Cursor;
use crate::wire::fields::{Fields, Problems};
use crate::wire::instance::Instance;
use crate::wire::schema::scalars::TextId;

/// An event on its way to a bot's listener.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Delivery")]
pub struct DeliveryResource {
    /// Counted from 1 for each bot.
    id: TextId,
    /// The message that is delivered, or that the event is about.
    message_id: Option<TextId>,
    /// What kind of event is delivered.
    #[schemars(with = "BotEvent")]
    event: &'static str,
    /// How it stands.
    #[schemars(with = "DeliveryState")]
    state: &'static str,
    /// Attempts that ended.
    attempt: u32,
    /// What the listener answered last.
    status: Option<u16>,
    /// How long the last attempt took.
    latency_ms: u64,
    /// When it became so. Unix time in seconds.
    at: u64,
    /// When it is tried again. Unix time in seconds.
    next_at: Option<u64>,
    /// The beginning of the last answer, or why there was none.
    answer: Option<String>,
}

/// A delivery with the request of its last attempt.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DeliveryWithRequest")]
pub struct DeliveryDetail {
    /// How it stands.
    #[serde(flatten)]
    pub delivery: DeliveryResource,
    /// What was sent, signed once more; `null` where the message is gone.
    pub request: Option<SignedRequest>,
}

/// The request of a callback.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct SignedRequest {
    /// Where it goes.
    pub url: Option<String>,
    /// Its headers, with the signatures.
    pub headers: BTreeMap<String, String>,
    /// The message or event.
    pub body: String,
}

/// A list of deliveries.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct DeliveryList {
    /// The newest first.
    pub deliveries: Vec<DeliveryResource>,
}

/// Deliveries that are under way again.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ReplayedDeliveries {
    /// The oldest first.
    pub deliveries: Vec<TextId>,
}

/// What came of a test of a callback URL.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct CallbackTest {
    /// What the listener answered, if it did.
    pub status: Option<u16>,
    /// How long it took.
    pub latency_ms: u64,
    /// The beginning of the answer, or why there was none.
    pub answer: String,
}

/// A delivery as the creator of its bot sees it.
pub fn shown(delivery: &Delivery) -> DeliveryResource {
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

/// Which deliveries somebody wants to see.
#[derive(Debug, Clone, Copy)]
pub struct DeliveryFilter {
    /// In this state; in any if absent.
    pub state: Option<DeliveryState>,
    /// Those before this one.
    pub before: DeliveryId,
    /// So many at most.
    pub limit: usize,
}

/// Reads the query of a list.
///
/// # Errors
/// With every problem at once.
pub fn read_wanted(query: &Map<String, Value>) -> Result<DeliveryFilter, Problems> {
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

/// Which deliveries somebody wants to have once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaySelection {
    /// From this one to that one, both included.
    Range(DeliveryId, DeliveryId),
    /// All that were given up.
    Dead,
}

/// Reads the body of a replay.
///
/// # Errors
/// With every problem at once.
pub fn read_again(body: &Map<String, Value>) -> Result<ReplaySelection, Problems> {
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

/// Where a bot goes on that reads by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullFrom {
    /// After this message, as callbacks and lists name it.
    Message(MessageId),
    /// After this cursor, as pages and frames name it.
    Cursor(Cursor),
}

impl PullFrom {
    /// Reads either.
    ///
    /// # Errors
    /// When it is neither, or a cursor of another history.
    pub fn parse(text: &str, instance: &Instance) -> Result<Self, ForeignPlace> {
        match text.parse() {
            Ok(id) => Ok(Self::Message(id)),
            Err(_) => instance.parse_cursor(text).map(Self::Cursor).map_err(|_| ForeignPlace),
        }
    }
}

/// Why nobody can go on from somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be the id of a message, or a cursor of this server")]
pub struct ForeignPlace;

/// Reads the query of a bot's events: after what, and how many.
///
/// # Errors
/// With every problem at once.
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
