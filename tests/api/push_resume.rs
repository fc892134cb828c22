//! Resuming: every event after a cursor, once, in order; or a `reset`, but never a silent gap
//! (design, "Resume").

use serde_json::{Value, json};

use crate::world::World;
use crate::world::feed::Feed;
use crate::world::person::{Group, Person, text};
use crate::world::server::Setup;

/// Reads events up to this message; returns their texts.
async fn heard_until(feed: &mut Feed, last: &str) -> Vec<String> {
    let mut heard = Vec::new();
    while heard.last().is_none_or(|words| words != last) {
        let event = feed.hears_of("line.create").await;
        heard.push(text(&event["data"]["text"]).to_owned());
    }
    heard
}

fn texts(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|number| format!("m{number}")).collect()
}

async fn says_all(who: &Person, group: &Group, range: std::ops::Range<usize>) {
    for words in texts(range) {
        who.says(group, &words).await;
    }
}

#[tokio::test]
async fn resume_sends_missed_events_once() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let mut feed = ben.listens().await;
    says_all(&ana, &climbers, 0..5).await;
    assert_eq!(heard_until(&mut feed, "m4").await, texts(0..5));
    let cursor = feed.cursor.clone();
    drop(feed);
    says_all(&ana, &climbers, 5..150).await;
    let mut feed = ben.listens_after(&cursor).await;
    assert_eq!(feed.welcome["resumed"], true);
    assert_eq!(feed.welcome["c"], cursor);
    assert_eq!(heard_until(&mut feed, "m149").await, texts(5..150));
    feed.stays_silent().await;
    drop(feed);
    world.restarts().await;
    let mut feed = ben.listens_after(&cursor).await;
    assert_eq!(feed.reset, None);
    assert_eq!(heard_until(&mut feed, "m149").await, texts(5..150));
    // `stays_silent` created a group of Ben's, whose event is replayed too.
    feed.hears_of("membership.create").await;
    ana.says(&climbers, "after the restart").await;
    feed.hears("after the restart").await;
}

#[tokio::test]
async fn replayed_event_equals_live_event() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let mut live = ana.listens().await;
    let cursor = live.cursor.clone();
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ana.says(&climbers, "rope at six").await;
    let mut heard: Vec<Value> = Vec::new();
    for _ in 0..4 {
        heard.push(live.next().await);
    }
    world.restarts().await;
    let mut replayed = ana.listens_after(&cursor).await;
    for event in &heard {
        assert_eq!(&replayed.next().await, event);
    }
    // With the cursor of an event in the middle, the replay begins with the very next event.
    let mut rest = ana.listens_after(text(&heard[1]["c"])).await;
    assert_eq!(rest.next().await, heard[2]);
}

#[tokio::test]
async fn resume_during_writes_misses_nothing() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let mut cursor = ben.listens().await.cursor;
    let writing = says_all(&ana, &climbers, 0..300);
    let reading = async {
        let mut heard: Vec<String> = Vec::new();
        while heard.len() < 300 {
            let mut feed = ben.listens_after(&cursor).await;
            // The client reads a few events, then the connection breaks.
            for _ in 0..17.min(300 - heard.len()) {
                let event = feed.hears_of("line.create").await;
                heard.push(text(&event["data"]["text"]).to_owned());
            }
            cursor = feed.cursor.clone();
        }
        heard
    };
    let ((), heard) = tokio::join!(writing, reading);
    assert_eq!(heard, texts(0..300));
}

#[tokio::test]
async fn new_member_receives_events_from_joining_on() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let cursor = ben.listens().await.cursor;
    let climbers = ana.creates_group("Climbers").await;
    ana.says(&climbers, "before Ben").await;
    ana.adds(&ben, &climbers).await;
    ana.says(&climbers, "after Ben").await;
    let mut feed = ben.listens_after(&cursor).await;
    let joined = feed.hears_of("membership.create").await;
    assert_eq!((&joined["n"], &joined["data"]["by"]), (&json!(3), &json!(ana.id)));
    feed.hears("Ana added Ben to the group.").await;
    feed.hears("after Ben").await;
    feed.stays_silent().await;
}

#[tokio::test]
async fn strangers_hear_nothing_when_they_resume() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let cursor = ben.listens().await.cursor;
    let climbers = ana.creates_group("Climbers").await;
    ana.says(&climbers, "a secret").await;
    ben.listens_after(&cursor).await.stays_silent().await;
}

#[tokio::test]
async fn foreign_cursor_resets_and_keeps_the_socket() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.says(&climbers, "old").await;
    let here = ana.listens().await.cursor;
    let other_history = if here.starts_with('0') { "1" } else { "0" }.to_owned() + &here[1..];
    let in_the_future = here[..8].to_owned() + &"f".repeat(16);
    for cursor in [other_history.as_str(), &in_the_future, "", "7", "nonsense", &here[..23]] {
        let mut feed = ana.listens_after(cursor).await;
        let reset = feed.reset.clone().unwrap();
        assert_eq!(reset, json!({"t": "reset", "c": reset["c"], "why": "unknown"}), "{cursor}");
        assert_eq!(feed.welcome["resumed"], false);
        assert_eq!(reset["c"], feed.cursor);
        ana.says(&climbers, "new").await;
        feed.hears("new").await;
    }
}

#[tokio::test]
async fn resume_of_more_than_5000_events_resets() {
    let world = World::with(Setup::default().option("--rate-limit", "off")).await;
    let [ana] = world.people(["Ana"]).await;
    let first = ana.listens().await.cursor;
    let climbers = ana.creates_group("Climbers").await;
    let mut feed = ana.listens().await;
    let second = feed.cursor.clone();
    // Messages posted at the same time share one fsync.
    for _ in 0..50 {
        let posts = (0..100).map(|_| ana.says(&climbers, "m"));
        futures_util::future::join_all(posts).await;
    }
    for _ in 0..5000 {
        feed.hears("m").await;
    }
    let mut whole = ana.listens_after(&second).await;
    assert_eq!(whole.reset, None);
    for _ in 0..5000 {
        whole.hears("m").await;
    }
    // The creation of the group makes it one event more than may be replayed.
    let mut reset = ana.listens_after(&first).await;
    let frame = reset.reset.clone().unwrap();
    assert_eq!(frame, json!({"t": "reset", "c": reset.cursor, "why": "too_far"}));
    ana.says(&climbers, "live").await;
    for feed in [&mut feed, &mut whole, &mut reset] {
        feed.hears("live").await;
    }
}

#[tokio::test]
async fn cached_replay_frames_respect_deletes_and_mutes() {
    let world = World::start().await;
    let ([ana, ben, cem, dan], climbers) = world.climbing(["Ana", "Ben", "Cem", "Dan"]).await;
    dan.posts(&climbers.path("/memberships/mute")).json(&json!({})).await.ok();
    let cursor = ana.listens().await.cursor;
    let wrong = ana.says(&climbers, "rope at five").await;
    ana.says(&climbers, "rope at six").await;
    let told_again = async |who: &Person| {
        let mut feed = who.listens_after(&cursor).await;
        [feed.hears_of("line.create").await, feed.hears_of("line.create").await]
    };
    let [first, second] = told_again(&ben).await;
    assert_eq!(first["data"], wrong);
    assert_eq!(
        (&first["alert"], &second["alert"]),
        (&json!("Ana: rope at five"), &json!("Ana: rope at six"))
    );
    assert_eq!(told_again(&cem).await, [first.clone(), second.clone()]);
    let without_alert = [&first, &second].map(|event| {
        let mut event = event.clone();
        event["alert"] = Value::Null;
        event
    });
    assert_eq!(told_again(&dan).await, without_alert);
    assert_eq!(told_again(&ben).await, [first, second.clone()]);

    let path = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&wrong["id"]));
    assert_eq!(ana.asks("DELETE", &path).await.status, 204);
    let [gone, still] = told_again(&cem).await;
    assert_eq!((&gone["data"]["id"], &gone["data"]["text"]), (&wrong["id"], &Value::Null));
    assert_eq!(still, second);
    assert_eq!(told_again(&ben).await, [gone, still]);
}
