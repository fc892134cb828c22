//! A Bayeux client misses nothing: with lost responses, lost sockets, absence, and a restart of the
//! server.

use std::time::Duration;

use serde_json::{Value, json};

use crate::world::World;
use crate::world::bayeux::{BOTH, Client, Transport, own_channel, posts};
use crate::world::person::{Group, Person, text};
use crate::world::raw::Raw;
use crate::world::server::Setup;

fn texts(messages: &[Value]) -> Vec<&str> {
    messages.iter().filter_map(|it| it["data"]["subject"]["text"].as_str()).collect()
}

/// Ana, her group, and her client.
async fn climbing(transport: Transport) -> (World, Person, Group, Client) {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let client = Client::own(&ana, transport).await;
    (world, ana, climbers, client)
}

/// A connect of a client, on a connection that stays open.
fn raw_connect(world: &World, client: &mut Client) -> String {
    let connect = json!({"channel": "/meta/connect", "connectionType": "long-polling"});
    let body = json!([client.message(connect)]).to_string();
    format!(
        "POST /faye HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        world.address.get(),
        body.len()
    )
}

#[tokio::test]
async fn response_on_a_broken_connection_is_resent() {
    let (world, ana, climbers, mut client) = climbing(Transport::Polling).await;
    let connect = raw_connect(&world, &mut client);
    let mut raw = Raw::sends(world.address.get(), &connect).await;
    ana.says(&climbers, "one").await;
    assert!(raw.hears_whole_answer().await.contains("\"one\""));
    ana.says(&climbers, "two").await;
    raw.says(&raw_connect(&world, &mut client)).await;
    assert!(raw.hears_whole_answer().await.contains("\"two\""));
    // The client never sees that answer: its connection breaks, and it connects over another one.
    raw.hangs_up().await;
    raw.hears_all().await;
    client.hears("two").await;
    ana.says(&climbers, "three").await;
    client.hears("three").await;
}

#[tokio::test]
async fn ids_of_connects_and_pauses_repeat_nothing() {
    let (world, ana, climbers, client) = climbing(Transport::Polling).await;
    let ids: [fn(usize) -> Value; 4] =
        [|_| json!("4"), |_| Value::Null, |number| json!(number), |number| json!(number % 2)];
    for (style, id) in ids.into_iter().enumerate() {
        let mut heard = Vec::new();
        for number in 0..6 {
            ana.says(&climbers, &format!("{style} {number}")).await;
            let connect =
                json!({"channel": "/meta/connect", "clientId": client.id, "id": id(number)});
            let replies = posts(&world.address, &connect).await;
            heard.extend(texts(&replies).into_iter().map(str::to_owned));
            // Time in which the client does something else.
            world.seconds_pass(40);
        }
        let expected: Vec<String> = (0..6).map(|number| format!("{style} {number}")).collect();
        assert_eq!(heard, expected);
    }
}

/// Ben's client polls. It has received nothing of what waits for it when a message is deleted, and
/// when Ben is removed.
#[tokio::test]
async fn polling_client_gets_no_deleted_or_later_text() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut client = Client::own(&ben, Transport::Polling).await;
    ana.says(&climbers, "first").await;
    client.hears("first").await;
    let mut said = Vec::new();
    for words in ["one", "secret two", "three", "secret four"] {
        said.push(ana.says(&climbers, words).await);
    }
    client.hears("one").await;
    let mut feed = ben.listens().await;
    let path = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said[1]["id"]));
    assert_eq!(ana.asks("DELETE", &path).await.status, 204);
    // Readers hear of the deletion a moment after it is answered.
    while feed.next().await["type"] != "message.deleted" {}
    assert!(!client.next().await.to_string().contains("secret two"));
    client.hears("three").await;
    ana.removes(&ben, &climbers).await.ok();
    let fence = ben.creates_group("Fence").await;
    ben.says(&fence, "fence").await;
    loop {
        let message = client.next().await.to_string();
        assert!(!message.contains("secret"), "{message}");
        if message.contains("fence") {
            break;
        }
    }
}

/// An edited message waits as two messages. It is deleted between them.
#[tokio::test]
async fn a_deletion_between_two_messages_of_an_event_hides_the_text() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let group = format!("/group/{}", climbers.id);
    let mut client = Client::on(&ben, Transport::Polling, &[&own_channel(&ben), &group]).await;
    let said = ana.says(&climbers, "rope at six").await;
    client.hears("rope at six").await;
    let path = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said["id"]));
    ana.asks("PUT", &path).json(&json!({"text": "a secret"})).await.ok();
    let told = client.hears_on(&group, "message.update").await;
    assert_eq!(told["subject"]["text"], "a secret");
    assert_eq!(ana.asks("DELETE", &path).await.status, 204);
    client.hears_on(&group, "message.deleted").await;
    client.hears("A message was deleted.").await;
}

#[tokio::test]
async fn dropped_request_loses_no_events() {
    let (_world, ana, climbers, mut client) = climbing(Transport::Polling).await;
    let held = client.connects(30_000);
    assert!(tokio::time::timeout(Duration::from_millis(200), held).await.is_err());
    ana.says(&climbers, "one").await;
    client.hears("one").await;
}

#[tokio::test]
async fn last_messages_of_lost_socket_are_resent() {
    let (_world, ana, climbers, mut client) = climbing(Transport::Socket).await;
    ana.says(&climbers, "one").await;
    client.hears("one").await;
    // The socket breaks before a connect could confirm the message.
    client.lost_what_it_was_told();
    client.takes_a_socket().await;
    ana.says(&climbers, "two").await;
    client.hears("one").await;
    client.hears("two").await;
}

#[tokio::test]
async fn one_client_goes_from_transport_to_transport() {
    let (_world, ana, climbers, mut client) = climbing(Transport::Polling).await;
    ana.says(&climbers, "one").await;
    client.hears("one").await;
    client.takes_a_socket().await;
    ana.says(&climbers, "two").await;
    client.hears("two").await;
    assert_eq!(client.connects(0).await["successful"], true);
    client.takes_requests();
    ana.says(&climbers, "three").await;
    client.hears("three").await;
}

#[tokio::test]
async fn client_absent_under_10_minutes_misses_nothing() {
    let world = World::with(Setup::default().option("--rate-limit", "off")).await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    for transport in BOTH {
        let mut client = Client::own(&ana, transport).await;
        assert_eq!(client.connects(0).await["successful"], true);
        // A socket that has not ended yet for the server only lets the absence begin later.
        client.takes_requests();
        world.seconds_pass(9 * 60 + 50);
        for number in 0..300 {
            ana.says(&climbers, &format!("{transport:?} {number}")).await;
        }
        for number in 0..300 {
            client.hears(&format!("{transport:?} {number}")).await;
        }
        world.seconds_pass(10 * 60 + 1);
        world.holds("bayeux_clients", 0).await;
        let reply = client.connects(0).await;
        assert!(text(&reply["error"]).starts_with("401:"), "{reply}");
    }
}

#[tokio::test]
async fn after_a_restart_a_cursor_leaves_no_gap() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    for transport in BOTH {
        let mut client = Client::own(&ana, transport).await;
        ana.says(&climbers, "before").await;
        let told = client.next().await;
        let cursor = text(&told["ext"]["c"]).to_owned();
        ana.says(&climbers, "unheard").await;
        world.restarts().await;
        ana.says(&climbers, "after").await;
        match transport {
            Transport::Socket => client.takes_a_socket().await,
            Transport::Polling => client.takes_requests(),
        }
        let reply = client.connects(0).await;
        assert!(text(&reply["error"]).starts_with("401:"), "{reply}");
        assert_eq!(reply["advice"]["reconnect"], "handshake");
        client.shakes_hands().await;
        let ext = json!({"access_token": ana.token, "after": cursor});
        let reply = client.subscribes_with(&own_channel(&ana), ext).await;
        assert_eq!((&reply["successful"], &reply["ext"]["c"]), (&json!(true), &json!(cursor)));
        client.hears("unheard").await;
        client.hears("after").await;
    }
}

#[tokio::test]
async fn each_channel_reaches_back_to_its_own_cursor() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let said = ana.says(&climbers, "one").await;
    // Over a socket, since with long-polling a response may come again when another connection asks
    // for it.
    let mut first = Client::own(&ana, Transport::Socket).await;
    let start = text(&first.subscribes(&own_channel(&ana)).await["ext"]["c"]).to_owned();
    let path = format!("/v3/messages/{}/{}/like", climbers.id, text(&said["id"]));
    ben.posts(&path).await.ok();
    first.hears_on(&own_channel(&ana), "like.create").await;
    // The second connect confirms the response to the first.
    for _ in 0..2 {
        assert_eq!(first.connects(0).await["successful"], true);
    }
    // The group's channel begins at the cursor `start`, and the user's channel repeats nothing.
    let group = format!("/group/{}", climbers.id);
    let ext = json!({"access_token": ana.token, "after": start});
    assert_eq!(first.subscribes_with(&group, ext).await["successful"], true);
    first.hears_on(&group, "favorite").await;
    ana.says(&climbers, "two").await;
    first.hears("two").await;
    assert_eq!(first.repeats, 0);
}

#[tokio::test]
async fn unusable_bayeux_cursor_is_reported() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut client = Client::of(&ana, Transport::Polling).await;
    let ext = json!({"access_token": ana.token, "after": "from another world", "types": "all"});
    let reply = client.subscribes_with(&own_channel(&ana), ext).await;
    assert_eq!((&reply["successful"], &reply["ext"]["reset"]), (&json!(true), &json!("unknown")));
    assert_eq!(client.hears_on(&own_channel(&ana), "reset").await["why"], "unknown");
    ana.says(&climbers, "from now on").await;
    client.hears("from now on").await;
}
