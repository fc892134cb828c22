//! An event of a group that is sent to bots.

use std::sync::Arc;

use serde_json::value::to_raw_value;
use serde_json::{Map, Value, json};

use crate::frames::{self, FrameData, Numbered, ShownData};
use domain::callback::DeliveredEvent;
use domain::event::Event;
use domain::group::GroupFact;
use domain::ids::{MessageId, StreamId};
use domain::message::MessageJson;
use wire::instance::Instance;

/// An event, and what listeners are sent for it.
#[derive(Debug, Clone)]
pub(super) struct CallbackEvent {
    /// The event's number `n` in the group.
    pub(super) n: u64,
    /// The event.
    pub(super) event: Arc<Event>,
    /// The JSON that is sent.
    pub(super) json: MessageJson,
}

impl CallbackEvent {
    /// The fact of the event, if it is one of a group.
    pub(super) fn fact(&self) -> Option<&GroupFact> {
        self.event.fact.group()
    }

    /// The message that was posted or that the event is about.
    pub(super) fn message(&self) -> Option<MessageId> {
        self.fact().and_then(GroupFact::about)
    }

    /// The form in which deliveries keep the event.
    pub(super) fn delivered(&self) -> DeliveredEvent {
        let event = self.fact().and_then(GroupFact::bot_event).unwrap_or_default();
        DeliveredEvent { n: self.n, event, message: self.message() }
    }
}

/// The payload for listeners of an event of a group: a message as REST shows it; for other events,
/// the data of the frame with its type and the group. `None` for an event that has no frame.
pub(super) fn payload(numbered: &Numbered<'_>, instance: &Instance) -> Option<MessageJson> {
    let FrameData { kind, data, .. } = frames::show(numbered, instance)?;
    let shown = match data {
        ShownData::Message(json) => return Some(json),
        ShownData::Other(shown) => shown,
    };
    let StreamId::Group(group) = numbered.stream else { return None };
    let mut told: Map<String, Value> = serde_json::from_str(shown.get()).ok()?;
    told.insert("type".to_owned(), json!(kind));
    told.insert("group_id".to_owned(), json!(group.to_string()));
    to_raw_value(&told).ok().map(MessageJson::new)
}
