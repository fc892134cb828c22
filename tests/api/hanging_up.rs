//! Clients that hang up: what waits on their behalf ends at once, and what they asked for is done
//! in full.

use serde_json::json;

use crate::world::World;
use crate::world::bayeux::{Client, Transport};
use crate::world::person::Person;
use crate::world::raw::Raw;

/// An HTTP request with a token and a body, as it is sent.
fn request(person: &Person, method: &str, path: &str, body: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: x\r\nX-Access-Token: {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        person.token,
        body.len()
    )
}

/// The server did not notice the end of a connection (FIN): each abandoned poll counted as a reader
/// for a minute, and a hundred of them locked their user out.
#[tokio::test]
async fn abandoned_long_poll_frees_its_place() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let poll = request(&ana, "GET", "/v3/events?wait=60", "");
    for _ in 0..105 {
        let mut raw = Raw::sends(world.address.get(), &poll).await;
        raw.hangs_up().await;
        assert_eq!(raw.hears_all().await, "");
    }
    ana.gets("/v3/events?wait=0").await.ok();
}

#[tokio::test]
async fn a_stream_ends_when_its_client_hangs_up() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let stream = request(&ana, "GET", "/v3/events/stream", "");
    let mut raw = Raw::sends(world.address.get(), &stream).await;
    raw.hears_answer().await;
    raw.hangs_up().await;
    raw.hears_all().await;
}

/// Messages used to be written to a connection that nobody read any more.
#[tokio::test]
async fn disconnected_bayeux_poll_loses_nothing() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    for words in ["one", "two", "three"] {
        let mut client = Client::own(&ben, Transport::Polling).await;
        let connect = client.message(json!({
            "channel": "/meta/connect", "connectionType": "long-polling",
            "advice": {"timeout": 30_000},
        }));
        let held = request(&ben, "POST", "/faye", &json!([connect]).to_string());
        let mut raw = Raw::sends(world.address.get(), &held).await;
        raw.hangs_up().await;
        assert_eq!(raw.hears_all().await, "");
        ana.says(&climbers, words).await;
        client.hears(words).await;
    }
}

/// A client that closes its connection right after its request has made the request: it is done,
/// and not by half.
#[tokio::test]
async fn request_completes_after_client_disconnects() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let climbers = ana.creates_group("Climbers").await;
    let mut feed = ana.listens().await;
    let path = format!("/v3/groups/{}/messages", climbers.id);
    for number in 0..20 {
        let words = format!("rope at {number}");
        let body = json!({"message": {"source_guid": words, "text": words}}).to_string();
        let mut raw = Raw::sends(world.address.get(), &request(&ana, "POST", &path, &body)).await;
        raw.hangs_up().await;
        raw.hears_all().await;
        feed.hears(&words).await;
    }
}
