//! Lists of groups (specification, section 4, `GET /groups`), and how they show the newest message.

use serde_json::json;

use crate::world::World;
use crate::world::person::{Group, Person, text};

async fn creates(person: &Person, count: usize) -> Vec<Group> {
    let mut groups = Vec::with_capacity(count);
    for number in 0..count {
        groups.push(person.creates_group(&format!("Group {number}")).await);
    }
    groups
}

fn ids<'a>(groups: impl IntoIterator<Item = &'a Group>) -> Vec<String> {
    groups.into_iter().map(|group| group.id.clone()).collect()
}

#[tokio::test]
async fn groups_are_listed_by_their_last_activity() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let groups = creates(&ana, 3).await;
    assert_eq!(ana.lists("/v3/groups").await, ids(groups.iter().rev()), "the newest first");
    ana.says(&groups[0], "one").await;
    ana.says(&groups[1], "two").await;
    let order = [&groups[1], &groups[0], &groups[2]];
    assert_eq!(ana.lists("/v3/groups").await, ids(order), "a post is seen as soon as answered");
    world.seconds_pass(5);
    ana.updates(&groups[2], json!({"name": "Renamed"})).await.ok();
    let order = [&groups[2], &groups[1], &groups[0]];
    assert_eq!(ana.lists("/v3/groups").await, ids(order), "a line counts too");
}

/// An event that a user received on a socket must be in the list: the list waits until it includes
/// what the socket got, even if the room has not been told yet that it is durable.
#[tokio::test]
async fn pushed_group_is_listed_at_once() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let mut feed = ben.listens().await;
    for number in 0..40 {
        let group = ana.creates_group(&format!("Group {number}")).await;
        let adding = ana.adds(&ben, &group);
        let hearing = async {
            feed.hears_of("membership.create").await;
            let listed = ben.lists("/v3/groups?per_page=100").await;
            assert!(listed.contains(&group.id), "group {number} is not listed yet");
        };
        tokio::join!(adding, hearing);
        feed.hears_of("line.create").await;
    }
}

#[tokio::test]
async fn the_order_of_groups_survives_a_restart() {
    let mut world = World::start().await;
    let ana = world.registers("Ana").await;
    let groups = creates(&ana, 3).await;
    ana.says(&groups[1], "last words").await;
    let before = ana.gets("/v3/groups").await.ok();
    world.restarts().await;
    assert_eq!(ana.lists("/v3/groups").await, ids([&groups[1], &groups[2], &groups[0]]));
    // The port is another one after the restart, but these groups contain no URL.
    assert_eq!(ana.gets("/v3/groups").await.ok(), before);
}

#[tokio::test]
async fn group_pages_are_gapless_and_end_empty() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let groups = creates(&ana, 23).await;
    ana.says(&groups[5], "first now").await;
    let mut order: Vec<String> = ids(groups.iter().rev());
    let moved = order.remove(22 - 5);
    order.insert(0, moved);
    let mut seen = Vec::new();
    for page in 1..=3 {
        seen.extend(ana.lists(&format!("/v3/groups?page={page}")).await);
    }
    assert_eq!(seen, order);
    assert!(ana.lists("/v3/groups?page=4").await.is_empty());
    assert_eq!(ana.lists("/v3/groups?per_page=500").await, order);
    assert_eq!(ana.lists("/v3/groups?page=2&per_page=20").await, order[20..]);
}

#[tokio::test]
async fn memberships_can_be_left_out_of_a_list() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    creates(&ana, 1).await;
    let listed = ana.gets("/v3/groups?omit=memberships").await.ok();
    assert_eq!(listed[0]["members"], json!(null));
    let listed = ana.gets("/v3/groups?omit=nothing").await.ok();
    assert_eq!(listed[0]["members"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn group_always_has_count_and_newest_message() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let empty = ana.sees(&climbers).await;
    assert_eq!(empty["messages"]["count"], 0);
    assert_eq!(empty["messages"]["last_message_id"], json!(null));
    ana.adds(&ben, &climbers).await;
    ben.says(&climbers, "rope at six").await;
    world.seconds_pass(7);
    ana.updates(&climbers, json!({"name": "Bergsteiger"})).await.ok();
    let said = "Ana changed the group's name to Bergsteiger.";
    for shown in [ana.sees(&climbers).await, ana.gets("/v3/groups").await.ok()[0].clone()] {
        let newest = ana.reads(&climbers, "?limit=1").await.remove(0);
        assert_eq!(shown["messages"]["count"], 3);
        assert_eq!(shown["messages"]["last_message_id"], newest["id"]);
        assert_eq!(shown["messages"]["last_message_created_at"], 1_800_000_007);
        assert_eq!(shown["messages"]["preview"]["text"], said);
        assert_eq!(shown["messages"]["preview"]["nickname"], newest["name"]);
        assert_eq!(shown["messages"]["preview"]["attachments"], json!([]));
    }
    assert_eq!(ana.reads(&climbers, "?limit=100").await.len(), 3, "paging reaches all of them");
}

#[tokio::test]
async fn group_view_shows_acknowledged_messages() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let climbers = ana.creates_group("Climbers").await;
    for number in 1..=50 {
        let said = ana.says(&climbers, &format!("message {number}")).await;
        let shown = ana.sees(&climbers).await;
        assert_eq!(shown["messages"]["count"], number);
        assert_eq!(text(&shown["messages"]["last_message_id"]), text(&said["id"]));
    }
}

/// Lists are read without starting rooms, and the rows that were read are cached until something
/// happens.
#[tokio::test]
async fn group_list_shows_resting_groups_correctly() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let mut groups = Vec::new();
    for number in 0..40 {
        let group = ana.creates_group(&format!("G{number}")).await;
        if number % 2 == 0 {
            ana.adds(&ben, &group).await;
        }
        groups.push(group);
    }
    ana.says(&groups[3], "first").await;
    let list = |who: &Person| who.gets("/v3/groups?per_page=500");
    for round in 0..3 {
        let told = list(&ana).await;
        assert_eq!(told.text.matches("\"group_id\"").count(), 40);
        world.restarts().await;
        let (cold, warm) = (list(&ana).await, list(&ana).await);
        assert_eq!(cold.text, told.text, "as its rooms told it");
        assert_eq!(warm.text, cold.text);
        // The room of one group starts and changes it; the group is listed among those without a
        // room.
        ana.posts(&groups[7].path("/update"))
            .json(&json!({"name": format!("R{round}")}))
            .await
            .ok();
        ana.says(&groups[5], &format!("round {round}")).await;
        let listed = list(&ana).await.ok();
        let first = &listed[0];
        assert_eq!(first["id"], groups[5].id.as_str());
        assert_eq!(first["messages"]["preview"]["text"], format!("round {round}"));
        // Ana caused the lines about the new names, and the line that Ben was added.
        for group in [3, 5, 7, 8].map(|number: usize| &groups[number]) {
            let listed = listed.as_array().unwrap().iter().find(|it| it["id"] == group.id.as_str());
            let mut shown = ana.sees(group).await;
            (shown["unread_count"], shown["unread_mentions"]) = (json!(0), json!(0));
            assert_eq!(listed.unwrap(), &shown);
        }
    }
}

#[tokio::test]
async fn resting_group_is_visible_to_members_only() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let [stays, leaves, ends] = ["Stays", "Leaves", "Ends"].map(str::to_owned);
    let mut groups = Vec::new();
    for name in [stays, leaves, ends] {
        let group = ana.creates_group(&name).await;
        ana.adds(&ben, &group).await;
        groups.push(group);
    }
    world.restarts().await;
    assert_eq!(ben.lists("/v3/groups").await.len(), 3);
    ben.leaves(&groups[1]).await;
    ana.destroys(&groups[2]).await.ok();
    assert_eq!(ben.lists("/v3/groups").await, [groups[0].id.clone()]);
    world.restarts().await;
    assert_eq!(ben.lists("/v3/groups").await, [groups[0].id.clone()]);
    assert_eq!(ana.lists("/v3/groups").await.len(), 2);
    let omitted = ben.gets("/v3/groups?omit=memberships").await.ok();
    assert_eq!(omitted[0]["members"], serde_json::Value::Null);
    assert_eq!(omitted[0]["name"], "Stays");
}
