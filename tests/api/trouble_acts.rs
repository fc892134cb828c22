//! Faults of the journal outside of messages: accounts, answers under a key, the audit log, likes,
//! callbacks.

use coterie::domain::ids::StreamId;
use coterie::journal::faulty::InjectedFault;
use serde_json::json;

use crate::direct_messages::{writes, writing};
use crate::trouble::{FATAL, are_held, met, troubled};
use crate::world::called_back::lives_at;
use crate::world::listener::Listener;
use crate::world::person::text;
use crate::world::server::Setup;
use crate::world::trouble::Trouble;
use crate::world::{PASSWORD, World};

#[tokio::test]
async fn a_change_of_an_account_that_meets_trouble_is_done_or_not() {
    let (mut world, trouble) = troubled().await;
    let [ana] = world.people(["Ana"]).await;
    for (number, fault) in FATAL.into_iter().enumerate() {
        let before = ana.gets("/v3/users/me").await.ok()["name"].clone();
        let name = format!("Ana {number}");
        let change = || ana.posts("/v3/users/update").json(&json!({"name": name}));
        trouble.journal().fail_next_of(ana.stream(), fault);
        let is_stored = met(fault, 200, &change().await);
        let after = ana.gets("/v3/users/me").await.ok()["name"].clone();
        assert_eq!(after, if is_stored { json!(name) } else { before });
        change().await.ok();
        assert_eq!(ana.gets("/v3/users/me").await.ok()["name"], name);
    }
    world.restarts().await;
    assert_eq!(ana.gets("/v3/users/me").await.ok()["name"], "Ana 2");
}

/// A room resumes an add request when it starts; but after it broke off, no request had a reason to
/// start it again.
#[tokio::test]
async fn interrupted_add_completes_without_requests() {
    let (world, trouble) = troubled().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    trouble.journal().fail_next_of(climbers.stream(), InjectedFault::UnknownWritten);
    let added = json!({"members": [{"nickname": "Ben", "user_id": ben.id}]});
    let path = format!("/v3/groups/{}/members/add", climbers.id);
    let mut bens = ben.listens().await;
    met(InjectedFault::UnknownWritten, 202, &ana.posts(&path).json(&added).await);
    bens.hears_of("membership.create").await;
    assert_eq!(ben.gets("/v3/groups").await.ok()[0]["name"], "Climbers");
}

#[tokio::test]
async fn login_recovers_from_a_failed_commit() {
    let (world, trouble) = troubled().await;
    let [ana] = world.people(["Ana"]).await;
    for fault in FATAL {
        trouble.journal().fail_next_of(ana.stream(), fault);
        met(fault, 200, &world.logs_in(&ana.email, PASSWORD).await);
        let token = world.logs_in(&ana.email, PASSWORD).await.ok()["access_token"].clone();
        world.get("/v3/users/me").token(text(&token)).await.ok();
        // If the audit log meets the fault, this log-in may fail, but the next one works.
        trouble.journal().fail_next_of(StreamId::Audit, fault);
        let noted = world.logs_in(&ana.email, PASSWORD).await;
        assert!(matches!(noted.status, 200 | 503), "{}", noted.text);
        world.logs_in(&ana.email, PASSWORD).await.ok();
    }
    ana.gets("/v3/users/me").await.ok();
}

#[tokio::test]
async fn messages_that_meet_trouble_count_against_no_limit() {
    let trouble = Trouble::default();
    let setup = Setup::default().option("--dm-limit", "2/1m,50/10m").trouble(&trouble);
    let world = World::with(setup).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    for number in 0..5 {
        trouble.journal().fail_next_of(ana.chat_stream(&ben), InjectedFault::Conflict);
        let sent = writing(&ana, &ben, json!({"text": format!("hello {number}")})).await;
        met(InjectedFault::Conflict, 201, &sent);
    }
    for words in ["one", "two"] {
        writes(&ana, &ben, words).await;
    }
    writing(&ana, &ben, json!({"text": "three"})).await.refused(403);
}

#[tokio::test]
async fn under_a_key_an_act_that_met_trouble_happens_once() {
    let (world, trouble) = troubled().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    for fault in FATAL {
        let key = format!("{fault:?}");
        let post = || {
            let body = json!({"text": key, "source_guid": "of no use here"});
            ana.posting(&climbers, body).key(&key)
        };
        world.seconds_pass(60);
        trouble.journal().fail_next_of(climbers.stream(), fault);
        met(fault, 201, &post().await);
        let done = post().await;
        let again = post().await;
        assert_eq!((done.status, &done.text), (201, &again.text), "{fault:?}");
        let texts = ana.reads_texts(&climbers, "?limit=100").await;
        assert_eq!(texts.iter().filter(|text| **text == key).count(), 1, "{texts:?}");
    }
    // A block is stored in the account's stream.
    let block = || {
        let path = format!("/v3/blocks?user={}&otherUser={}", ana.id, ben.id);
        ana.posts(&path).key("block")
    };
    trouble.journal().fail_next_of(ana.stream(), InjectedFault::UnknownLost);
    block().await.refused(503);
    let (done, again) = (block().await, block().await);
    assert_eq!((done.status, &done.text), (201, &again.text));
}

#[tokio::test]
async fn uncertain_likes_and_members_are_consistent() {
    let (mut world, trouble) = troubled().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let message = ana.says(&climbers, "rope at six").await;
    let path = format!("/v3/messages/{}/{}/like", climbers.id, text(&message["id"]));
    for fault in FATAL {
        trouble.journal().fail_next_of(climbers.stream(), fault);
        let is_liked = met(fault, 200, &ben.posts(&path).await);
        let likers = ana.reads(&climbers, "?limit=1").await[0]["favorited_by"].clone();
        assert_eq!(likers, if is_liked { json!([ben.id]) } else { json!([]) }, "{fault:?}");
    }
    trouble.journal().hold();
    trouble.journal().fail_next_of(climbers.stream(), InjectedFault::UnknownLost);
    let renaming = tokio::spawn({
        let (ana, path) = (ana.clone(), climbers.path("/update"));
        async move { ana.posts(&path).json(&json!({"name": "Walkers"})).await }
    });
    are_held(&trouble, 1).await;
    trouble.journal().release();
    renaming.await.unwrap().refused(503);
    assert_eq!(ana.gets(&climbers.path("")).await.ok()["name"], "Climbers");
    world.restarts().await;
    assert_eq!(ana.gets(&climbers.path("")).await.ok()["name"], "Climbers");
    assert_eq!(ana.reads(&climbers, "?limit=1").await[0]["favorited_by"], json!([ben.id]));
}

#[tokio::test]
async fn bot_receives_all_despite_failed_records() {
    let (world, trouble) = troubled().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    lives_at(&mut listener, &ana, &climbers).await;
    let faults = [
        InjectedFault::Busy,
        InjectedFault::Conflict,
        InjectedFault::UnknownLost,
        InjectedFault::UnknownWritten,
    ];
    for fault in faults {
        trouble.journal().fail_next_of(StreamId::Callbacks, fault);
        let words = format!("{fault:?}");
        ana.says(&climbers, &words).await;
        // A message may come twice, since a delivery that was not recorded is sent again. None is
        // missing, and none comes late.
        let mut heard = listener.hears().await.text();
        while heard != words {
            assert!(faults.iter().any(|earlier| heard == format!("{earlier:?}")), "{heard}");
            heard = listener.hears().await.text();
        }
    }
    ana.says(&climbers, "last").await;
    while listener.hears().await.text() != "last" {}
}
