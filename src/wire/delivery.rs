//! Deliveries in JSON, as the creator of a bot sees them.

use serde_json::{Map, Value, json};

use crate::domain::callback::{Delivery, DeliveryState};
use crate::domain::ids::{DeliveryId, MessageId};
use crate::wire::fields::{Fields, Problems};

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
pub struct Wanted {
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
pub fn read_wanted(query: &Map<String, Value>) -> Result<Wanted, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(query, &mut problems);
    let state = fields.parsed("state", state);
    let before = fields.id("before").unwrap_or(DeliveryId::new(u64::MAX));
    let limit = fields.page_size("limit", 20, 100);
    problems.or(Some(Wanted { state, before, limit }))
}

fn state(name: String) -> Result<DeliveryState, &'static str> {
    let known = DeliveryState::ALL.into_iter().find(|state| state.name() == name);
    known.ok_or("must be pending, delivered, failed, parked or dead")
}

/// Which deliveries somebody wants to have once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// From this one to that one, both included.
    Range(DeliveryId, DeliveryId),
    /// All that were given up.
    Dead,
}

/// Reads the body of a replay.
///
/// # Errors
/// With every problem at once.
pub fn read_again(body: &Map<String, Value>) -> Result<Again, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    if fields.value("state").is_some() {
        let state = fields.parsed("state", |name| match name.as_str() {
            "dead" => Ok(Again::Dead),
            _ => Err("must be dead"),
        });
        return problems.or(state);
    }
    let from = fields.required_id("from_id");
    let to = fields.required_id("to_id");
    problems.or(from.zip(to).map(|(from, to)| Again::Range(from, to)))
}

/// Reads the query of a bot's events: after which message, and how many.
///
/// # Errors
/// With every problem at once.
pub fn read_events(query: &Map<String, Value>) -> Result<(MessageId, usize), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(query, &mut problems);
    let after = match fields.value("after") {
        Some(_) => fields.id("after"),
        None => Some(MessageId::new(0)),
    };
    let limit = fields.page_size("limit", 20, 100);
    problems.or(after.map(|after| (after, limit)))
}
