//! A member who was removed can no longer read the group: after a cursor they get nothing of a
//! group that REST answers with 404, except that they are out of it.

use std::future::IntoFuture;

use serde_json::{Value, json};

use crate::trouble::troubled;
use crate::waiting::until;
use crate::world::World;
use crate::world::bayeux::{Client, Transport};
use crate::world::person::{Person, text};
use crate::world::stream::Stream;

/// The events after a cursor; asserts that every transport replays the same.
async fn hears_after(person: &Person, cursor: &str) -> Vec<Value> {
    let polled = person.gets(&format!("/v3/events?after={cursor}")).await.ok();
    let polled = polled["events"].as_array().unwrap().clone();
    let mut feed = person.listens_after(cursor).await;
    let mut stream = Stream::open(person, &format!("?after={cursor}"), &[]).await;
    stream.hears("welcome").await;
    for event in &polled {
        assert_eq!(&feed.next().await, event, "by WebSocket");
        assert_eq!(&stream.hears("ev").await.data, event, "by server-sent events");
    }
    stream.hears("synced").await;
    polled
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| text(&event["type"])).collect()
}

#[tokio::test]
async fn offline_removed_member_receives_only_the_removal() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let walkers = ana.creates_group("Walkers").await;
    ana.adds(&ben, &walkers).await;
    let cursor = ben.listens().await.cursor;
    ana.says(&climbers, "a secret").await;
    let change = json!({"name": "Secret climbers", "share": true});
    ana.posts(&climbers.path("/update")).json(&change).await.ok();
    ana.says(&walkers, "for Ben too").await;
    ana.removes(&ben, &climbers).await.ok();
    ana.says(&climbers, "another secret").await;
    ben.gets(&climbers.path("")).await.refused(404);
    let events = hears_after(&ben, &cursor).await;
    assert_eq!(kinds(&events), ["line.create", "membership.delete"]);
    assert_eq!(events[0]["data"]["text"], "for Ben too");
    assert_eq!(events[1]["conv"], climbers.conv());
    let gone = events[1]["data"]["memberships"].as_array().unwrap();
    assert_eq!((gone.len(), &gone[0]["user_id"]), (1, &json!(ben.id)));
    // That event comes only once: after its cursor there is nothing more.
    assert_eq!(hears_after(&ben, text(&events[1]["c"])).await, Vec::<Value>::new());
}

#[tokio::test]
async fn leaver_or_destroyed_group_receives_only_that() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let cursor = ben.listens().await.cursor;
    ana.says(&climbers, "one").await;
    ben.leaves(&climbers).await;
    ana.says(&climbers, "two").await;
    assert_eq!(kinds(&hears_after(&ben, &cursor).await), ["membership.delete"]);
    // As a member again, Ben gets the events of both his stays, but nothing from between them.
    ben.posts("/v3/groups/join").json(&json!({"group_id": climbers.id})).await.ok();
    let events = hears_after(&ben, &cursor).await;
    let said: Vec<&Value> = events.iter().map(|event| &event["data"]["text"]).collect();
    assert!(said.contains(&&json!("one")) && !said.contains(&&json!("two")), "{said:?}");
    ana.posts(&climbers.path("/destroy")).await.ok();
    let events = hears_after(&ben, &cursor).await;
    assert_eq!(kinds(&events), ["group.delete"]);
    assert_eq!(kinds(&hears_after(&ana, &cursor).await).last(), Some(&"group.delete"));
}

/// Events are queued for a Bayeux client between two connects; what was still permitted when it was
/// queued may no longer be permitted when the client asks.
#[tokio::test]
async fn returning_bayeux_client_gets_no_events_after_removal() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let walkers = ana.creates_group("Walkers").await;
    ana.adds(&ben, &walkers).await;
    let mut client = Client::own(&ben, Transport::Polling).await;
    ana.says(&walkers, "before").await;
    client.hears("before").await;
    ana.says(&climbers, "a secret").await;
    ana.removes(&ben, &climbers).await.ok();
    ana.says(&walkers, "after").await;
    client.hears("after").await;
}

/// A room waits for the disk while it looks up an old message, and the member may be removed then.
#[tokio::test]
async fn a_member_who_is_removed_during_a_look_up_is_refused() {
    let (mut world, trouble) = troubled().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let old = ben.says(&climbers, "rope at six").await;
    let (id, conv) = (text(&old["id"]).to_owned(), climbers.id.clone());
    let message = format!("/v3/conversations/{conv}/messages/{id}");
    ben.asks("PUT", &message).json(&json!({"text": "rope at seven"})).await.ok();
    ana.posts(&format!("/v3/messages/{conv}/{id}/like")).await.ok();
    ana.posts(&format!("{message}/pin")).await.ok();
    let other = ana.says(&climbers, "bring water").await;
    // From here on, the room holds only the newest message.
    world.restarts().await;
    for path in [
        format!("POST /v3/messages/{conv}/{id}/like"),
        format!("POST /v3/messages/{conv}/{}/unlike", text(&other["id"])),
        format!("GET {message}/history"),
        format!("GET {message}/replies"),
        format!("GET /v3/pinned/groups/{conv}/messages"),
        format!("GET /v3/groups/{conv}/likes?period=day"),
        format!("GET /v3/groups/{conv}/messages?limit=3"),
        format!("GET /v3/groups/{conv}/messages?before_id={}", text(&other["id"])),
    ] {
        ana.gets(&climbers.path("")).await.ok();
        trouble.journal().hold_reads();
        let (method, place) = path.split_once(' ').unwrap();
        let asked = tokio::spawn(ben.asks(method, place).into_future());
        until("the room reads", async || trouble.journal().held_reads() > 0).await;
        ana.removes(&ben, &climbers).await.ok();
        trouble.journal().release_reads();
        let answer = asked.await.unwrap();
        assert!(matches!(answer.status, 403 | 404), "{path}: {} {}", answer.status, answer.text);
        ana.adds(&ben, &climbers).await;
        world.restarts().await;
    }
    let read = ana.reads(&climbers, "?limit=100").await;
    let liked = read.iter().find(|it| it["id"] == *id).unwrap();
    assert_eq!(liked["favorited_by"], json!([ana.id]));
}
