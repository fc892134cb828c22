//! Blocks (specification, section 4, Blocks).

use serde_json::{Value, json};

use crate::direct_messages::{writes, writing};
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::asking::Asking;
use crate::world::person::Person;

/// The query of a request about two users.
fn between(user: &Person, other: &Person) -> String {
    format!("?user={}&otherUser={}", user.id, other.id)
}

/// Blocks a user.
pub(crate) async fn blocks(user: &Person, other: &Person) -> Answer {
    user.posts(&format!("/v3/blocks{}", between(user, other))).await
}

/// Ends a block.
pub(crate) async fn unblocks(user: &Person, other: &Person) {
    assert_eq!(deletes(user, &between(user, other)).await.ok(), Value::Null);
}

fn deletes(user: &Person, query: &str) -> Asking {
    user.address.asks("DELETE", &format!("/v3/blocks{query}")).token(&user.token)
}

/// Whether either user has blocked the other, as one of them is told.
async fn is_between(user: &Person, other: &Person) -> bool {
    let path = format!("/v3/blocks/between{}", between(user, other));
    user.gets(&path).await.ok()["between"].as_bool().unwrap()
}

#[tokio::test]
async fn a_block_is_created_listed_and_seen_from_both_sides() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    assert!(!is_between(&ana, &ben).await);
    let block = blocks(&ana, &ben).await.created();
    let expected = json!({"user_id": ana.id, "blocked_user_id": ben.id,
        "created_at": 1_800_000_000_u64});
    assert_eq!(block, json!({"block": expected}));
    assert!(is_between(&ana, &ben).await);
    assert!(is_between(&ben, &ana).await, "either side counts");
    assert!(!is_between(&ana, &cem).await);
    let list = |who: &Person| who.gets(&format!("/v3/blocks?user={}", who.id));
    assert_eq!(list(&ana).await.ok(), json!({"blocks": [expected]}));
    assert_eq!(list(&ben).await.ok(), json!({"blocks": []}), "a block belongs to its maker");
    for (other, between) in [(&ben, true), (&cem, false)] {
        let path = format!("/v3/blocks?user={}&otherUser={}", ana.id, other.id);
        let found = ana.gets(&path).await.ok();
        assert_eq!(found, json!({"blocks": [expected], "between": between}));
    }
}

#[tokio::test]
async fn blocks_are_listed_oldest_first_and_survive_a_restart() {
    let mut world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    blocks(&ana, &cem).await.created();
    world.seconds_pass(5);
    blocks(&ana, &ben).await.created();
    world.restarts().await;
    let found = ana.gets(&format!("/v3/blocks?user={}", ana.id)).await.ok();
    let blocked: Vec<&Value> =
        found["blocks"].as_array().unwrap().iter().map(|it| &it["blocked_user_id"]).collect();
    assert_eq!(blocked, [&json!(cem.id), &json!(ben.id)]);
    writing(&ben, &ana, json!({"text": "x"})).await.refused(403);
}

#[tokio::test]
async fn blocking_twice_answers_with_the_same_block() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let first = blocks(&ana, &ben).await.created();
    world.seconds_pass(60);
    assert_eq!(blocks(&ana, &ben).await.created(), first);
    unblocks(&ana, &ben).await;
    let later = blocks(&ana, &ben).await.created();
    assert_eq!(later["block"]["created_at"], 1_800_000_060_u64);
}

#[tokio::test]
async fn both_unblock_calls_work_and_are_idempotent() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    blocks(&ana, &ben).await.created();
    unblocks(&ana, &ben).await;
    assert!(!is_between(&ana, &ben).await);
    unblocks(&ana, &ben).await;
    blocks(&ana, &ben).await.created();
    let path = format!("/v3/blocks/delete{}", between(&ana, &ben));
    assert_eq!(ana.posts(&path).await.ok(), Value::Null);
    assert!(!is_between(&ana, &ben).await);
    writes(&ben, &ana, "hello again").await;
}

#[tokio::test]
async fn unblocking_ends_only_ones_own_block() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    blocks(&ana, &ben).await.created();
    unblocks(&ben, &ana).await;
    assert!(is_between(&ben, &ana).await);
    writing(&ben, &ana, json!({"text": "x"})).await.refused(403);
}

#[tokio::test]
async fn in_every_call_user_is_the_caller() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let query = between(&ben, &ana);
    for (method, path) in [
        ("GET", format!("/v3/blocks?user={}", ben.id)),
        ("GET", format!("/v3/blocks/between{query}")),
        ("POST", format!("/v3/blocks{query}")),
        ("DELETE", format!("/v3/blocks{query}")),
        ("POST", format!("/v3/blocks/delete{query}")),
    ] {
        let answer = world.asks(method, &path).token(&ana.token).await;
        assert_eq!(answer.refused(403), ["user must be your own id"], "{method} {path}");
        world.asks(method, &path).await.refused(401);
    }
    assert!(!is_between(&ana, &ben).await);
}

#[tokio::test]
async fn ids_that_are_invalid_missing_or_the_same_are_refused() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let post = |query: String| ana.posts(&format!("/v3/blocks{query}"));
    let own = format!("?user={}", ana.id);
    assert_eq!(post(own.clone()).await.refused(400), ["otherUser is required"]);
    assert_eq!(
        post("?user=me&otherUser=ben".to_owned()).await.refused(400),
        ["user is not an id", "otherUser is not an id"]
    );
    assert_eq!(
        post(format!("{own}&otherUser=1")).await.refused(400),
        ["otherUser is not the id of a user"]
    );
    let same = between(&ana, &ana);
    let reason = ["user and otherUser must not be the same"];
    assert_eq!(post(same.clone()).await.refused(400), reason);
    assert_eq!(deletes(&ana, &same).await.refused(400), reason);
    assert_eq!(ana.gets(&format!("/v3/blocks/between{same}")).await.refused(400), reason);
    assert_eq!(ana.gets("/v3/blocks").await.refused(400), ["user is required"]);
}

#[tokio::test]
async fn parameters_may_stand_in_query_body_or_form() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let number: u64 = ben.id.parse().unwrap();
    let body = json!({"user": ana.id, "otherUser": number});
    ana.posts("/v3/blocks").json(&body).await.created();
    let form = format!("user={}&otherUser={}", ana.id, ben.id);
    let kind = "application/x-www-form-urlencoded";
    ana.posts("/v3/blocks/delete").body(kind, form.clone()).await.ok();
    assert!(!is_between(&ana, &ben).await);
    ana.posts("/v3/blocks").body(kind, form).await.created();
    deletes(&ana, "").json(&body).await.ok();
    assert!(!is_between(&ana, &ben).await);
}

#[tokio::test]
async fn only_the_blocker_receives_the_block_event() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let (mut anas, mut bens) = (ana.listens().await, ben.listens().await);
    let cursor = anas.cursor.clone();
    let block = blocks(&ana, &ben).await.created()["block"].take();
    blocks(&ana, &ben).await.created();
    world.seconds_pass(9);
    unblocks(&ana, &ben).await;
    let mut again = ana.listens_after(&cursor).await;
    for feed in [&mut anas, &mut again] {
        for (n, kind) in [(1, "block.create"), (2, "block.delete")] {
            let event = feed.hears_of(kind).await;
            assert_eq!(event["conv"], format!("u:{}", ana.id));
            assert_eq!((&event["n"], &event["data"]), (&json!(n), &block));
        }
    }
    anas.stays_silent().await;
    again.hears_of("membership.create").await;
    bens.stays_silent().await;
}

#[tokio::test]
async fn a_blocked_user_cannot_add_the_blocker_to_a_group() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    blocks(&ana, &ben).await.created();
    let items = json!([
        {"nickname": "A", "user_id": ana.id},
        {"nickname": "A", "email": ana.email},
        {"nickname": "C", "user_id": cem.id, "guid": "c"},
    ]);
    let climbers = ben.creates_group("Climbers").await;
    let members = ben.adds_items(&climbers, items.clone()).await;
    assert_eq!(members.len(), 1, "{members:?}");
    assert_eq!(members[0]["guid"], "c");
    ana.gets(&climbers.path("")).await.refused(404);
    // Others may still add Ana, and Ana may still add Ben, whom she blocked.
    cem.adds(&ana, &climbers).await;
    let walkers = ana.creates_group("Walkers").await;
    ana.adds(&ben, &walkers).await;
    unblocks(&ana, &ben).await;
    let runners = ben.creates_group("Runners").await;
    assert_eq!(ben.adds_items(&runners, items).await.len(), 3);
}

#[tokio::test]
async fn a_block_does_not_hide_group_messages_or_the_chat() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let before = writes(&ben, &ana, "before").await;
    blocks(&ana, &ben).await.created();
    let mut anas = ana.listens().await;
    ben.says(&climbers, "rope at six").await;
    anas.hears("rope at six").await;
    let chats = ana.gets("/v3/chats").await.ok();
    assert_eq!(chats[0]["last_message"], before);
}

#[tokio::test]
async fn acknowledged_block_applies_at_once() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    for _ in 0..10 {
        // Messages are in flight while the block is set; none may be stored after the block was
        // answered.
        let flood = futures_util::future::join_all(
            (0..8).map(|_| async { writing(&ben, &ana, json!({"text": "hurry"})).await.status }),
        );
        let (blocked, statuses) = tokio::join!(
            async {
                blocks(&ana, &ben).await.created();
                writing(&ben, &ana, json!({"text": "too late"})).await.status
            },
            flood
        );
        assert_eq!(blocked, 403);
        assert!(statuses.iter().all(|status| [201, 403].contains(status)), "{statuses:?}");
        let chat = format!("/v3/direct_messages?other_user_id={}&limit=100", ana.id);
        let found = ben.gets(&chat).await;
        assert!(!found.text.contains("too late"));
        unblocks(&ana, &ben).await;
    }
}

/// Group ids and user ids count from the same number, and blocks once shared their key prefix with
/// invites: a group with the same id as a blocker could not be loaded.
#[tokio::test]
async fn a_group_with_the_number_of_a_blocker_loads() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    assert_eq!(climbers.id, ana.id, "else this test shows nothing");
    blocks(&ana, &ben).await.created();
    world.restarts().await;
    ana.says(&climbers, "rope at six").await;
    assert_eq!(ana.reads_texts(&climbers, "").await, ["rope at six"]);
}
