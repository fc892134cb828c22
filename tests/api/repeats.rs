//! Repeats: the same `source_guid` within a minute (specification, section 8, and
//! decisions, "409").

use serde_json::{Value, json};

use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::{Group, Person, text};

async fn posts(who: &Person, group: &Group, guid: &str, words: &str) -> Answer {
    who.posting(group, json!({"source_guid": guid, "text": words})).await
}

#[track_caller]
fn names(answer: &Answer, existing: &Value) {
    assert_eq!(answer.refused(409).len(), 1);
    assert_eq!(answer.header("x-existing-message-id"), Some(text(&existing["message"]["id"])));
}

#[tokio::test]
async fn a_repeat_within_a_minute_names_the_message_that_is_stored() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let walkers = ana.creates_group("Walkers").await;
    ana.adds(&ben, &climbers).await;
    let first = posts(&ana, &climbers, "g", "one").await.created();
    names(&posts(&ana, &climbers, "g", "one").await, &first);
    names(&posts(&ana, &climbers, "g", "another text").await, &first);
    world.clock.pass(59_999);
    names(&posts(&ana, &climbers, "g", "one").await, &first);
    // Other users, and other groups, have guids of their own.
    posts(&ben, &climbers, "g", "ben's").await.created();
    posts(&ana, &walkers, "g", "elsewhere").await.created();
    posts(&ana, &climbers, "G", "another guid").await.created();
    world.clock.pass(1);
    let second = posts(&ana, &climbers, "g", "two").await.created();
    assert_ne!(second["message"]["id"], first["message"]["id"]);
    names(&posts(&ana, &climbers, "g", "two").await, &second);
}

#[tokio::test]
async fn a_refused_repeat_does_not_begin_a_new_minute() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    posts(&ana, &climbers, "g", "one").await.created();
    world.clock.pass(40_000);
    posts(&ana, &climbers, "g", "one").await.refused(409);
    world.clock.pass(20_000);
    posts(&ana, &climbers, "g", "one").await.created();
}

#[tokio::test]
async fn the_minute_is_not_the_wall_clocks() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let first = posts(&ana, &climbers, "g", "one").await.created();
    world.clock.jump_to(coterie::domain::time::Timestamp::from_seconds(1_900_000_000));
    names(&posts(&ana, &climbers, "g", "one").await, &first);
}

#[tokio::test]
async fn concurrent_posts_with_one_guid_store_one() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let answers = (0..16).map(|_| posts(&ana, &climbers, "g", "one"));
    let answers = futures_util::future::join_all(answers).await;
    let stored = ana.reads(&climbers, "").await;
    assert_eq!(stored.len(), 1);
    let existing = json!({"message": stored[0]});
    let mut created = 0;
    for answer in &answers {
        match answer.status {
            201 => created += 1,
            _ => names(answer, &existing),
        }
    }
    assert_eq!(created, 1);
}

#[tokio::test]
async fn a_repeat_is_known_after_a_restart_for_the_rest_of_its_minute() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    // Not on a whole second, since the rest of the minute is counted exactly.
    world.clock.pass(900);
    let first = posts(&ana, &climbers, "g", "one").await.created();
    world.clock.pass(30_000);
    world.restarts().await;
    names(&posts(&ana, &climbers, "g", "one").await, &first);
    world.clock.pass(29_999);
    names(&posts(&ana, &climbers, "g", "one").await, &first);
    world.restarts().await;
    names(&posts(&ana, &climbers, "g", "one").await, &first);
    world.clock.pass(1);
    posts(&ana, &climbers, "g", "one").await.created();
}

#[tokio::test]
async fn a_guid_is_free_after_its_minute_also_over_a_restart() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    posts(&ana, &climbers, "g", "one").await.created();
    world.clock.pass(60_000);
    world.restarts().await;
    posts(&ana, &climbers, "g", "one").await.created();
}
