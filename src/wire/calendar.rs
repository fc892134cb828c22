//! Events of calendars in JSON, as those who see them read them and as everybody is told.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::domain::calendar::CalendarEvent;
use crate::domain::calendar::details::{EventChange, EventDetails, EventPlace};
use crate::domain::ids::Conversation;
use crate::domain::limits::{
    EVENT_NAME_CHARS, EVENT_REMINDERS, EVENT_WORDS_CHARS, REMINDER_SECONDS, TOLD_ANSWERS,
};
use crate::domain::message::MessageJson;
use crate::domain::text::at_most;
use crate::domain::time::Timestamp;
use crate::wire::fields::{Fields, Problems};
use crate::wire::local_moment;
use crate::wire::schema::scalars::TextId;
use crate::wire::system_event::iso;

/// Something that is planned.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CalendarEvent")]
pub struct EventResource<'a> {
    /// Names it; its message has the same number.
    event_id: TextId,
    /// In which conversation: a group, or two users as `a+b`.
    conversation_id: String,
    /// Who made it.
    creator_id: TextId,
    /// What it is called; empty once its message is deleted.
    name: &'a str,
    /// What it is about.
    description: Option<&'a str>,
    /// When it begins (ISO 8601).
    start_at: String,
    /// When it is over (ISO 8601).
    end_at: String,
    /// Whether only the days count.
    is_all_day: bool,
    /// The time zone of its place.
    timezone: &'a str,
    /// Where it takes place.
    location: Option<PlaceResource<'a>>,
    /// Seconds before its start at which people are reminded.
    reminders: &'a [u32],
    /// Who comes.
    going: Vec<TextId>,
    /// Who does not.
    not_going: Vec<TextId>,
    /// How many come.
    going_count: usize,
    /// How many do not.
    not_going_count: usize,
    /// When it was made (ISO 8601).
    created_at: String,
    /// When something else was planned last (ISO 8601).
    updated_at: String,
    /// When it was cancelled (ISO 8601).
    deleted_at: Option<String>,
}

/// Where something takes place.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct PlaceResource<'a> {
    /// What the place is called.
    name: &'a str,
    /// How to find it.
    address: Option<&'a str>,
    /// Degrees north.
    lat: Option<f64>,
    /// Degrees east.
    lng: Option<f64>,
}

/// One event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct OneEvent<'a> {
    /// The event.
    pub event: EventResource<'a>,
}

/// What is planned in a conversation.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ListedEvents<'a> {
    /// What begins first, first.
    events: Vec<EventResource<'a>>,
}

/// An event that was made, with the message that carries it.
#[derive(Debug, Serialize)]
pub struct EventAndMessage<'a> {
    event: EventResource<'a>,
    message: &'a RawValue,
}

/// An event with everybody who answered.
pub fn shown(conv: impl Into<Conversation>, event: &CalendarEvent) -> EventResource<'_> {
    resource(conv.into(), event, usize::MAX)
}

/// An event as everybody is told of it: no list that grows with the group.
pub fn told(conv: impl Into<Conversation>, event: &CalendarEvent) -> EventResource<'_> {
    resource(conv.into(), event, TOLD_ANSWERS)
}

/// What of an event that was made is answered.
pub fn made<'a>(
    conv: Conversation,
    event: &'a CalendarEvent,
    message: &'a MessageJson,
) -> EventAndMessage<'a> {
    EventAndMessage { event: shown(conv, event), message: message.raw() }
}

/// Several events.
pub fn listed(conv: Conversation, events: &[CalendarEvent]) -> ListedEvents<'_> {
    ListedEvents { events: events.iter().map(|event| shown(conv, event)).collect() }
}

fn resource(conv: Conversation, event: &CalendarEvent, named: usize) -> EventResource<'_> {
    let details = &event.details;
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
        start_at: local_moment::shown(details.starts),
        end_at: local_moment::shown(details.ends),
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
/// With every problem at once.
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

/// Reads what of an event is to be different.
///
/// # Errors
/// With every problem at once.
pub fn read_change(body: &Map<String, Value>) -> Result<EventChange, Problems> {
    let mut problems = Problems::default();
    let change = read(&mut Fields::of(body, &mut problems));
    problems.or(Some(change))
}

fn read(fields: &mut Fields<'_>) -> EventChange {
    let words = |text| at_most(text, EVENT_WORDS_CHARS);
    EventChange {
        name: fields.parsed("name", |text| at_most(text, EVENT_NAME_CHARS)),
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

/// The name of a time zone. Which there are changes every year, so only its form is looked at.
fn zone(text: String) -> Result<String, &'static str> {
    let is_of_names = |it: u8| it.is_ascii_alphanumeric() || b"/_+-".contains(&it);
    let is_name = text.len() <= 64 && text.bytes().all(is_of_names);
    is_name.then_some(text).ok_or("must be the name of a time zone, like Europe/Berlin")
}

fn read_place(place: &mut Fields<'_>) -> Option<EventPlace> {
    let words = |text| at_most(text, EVENT_NAME_CHARS);
    let address = place.parsed("address", words);
    let (lat, lng) = (degrees(place, "lat", 90.0), degrees(place, "lng", 180.0));
    let name = place.parsed("name", words).or_else(|| address.clone()).unwrap_or_default();
    Some(EventPlace { name, address, coordinates: lat.zip(lng) })
}

fn degrees(place: &mut Fields<'_>, field: &str, most: f64) -> Option<String> {
    let written = place.number(field)?;
    let is_fine = written.trim().parse().is_ok_and(|it: f64| it.abs() <= most);
    let what = format!("must be degrees between -{most} and {most}");
    place.checked(field, is_fine.then(|| written.trim().to_owned()).ok_or(what))
}

/// Seconds before the start, each once, the longest first.
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

/// The moment before which nothing is listed that is over.
///
/// # Errors
/// When it is none.
pub fn read_since(text: &str) -> Result<Timestamp, &'static str> {
    local_moment::parse(text).map(|moment| moment.at)
}
