//! People answer calendar events while the server is killed: every acknowledged answer counts
//! afterwards, once.

use std::time::Duration;

use serde_json::{Value, json};

use crate::asking::{Person, starts};
use crate::rounds::Rounds;

/// How many calendar events are answered at the same time.
const EVENTS: usize = 4;

/// What a client knows at the end: the last answer that was acknowledged, and the one whose
/// response never came.
struct Known {
    event: String,
    said: bool,
    unknown: bool,
}

fn path(group: &str, what: &str) -> String {
    format!("/v3/conversations/{group}/events/{what}")
}

async fn plans(person: &Person, group: &str) -> String {
    let event = json!({"name": "Climb", "start_at": "2100-01-01T18:00:00+01:00",
        "end_at": "2100-01-01T21:00:00+01:00", "reminders": [900]});
    let (status, made) = person.posts(&path(group, "create"), &event).await.unwrap();
    assert_eq!(status, 201, "{made}");
    made["event"]["event_id"].as_str().unwrap().to_owned()
}

/// Answers a calendar event, again and again, until the server is gone.
async fn answers(person: Person, group: String, event: String, seed: u64) -> Known {
    // The user who creates an event is going.
    let (mut random, mut said) = (fastrand::Rng::with_seed(seed), true);
    loop {
        let unknown = random.bool();
        let place = path(&group, &format!("rsvp?event_id={event}&going={unknown}"));
        match person.posts(&place, &json!({})).await {
            Some((200, _)) => said = unknown,
            Some((status, answer)) => panic!("{status}: {answer}"),
            None => return Known { event, said, unknown },
        }
    }
}

/// Checks that the answer shown is one of the two known ones, and is counted in one list.
fn check(event: &Value, known: &Known) {
    let counts = (&event["going_count"], &event["not_going_count"]);
    let is_going = counts == (&json!(1), &json!(0));
    assert!(is_going || counts == (&json!(0), &json!(1)), "{event}");
    assert!(is_going == known.said || is_going == known.unknown, "{event}");
}

async fn round(Rounds { data, person, random, .. }: &mut Rounds) {
    let program = starts(data.path());
    person.goes_to(&program);
    let group = person.creates_group("Climbers").await;
    let mut tasks = Vec::new();
    for _ in 0..EVENTS {
        let event = plans(person, &group).await;
        tasks.push(tokio::spawn(answers(person.clone(), group.clone(), event, random.u64(..))));
    }
    tokio::time::sleep(Duration::from_micros(random.u64(0..300_000))).await;
    program.dies();
    let mut known = Vec::new();
    for task in tasks {
        known.push(task.await.unwrap());
    }
    let program = starts(data.path());
    person.goes_to(&program);
    for known in &known {
        let show = path(&group, &format!("show?event_id={}", known.event));
        let (status, shown) = person.gets(&show).await;
        assert_eq!(status, 200, "{shown}");
        check(&shown["event"], known);
    }
    let (_, listed) = person.gets(&path(&group, "list")).await;
    assert_eq!(listed["events"].as_array().unwrap().len(), EVENTS);
    program.dies();
}

#[tokio::test]
async fn answers_survive_a_kill() {
    let mut rounds = Rounds::begin(4).await;
    while rounds.next().is_some() {
        round(&mut rounds).await;
    }
}
