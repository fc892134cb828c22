//! Calendars: who plans events, who attends, and who is notified and reminded.

use serde_json::{Value, json};

use crate::direct_messages::conversation;
use crate::notices::{sms, with_gateway, with_phone};
use crate::push_same::{here, replays_the_same};
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::bayeux::{BOTH, Client};
use crate::world::outside::Outside;
use crate::world::person::{Person, text};

/// Five hours after the beginning of every test, in Berlin.
const START: &str = "2027-01-15T14:00:00+01:00";
const END: &str = "2027-01-15T16:00:00+01:00";

fn climb() -> Value {
    json!({"name": "Climb", "description": "bring rope, and nuts", "start_at": START, "end_at": END,
        "is_all_day": false, "timezone": "Europe/Berlin", "reminders": [900, "3600", 900],
        "location": {"name": "The wall", "address": "Ropeway 1", "lat": 52.5, "lng": "13.4"}})
}

fn place(conv: &str, what: &str) -> String {
    format!("/v3/conversations/{conv}/events/{what}")
}

async fn plans(by: &Person, conv: &str, event: &Value) -> Value {
    by.posts(&place(conv, "create")).json(event).await.created()
}

fn of(event: &Value, conv: &str, what: &str) -> String {
    format!("{}?event_id={}", place(conv, what), text(&event["event_id"]))
}

async fn answers(by: &Person, event: &Value, conv: &str, going: bool) -> Answer {
    by.posts(&format!("{}&going={going}", of(event, conv, "rsvp"))).await
}

#[tokio::test]
async fn members_see_events_and_attendees_live_and_replayed() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let conv = &climbers.id;
    let (start, mut feed) = (here(&ben).await, ben.listens().await);
    let made = plans(&ana, conv, &climb()).await;
    let event = &made["event"];
    let expected = json!({"event_id": event["event_id"], "conversation_id": conv,
        "creator_id": ana.id, "name": "Climb", "description": "bring rope, and nuts",
        "start_at": START, "end_at": END, "is_all_day": false, "timezone": "Europe/Berlin",
        "location": {"name": "The wall", "address": "Ropeway 1", "lat": 52.5, "lng": 13.4},
        "reminders": [3600, 900], "going": [ana.id], "not_going": [], "going_count": 1,
        "not_going_count": 0, "created_at": "2027-01-15T08:00:00Z",
        "updated_at": "2027-01-15T08:00:00Z", "deleted_at": null});
    assert_eq!(*event, expected);
    let message = &made["message"];
    let attached = json!([{"type": "event", "event_id": event["event_id"], "view": "full"}]);
    assert_eq!((&message["attachments"], &message["user_id"]), (&attached, &json!(ana.id)));
    assert_eq!(message["event"]["type"], "calendar.event.created");
    let told = &message["event"]["data"];
    assert_eq!(told["user"], json!({"id": ana.id, "nickname": "Ana"}));
    assert_eq!(told["event"], json!({"id": event["event_id"], "name": "Climb"}));
    let mut live = vec![feed.hears_of("event.create").await, feed.hears_of("line.create").await];
    assert_eq!((&live[0]["data"], &live[1]["data"]), (event, message));

    let comes = answers(&ben, event, conv, true).await.ok();
    assert_eq!(comes["event"]["going"], json!([ana.id, ben.id]));
    answers(&ben, event, conv, true).await.ok();
    let stays = answers(&ben, event, conv, false).await.ok();
    assert_eq!(stays["event"]["not_going"], json!([ben.id]));
    let undecided = ben.asks("DELETE", &of(event, conv, "rsvp/delete")).await.ok();
    assert_eq!(undecided["event"]["not_going_count"], 0);
    for said in ["is going to", "is not going to", "is undecided about"] {
        live.push(feed.hears_of("event.rsvp").await);
        live.push(feed.hears_of("line.create").await);
        assert_eq!(live.last().unwrap()["data"]["text"], format!("Ben {said} 'Climb'."));
    }
    let change = json!({"name": "Boulder", "description": ""});
    let changed = ana.posts(&of(event, conv, "update")).json(&change).await.ok();
    let now = &changed["event"];
    assert_eq!((&now["name"], &now["description"]), (&json!("Boulder"), &Value::Null));
    assert_eq!((&now["start_at"], &now["location"]), (&event["start_at"], &event["location"]));
    live.push(feed.hears_of("event.update").await);
    live.push(feed.hears_of("line.create").await);
    assert_eq!(live[8]["data"], *now);
    assert_eq!(ben.gets(&of(event, conv, "show")).await.ok(), changed);
    assert_eq!(ben.gets(&place(conv, "list")).await.ok(), json!({"events": [now]}));
    ana.asks("DELETE", &of(event, conv, "delete")).await.ok();
    live.push(feed.hears_of("event.delete").await);
    live.push(feed.hears_of("line.create").await);
    assert_eq!(live[10]["data"]["deleted_at"], "2027-01-15T08:00:00Z");
    assert_eq!(live[11]["data"]["event"]["type"], "calendar.event.cancelled");
    ben.gets(&of(event, conv, "show")).await.refused(404);
    answers(&ben, event, conv, true).await.refused(404);
    assert_eq!(ben.gets(&place(conv, "list")).await.ok(), json!({"events": []}));
    replays_the_same(&ben, &start, &live).await;
    let next = plans(&ana, conv, &climb()).await;
    answers(&ben, &next["event"], conv, false).await.ok();
    let shown = ben.gets(&of(&next["event"], conv, "show")).await.ok();
    world.restarts().await;
    assert_eq!(ben.gets(&of(&next["event"], conv, "show")).await.ok(), shown);
    assert_eq!(answers(&ben, &next["event"], conv, false).await.ok(), shown);
    ben.gets(&of(event, conv, "show")).await.refused(404);
}

#[tokio::test]
async fn events_sort_by_start_and_past_ones_need_a_parameter() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let day = |name: &str, day: u32| {
        json!({"name": name, "start_at": format!("2027-01-{day}T08:00:00Z"),
            "end_at": format!("2027-01-{day}T09:00:00Z")})
    };
    for (name, at) in [("later", 20), ("soon", 16), ("last", 25)] {
        plans(&ana, &climbers.id, &day(name, at)).await;
    }
    let names = async |query: &str| -> Vec<String> {
        let listed = ana.gets(&place(&climbers.id, &format!("list{query}"))).await.ok();
        let events = listed["events"].as_array().unwrap();
        events.iter().map(|event| text(&event["name"]).to_owned()).collect()
    };
    assert_eq!(names("").await, ["soon", "later", "last"]);
    assert_eq!(names("?limit=2").await, ["soon", "later"]);
    assert_eq!(names("?end_at=2027-01-20T09:00:00Z").await, ["last"]);
    world.seconds_pass(2 * 86_400);
    assert_eq!(names("").await, ["later", "last"]);
    assert_eq!(names("?end_at=2027-01-01T00:00:00Z").await, ["soon", "later", "last"]);
    ana.gets(&place(&climbers.id, "list?end_at=soon")).await.refused(400);
}

#[tokio::test]
async fn chat_members_plan_events_unless_blocked() {
    let mut world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let conv = conversation(&ana, &ben);
    let mut feed = ben.listens().await;
    let made = plans(&ana, &conv, &climb()).await;
    let event = &made["event"];
    assert_eq!(made["message"]["recipient_id"], ben.id);
    assert_eq!(made["message"]["event"]["type"], "calendar.event.created");
    let told = feed.hears_of("event.create").await;
    assert_eq!((&told["data"], &told["conv"]), (event, &json!(format!("d:{conv}"))));
    assert_eq!(feed.hears_of("direct_message.create").await["data"], made["message"]);
    answers(&ben, event, &conv, true).await.ok();
    assert_eq!(feed.hears_of("event.rsvp").await["data"]["going_count"], 2);
    world.restarts().await;
    let shown = ana.gets(&of(event, &conv, "show")).await.ok();
    assert_eq!(shown["event"]["going"], json!([ana.id, ben.id]));
    ben.posts(&of(event, &conv, "update")).json(&json!({"name": "No"})).await.refused(403);
    cem.gets(&of(event, &conv, "show")).await.refused(404);
    cem.posts(&place(&conv, "create")).json(&climb()).await.refused(404);
    let blocks = format!("/v3/blocks?user={}&otherUser={}", ben.id, ana.id);
    ben.posts(&blocks).await.created();
    ana.posts(&place(&conv, "create")).json(&climb()).await.refused(403);
    ana.posts(&place(&format!("{}+1", ana.id), "create")).json(&climb()).await.refused(404);
}

#[tokio::test]
async fn reminders_skip_decliners_and_survive_downtime() {
    let mut gateway = Outside::listens().await;
    let mut world = World::with(with_gateway(&gateway.url)).await;
    let ana = with_phone(&world, "Ana", "+1 555 010 0001").await;
    let ben = with_phone(&world, "Ben", "+1 555 010 0002").await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let made = plans(&ana, &climbers.id, &climb()).await;
    let event = &made["event"];
    answers(&ben, event, &climbers.id, false).await.ok();
    for person in [&ana, &ben] {
        person.posts("/v3/users/sms_mode").json(&json!({"duration": 8})).await.created();
    }
    let start = here(&ben).await;
    world.seconds_pass(4 * 3600 + 1);
    let mut feed = ben.listens_after(&start).await;
    let told = feed.hears_of("event.reminder").await;
    assert_eq!(told["data"]["event_id"], event["event_id"]);
    let line = feed.hears_of("line.create").await;
    assert_eq!(line["data"]["text"], "'Climb' starts in 60 minutes.");
    let starting = &line["data"]["event"];
    assert_eq!(starting["type"], "calendar.event.starting");
    assert_eq!(starting["data"]["event_name"], "Climb");
    assert_eq!(starting["data"]["minutes"], "60");
    let heard = gateway.hears().await;
    let (to, said) = sms(&heard);
    assert_eq!((&*to, &*said), ("+15550100001", "Climb in Climbers: starts in 60 minutes"));
    let start = here(&ben).await;
    world.stops().await;
    world.seconds_pass(50 * 60);
    world.restarts().await;
    let mut feed = ben.listens_after(&start).await;
    feed.hears_of("event.reminder").await;
    feed.hears("'Climb' starts in 15 minutes.").await;
    assert_eq!(sms(&gateway.hears().await).0, "+15550100001");
    // Each reminder comes only once.
    ana.says(&climbers, "and on").await;
    feed.hears("and on").await;
}

#[tokio::test]
async fn deleting_the_message_deletes_its_event() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let (conv, start) = (&climbers.id, here(&ben).await);
    let made = plans(&ana, conv, &climb()).await;
    answers(&ben, &made["event"], conv, true).await.ok();
    let message = format!("/v3/conversations/{conv}/messages/{}", text(&made["message"]["id"]));
    assert_eq!(ana.asks("DELETE", &message).await.status, 204);
    for _ in 0..2 {
        ben.gets(&of(&made["event"], conv, "show")).await.refused(404);
        assert_eq!(ben.gets(&place(conv, "list")).await.ok(), json!({"events": []}));
        let read = ben.reads(&climbers, "").await;
        let left = read.iter().find(|it| it["id"] == made["message"]["id"]).unwrap();
        assert_eq!((&left["text"], left.get("event")), (&Value::Null, None));
        world.restarts().await;
    }
    let mut feed = ben.listens_after(&start).await;
    let told = feed.hears_of("event.create").await;
    assert_eq!((&told["data"]["name"], &told["data"]["location"]), (&json!(""), &Value::Null));
}

#[tokio::test]
async fn invalid_event_is_refused_with_reason() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem] = world.people(["Cem"]).await;
    let conv = &climbers.id;
    let with = |field: &str, value: Value| {
        let mut wrong = climb();
        wrong[field] = value;
        wrong
    };
    for (field, value) in [
        ("name", json!("")),
        ("name", json!("x".repeat(161))),
        ("description", json!("x".repeat(1001))),
        ("start_at", json!("tomorrow")),
        ("start_at", Value::Null),
        ("end_at", json!("2027-01-15T13:00:00+01:00")),
        ("timezone", json!("Berlin, Germany")),
        ("is_all_day", json!("maybe")),
        ("reminders", json!([-1])),
        ("reminders", json!([2_419_201])),
        ("reminders", json!(vec![1; 11])),
        ("location", json!({"name": "x", "lat": 91, "lng": 0})),
        ("location", json!("home")),
    ] {
        let refused =
            ana.posts(&place(conv, "create")).json(&with(field, value)).await.refused(400);
        assert!(refused[0].starts_with(field), "{refused:?}");
    }
    let mut past = climb();
    (past["start_at"], past["end_at"]) =
        (json!("2027-01-14T08:00:00Z"), json!("2027-01-15T08:00:00Z"));
    ana.posts(&place(conv, "create")).json(&past).await.refused(400);
    cem.posts(&place(conv, "create")).json(&climb()).await.refused(404);
    let made = plans(&ana, conv, &climb()).await;
    let event = &made["event"];
    ben.posts(&of(event, conv, "update")).json(&json!({"name": "No"})).await.refused(403);
    ben.asks("DELETE", &of(event, conv, "delete")).await.refused(403);
    ben.posts(&of(event, conv, "rsvp")).await.refused(400);
    ben.gets(&place(conv, "show")).await.refused(400);
    ben.gets(&place(conv, "show?event_id=17")).await.refused(404);
    cem.gets(&of(event, conv, "show")).await.refused(404);
    cem.gets(&place(conv, "list")).await.refused(404);
    answers(&cem, event, conv, true).await.refused(404);
    let own = json!({"text": "mine", "attachments": [{"type": "event", "event_id": "1"}]});
    ana.posting(&climbers, own).await.refused(400);
    world.seconds_pass(8 * 3600);
    answers(&ben, event, conv, true).await.refused(400);
}

#[tokio::test]
async fn an_event_goes_into_other_calendars() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let made = plans(&ana, &climbers.id, &climb()).await;
    let id = text(&made["event"]["event_id"]).to_owned();
    let file = ben.gets(&place(&climbers.id, &format!("{id}.ics"))).await;
    assert_eq!(file.status, 200);
    assert_eq!(file.header("content-type"), Some("text/calendar; charset=utf-8"));
    let body = file.text.clone();
    for line in [
        "DTSTART:20270115T130000Z",
        "DTEND:20270115T150000Z",
        "SUMMARY:Climb",
        "DESCRIPTION:bring rope\\, and nuts",
        "LOCATION:The wall\\, Ropeway 1",
        "GEO:52.5;13.4",
        "TRIGGER:-PT3600S",
    ] {
        assert!(body.contains(&format!("\r\n{line}\r\n")), "{body}");
    }
    // JSON allows number formats that calendar files do not.
    let mut far = climb();
    far["location"] = json!({"name": "x", "lat": 1e-7, "lng": "1.5e2"});
    let id_of_far = text(&plans(&ana, &climbers.id, &far).await["event"]["event_id"]).to_owned();
    let file = ben.gets(&place(&climbers.id, &format!("{id_of_far}.ics"))).await;
    assert!(file.text.contains("\r\nGEO:0.0000001;150\r\n"), "{}", file.text);
    ben.gets(&place(&climbers.id, &id)).await.refused(404);
    ben.gets(&place(&climbers.id, "17.ics")).await.refused(404);
    let [cem] = world.people(["Cem"]).await;
    cem.gets(&place(&climbers.id, &format!("{id}.ics"))).await.refused(404);
}

#[tokio::test]
async fn events_at_the_end_of_the_calendar_are_refused_or_exported() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let late = |start: &str, end: &str, is_all_day: bool| {
        let body = json!({"name": "C", "timezone": "UTC", "is_all_day": is_all_day,
            "start_at": start, "end_at": end});
        ana.posts(&place(&climbers.id, "create")).json(&body)
    };
    for (start, end) in [
        ("9999-12-31T00:00:00Z", "9999-12-31T12:00:00Z"),
        ("9999-12-31T23:59:59-14:00", "9999-12-31T23:59:59-14:00"),
        ("0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"),
    ] {
        for is_all_day in [true, false] {
            late(start, end, is_all_day).await.refused(400);
        }
    }
    for (start, end, dates) in [
        (
            "9999-12-30T00:00:00Z",
            "9999-12-30T12:00:00Z",
            "DTSTART;VALUE=DATE:99991230\r\nDTEND;VALUE=DATE:99991231\r\n",
        ),
        (
            "2028-02-29T00:00:00+14:00",
            "2028-02-29T00:00:00+14:00",
            "DTSTART;VALUE=DATE:20280229\r\nSUMMARY",
        ),
    ] {
        let made = late(start, end, true).await.created();
        let id = text(&made["event"]["event_id"]).to_owned();
        let file = ana.gets(&place(&climbers.id, &format!("{id}.ics"))).await;
        assert!(file.text.contains(dates), "{}", file.text);
    }
}

#[tokio::test]
async fn whole_days_are_those_of_the_named_zone() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    for (start, end, zone, dates, shown) in [
        (
            "2027-04-30T22:00:00Z",
            "2027-05-01T22:00:00Z",
            "Europe/Berlin",
            "DTSTART;VALUE=DATE:20270501\r\nDTEND;VALUE=DATE:20270502\r\n",
            "2027-05-01T00:00:00+02:00",
        ),
        (
            "2027-05-01T04:00:00Z",
            "2027-05-03T03:59:59Z",
            "America/New_York",
            "DTSTART;VALUE=DATE:20270501\r\nDTEND;VALUE=DATE:20270503\r\n",
            "2027-05-01T00:00:00-04:00",
        ),
        (
            "2027-05-01T00:00:00Z",
            "2027-05-02T00:00:00Z",
            "Europe/Berlin",
            "DTSTART;VALUE=DATE:20270501\r\nDTEND;VALUE=DATE:20270502\r\n",
            "2027-05-01T00:00:00Z",
        ),
    ] {
        let body = json!({"name": "C", "timezone": zone, "is_all_day": true,
            "start_at": start, "end_at": end});
        let made = ana.posts(&place(&climbers.id, "create")).json(&body).await.created();
        assert_eq!(made["event"]["start_at"], shown);
        let id = text(&made["event"]["event_id"]).to_owned();
        let file = ana.gets(&place(&climbers.id, &format!("{id}.ics"))).await;
        assert!(file.text.contains(dates), "{}", file.text);
    }
}

#[tokio::test]
async fn reminder_comes_when_an_event_ends_as_it_begins() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut event = climb();
    (event["end_at"], event["reminders"]) = (json!(START), json!([0]));
    plans(&ana, &climbers.id, &event).await;
    // The rooms sleep after a restart.
    world.restarts().await;
    let ben = world.welcomes(&ben);
    let start = here(&ben).await;
    // A socket that is open while hours pass may be closed as silent.
    world.seconds_pass(5 * 3600);
    let mut feed = ben.listens_after(&start).await;
    feed.hears_of("event.reminder").await;
    assert_eq!(feed.hears_of("line.create").await["data"]["text"], "'Climb' is starting now.");
}

#[tokio::test]
async fn bayeux_clients_get_calendar_events_on_request_only() {
    for transport in BOTH {
        let world = World::start().await;
        let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
        let group = format!("/group/{}", climbers.id);
        let mut there = Client::with_all_types(&ana, transport, &[&group]).await;
        let mut original = Client::on(&ana, transport, &[&group]).await;
        let made = plans(&ben, &climbers.id, &climb()).await;
        let told = there.hears_on(&group, "event.create").await;
        assert_eq!(told["subject"], made["event"]);
        answers(&ana, &made["event"], &climbers.id, true).await.ok();
        let told = there.hears_on(&group, "event.rsvp").await;
        assert_eq!(told["subject"]["going"], json!([ana.id, ben.id]));
        let path = format!("/v3/messages/{}/{}/like", climbers.id, text(&made["message"]["id"]));
        ben.posts(&path).await.ok();
        original.hears_on(&group, "favorite").await;
    }
}
