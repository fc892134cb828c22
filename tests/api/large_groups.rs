//! Events of a group with so many members that feeds note who of them is here.

use serde_json::Value;

use crate::world::World;
use crate::world::feed::Feed;
use crate::world::person::{Group, Person, text};
use crate::world::server::Setup;

/// Members beside those with names.
const CROWD: usize = 70;

/// The texts of the messages of users that a feed hears, up to one with this text.
async fn texts(feed: &mut Feed, last: &str) -> Vec<String> {
    let mut heard = Vec::new();
    while heard.last().is_none_or(|it| it != last) {
        let event = feed.next().await;
        let is_said = event["type"] == "line.create" && event["data"]["system"] == false;
        heard.extend(is_said.then(|| text(&event["data"]["text"]).to_owned()));
    }
    heard
}

async fn says_all(ana: &Person, group: &Group, words: &[&str]) {
    for words in words {
        ana.says(group, words).await;
    }
}

#[tokio::test]
async fn large_group_members_receive_events_until_leaving() {
    let world = World::with(Setup::default().option("--rate-limit", "off")).await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let [dan] = world.people(["Dan"]).await;
    world.registers_members(&ana, &climbers, CROWD).await;
    let mut anas = ana.listens().await;
    says_all(&ana, &climbers, &["one"]).await;
    assert_eq!(texts(&mut anas, "one").await, ["one"]);

    // Ben comes when the feeds have noted who is here, and once more with a second socket.
    let (mut bens, mut dans) = (ben.listens().await, dan.listens().await);
    let mut second = ben.listens().await;
    says_all(&ana, &climbers, &["two"]).await;
    for feed in [&mut anas, &mut bens, &mut second] {
        assert_eq!(texts(feed, "two").await, ["two"]);
    }
    drop(second);
    world.is_heard_by(3).await;
    says_all(&ana, &climbers, &["three"]).await;
    assert_eq!(texts(&mut bens, "three").await, ["three"]);

    // Dan is here already when he joins.
    ana.adds(&dan, &climbers).await;
    dans.hears_of("membership.create").await;
    says_all(&ana, &climbers, &["four", "five"]).await;
    assert_eq!(texts(&mut dans, "five").await, ["four", "five"]);
    assert_eq!(texts(&mut bens, "five").await, ["four", "five"]);

    // Cem goes and comes back, and Ben is removed.
    drop(cem.listens().await);
    world.is_heard_by(3).await;
    let mut cems = cem.listens().await;
    ana.removes(&ben, &climbers).await.ok();
    says_all(&ana, &climbers, &["six"]).await;
    assert_eq!(texts(&mut cems, "six").await, ["six"]);
    let heard = hears_until_out(&mut bens).await;
    assert_eq!(heard.iter().filter(|event| event["type"] == "line.create").count(), 0);
    bens.stays_silent().await;
    assert_eq!(texts(&mut anas, "six").await, ["three", "four", "five", "six"]);
}

/// The events up to the one that says that the reader left the group.
async fn hears_until_out(feed: &mut Feed) -> Vec<Value> {
    let mut heard = Vec::new();
    while heard.last().is_none_or(|event: &Value| event["type"] != "membership.delete") {
        heard.push(feed.next().await);
    }
    heard
}
