//! `/faye`: Bayeux 1.0 over long-polling, JSONP and a WebSocket: the forms of messages, and who may
//! subscribe to what.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::bayeux::{BOTH, Client, Socket, Transport, own_channel, posts};
use crate::world::person::{Person, text};

fn handshake() -> Value {
    json!({"channel": "/meta/handshake", "version": "1.0", "id": "1",
        "supportedConnectionTypes": ["long-polling", "callback-polling"]})
}

#[tokio::test]
async fn a_handshake_gives_a_client_id_and_advice() {
    let world = World::start().await;
    let replies = posts(&world.address, &json!([handshake()])).await;
    let [reply] = &replies[..] else { panic!("{replies:?}") };
    assert_eq!(
        (&reply["channel"], &reply["successful"]),
        (&json!("/meta/handshake"), &json!(true))
    );
    assert_eq!((&reply["id"], &reply["version"]), (&json!("1"), &json!("1.0")));
    let client = text(&reply["clientId"]);
    assert_eq!(client.len(), 31);
    assert!(client.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit()), "{client}");
    assert_eq!(reply["advice"], json!({"reconnect": "retry", "interval": 0, "timeout": 30000}));
    let types = reply["supportedConnectionTypes"].as_array().unwrap();
    for kind in ["long-polling", "callback-polling", "websocket"] {
        assert!(types.contains(&json!(kind)), "{kind}");
    }
    let other = posts(&world.address, &json!([handshake()])).await;
    assert_ne!(other[0]["clientId"], reply["clientId"]);
}

#[tokio::test]
async fn a_compatibility_host_answers_a_handshake_as_the_original() {
    let world = World::start().await;
    let mut asks_for_acks = handshake();
    asks_for_acks["ext"] = json!({"ack": true});
    let request = world.post("/faye").header("host", "api.groupme.com").json(&asks_for_acks);
    let reply: Vec<Value> = serde_json::from_str(&request.await.text).unwrap();
    let reply = &reply[0];
    assert_eq!(reply["advice"], json!({"reconnect": "retry", "interval": 0, "timeout": 600_000}));
    let types = [
        "long-polling",
        "cross-origin-long-polling",
        "callback-polling",
        "websocket",
        "eventsource",
        "in-process",
    ];
    assert_eq!(reply["supportedConnectionTypes"], json!(types));
    assert_eq!(reply.get("ext"), None);
}

#[tokio::test]
async fn one_connect_is_held_for_a_request() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut client = Client::own(&ana, Transport::Polling).await;
    for words in ["one", "two"] {
        ana.says(&climbers, words).await;
    }
    let connect = json!({"channel": "/meta/connect", "connectionType": "long-polling"});
    let both = json!([client.message(connect.clone()), client.message(connect)]);
    let replies = posts(&world.address, &both).await;
    let refused: Vec<_> = replies.iter().filter(|it| it["successful"] == false).collect();
    assert_eq!(refused.len(), 1, "{replies:?}");
    let lines = replies.iter().filter(|it| it.get("data").is_some()).count();
    assert_eq!(lines, 1, "{replies:?}");
    client.hears("two").await;
}

#[tokio::test]
async fn handshake_batch_ignores_other_messages() {
    let world = World::start().await;
    assert_eq!(posts(&world.address, &handshake()).await.len(), 1);
    let beside = json!([{"channel": "/meta/connect", "clientId": "x"}, handshake()]);
    let replies = posts(&world.address, &beside).await;
    assert_eq!(replies.len(), 1);
    assert_eq!(replies[0]["channel"], "/meta/handshake");
}

#[tokio::test]
async fn handshake_without_common_transport_fails() {
    let world = World::start().await;
    let mut wrong = handshake();
    wrong["supportedConnectionTypes"] = json!(["carrier-pigeon"]);
    let reply = posts(&world.address, &wrong).await.remove(0);
    assert_eq!(reply["successful"], false);
    assert!(text(&reply["error"]).starts_with("301:"), "{reply}");
    assert_eq!(reply.get("clientId"), None);
}

#[tokio::test]
async fn bayeux_answers_any_body_with_200() {
    let world = World::start().await;
    for (body, error) in [
        ("", "400:"),
        ("[", "400:"),
        ("7", "400:"),
        ("[7]", "402:channel"),
        ("[{}]", "402:channel"),
        (r#"{"channel":"/meta/connect"}"#, "402:clientId"),
        (r#"{"channel":"/meta/connect/x","clientId":"a"}"#, "403:"),
        (r#"{"channel":"/meta/connect","clientId":"nobody"}"#, "401:nobody:"),
        (r#"{"channel":"/elsewhere","clientId":"nobody"}"#, "405:/elsewhere:"),
    ] {
        let answer = world.post("/faye").body("application/json", body).await;
        assert_eq!(answer.status, 200, "{body}");
        let replies: Vec<Value> = serde_json::from_str(&answer.text).unwrap();
        assert_eq!(replies[0]["successful"], false, "{body}");
        assert!(text(&replies[0]["error"]).starts_with(error), "{body}: {}", answer.text);
    }
    let large = format!("[{{\"channel\":\"{}\"}}]", "x".repeat(70_000));
    let answer = world.post("/faye").body("application/json", large).await;
    assert_eq!(answer.status, 200);
    assert!(answer.text.contains("413:"), "{}", answer.text);
}

#[tokio::test]
async fn unknown_client_gets_handshake_advice() {
    let world = World::start().await;
    let connect = json!({"channel": "/meta/connect", "clientId": "gone", "id": 7});
    let reply = posts(&world.address, &connect).await.remove(0);
    assert_eq!(reply["error"], "401:gone:Unknown client");
    assert_eq!((&reply["advice"]["reconnect"], &reply["id"]), (&json!("handshake"), &json!(7)));
}

#[tokio::test]
async fn messages_come_as_forms_and_below_the_path_too() {
    let world = World::start().await;
    let message: String = form_urlencoded::Serializer::new(String::new())
        .append_pair("message", &handshake().to_string())
        .finish();
    for (kind, body) in [("application/x-www-form-urlencoded", &message), ("text/plain", &message)]
    {
        let answer = world.post("/faye/handshake").body(kind, body.clone()).await;
        assert!(answer.text.contains("\"clientId\""), "{kind}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_script_is_called_back() {
    let world = World::start().await;
    let message = json!([handshake()]).to_string();
    let query: String = form_urlencoded::Serializer::new(String::new())
        .append_pair("message", &message)
        .append_pair("jsonp", "jQuery.cb_1")
        .finish();
    let answer = world.get(&format!("/faye?{query}")).await;
    assert!(answer.header("content-type").unwrap().starts_with("text/javascript"));
    let array = answer.text.strip_prefix("/**/jQuery.cb_1(").unwrap().strip_suffix(");").unwrap();
    let replies: Vec<Value> = serde_json::from_str(array).unwrap();
    assert_eq!(replies[0]["successful"], true);
    let answer = world.get("/faye?message=%5B%5D&jsonp=alert(1)%2F%2F").await;
    assert!(!answer.text.contains("alert"), "{}", answer.text);
}

#[tokio::test]
async fn ids_are_echoed_and_timeout_0_returns_at_once() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for transport in BOTH {
        let mut client = Client::own(&ana, transport).await;
        let reply = client.connects(0).await;
        assert_eq!(reply["successful"], true);
        assert_eq!(reply["clientId"], json!(client.id));
        assert_eq!(reply["advice"]["timeout"], 30000);
    }
    let mut socket = Socket::open(&world.address, "/faye/connect").await;
    let mut numbered = handshake();
    numbered["id"] = json!(17);
    socket.says(&numbered).await;
    assert_eq!(socket.hears().await[0]["id"], 17);
}

#[tokio::test]
async fn subscription_needs_valid_token_and_own_channel() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let (group, own) = (format!("/group/{}", climbers.id), own_channel(&ben));
    for transport in BOTH {
        let mut client = Client::of(&ben, transport).await;
        let refused = |reply: Value, code: &str| {
            assert_eq!(reply["successful"], false, "{reply}");
            assert!(text(&reply["error"]).starts_with(code), "{reply}");
            assert_eq!(reply["channel"], "/meta/subscribe");
        };
        refused(client.subscribes_with(&own, json!({})).await, "403:");
        refused(client.subscribes_with(&own, json!({"access_token": "wrong"})).await, "403:");
        for channel in [&own_channel(&ana), &group, "/group/1", "/user/*", "/**", "/meta/connect"] {
            refused(client.subscribes(channel).await, "403:");
        }
        refused(client.subscribes(&format!("/direct_message/{}_1", ana.id)).await, "403:");
        refused(client.subscribes("/weather/today").await, "405:");
        let both = json!({"channel": "/meta/subscribe", "subscription": [own, group],
            "ext": {"access_token": ben.token}});
        refused(client.tells(both).await, "403:");
        let reply = client.subscribes(&own).await;
        assert_eq!((&reply["successful"], &reply["subscription"]), (&json!(true), &json!(own)));
        let with_anas = json!({"access_token": ana.token});
        refused(client.subscribes_with(&own_channel(&ana), with_anas).await, "403:");
    }
}

#[tokio::test]
async fn lists_are_subscribed_to_and_left() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let channels = json!([own_channel(&ana), format!("/group/{}", climbers.id)]);
    let mut client = Client::of(&ana, Transport::Polling).await;
    let ext = json!({"access_token": ana.token, "timestamp": "nonsense"});
    let subscribe = json!({"channel": "/meta/subscribe", "subscription": channels, "ext": ext});
    let reply = client.tells(subscribe).await;
    assert_eq!((&reply["successful"], &reply["subscription"]), (&json!(true), &channels));
    ana.says(&climbers, "rope at six").await;
    client.hears("rope at six").await;
    let leave = json!({"channel": "/meta/unsubscribe", "subscription": own_channel(&ana)});
    assert_eq!(client.tells(leave).await["successful"], true);
    ana.says(&climbers, "at seven").await;
    assert_eq!(client.connects(200).await["successful"], true);
    let kinds: Vec<Value> = client.kept().iter().map(|it| it["data"]["type"].clone()).collect();
    assert_eq!(kinds, ["ping"], "of the group's channel alone");
}

#[tokio::test]
async fn nothing_but_ping_and_typing_is_published() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let (own, group) = (own_channel(&ana), format!("/group/{}", climbers.id));
    for transport in BOTH {
        let mut client = Client::on(&ana, transport, &[&own, &group]).await;
        let line = json!({"type": "line.create", "subject": {"text": "forged"}});
        for channel in [&own, &group] {
            let reply = client.tells(json!({"channel": channel, "data": line})).await;
            assert_eq!(reply["successful"], false);
            assert!(text(&reply["error"]).starts_with("403:"), "{reply}");
        }
        let ping = json!({"channel": own, "data": {"type": "ping"}, "ext": {"secret": "mine"}});
        assert_eq!(client.tells(ping).await["successful"], true);
        let echo = client.kept().remove(0);
        assert_eq!((&echo["channel"], &echo["data"]), (&json!(own), &json!({"type": "ping"})));
        // This is how groupme-push answers a ping.
        let bare = json!({"channel": own, "successful": true, "ext": {"access_token": ana.token}});
        assert_eq!(client.tells(bare).await["successful"], true);
        assert!(client.kept().is_empty(), "no echo, or they would never end");
    }
}

#[tokio::test]
async fn a_client_that_disconnects_is_gone() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for transport in BOTH {
        let mut client = Client::own(&ana, transport).await;
        let reply = client.tells(json!({"channel": "/meta/disconnect"})).await;
        assert_eq!(reply["successful"], true);
        let reply = client.connects(0).await;
        assert!(text(&reply["error"]).starts_with("401:"), "{reply}");
    }
}

/// A client of Ben subscribes in one request to a channel of his own and to one of Ana's.
#[tokio::test]
async fn a_refused_subscription_changes_nothing() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut client = Client::of(&ben, Transport::Polling).await;
    let (own, others) = (own_channel(&ben), format!("/group/{}", climbers.id));
    let with_token = |person: &Person, channels: Value| {
        json!({"channel": "/meta/subscribe", "subscription": channels,
               "ext": {"access_token": person.token}})
    };
    // The list is refused as a whole: he is not subscribed to his own channel, nor is the client
    // bound to his token.
    let refused = client.tells(with_token(&ben, json!([own, others]))).await;
    assert_eq!(refused["successful"], false, "{refused}");
    // The first subscription that succeeds decides whose client it is.
    let hers = own_channel(&ana);
    let taken = client.tells(with_token(&ana, json!([hers, others]))).await;
    assert_eq!(taken["successful"], true, "{taken}");
    ana.says(&climbers, "rope at six").await;
    let told = client.next().await;
    assert_eq!((&told["channel"], &told["data"]["type"]), (&json!(hers), &json!("line.create")));
}
