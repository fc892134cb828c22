//! Deliveries in JSON, as the creator of a bot sees them.

use serde_json::{Map, Value, json};

use crate::domain::callback::{Delivery, DeliveryState};
use crate::domain::ids::{DeliveryId, MessageId};
use crate::journal::Cursor;
use crate::wire::fields::{Fields, Problems};
use crate::wire::instance::Instance;

/// A delivery.
pub fn shown(delivery: &Delivery) -> Value {
    json!({
        "id": delivery.id.to_string(),
        "message_id": delivery.message.to_string(),
        "state": delivery.state.name(),
        "attempt": delivery.attempt,
        "status": delivery.status,
        "latency_ms": delivery.latency_millis,
        "at": delivery.at.seconds(),
        "next_at": delivery.next_at.map(|at| at.seconds()),
        "answer": delivery.answer,
    })
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
