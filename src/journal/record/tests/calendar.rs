//! The first records of calendar events.

use super::*;
use domain::calendar::details::{EventDetails, EventPlace, LocalMoment};
use domain::calendar::{CalendarChange, MadeEvent};
use domain::ids::CalendarEventId;
use domain::named::{NamedEvent, NamedUser};

/// The first payload of a planned event.
const MADE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a7506c616e6e656481a44d61646594cf025bf6196bd10001\
    07cf0000018bcfe5687b98a5436c696d62a4726f706592cf0000018bd01c5680d1feb692cf0000018bd053\
    4500d1feb6c2ad4575726f70652f4265726c696e93a477616c6cc092a435322e35a431332e3492cd038400";
/// The first payload of a changed event, in a chat.
const CHANGED: &str = "\
    9192cf0000018bcfe5687b81a44368617481a7506c616e6e656481a74368616e67656493cf025bf6196bd1\
    00010798a5436c696d62a4726f706592cf0000018bd01c5680d1feb692cf0000018bd0534500d1feb6c2ad\
    4575726f70652f4265726c696e93a477616c6cc092a435322e35a431332e3492cd038400";
/// The first payload of a cancelled event.
const CANCELLED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a7506c616e6e656481a943616e63656c6c656492cf025bf6\
    196bd1000107";
/// The first payloads of an answer to an invitation, and of one taken back.
const ANSWERED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a7506c616e6e656481a8416e73776572656493cf025bf619\
    6bd1000107c3";
const TAKEN_BACK: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a7506c616e6e656481a8416e73776572656493cf025bf619\
    6bd1000107c0";
/// The first payload of a reminder.
const REMINDED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a7506c616e6e656481a852656d696e64656492cf025bf619\
    6bd10001cd0384";
/// The first payload of a message with an event.
const WITH_AN_EVENT: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d6265\
    7207a3416e61c0a467756964ab726f7065206174207369789181a54576656e7491cf025bf6196bd1000103\
    81ac4576656e7443726561746564929207a3416e6192cf025bf6196bd10001a5436c696d62";
/// The first payloads of the system messages about an event.
const CHANGED_LINE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d6265\
    7207a3416e61c0a467756964ab726f706520617420736978900381ac4576656e744368616e676564929207\
    a3416e6192cf025bf6196bd10001a5436c696d62";
const CANCELLED_LINE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d6265\
    7207a3416e61c0a467756964ab726f706520617420736978900381ae4576656e7443616e63656c6c656492\
    9207a3416e6192cf025bf6196bd10001a5436c696d62";
const ANSWERED_LINE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d6265\
    7207a3416e61c0a467756964ab726f706520617420736978900381ad4576656e74416e7377657265649392\
    07a3416e6192cf025bf6196bd10001a5436c696d62c2";
const STARTING_LINE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d6265\
    7207a3416e61c0a467756964ab726f706520617420736978900381ad4576656e745374617274696e679292\
    cf025bf6196bd10001a5436c696d620f";

fn climb() -> EventDetails {
    let moment = |millis| LocalMoment { at: Timestamp::from_millis(millis), offset: -330 };
    EventDetails {
        name: "Climb".to_owned(),
        description: Some("rope".to_owned()),
        starts: moment(1_700_003_600_000),
        ends: moment(1_700_007_200_000),
        is_all_day: false,
        timezone: "Europe/Berlin".to_owned(),
        location: Some(EventPlace {
            name: "wall".to_owned(),
            address: None,
            coordinates: Some(("52.5".to_owned(), "13.4".to_owned())),
        }),
        reminders: vec![900, 0],
    }
}

#[test]
fn the_first_events_are_read() {
    let group = StreamId::Group(GroupId::new(1));
    let by = UserId::new(7);
    let chat = StreamId::Chat(Pair::of(by, UserId::new(8)).unwrap());
    let event = CalendarEventId::new(message().id.get());
    let planned = |change| Fact::Group(GroupFact::Planned(Arc::new(change)));
    let at = Timestamp::from_millis(1_700_000_000_123);
    let made = MadeEvent { id: event, creator: by, at, details: climb() };
    is_golden(MADE, group, &planned(CalendarChange::Made(made)));
    let changed = CalendarChange::Changed { event, by, details: climb() };
    is_golden(CHANGED, chat, &Fact::Chat(ChatFact::Planned(Arc::new(changed))));
    is_golden(CANCELLED, group, &planned(CalendarChange::Cancelled { event, by }));
    let answer = |going| planned(CalendarChange::Answered { event, by, going });
    is_golden(ANSWERED, group, &answer(Some(true)));
    is_golden(TAKEN_BACK, group, &answer(None));
    is_golden(REMINDED, group, &planned(CalendarChange::Reminded { event, before: 900 }));
}

#[test]
fn the_first_messages_about_events_are_read() {
    let group = StreamId::Group(GroupId::new(1));
    let id = CalendarEventId::new(message().id.get());
    let user = || NamedUser { id: UserId::new(7), name: "Ana".to_owned() };
    let event = || NamedEvent { id, name: "Climb".to_owned() };
    let posted = |message| Fact::Group(GroupFact::Posted(Arc::new(message)));
    let said = |line| posted(Message { line: Some(line), ..message() });
    let line = Some(SystemMessage::EventCreated { user: user(), event: event() });
    let attachments = vec![Attachment::Event { event: id }];
    is_golden(WITH_AN_EVENT, group, &posted(Message { attachments, line, ..message() }));
    let changed = SystemMessage::EventChanged { user: user(), event: event() };
    is_golden(CHANGED_LINE, group, &said(changed));
    let cancelled = SystemMessage::EventCancelled { user: user(), event: event() };
    is_golden(CANCELLED_LINE, group, &said(cancelled));
    let answered =
        SystemMessage::EventAnswered { user: user(), event: event(), going: Some(false) };
    is_golden(ANSWERED_LINE, group, &said(answered));
    is_golden(
        STARTING_LINE,
        group,
        &said(SystemMessage::EventStarting { event: event(), minutes: 15 }),
    );
}
