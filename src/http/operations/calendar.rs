//! Calendars.

use serde_json::json;

use crate::http::operation::Operation;
use wire::calendar::{EventResource, ListedEvents, OneEvent};
use wire::message::{DirectMessage, GroupMessage};
use wire::schema::{bodies, id, object, of, text};

const TAG: &str = "Events";

pub(in crate::http) fn create() -> Operation {
    let message = json!({"anyOf": [of::<GroupMessage<'_>>(), of::<DirectMessage<'_>>()]});
    let made = object([("event", of::<EventResource>()), ("message", message)]);
    Operation::of(TAG, "Creates an event in a group or chat")
        .detail(
            "The event is posted in a message of yours; deleting the message deletes the event. \
             You count as coming until you answer otherwise. Times without an offset are in UTC.",
        )
        .body(bodies::event())
        .gives(201, made)
        .refuses(
            400,
            "The event is already over, or ends before it begins, or 100 events are ahead.",
        )
        .refuses(403, MAY_NOT_PLAN)
        .refuses(404, NO_CONVERSATION)
        .refuses(422, super::BROKEN)
}

pub(in crate::http) fn list() -> Operation {
    Operation::of(TAG, "Lists the events of a conversation, by start, earliest first")
        .query("end_at", text("Only events that end after this time (ISO 8601); now by default."))
        .query("limit", super::least_one("Maximum number of events.", 20, Some(100)))
        .gives(200, of::<ListedEvents>())
        .refuses(404, NO_CONVERSATION)
}

pub(in crate::http) fn show() -> Operation {
    of_event("Shows an event").gives(200, of::<OneEvent>())
}

pub(in crate::http) fn file() -> Operation {
    Operation::of(TAG, "Downloads an event as an iCalendar file")
        .with_media_type(200, "The event.", "text/calendar", json!({"type": "string"}))
        .refuses(404, NO_EVENT)
}

pub(in crate::http) fn update() -> Operation {
    changing("Changes an event")
        .detail("Absent fields stay unchanged. If the event is moved, reminders are sent again.")
        .body(bodies::event_change())
        .refuses(400, "The event is or would be over, or would end before it begins.")
        .refuses(422, super::BROKEN)
}

pub(in crate::http) fn cancel() -> Operation {
    changing("Cancels an event").refuses(400, "The event is over.")
}

pub(in crate::http) fn answer() -> Operation {
    of_event("Answers whether you come to an event")
        .needs("going", json!({"type": "boolean", "description": "Whether you come."}))
        .gives(200, of::<OneEvent>())
        .refuses(403, super::MAY_NOT)
        .refuses(400, "The event is over.")
}

pub(in crate::http) fn take_back() -> Operation {
    of_event("Withdraws your answer to an event")
        .gives(200, of::<OneEvent>())
        .refuses(403, super::MAY_NOT)
        .refuses(400, "The event is over.")
}

fn changing(summary: &'static str) -> Operation {
    of_event(summary)
        .gives(200, of::<OneEvent>())
        .refuses(403, "Only the event's creator, the owner and admins may do this.")
}

fn of_event(summary: &'static str) -> Operation {
    Operation::of(TAG, summary).needs("event_id", id("Id of the event.")).refuses(404, NO_EVENT)
}

const NO_CONVERSATION: &str = "No such group that you are in, or no such user.";
const MAY_NOT_PLAN: &str = "You may not make events in the group; or the other user of the chat has \
    blocked you, or you sent too many messages.";
const NO_EVENT: &str = "No such event in a conversation that you are in.";
