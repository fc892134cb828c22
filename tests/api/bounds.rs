//! What the server stores or holds in memory for clients is bounded, in number and in bytes, and a
//! refusal says which bound it was.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::world::World;
use crate::world::person::{Group, Person, fresh_guid, text};
use crate::world::pictures::png;
use crate::world::raw::Raw;

fn zipped(body: &str) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(body.as_bytes()).unwrap();
    gzip.finish().unwrap()
}

#[tokio::test]
async fn compressed_body_is_refused() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let bomb = zipped(&json!({"email": "x".repeat(30 << 20), "password": "p"}).to_string());
    let log_in = || world.asks("POST", "/auth/login").bytes(bomb.clone());
    for coding in ["gzip", "deflate", "br", "zstd", "x-unheard-of"] {
        let refused = log_in().header("content-encoding", coding).await;
        assert_eq!(refused.header("accept-encoding"), Some("identity"));
        let errors = refused.refused(415);
        assert!(errors[0].ends_with(&format!("(Content-Encoding: {coding})")), "{errors:?}");
    }
    let small = zipped(&json!({"name": "Climbers"}).to_string());
    let zipped = ana.posts("/v3/groups").bytes(small).header("content-encoding", "gzip");
    zipped.await.refused(415);
    let plain = ana.posts("/v3/groups").json(&json!({"name": "Climbers"}));
    plain.header("content-encoding", "identity").await.created();
}

#[tokio::test]
async fn a_body_may_be_as_large_as_its_route_means() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let padded = |mut body: Value, bytes: usize| {
        body["ignored"] = json!("");
        let frame = body.to_string().len();
        body["ignored"] = json!("x".repeat(bytes - frame));
        body.to_string()
    };
    let message = || json!({"message": {"source_guid": fresh_guid(), "text": "hello"}});
    let add = || json!({"members": [{"nickname": "Ben", "user_id": ben.id}]});
    let owners = || json!({"requests": [{"group_id": climbers.id, "owner_id": ben.id}]});
    let messages = format!("/v3/groups/{}/messages", climbers.id);
    let members = format!("/v3/groups/{}/members/add", climbers.id);
    for (path, body, most, done) in [
        (messages.as_str(), &message as &dyn Fn() -> Value, 64 << 10, 201),
        (members.as_str(), &add, 1 << 20, 202),
        ("/v3/groups/change_owners", &owners, 128 << 10, 200),
    ] {
        let largest = padded(body(), most);
        let answer = ana.posts(path).body("application/json", largest).await;
        assert_eq!(answer.status, done, "{path}: {}", answer.text);
        let larger = padded(body(), most + 1);
        let errors = ana.posts(path).body("application/json", larger).await.refused(413);
        assert_eq!(errors, [format!("the body is larger than {most} bytes")]);
    }
}

#[tokio::test]
async fn a_rush_of_large_posts_is_slowed_and_throws_nothing_away() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let place = json!({"type": "location", "name": "é".repeat(950), "lat": "1", "lng": "2"});
    let places: Vec<&Value> = vec![&place; 24];
    let path = format!("/v3/groups/{}/messages", climbers.id);
    let posts = |_| {
        let guid = fresh_guid();
        let body = json!({"message": {"source_guid": guid, "attachments": places}});
        let answer = ana.posts(&path).json(&body);
        async move { (guid, answer.await) }
    };
    let mut stored = Vec::new();
    for (guid, answer) in join_all((0..300).map(posts)).await {
        match answer.status {
            201 => stored.push(guid),
            503 => assert!(answer.header("retry-after").is_some()),
            other => panic!("{other}: {}", answer.text),
        }
    }
    assert!(!stored.is_empty());
    ana.says(&climbers, "still here").await;
    let group = world.get(&format!("/v3/groups/{}", climbers.id)).token(&ana.token).await.ok();
    assert_eq!(group["messages"]["count"], stored.len() + 1);
}

#[tokio::test]
async fn attachments_have_a_bound_together() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mentions = |people: usize| json!({"type": "mentions", "user_ids": vec![&ana.id; people], "loci": vec![[0, 1]; people]});
    let posting = |attachments: Vec<Value>| {
        ana.posting(&climbers, json!({"text": "@all", "attachments": attachments}))
    };
    posting(vec![mentions(1000)]).await.created();
    let errors = posting(vec![mentions(1000), mentions(1)]).await.refused(400);
    let why = "have 2002 entries in their lists, at most 2000 are allowed";
    assert_eq!(errors, [format!("message.attachments {why}")]);
    let place = json!({"type": "location", "name": "é".repeat(1000), "lat": "1", "lng": "2"});
    let errors = posting(vec![place; 25]).await.refused(400);
    assert!(errors[0].starts_with("message.attachments have 51"), "{errors:?}");
    assert!(errors[0].ends_with("bytes of JSON, at most 49152 are allowed"), "{errors:?}");
}

/// One user's slow uploads held all memory for images, and nobody else could upload one.
#[tokio::test]
async fn one_user_uploads_eight_images_at_once() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let head = format!(
        "POST /pictures HTTP/1.1\r\nHost: x\r\nX-Access-Token: {}\r\nContent-Length: 900000\r\n\r\n",
        ana.token
    );
    let mut uploads = Vec::new();
    for number in 1..=8 {
        uploads.push(Raw::sends(world.address.get(), &head).await);
        world.holds("images", number).await;
    }
    let refused = ana.sends_image(png(3, 3)).await;
    assert_eq!(refused.header("retry-after"), Some("2"));
    let why = "too many of your images at once: at most 8, with 20 MiB together";
    assert_eq!(refused.refused(429), [why]);
    assert_eq!(ben.sends_image(png(3, 3)).await.status, 200);
    uploads.pop().unwrap().ends().await;
    world.holds("images", 7).await;
    assert_eq!(ana.sends_image(png(3, 3)).await.status, 200);
}

/// The clients of one address held the memory for all large bodies.
#[tokio::test]
async fn one_network_holds_half_of_the_memory_for_bodies() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let group = ana.creates_group("Climbers").await;
    let body = "x".repeat(1_000_000);
    let begun = format!(
        "POST /v3/groups/{}/members/add HTTP/1.1\r\nHost: x\r\nX-Access-Token: {}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        group.id,
        ana.token,
        body.len() + 1
    );
    let mut bodies = Vec::new();
    for number in 1..=33 {
        bodies.push(Raw::sends(world.address.get(), &begun).await);
        world.holds("bodies", number).await;
        world.holds_bytes("bodies", number * 1_000_000).await;
    }
    let answer = Raw::to(world.address.get()).await.says_if_open(&begun).await;
    assert!(answer.contains("too many large bodies from your network at once"), "{answer}");
    assert!(answer.starts_with("HTTP/1.1 429"), "{answer}");
    let mut other = Raw::from("127.0.0.2", world.address.get()).await;
    other.says(&begun).await;
    world.holds("bodies", 34).await;
}

#[tokio::test]
async fn metrics_show_held_items() {
    let world = World::start().await;
    let page = world.get("/metrics").await.text;
    for place in ["commits", "bodies", "images", "notices"] {
        for name in ["held_items", "held_bytes", "held_bytes_limit", "held_refused_total"] {
            let line = format!("coterie_{name}{{place=\"{place}\"}} ");
            assert!(page.contains(&line), "{line}");
        }
    }
}

/// A message in which this field has this value.
fn message(field: &str, value: &Value) -> Value {
    let mut message = json!({"source_guid": fresh_guid(), "text": "hi"});
    message[field] = value.clone();
    json!({"message": message})
}

/// Request bodies that have this value where text is expected.
fn with_for_text(value: &Value, climbers: &Group, ben: &Person) -> Vec<(String, Value)> {
    let group = |path: &str| format!("/v3/groups/{}/{path}", climbers.id);
    let attached = |it: Value| message("attachments", &json!([it]));
    vec![
        (group("messages"), message("text", value)),
        (group("messages"), attached(json!({"type": value}))),
        (group("messages"), attached(json!({"type": "image", "url": value}))),
        (group("messages"), attached(json!({"type": "split", "token": value}))),
        (
            group("messages"),
            attached(json!({"type": "location", "name": value, "lat": "1", "lng": "2"})),
        ),
        (
            group("messages"),
            attached(json!({"type": "emoji", "placeholder": value, "charmap": []})),
        ),
        (group("update"), json!({"name": value})),
        (group("update"), json!({"description": value})),
        (group("update"), json!({"image_url": value})),
        (group("memberships/update"), json!({"membership": {"nickname": value}})),
        (group("members/add"), json!({"members": [{"nickname": value, "user_id": ben.id}]})),
        (group("members/add"), json!({"members": [{"nickname": "x", "email": value}]})),
        (group("members/add"), json!({"members": [{"nickname": "x", "phone_number": value}]})),
        ("/v3/groups".to_owned(), json!({"name": value})),
        ("/v3/bots".to_owned(), json!({"bot": {"name": value, "group_id": climbers.id}})),
        (
            "/v3/bots".to_owned(),
            json!({"bot": {"name": "x", "group_id": climbers.id, "callback_url": value}}),
        ),
        ("/v3/users/update".to_owned(), json!({"name": value})),
        ("/v3/users/update".to_owned(), json!({"email": value})),
        ("/v3/users/update".to_owned(), json!({"zip_code": value})),
        ("/v3/users/update".to_owned(), json!({"avatar_url": value})),
        ("/v3/users/update".to_owned(), json!({"phone_number": value})),
        ("/v3/users/sms_mode".to_owned(), json!({"duration": 4, "registration_id": value})),
        (
            "/oauth/applications".to_owned(),
            json!({"name": value, "callback_url": "https://x.example/"}),
        ),
        (
            "/auth/password".to_owned(),
            json!({"current_password": value, "new_password": "a new one"}),
        ),
    ]
}

/// A number taken as text would be stored in another spelling than the client's.
#[tokio::test]
async fn a_number_is_no_text() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let huge: Value = serde_json::from_str("12345678901234567890123").unwrap();
    let group = |path: &str| format!("/v3/groups/{}/{path}", climbers.id);
    for value in [&json!(7), &json!(1.5), &huge] {
        for (path, body) in with_for_text(value, &climbers, &ben) {
            let errors = ana.posts(&path).json(&body).await.refused(400);
            assert!(errors.iter().any(|it| it.contains("must be")), "{path} {body}: {errors:?}");
        }
        let register = json!({"name": value, "email": "c@example.org", "password": "password"});
        world.asks("POST", "/auth/register").json(&register).await.refused(400);
    }
    ana.posts(&group("messages")).json(&message("source_guid", &json!(17))).await.created();
    for value in [&json!(1.5), &huge] {
        ana.posts(&group("messages")).json(&message("source_guid", value)).await.refused(400);
    }
    for value in [&json!(90.5), &json!(-200), &huge, &json!("91"), &json!("north"), &json!("nan")] {
        let place = json!([{"type": "location", "name": "x", "lat": value, "lng": "180.0"}]);
        let refused = ana.posts(&group("messages")).json(&message("attachments", &place)).await;
        let told = "message.attachments[0].lat must be degrees between -90 and 90";
        assert_eq!(refused.refused(400), [told], "{value}");
    }
    let place = json!([{"type": "location", "name": "x", "lat": "", "lng": "180.5"}]);
    let refused = ana.posts(&group("messages")).json(&message("attachments", &place)).await;
    let told = "message.attachments[0].lng must be degrees between -180 and 180";
    assert_eq!(refused.refused(400), [told]);
    let reply = |id: &Value| message("attachments", &json!([{"type": "reply", "reply_id": id}]));
    let first = ana.says(&climbers, "first").await["id"].clone();
    let number: u64 = text(&first).parse().unwrap();
    let posted = ana.posts(&group("messages")).json(&reply(&json!(number))).await.created();
    assert_eq!(posted["message"]["attachments"][0]["reply_id"], first);
    ana.posts(&group("messages")).json(&reply(&huge)).await.refused(400);
    let number: u64 = ben.id.parse().unwrap();
    let added = json!({"members": [{"nickname": "Ben", "user_id": number, "guid": 4}]});
    assert_eq!(ana.posts(&group("members/add")).json(&added).await.status, 202);
}

/// A message nearly as large as allowed.
fn large_message() -> Value {
    let place = json!({"type": "location", "name": "é".repeat(940), "lat": "1", "lng": "2"});
    json!({"attachments": vec![place; 24]})
}

#[tokio::test]
async fn snapshot_has_at_most_8_mib() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let mut groups = Vec::new();
    for number in 0..100 {
        let group = ana.creates_group(&format!("Group {number}")).await;
        ana.says(&group, "first").await;
        ana.posting(&group, large_message()).await.created();
        groups.push(group);
    }
    ana.posts(&groups[0].path("/memberships/mute")).await.ok();
    let answer = ana.gets("/v3/sync").await;
    assert!(answer.text.len() <= (8 << 20) + 1024, "{} bytes", answer.text.len());
    let snapshot = answer.ok();
    let shown = snapshot["groups"].as_array().unwrap();
    assert_eq!((shown.len(), &snapshot["more_groups"]), (100, &Value::Null));
    let (newest, oldest) = (&shown[0], &shown[99]);
    assert_eq!(newest["messages"].as_array().unwrap().len(), 2);
    assert!(newest["group"]["members"].is_array());
    assert_eq!((&oldest["messages"], &oldest["group"]["members"]), (&json!([]), &Value::Null));
    assert_eq!(oldest["group"]["messages"]["count"], 2);
    assert_eq!((&newest["muted"], &oldest["muted"]), (&json!(false), &json!(true)));
    assert_eq!(ana.reads(&groups[0], "").await.len(), 2, "nothing of it is lost");
}
