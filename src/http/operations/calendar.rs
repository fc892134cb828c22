//! Calendars.

use serde_json::json;

use crate::http::operation::Operation;
use crate::wire::calendar::{EventResource, ListedEvents, OneEvent};
use crate::wire::message::{DirectMessage, GroupMessage};
use crate::wire::schema::{bodies, id, object, of, text};

const TAG: &str = "Events";

pub(in crate::http) fn create() -> Operation {
    let message = json!({"anyOf": [of::<GroupMessage<'_>>(), of::<DirectMessage<'_>>()]});
    let made = object([("event", of::<EventResource>()), ("message", message)]);
    Operation::of(TAG, "Plans something in a group, or with somebody")
        .detail(
            "A message of yours carries the event, and with it the event is deleted. You come \
             yourself until you say otherwise. Without an offset, times are those of UTC.",
        )
        .body(bodies::event())
        .gives(201, made)
        .refuses(400, "It is over already, ends before it begins, or 100 events are ahead.")
        .refuses(403, "The other user does not want to hear of you.")
        .refuses(404, NO_CONVERSATION)
}

pub(in crate::http) fn list() -> Operation {
    Operation::of(TAG, "Lists what is planned, what begins first, first")
        .query("end_at", text("What is over by then is left out (ISO 8601); by now, if absent."))
        .query("limit", super::least_one("How many.", 20, Some(100)))
        .gives(200, of::<ListedEvents>())
        .refuses(404, NO_CONVERSATION)
}

pub(in crate::http) fn show() -> Operation {
    of_event("Shows an event").gives(200, of::<OneEvent>())
}

pub(in crate::http) fn file() -> Operation {
    Operation::of(TAG, "An event for other calendars (iCalendar)")
        .typed(200, "The event.", "text/calendar", json!({"type": "string"}))
        .refuses(404, NO_EVENT)
}

pub(in crate::http) fn update() -> Operation {
    changing("Changes an event")
        .detail("What is absent stays. Reminders that were given come again when it is moved.")
        .body(bodies::event_change())
        .refuses(400, "It is over, or would end before it begins.")
}

pub(in crate::http) fn cancel() -> Operation {
    changing("Cancels an event").refuses(400, "It is over.")
}

pub(in crate::http) fn answer() -> Operation {
    of_event("Says whether you come")
        .needs("going", json!({"type": "boolean", "description": "Whether you do."}))
        .gives(200, of::<OneEvent>())
        .refuses(400, "It is over.")
}

pub(in crate::http) fn take_back() -> Operation {
    of_event("Takes back whether you come").gives(200, of::<OneEvent>()).refuses(400, "It is over.")
}

fn changing(summary: &'static str) -> Operation {
    of_event(summary)
        .gives(200, of::<OneEvent>())
        .refuses(403, "Only who made it, the owner and admins may.")
}

fn of_event(summary: &'static str) -> Operation {
    Operation::of(TAG, summary).needs("event_id", id("Which event.")).refuses(404, NO_EVENT)
}

const NO_CONVERSATION: &str = "No such group that you are in, or no such user.";
const NO_EVENT: &str = "No such event in a conversation that you are in.";
