//! Whoever comes later is told what those who were there were told: the same frames, by
//! every transport.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::person::{Person, text};
use crate::world::stream::Stream;

/// Where somebody stands now.
async fn here(person: &Person) -> String {
    text(&person.gets("/v3/events").await.ok()["c"]).to_owned()
}

/// What each transport replays after a cursor, in the order of its name.
async fn replayed(person: &Person, after: &str, count: usize) -> [(&'static str, Vec<Value>); 3] {
    let mut feed = person.listens_after(after).await;
    let mut stream = Stream::open(person, &format!("?after={after}"), &[]).await;
    stream.hears("welcome").await;
    let polled = person.gets(&format!("/v3/events?after={after}")).await.ok();
    let (mut socket, mut parts) = (Vec::new(), Vec::new());
    for _ in 0..count {
        socket.push(feed.next().await);
        parts.push(stream.hears("ev").await.data);
    }
    stream.hears("synced").await;
    let polled = polled["events"].as_array().unwrap().clone();
    [("WebSocket", socket), ("SSE", parts), ("long-poll", polled)]
}

/// Reads what is heard live, then lets every transport replay it.
async fn replays_the_same(person: &Person, after: &str, live: &[Value]) {
    for (transport, told) in replayed(person, after, live.len()).await {
        assert_eq!(told, live, "by {transport}");
    }
}

#[tokio::test]
async fn a_like_says_who_liked_the_message_then() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ana.adds(&cem, &climbers).await;
    let line = ana.says(&climbers, "rope at six").await;
    let letter = json!({"source_guid": "1", "recipient_id": cem.id, "text": "hi Cem"});
    let letter = ana.posts("/v3/direct_messages").json(&json!({"direct_message": letter}));
    let letter = letter.await.created()["message"].clone();
    let in_group = format!("/v3/messages/{}/{}", climbers.id, text(&line["id"]));
    let chat = text(&letter["conversation_id"]);
    let in_chat = format!("/v3/messages/{chat}/{}", text(&letter["id"]));
    let (start, mut feed) = (here(&cem).await, cem.listens().await);
    let mut expected = Vec::new();
    let mut likers: Vec<&str> = Vec::new();
    // Given, taken back, given again: in the end nothing is as it was in between.
    for (who, act) in [
        (&ben, "like"),
        (&cem, "like"),
        (&ben, "unlike"),
        (&ana, "like"),
        (&ben, "like"),
        (&cem, "unlike"),
        (&ana, "unlike"),
        (&ben, "unlike"),
    ] {
        world.seconds_pass(1);
        who.posts(&format!("{in_group}/{act}")).await.ok();
        likers.retain(|id| *id != who.id);
        if act == "like" {
            likers.push(&who.id);
        }
        expected.push(json!(likers));
    }
    for (who, act, then) in [
        (&cem, "like", vec![&cem.id]),
        (&ana, "like", vec![&cem.id, &ana.id]),
        (&cem, "unlike", vec![&ana.id]),
    ] {
        world.seconds_pass(1);
        who.posts(&format!("{in_chat}/{act}")).await.ok();
        expected.push(json!(then));
    }
    let mut live = Vec::new();
    for then in expected {
        let event = feed.hears_of("favorite").await;
        assert_eq!(event["data"]["favorited_by"], then, "{event}");
        live.push(event);
    }
    replays_the_same(&cem, &start, &live).await;
}
