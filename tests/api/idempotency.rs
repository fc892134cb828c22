//! `Idempotency-Key` (decisions, "Idempotency-Key header"): a repeat gets the first answer, for 24
//! hours. What each POST does under a key is tested in `idempotency_acts.rs`.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::direct_messages::writing;
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::asking::Asking;
use crate::world::person::{Group, Person, text};
use crate::world::server::Setup;

const DAY_MILLIS: u64 = 24 * 60 * 60 * 1000;

impl Asking {
    /// Sends an `Idempotency-Key`.
    pub(crate) fn key(self, key: &str) -> Self {
        self.header("Idempotency-Key", key)
    }
}

/// Asserts that a response repeats the first one, and says so in its header.
#[track_caller]
pub(crate) fn repeats(again: &Answer, first: &Answer) {
    assert_eq!((again.status, &again.text), (first.status, &first.text));
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(first.header("idempotency-replayed"), None);
}

/// A request that posts a message under a key, always with the same `source_guid`.
fn says(who: &Person, group: &Group, key: &str) -> Asking {
    who.posting(group, json!({"text": "rope at six", "source_guid": "the same"})).key(key)
}

/// A request that creates a group under a key; nothing but the key keeps a repeat from creating
/// another.
fn founds(who: &Person, name: &str, key: &str) -> Asking {
    who.posts("/v3/groups").json(&json!({"name": name})).key(key)
}

#[tokio::test]
async fn a_repeat_gets_the_first_answer_also_after_a_restart() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let first = founds(&ana, "Climbers", "k").await;
    repeats(&founds(&ana, "Climbers", "k").await, &first);
    let group = Group { id: text(&first_payload(&first)["id"]).to_owned() };
    ana.posts(&group.path("/update")).json(&json!({"name": "Walkers"})).await.ok();
    // The repeat gets the first answer, though the group has another name by now.
    repeats(&founds(&ana, "Climbers", "k").await, &first);
    world.restarts().await;
    repeats(&founds(&ana, "Climbers", "k").await, &first);
    assert_eq!(ana.lists("/v3/groups").await, [group.id]);
    founds(&ana, "Climbers", "another").await.created();
    assert_eq!(ana.lists("/v3/groups").await.len(), 2);
}

fn first_payload(answer: &Answer) -> Value {
    serde_json::from_str::<Value>(&answer.text).unwrap()["response"].take()
}

#[tokio::test]
async fn key_of_another_request_is_refused() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let first = says(&ana, &climbers, "k").await;
    for _ in 0..2 {
        let other = ana.posting(&climbers, json!({"text": "another", "source_guid": "g"}));
        assert_eq!(
            other.key("k").await.refused(422),
            ["this Idempotency-Key was already used for another request"]
        );
        founds(&ana, "Walkers", "k").await.refused(422);
        let walkers = ana.creates_group("Walkers").await;
        says(&ana, &walkers, "k").await.refused(422);
        world.restarts().await;
    }
    repeats(&says(&ana, &climbers, "k").await, &first);
    assert_eq!(ana.reads_texts(&climbers, "").await, ["rope at six"]);
}

#[tokio::test]
async fn a_key_of_one_way_of_answering_is_none_of_the_other() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let body = json!({"name": "Climbers"});
    let founds = |path: &str| ana.posts(path).json(&body).key("k");
    let first = founds("/compat/v3/groups").await;
    founds("/v3/groups").await.refused(422);
    for path in ["/compat/v3/groups", "/compat/v4/groups"] {
        repeats(&founds(path).await, &first);
    }
}

#[tokio::test]
async fn idempotency_keys_belong_to_users() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let anas = founds(&ana, "Climbers", "k").await;
    let bens = founds(&ben, "Climbers", "k").await;
    assert_ne!(first_payload(&anas)["id"], first_payload(&bens)["id"]);
    let welcome = world.logs_in(&ana.email, crate::world::PASSWORD).await.ok();
    let token = text(&welcome["access_token"]);
    let body = json!({"name": "Climbers"});
    for name in ["token", "access_token"] {
        let by_query = world.post(&format!("/v3/groups?{name}={token}")).json(&body).key("k");
        repeats(&by_query.await, &anas);
    }
    world.post("/v3/groups").json(&body).key("k").await.refused(401);
}

#[tokio::test]
async fn a_key_is_up_to_255_visible_signs() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let long = "k".repeat(256);
    for wrong in ["", "two words", "tab\there", "café", long.as_str()] {
        let refused = founds(&ana, "Climbers", wrong).await.refused(400);
        assert_eq!(refused, ["Idempotency-Key must be 1 to 255 visible ASCII characters"]);
    }
    founds(&ana, "Climbers", "one").key("two").await.refused(400);
    assert_eq!(ana.lists("/v3/groups").await.len(), 0);
    for right in ["!", "~", &long[1..], "\"8e03978e-40d5-43dd-bc93-6894a57f9324\""] {
        founds(&ana, "Climbers", right).await.created();
    }
}

#[tokio::test]
async fn concurrent_requests_with_one_key_act_once() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let answers = join_all((0..16).map(|_| founds(&ana, "Climbers", "k").into_future())).await;
    let (again, first): (Vec<&Answer>, Vec<&Answer>) =
        answers.iter().partition(|it| it.header("idempotency-replayed").is_some());
    assert_eq!(first.len(), 1);
    again.into_iter().for_each(|it| repeats(it, first[0]));
    assert_eq!(ana.lists("/v3/groups").await.len(), 1);
    let others = (0..16).map(|number| founds(&ana, &format!("G{number}"), "other").into_future());
    let statuses = join_all(others).await.into_iter().map(|it| it.status);
    let mut statuses: Vec<u16> = statuses.collect();
    statuses.sort_unstable();
    assert_eq!((statuses[0], &statuses[1..]), (201, &[422; 15][..]));
}

#[tokio::test]
async fn response_is_replayed_for_a_day() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let first = says(&ana, &climbers, "k").await;
    world.clock.pass(DAY_MILLIS - 1);
    repeats(&says(&ana, &climbers, "k").await, &first);
    world.restarts().await;
    repeats(&says(&ana, &climbers, "k").await, &first);
    world.clock.pass(1);
    let second = says(&ana, &climbers, "k").await;
    assert_eq!((second.status, second.header("idempotency-replayed")), (201, None));
    repeats(&says(&ana, &climbers, "k").await, &second);
    world.clock.pass(DAY_MILLIS);
    // A key that has expired may be used for any request.
    founds(&ana, "Walkers", "k").await.created();
    assert_eq!(ana.reads(&climbers, "").await.len(), 2);
}

#[tokio::test]
async fn a_refusal_is_a_first_answer_too() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let first = says(&ben, &climbers, "k").await;
    first.refused(404);
    let taken = json!({"text": "again", "source_guid": "g"});
    ana.posting(&climbers, taken.clone()).await.created();
    let known = ana.posting(&climbers, taken.clone()).key("k").await;
    known.refused(409);
    ana.adds(&ben, &climbers).await;
    world.seconds_pass(100);
    for _ in 0..2 {
        repeats(&says(&ben, &climbers, "k").await, &first);
        let again = ana.posting(&climbers, taken.clone()).key("k").await;
        repeats(&again, &known);
        let existing = known.header("x-existing-message-id");
        assert!(existing.is_some());
        assert_eq!(again.header("x-existing-message-id"), existing);
        world.restarts().await;
    }
    says(&ben, &climbers, "another").await.created();
}

#[tokio::test]
async fn unreadable_request_leaves_its_key_unused() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    founds(&ana, "", "k").await.refused(400);
    ana.posts("/v3/groups").bare("{").key("k").await.refused(400);
    let large = "x".repeat((1 << 20) + 1);
    ana.posts("/v3/groups").bare(large).key("k").await.refused(413);
    let first = founds(&ana, "Climbers", "k").await;
    assert_eq!(first.status, 201);
    repeats(&founds(&ana, "Climbers", "k").await, &first);
}

#[tokio::test]
async fn retryable_error_leaves_its_key_unused() {
    let world = World::with(Setup::default().option("--dm-limit", "2/1m,50/10m")).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let letter = |guid: &str, key: &str| {
        writing(&ana, &ben, json!({"text": "hello", "source_guid": guid})).key(key)
    };
    let first = letter("1", "a").await;
    letter("2", "b").await.created();
    letter("3", "c").await.refused(403);
    // A repeat is not a new message, so it is not refused by the limit.
    repeats(&letter("1", "a").await, &first);
    world.seconds_pass(600);
    letter("3", "c").await.created();
}

#[tokio::test]
async fn too_many_requests_leave_their_keys_free() {
    let world = World::with(Setup::default().option("--rate-limit", "1/s")).await;
    let [ana] = world.people(["Ana"]).await;
    // Five requests at once are allowed; repeats count too.
    for number in 0..5 {
        founds(&ana, "Climbers", &format!("k{}", number / 2)).await.created();
    }
    founds(&ana, "Climbers", "k9").await.refused(429);
    world.seconds_pass(5);
    let first = founds(&ana, "Climbers", "k9").await;
    assert_eq!((first.status, first.header("idempotency-replayed")), (201, None));
    assert_eq!(ana.lists("/v3/groups").await.len(), 4);
}

#[tokio::test]
async fn disconnected_request_with_key_acts_once() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for number in 0..40_u64 {
        let (name, key) = (format!("G{number}"), format!("k{number}"));
        let hurried = founds(&ana, &name, &key).into_future();
        let patience = std::time::Duration::from_micros(number * 50);
        drop(tokio::time::timeout(patience, hurried).await);
        founds(&ana, &name, &key).await.created();
    }
    assert_eq!(ana.lists("/v3/groups?per_page=100").await.len(), 40);
}

#[tokio::test]
async fn login_ignores_idempotency_keys() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let logs_in = || {
        let body = json!({"email": ana.email, "password": crate::world::PASSWORD});
        world.post("/auth/login").json(&body).key("k")
    };
    let tokens = [logs_in().await.ok(), logs_in().await.ok()];
    assert_ne!(tokens[0]["access_token"], tokens[1]["access_token"]);
}

#[tokio::test]
async fn a_method_that_is_not_served_minds_no_key() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let body = json!({"name": "Divers"});
    let update = climbers.path("/update");
    ana.posts(&update).key("one").json(&body).await.ok();
    let refused = world.asks("PUT", &update).header("X-Access-Token", &ana.token);
    refused.key("one").json(&json!({})).await.refused(405);
}
