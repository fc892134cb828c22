//! Lists and pages of events have at most 8 MiB, and what clients leave unread is bounded.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::person::{Group, Person, text};
use crate::world::raw::Raw;
use crate::world::server::Setup;

/// The largest page, and a little for the envelope.
const PAGE_BYTES: usize = (8 << 20) + 1024;

/// Posts a message whose JSON has some 50 kB.
async fn posts_much(person: &Person, group: &Group, index: usize) {
    let pairs: Vec<Value> = (0..1000).map(|at| json!([i64::MAX - at, i64::MAX - at])).collect();
    let attachment = json!({"type": "emoji", "placeholder": "x", "charmap": pairs});
    let message = json!({"text": format!("message {index}"), "attachments": [attachment]});
    person.posting(group, message).await.created();
}

#[tokio::test]
async fn pages_of_events_end_before_eight_mebibytes_and_continue() {
    let world = World::with(Setup::default().option("--rate-limit", "off")).await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let start = ana.gets("/v3/sync").await.ok()["c"].clone();
    for index in 0..400 {
        posts_much(&ana, &climbers, index).await;
    }
    let mut cursor = text(&start).to_owned();
    let mut read = Vec::new();
    let mut pages = 0;
    loop {
        let page = ana.gets(&format!("/v3/events?after={cursor}&wait=0")).await;
        assert!(page.text.len() <= PAGE_BYTES, "{} bytes", page.text.len());
        let page = page.ok();
        let events = page["events"].as_array().unwrap();
        read.extend(events.iter().filter_map(|event| {
            let told = event["data"]["text"].as_str()?;
            Some(told.to_owned())
        }));
        pages += 1;
        text(&page["c"]).clone_into(&mut cursor);
        if page["more"] == false && events.is_empty() {
            break;
        }
        assert!(pages < 100, "it ends");
    }
    let expected: Vec<String> = (0..400).map(|index| format!("message {index}")).collect();
    assert_eq!(read, expected, "every event once and in order, in {pages} pages");
    assert!(pages > 2, "{pages}");
}

#[tokio::test]
async fn lists_of_drafts_and_bots_end_and_continue() {
    let world = World::with(Setup::default().option("--rate-limit", "off")).await;
    let [ana] = world.people(["Ana"]).await;
    let pairs: Vec<Value> = (0..1000).map(|at| json!([i64::MAX - at, i64::MAX - at])).collect();
    let attachment = json!({"type": "emoji", "placeholder": "x", "charmap": pairs});
    let draft = json!({"text": "rope", "attachments": [attachment]});
    let mut groups = Vec::new();
    for index in 0..300 {
        let group = ana.creates_group(&format!("Group {index}")).await;
        ana.asks("PUT", &format!("/v3/drafts/{}", group.id)).json(&draft).await.ok();
        groups.push(group.id);
    }
    let mut listed = Vec::new();
    let mut query = String::new();
    loop {
        let page = ana.gets(&format!("/v3/drafts{query}")).await;
        assert!(page.text.len() <= PAGE_BYTES, "{} bytes", page.text.len());
        let page = page.ok();
        let drafts = page["drafts"].as_array().unwrap();
        listed.extend(drafts.iter().map(|it| text(&it["conversation_id"]).to_owned()));
        query = format!("?after={}", listed.last().unwrap());
        if page["more"] == false {
            break;
        }
    }
    groups.sort_by_key(|id| id.parse::<u64>().unwrap());
    assert_eq!(listed, groups);
    ana.gets("/v3/drafts?after=x").await.refused(400);

    let mut bots = Vec::new();
    for _ in 0..3 {
        let body = json!({"bot": {"name": "Rope", "group_id": groups[0]}});
        bots.push(text(&ana.posts("/v3/bots").json(&body).await.created()["bot_id"]).to_owned());
    }
    bots.sort();
    let rest = ana.gets(&format!("/v3/bots?after={}", bots[0])).await.ok();
    let rest: Vec<&str> = rest.as_array().unwrap().iter().map(|it| text(&it["bot_id"])).collect();
    assert_eq!(rest, bots[1..]);
}

#[tokio::test]
async fn unread_responses_are_bounded_per_caller() {
    let world = World::with(Setup::default().option("--rate-limit", "off")).await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let start = ana.gets("/v3/sync").await.ok()["c"].clone();
    for index in 0..300 {
        posts_much(&ana, &climbers, index).await;
    }
    let path = format!("/v3/events?after={}&wait=0", text(&start));
    let mut unread = Vec::new();
    for held in 1..=2 {
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: x\r\nX-Access-Token: {}\r\n\r\n", ana.token);
        unread.push(Raw::sends(world.address.get(), &request).await);
        world.holds("unread_responses", held).await;
    }
    let refused = ana.gets(&path).await;
    assert_eq!(refused.status, 503, "a caller holds a share");
    assert!(refused.header("retry-after").is_some());
    ben.gets(&path).await.ok();
    drop(unread);
    world.holds("unread_responses", 0).await;
    ana.gets(&path).await.ok();
}
