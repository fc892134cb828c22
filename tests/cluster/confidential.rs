//! Moderators, and those whom a decision concerns, hear of it at whatever node they are.

use serde_json::{Value, json};

use crate::asking::Person;
use crate::feed::Feed;
use crate::installation::Installation;

async fn id_of(person: &Person) -> String {
    person.gets("/v3/users/me").await.1["id"].as_str().unwrap().to_owned()
}

/// The confidential events of a feed up to this message.
async fn told_until(feed: &mut Feed, words: &str) -> Vec<Value> {
    let mut told = Vec::new();
    loop {
        let frame = feed.next().await;
        if frame["data"]["text"] == words {
            return told;
        }
        if frame["conv"].as_str().is_some_and(|conv| conv.starts_with("m:")) {
            told.push(json!([frame["conv"], frame["type"], frame["data"]["state"]]));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn confidential_events_reach_every_node() {
    let all = Installation::starts(3, 3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let ben = Person::called("Ben", all.node(1)).await;
    let cara = Person::called("Cara", all.node(2)).await;
    let group = ana.creates_group("Climbers").await;
    let members = [("Ben", id_of(&ben).await), ("Cara", id_of(&cara).await)];
    let members = members.map(|(name, id)| json!({"nickname": name, "user_id": id}));
    let add = format!("/v3/groups/{group}/members/add");
    let added = all.at(1, &ana).posts(&add, &json!({"members": members})).await.unwrap();
    assert_eq!(added.0, 202, "{}", added.1);
    let topics = format!("/v3/groups/{group}/subgroups");
    let made = all.at(2, &ana).posts(&topics, &json!({"topic": "Knots"})).await.unwrap();
    let places = [group.clone(), made.1["id"].to_string()];
    let mut feeds = Vec::new();
    for node in 0..3 {
        for (name, who) in [("Ana", &ana), ("Ben", &ben), ("Cara", &cara)] {
            feeds.push((name, Feed::of(&all.at(node, who)).await));
        }
    }
    for place in &places {
        let said = json!({"message": {"source_guid": place, "text": "ropes"}});
        let said = cara.posts(&format!("/v3/groups/{place}/messages"), &said).await.unwrap().1;
        let said = said["message"]["id"].as_str().unwrap().to_owned();
        let path = format!("/v3/conversations/{place}/messages/{said}/report");
        let filed = ben.posts(&path, &json!({"reason": "spam"})).await.unwrap();
        assert_eq!(filed.0, 201, "{}", filed.1);
        let report = filed.1["report"]["id"].as_str().unwrap().to_owned();
        let path = format!("/v3/groups/{place}/reports/{report}/resolve");
        let resolved = ana.posts(&path, &json!({"action": "dismiss"})).await.unwrap();
        assert_eq!(resolved.0, 200, "{}", resolved.1);
        let words = format!("after {place}");
        let last = json!({"message": {"source_guid": words, "text": words}});
        let last = ana.posts(&format!("/v3/groups/{place}/messages"), &last).await.unwrap();
        assert_eq!(last.0, 201, "{}", last.1);
        let conv = format!("m:{place}");
        let created = json!([conv, "report.create", "open"]);
        let updated = json!([conv, "report.update", "resolved"]);
        for (name, feed) in &mut feeds {
            let expected = match *name {
                "Ana" => vec![created.clone(), updated.clone()],
                "Ben" => vec![updated.clone()],
                _ => Vec::new(),
            };
            assert_eq!(told_until(feed, &words).await, expected, "to {name}");
        }
    }
}
