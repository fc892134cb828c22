//! Calendar events in JSON: as a reader sees one, and as it is sent to the whole audience.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use crate::schema::scalars::TextId;
use crate::system_event::iso;
use crate::{event_days, local_moment};
use domain::calendar::CalendarEvent;
use domain::calendar::details::{EventChange, EventDetails, EventPlace};
use domain::ids::Conversation;
use domain::limits::{
    EVENT_NAME_CHARS, EVENT_REMINDERS, EVENT_WORDS_CHARS, LATITUDE, LONGITUDE, REMINDER_SECONDS,
    TOLD_ANSWERS,
};
use domain::message::MessageJson;
use domain::text::{LineText, parse_lines};
use domain::time::Timestamp;

/// An event of a conversation's calendar.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CalendarEvent")]
pub struct EventResource<'a> {
    /// The event's id, which is also the id of the message that announces it.
    event_id: TextId,
    /// The conversation that the event belongs to: the id of a group, or those of two users as
    /// `a+b`.
    conversation_id: String,
    /// The user who created the event.
    creator_id: TextId,
    /// The event's name; empty once its message is deleted.
    name: &'a str,
    /// The event's description; null if it has none.
    description: Option<&'a str>,
    /// When the event begins (ISO 8601, with the offset that was given).
    start_at: String,
    /// When the event ends (ISO 8601, with the offset that was given).
    end_at: String,
    /// Whether the event takes whole days, so that only the dates count.
    is_all_day: bool,
    /// Name of the event's time zone, such as `Europe/Berlin`.
    timezone: &'a str,
    /// Where the event takes place; null if no place was given.
    location: Option<PlaceResource<'a>>,
    /// When members are reminded, in seconds before the start; the longest first.
    reminders: &'a [u32],
    /// Users who are coming; empty in pushed events when more than 100 users have answered.
    going: Vec<TextId>,
    /// Users who are not coming; empty in pushed events when more than 100 users have answered.
    not_going: Vec<TextId>,
    /// How many users are coming.
    going_count: usize,
    /// How many users are not coming.
    not_going_count: usize,
    /// When the event was created (ISO 8601).
    created_at: String,
    /// When the event was last changed or cancelled (ISO 8601).
    updated_at: String,
    /// When the event was cancelled; null if it was not (ISO 8601).
    deleted_at: Option<String>,
}

/// The place of an event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EventPlace")]
struct PlaceResource<'a> {
    /// Name of the place.
    name: &'a str,
    /// Address of the place; null if none was given.
    address: Option<&'a str>,
    /// Latitude in degrees north; null if no coordinates were given.
    lat: Option<f64>,
    /// Longitude in degrees east; null if no coordinates were given.
    lng: Option<f64>,
}

/// One event.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OneEvent<'a> {
    /// The event.
    pub event: EventResource<'a>,
}

/// The events of a conversation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedEvents<'a> {
    /// The events, ordered by start, the earliest first.
    events: Vec<EventResource<'a>>,
}

/// An event that was created, with the message that announces it.
#[derive(Debug, Serialize)]
pub struct EventAndMessage<'a> {
    event: EventResource<'a>,
    message: &'a RawValue,
}

/// Builds the JSON of an event, with every user who answered.
pub fn resource(conv: impl Into<Conversation>, event: &CalendarEvent) -> EventResource<'_> {
    naming(conv.into(), event, usize::MAX)
}

/// Builds the JSON of an event for its whole audience. It names nobody who answered if there are
/// more than [`TOLD_ANSWERS`], so that frames do not grow with the group.
pub fn told(conv: impl Into<Conversation>, event: &CalendarEvent) -> EventResource<'_> {
    naming(conv.into(), event, TOLD_ANSWERS)
}

/// Builds the response to creating an event.
pub fn made<'a>(
    conv: Conversation,
    event: &'a CalendarEvent,
    message: &'a MessageJson,
) -> EventAndMessage<'a> {
    EventAndMessage { event: resource(conv, event), message: message.raw() }
}

/// Builds the JSON of a list of events.
pub fn listed(conv: Conversation, events: &[CalendarEvent]) -> ListedEvents<'_> {
    ListedEvents { events: events.iter().map(|event| resource(conv, event)).collect() }
}

/// Builds the JSON of an event, and names who answered if they are at most `named`.
fn naming(conv: Conversation, event: &CalendarEvent, named: usize) -> EventResource<'_> {
    let details = &event.details;
    let (starts, ends) = event_days::local_span(details);
    let count = |going| event.answers.values().filter(|it| **it == going).count();
    let who = |going: bool| {
        let all = event.answers.iter().filter(move |(_, it)| **it == going);
        all.filter(|_| event.answers.len() <= named).map(|(user, _)| (*user).into()).collect()
    };
    EventResource {
        event_id: event.id.into(),
        conversation_id: conv.to_string(),
        creator_id: event.creator.into(),
        name: &details.name,
        description: details.description.as_deref(),
        start_at: local_moment::shown(starts),
        end_at: local_moment::shown(ends),
        is_all_day: details.is_all_day,
        timezone: &details.timezone,
        location: details.location.as_ref().map(place),
        reminders: &details.reminders,
        going: who(true),
        not_going: who(false),
        going_count: count(true),
        not_going_count: count(false),
        created_at: iso(event.created),
        updated_at: iso(event.modified),
        deleted_at: event.cancelled.map(iso),
    }
}

fn place(place: &EventPlace) -> PlaceResource<'_> {
    let degrees = |text: &String| text.parse().ok();
    let coordinates = place.coordinates.as_ref();
    PlaceResource {
        name: &place.name,
        address: place.address.as_deref(),
        lat: coordinates.and_then(|(lat, _)| degrees(lat)),
        lng: coordinates.and_then(|(_, lng)| degrees(lng)),
    }
}

/// Reads the body of a new event.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_new(body: &Map<String, Value>) -> Result<EventDetails, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    for field in ["name", "start_at", "end_at"] {
        if fields.value(field).is_none() {
            fields.wrong(field, "is required");
        }
    }
    let change = read(&mut fields);
    let new = (change.name.zip(change.starts).zip(change.ends)).map(|((name, starts), ends)| {
        EventDetails {
            name,
            description: change.description.filter(|words| !words.is_empty()),
            starts,
            ends,
            is_all_day: change.is_all_day.unwrap_or_default(),
            timezone: change.timezone.unwrap_or_else(|| "UTC".to_owned()),
            location: change.location,
            reminders: change.reminders.unwrap_or_default(),
        }
    });
    problems.or(new)
}

/// Reads the changes to an event.
///
/// # Errors
/// If fields are invalid; all problems are reported together.
pub fn read_change(body: &Map<String, Value>) -> Result<EventChange, Problems> {
    let mut problems = Problems::default();
    let change = read(&mut Fields::of(body, &mut problems));
    problems.or(Some(change))
}

fn read(fields: &mut Fields<'_>) -> EventChange {
    let words = |text| parse_lines(text, EVENT_WORDS_CHARS);
    let line = |text| LineText::parse(text, EVENT_NAME_CHARS).map(String::from);
    EventChange {
        name: fields.parsed("name", line),
        description: match fields.is_emptied("description") {
            true => Some(String::new()),
            false => fields.parsed("description", words),
        },
        starts: fields.parsed("start_at", |text| local_moment::parse(&text)),
        ends: fields.parsed("end_at", |text| local_moment::parse(&text)),
        is_all_day: fields.flag("is_all_day"),
        timezone: fields.parsed("timezone", zone),
        location: fields.object("location").and_then(|mut place| read_place(&mut place)),
        reminders: fields.value("reminders").is_some().then(|| read_reminders(fields)),
    }
}

/// Checks the name of a time zone. The list of time zones changes every year, so only the form of
/// the name is checked.
fn zone(text: String) -> Result<String, &'static str> {
    let is_of_names = |it: u8| it.is_ascii_alphanumeric() || b"/_+-".contains(&it);
    let is_name = text.len() <= 64 && text.bytes().all(is_of_names);
    is_name.then_some(text).ok_or("must be the name of a time zone, like Europe/Berlin")
}

fn read_place(place: &mut Fields<'_>) -> Option<EventPlace> {
    let words = |text| LineText::parse(text, EVENT_NAME_CHARS).map(String::from);
    let address = place.parsed("address", words);
    let mut degrees = |field: &str, most: f64| {
        let written = place.number(field)?;
        place.degrees(field, &written, most)
    };
    let lat = degrees("lat", LATITUDE);
    let lng = degrees("lng", LONGITUDE);
    let name = place.parsed("name", words).or_else(|| address.clone()).unwrap_or_default();
    Some(EventPlace { name, address, coordinates: lat.zip(lng) })
}

/// Reads reminders in seconds before the start; removes duplicates and sorts the longest first.
fn read_reminders(fields: &mut Fields<'_>) -> Vec<u32> {
    let list = fields.list("reminders", EVENT_REMINDERS);
    let seconds = |value: &Value| {
        let read = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
        u32::try_from(read.filter(|it| *it <= REMINDER_SECONDS)?).ok()
    };
    let read: Option<Vec<u32>> = list.iter().map(seconds).collect();
    let Some(mut read) = read else {
        fields.wrong("reminders", format!("must be seconds, at most {REMINDER_SECONDS}"));
        return Vec::new();
    };
    read.sort_unstable_by(|one, other| other.cmp(one));
    read.dedup();
    read
}

/// Reads the moment from which events are listed: those that ended before it are left out.
///
/// # Errors
/// If the text is not a moment in ISO 8601.
pub fn read_since(text: &str) -> Result<Timestamp, &'static str> {
    local_moment::parse(text).map(|moment| moment.at)
}
