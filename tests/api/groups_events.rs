//! The events of groups and members that sockets get (push: membership and group events), live and
//! replayed.

use serde_json::{Value, json};

use crate::group_acts::member;
use crate::world::World;
use crate::world::feed::Feed;
use crate::world::person::text;

/// Asserts the type and the conversation of the next event; returns its data.
async fn hears(feed: &mut Feed, kind: &str, conv: &str) -> Value {
    let event = feed.hears_of(kind).await;
    assert_eq!(event["conv"], conv, "{event}");
    event["data"].clone()
}

#[tokio::test]
async fn settings_event_has_group_and_then_its_line() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let mut feed = ben.listens().await;
    ana.updates(&climbers, json!({"name": "Bergsteiger"})).await.ok();
    let mut group = hears(&mut feed, "group.update", &climbers.conv()).await;
    let mut shown = ben.sees(&climbers).await;
    // The system line about the change is the next event, so the messages here are one behind.
    shown["messages"].take();
    group["messages"].take();
    assert_eq!(group, shown);
    feed.hears("Ana changed the group's name to Bergsteiger.").await;
    feed.stays_silent().await;
}

#[tokio::test]
async fn joining_reaches_members_and_the_joiner() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let token = ana.shares(&climbers).await;
    let (mut anas, mut bens) = (ana.listens().await, ben.listens().await);
    ben.joins(&climbers, &token).await.ok();
    for feed in [&mut anas, &mut bens] {
        let data = hears(feed, "membership.create", &climbers.conv()).await;
        assert_eq!(data["by"], ben.id.as_str());
        assert_eq!(data["memberships"][0]["user_id"], ben.id.as_str());
        feed.hears("Ben has joined the group.").await;
    }
}

#[tokio::test]
async fn removed_member_receives_only_the_removal() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let (mut anas, mut bens) = (ana.listens().await, ben.listens().await);
    ana.removes(&ben, &climbers).await.ok();
    ana.says(&climbers, "without him").await;
    for feed in [&mut anas, &mut bens] {
        let data = hears(feed, "membership.delete", &climbers.conv()).await;
        assert_eq!(
            (&data["by"], &data["memberships"][0]["user_id"]),
            (&json!(ana.id), &json!(ben.id))
        );
    }
    bens.stays_silent().await;
    anas.hears("Ana removed Ben from the group.").await;
    anas.hears("without him").await;
}

#[tokio::test]
async fn a_new_nickname_is_a_change_of_the_membership() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let mut feed = ana.listens().await;
    let body = json!({"membership": {"nickname": "Benny"}});
    let mut renamed = ben.posts(&climbers.path("/memberships/update")).json(&body).await.ok();
    let data = hears(&mut feed, "membership.update", &climbers.conv()).await;
    renamed["name"] = json!("Ben");
    renamed["roles"] = json!(["user"]);
    assert_eq!(data, json!({"memberships": [renamed], "by": ben.id}));
    feed.hears("Ben changed name to Benny.").await;
}

#[tokio::test]
async fn owner_change_sends_group_and_two_memberships() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let mut feed = ben.listens().await;
    assert_eq!(ana.hands(&climbers, &ben).await, "200");
    let group = hears(&mut feed, "group.update", &climbers.conv()).await;
    assert_eq!(group["creator_user_id"], ben.id.as_str());
    assert_eq!(member(&group, &ana)["roles"], json!(["admin"]));
    assert_eq!(member(&group, &ben)["roles"], json!(["admin", "owner"]));
    for person in [&ana, &ben] {
        let data = hears(&mut feed, "membership.update", &climbers.conv()).await;
        assert_eq!(data["memberships"][0]["user_id"], person.id.as_str());
    }
    feed.hears("Ana made Ben the owner of the group.").await;
}

#[tokio::test]
async fn group_destruction_reaches_members_live_and_later() {
    let world = World::start().await;
    let [ana, ben, cara] = world.people(["Ana", "Ben", "Cara"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ana.adds(&cara, &climbers).await;
    let mut bens = ben.listens().await;
    let caras = cara.listens().await;
    ana.destroys(&climbers).await.ok();
    let gone = json!({"group_id": climbers.id});
    assert_eq!(hears(&mut bens, "group.delete", &climbers.conv()).await, gone);
    bens.stays_silent().await;
    let mut caras = cara.listens_after(&caras.cursor).await;
    assert_eq!(hears(&mut caras, "group.delete", &climbers.conv()).await, gone);
    caras.stays_silent().await;
}

#[tokio::test]
async fn absent_removed_member_receives_only_the_removal() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let cursor = ben.listens().await.cursor;
    ana.says(&climbers, "before").await;
    ana.removes(&ben, &climbers).await.ok();
    ana.says(&climbers, "after").await;
    ana.updates(&climbers, json!({"name": "Without Ben"})).await.ok();
    let mut feed = ben.listens_after(&cursor).await;
    hears(&mut feed, "membership.delete", &climbers.conv()).await;
    feed.stays_silent().await;
}

#[tokio::test]
async fn changes_of_settings_are_not_replayed_to_the_removed() {
    let world = World::start().await;
    let [ana, ben, cara] = world.people(["Ana", "Ben", "Cara"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let cursor = ben.listens().await.cursor;
    ana.updates(&climbers, json!({"description": "ropes"})).await.ok();
    ana.removes(&ben, &climbers).await.ok();
    ana.updates(&climbers, json!({"name": "Secret", "description": "hidden"})).await.ok();
    ana.adds(&cara, &climbers).await;
    ana.says(&climbers, "secret").await;
    let mut feed = ben.listens_after(&cursor).await;
    hears(&mut feed, "membership.delete", &climbers.conv()).await;
    feed.stays_silent().await;
}

#[tokio::test]
async fn returning_member_receives_no_events_of_absence() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let cursor = ben.listens().await.cursor;
    ben.leaves(&climbers).await;
    ana.says(&climbers, "in between").await;
    ana.updates(&climbers, json!({"name": "In between"})).await.ok();
    ben.rejoins(&climbers).await.ok();
    ana.says(&climbers, "welcome back").await;
    let mut feed = ben.listens_after(&cursor).await;
    hears(&mut feed, "membership.delete", &climbers.conv()).await;
    hears(&mut feed, "membership.create", &climbers.conv()).await;
    feed.hears("Ben has rejoined the group.").await;
    feed.hears("welcome back").await;
    feed.stays_silent().await;
}

#[tokio::test]
async fn redeemed_invite_sends_a_join_event() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let climbers = ana.creates_group("Climbers").await;
    let item = json!([{"nickname": "Cary", "email": "cara1@example.org"}]);
    ana.adds_items(&climbers, item).await;
    let mut feed = ana.listens().await;
    let cara = world.registers("Cara").await;
    assert_eq!(cara.email, "cara1@example.org");
    let data = hears(&mut feed, "membership.create", &climbers.conv()).await;
    assert_eq!(data["by"], ana.id.as_str());
    assert_eq!(data["memberships"][0]["user_id"], cara.id.as_str());
    feed.hears("Ana added Cary to the group.").await;
    assert_eq!(text(&cara.lists("/v3/groups").await.remove(0).into()), climbers.id);
}

#[tokio::test]
async fn group_numbers_have_no_gaps() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut feed = ana.listens().await;
    ana.adds(&ben, &climbers).await;
    let invite = json!([{"nickname": "Cary", "email": "nobody@example.org"}]);
    ana.adds_items(&climbers, invite).await;
    ana.updates(&climbers, json!({"name": "x", "office_mode": true, "share": true})).await.ok();
    assert_eq!(ana.hands(&climbers, &ben).await, "200");
    ben.removes(&ana, &climbers).await.ok();
    let mut numbers = Vec::new();
    loop {
        let event = feed.next().await;
        numbers.push(event["n"].as_u64().unwrap());
        if event["type"] == "membership.delete" {
            break;
        }
    }
    let expected: Vec<u64> = (2..2 + numbers.len() as u64).collect();
    assert_eq!(numbers, expected);
    // The numbers used: adding 2, settings 5, handing over 4, leaving 1.
    assert_eq!(numbers.len(), 12);
}
