//! Confidential events: what those hear who decide about people, and those whom it concerns. They are
//! as durable as every other event, and leave no hole in the numbers that other members see.

use serde_json::{Value, json};

use crate::group_acts::member;
use crate::push_same::{here, replays_the_same};
use crate::slow_mode::makes_admin;
use crate::world::World;
use crate::world::feed::Feed;
use crate::world::person::{Group, Person, text};

async fn reports(by: &Person, group: &Group, message: &Value) -> String {
    let path = format!("/v3/conversations/{}/messages/{}/report", group.id, text(&message["id"]));
    let filed = by.posts(&path).json(&json!({"reason": "spam"})).await.created();
    text(&filed["report"]["id"]).to_owned()
}

async fn resolves(by: &Person, group: &Group, report: &str) {
    let path = group.path(&format!("/reports/{report}/resolve"));
    by.posts(&path).json(&json!({"action": "dismiss"})).await.ok();
}

/// The events of a feed up to this message.
async fn until(feed: &mut Feed, words: &str) -> Vec<Value> {
    let mut heard = Vec::new();
    while heard.last().is_none_or(|event: &Value| event["data"]["text"] != words) {
        heard.push(feed.next().await);
    }
    heard
}

fn is_confidential(event: &Value) -> bool {
    text(&event["conv"]).starts_with("m:")
}

#[tokio::test]
async fn confidential_events_are_replayed_as_they_were_live() {
    let mut world = World::start().await;
    let ([ana, ben, cara], climbers) = world.climbing(["Ana", "Ben", "Cara"]).await;
    let said = ben.says(&climbers, "rope").await;
    let people = [(&ana, here(&ana).await), (&cara, here(&cara).await)];
    let mut feeds = [ana.listens().await, cara.listens().await];
    let report = reports(&cara, &climbers, &said).await;
    resolves(&ana, &climbers, &report).await;
    ana.asks("PUT", &climbers.path(&format!("/bans/{}", ben.id))).json(&json!({})).await.ok();
    ana.says(&climbers, "on we go").await;
    let live = [until(&mut feeds[0], "on we go").await, until(&mut feeds[1], "on we go").await];
    drop(feeds);
    let created = ("report.create", json!({"report_id": report, "state": "open"}));
    let resolved = ("report.update", json!({"report_id": report, "state": "resolved"}));
    let banned = ("ban.create", json!({"user_id": ben.id}));
    let expected = [vec![created, resolved.clone(), banned], vec![resolved]];
    let conv = format!("m:{}", climbers.id);
    for ((_, start), (live, expected)) in people.iter().zip(live.iter().zip(expected)) {
        let (confidential, others): (Vec<&Value>, Vec<&Value>) =
            live.iter().partition(|event| is_confidential(event));
        let told = confidential.iter().map(|it| (text(&it["type"]), it["data"].clone()));
        let told: Vec<_> = told.collect();
        assert_eq!(told, expected, "after {start}");
        assert!(confidential.iter().all(|event| event["conv"] == conv.as_str()));
        let numbers: Vec<u64> = others.iter().map(|it| it["n"].as_u64().unwrap()).collect();
        assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1), "a hole: {numbers:?}");
    }
    for _ in 0..2 {
        for ((person, start), live) in people.iter().zip(&live) {
            replays_the_same(person, start, live).await;
        }
        world.restarts().await;
    }
}

#[tokio::test]
async fn confidential_events_are_replayed_to_those_who_still_decide() {
    let world = World::start().await;
    let names = ["Ana", "Ben", "Cara", "Dan"];
    let ([ana, ben, cara, dan], climbers) = world.climbing(names).await;
    makes_admin(&ana, &ben, &climbers).await;
    let said = dan.says(&climbers, "rope").await;
    let start = here(&ana).await;
    reports(&cara, &climbers, &said).await;
    let missed = async |person: &Person| {
        let polled = person.gets(&format!("/v3/events?after={start}")).await.ok();
        let events = polled["events"].as_array().unwrap();
        let confidential = events.iter().filter(|event| is_confidential(event));
        confidential.map(|it| text(&it["type"]).to_owned()).collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(missed(&ana).await, ["report.create"]);
    assert_eq!(missed(&ben).await, ["report.create"]);
    makes_admin(&ana, &cara, &climbers).await;
    assert_eq!(missed(&cara).await, none, "she was no admin then");
    let membership = text(&member(&ana.sees(&climbers).await, &ben)["id"]).to_owned();
    let update = climbers.path(&format!("/members/{membership}/update"));
    ana.posts(&update).json(&json!({"role": "user"})).await.ok();
    assert_eq!(missed(&ben).await, none, "he is no admin any more");
    ana.posts(&update).json(&json!({"role": "admin"})).await.ok();
    assert_eq!(missed(&ben).await, ["report.create"]);
    ana.removes(&ben, &climbers).await.ok();
    assert_eq!(missed(&ben).await, none);
    assert_eq!(missed(&dan).await, none);
}

#[tokio::test]
async fn requests_to_join_are_told_when_they_are_filed_and_settled() {
    let world = World::start().await;
    let ([ana, ben, cara], climbers) = world.climbing(["Ana", "Ben", "Cara"]).await;
    let [dan] = world.people(["Dan"]).await;
    makes_admin(&ana, &ben, &climbers).await;
    let shared = json!({"share": true, "requires_approval": true});
    let shared = ana.updates(&climbers, shared).await.ok();
    let token = text(&shared["share_url"]).rsplit_once('/').unwrap().1.to_owned();
    let mut feeds = [ben.listens().await, cara.listens().await];
    let asked = dan.posts(&climbers.path(&format!("/join/{token}"))).json(&json!({})).await;
    assert_eq!(asked.status, 202, "{}", asked.text);
    let pending = ana.gets(&climbers.path("/pending_memberships")).await.ok();
    let deny = climbers.path(&format!("/members/{}/approval", text(&pending[0]["id"])));
    ana.posts(&deny).json(&json!({"approval": false})).await.ok();
    ana.says(&climbers, "denied").await;
    let told: Vec<Value> = until(&mut feeds[0], "denied").await;
    let data = |state: &str| json!({"user_id": dan.id, "state": state});
    let confidential: Vec<&Value> =
        told.iter().filter(|it| is_confidential(it)).map(|it| &it["data"]).collect();
    assert_eq!(confidential, [&data("open"), &data("settled")]);
    assert!(!until(&mut feeds[1], "denied").await.iter().any(is_confidential));
}
