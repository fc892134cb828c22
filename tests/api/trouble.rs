//! Faults of the journal as people meet them: what was acknowledged is there once, what was not is
//! not half done, every waiting request gets the truth or 503, and the next request works.

use coterie::journal::faulty::InjectedFault;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::direct_messages::writing;
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::{Group, Person, SOON, text};
use crate::world::server::Setup;
use crate::world::trouble::Trouble;

/// The faults after which a room starts again from what is durable.
pub(crate) const FATAL: [InjectedFault; 3] =
    [InjectedFault::Conflict, InjectedFault::UnknownLost, InjectedFault::UnknownWritten];

/// Starts a server whose journal fails as the returned [`Trouble`] orders.
pub(crate) async fn troubled() -> (World, Trouble) {
    let trouble = Trouble::default();
    (World::with(Setup::default().trouble(&trouble)).await, trouble)
}

/// Waits until this many commits are held back.
pub(crate) async fn are_held(trouble: &Trouble, count: usize) {
    let all_held = async {
        while trouble.journal().held() < count {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(SOON, all_held).await.expect("commits are held back");
}

/// Asserts the response to an act whose commit met this fault: success if the commit turns out to
/// be written, otherwise 503 with `Retry-After`. Returns whether it was written.
pub(crate) fn met(fault: InjectedFault, success: u16, answer: &Answer) -> bool {
    let is_written = fault == InjectedFault::UnknownWritten;
    assert_eq!(answer.status, if is_written { success } else { 503 }, "{fault:?} {}", answer.text);
    assert_eq!(answer.header("retry-after").is_some(), !is_written);
    is_written
}

async fn says(who: &Person, group: &Group, guid: &str) -> Answer {
    who.posting(group, json!({"source_guid": guid, "text": guid})).await
}

/// Repeats a post and asserts that the response is the truth and that the message is there once.
/// Returns whether it was stored before the repeat.
async fn tells_the_truth(who: &Person, group: &Group, guid: &str) -> bool {
    let before = who.reads(group, "?limit=100").await;
    let stored = before.iter().find(|message| message["source_guid"] == guid);
    let again = says(who, group, guid).await;
    match stored {
        Some(message) => {
            again.refused(409);
            assert_eq!(again.header("x-existing-message-id"), Some(text(&message["id"])));
        }
        None => drop(again.created()),
    }
    let after = who.reads(group, "?limit=100").await;
    assert_eq!(after.iter().filter(|message| message["source_guid"] == guid).count(), 1);
    stored.is_some()
}

#[tokio::test]
async fn failed_post_gets_503_and_its_repeat_the_result() {
    let (world, trouble) = troubled().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    for fault in FATAL {
        ana.says(&climbers, &format!("before {fault:?}")).await;
        trouble.journal().fail_next_of(climbers.stream(), fault);
        let guid = format!("{fault:?}");
        let told = says(&ana, &climbers, &guid).await;
        let is_written = met(fault, 201, &told);
        let was_stored = tells_the_truth(&ana, &climbers, &guid).await;
        assert_eq!(was_stored, is_written, "{fault:?}");
    }
    let texts = ana.reads_texts(&climbers, "").await;
    assert_eq!(texts.len(), 6, "{texts:?}");
}

#[tokio::test]
async fn failed_commit_fails_all_queued_requests() {
    let (mut world, trouble) = troubled().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    for fault in FATAL {
        let name = format!("{fault:?}");
        trouble.journal().hold();
        trouble.journal().fail_next_of(climbers.stream(), fault);
        let first = tokio::spawn({
            let (ana, climbers, name) = (ana.clone(), climbers.clone(), name.clone());
            async move { says(&ana, &climbers, &name).await }
        });
        are_held(&trouble, 1).await;
        // These posts may come before the commit fails or after it; both are allowed.
        let guids: Vec<String> = (0..8).map(|count| format!("{name} {count}")).collect();
        let behind = tokio::spawn({
            let (ben, climbers, guids) = (ben.clone(), climbers.clone(), guids.clone());
            async move { join_all(guids.iter().map(|guid| says(&ben, &climbers, guid))).await }
        });
        let viewing = tokio::spawn({
            let (ben, climbers) = (ben.clone(), climbers.clone());
            async move { ben.gets(&climbers.path("")).await }
        });
        tokio::time::sleep(std::time::Duration::from_millis(30)).await;
        trouble.journal().release();
        let is_written = met(fault, 201, &first.await.unwrap());
        assert!(matches!(viewing.await.unwrap().status, 200 | 503));
        let answers = behind.await.unwrap();
        assert_eq!(tells_the_truth(&ana, &climbers, &name).await, is_written, "{name}");
        for (guid, answer) in guids.iter().zip(&answers) {
            assert!(matches!(answer.status, 201 | 503), "{}", answer.text);
            let is_there = tells_the_truth(&ben, &climbers, guid).await;
            assert_eq!(is_there, answer.status == 201, "{guid}");
        }
    }
    let before = ana.reads(&climbers, "?limit=100").await;
    world.restarts().await;
    assert_eq!(ana.reads(&climbers, "?limit=100").await, before);
}

#[tokio::test]
async fn full_journal_queue_makes_requests_wait() {
    let (world, trouble) = troubled().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    for _ in 0..3 {
        trouble.journal().fail_next_of(climbers.stream(), InjectedFault::Busy);
    }
    let patient = says(&ana, &climbers, "one").await.created();
    assert_eq!(ana.reads(&climbers, "").await[0]["id"], patient["message"]["id"]);
    says(&ana, &climbers, "one").await.refused(409);
    for _ in 0..2 {
        trouble.journal().fail_next_of(ana.chat_stream(&ben), InjectedFault::Busy);
    }
    writing(&ana, &ben, json!({"text": "two"})).await.created();
    // Accounts go through the same ledger.
    for _ in 0..2 {
        trouble.journal().fail_next_of(ana.stream(), InjectedFault::Busy);
    }
    ana.posts("/v3/users/update").json(&json!({"name": "Anna"})).await.ok();
}

#[tokio::test]
async fn slow_disk_shows_only_durable_data() {
    let (world, trouble) = troubled().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ana.says(&climbers, "one").await;
    trouble.journal().hold();
    let slow = tokio::spawn({
        let (ana, climbers) = (ana.clone(), climbers.clone());
        async move { says(&ana, &climbers, "two").await }
    });
    are_held(&trouble, 1).await;
    assert_eq!(ben.reads_texts(&climbers, "?limit=1").await, ["one"]);
    trouble.journal().release();
    slow.await.unwrap().created();
    assert_eq!(ben.reads_texts(&climbers, "?limit=1").await, ["two"]);
}

#[tokio::test]
async fn repeated_direct_message_is_stored_once() {
    let (world, trouble) = troubled().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    for fault in FATAL {
        let guid = format!("{fault:?}");
        let write = || writing(&ana, &ben, json!({"source_guid": guid, "text": guid}));
        trouble.journal().fail_next_of(ana.chat_stream(&ben), fault);
        met(fault, 201, &write().await);
        let stored = write().await.created();
        // A repeat of a direct message is answered with the stored message.
        assert_eq!(write().await.created(), stored);
    }
    let path = format!("/v3/direct_messages?other_user_id={}", ana.id);
    let read = ben.gets(&path).await.ok();
    let guids: Vec<&Value> = read["direct_messages"].as_array().unwrap().iter().collect();
    assert_eq!(read["count"], 3);
    assert_eq!(guids.len(), 3, "{read}");
}

#[tokio::test]
async fn many_post_while_the_journal_fails_again_and_again() {
    let (mut world, trouble) = troubled().await;
    let people = world.people(["Ana", "Ben", "Cem"]).await;
    let climbers = people[0].creates_group("Climbers").await;
    for other in &people[1..] {
        people[0].adds(other, &climbers).await;
    }
    let faults = [
        InjectedFault::Busy,
        InjectedFault::Conflict,
        InjectedFault::UnknownLost,
        InjectedFault::UnknownWritten,
    ];
    let mut answered = Vec::new();
    for round in 0..24 {
        let fault = faults[round % faults.len()];
        trouble.journal().fail_next_of(climbers.stream(), fault);
        let guids: Vec<_> = (0..people.len()).map(|who| format!("{round} {who}")).collect();
        let posts = people.iter().zip(&guids).map(|(who, guid)| says(who, &climbers, guid));
        answered.extend(join_all(posts).await.into_iter().zip(guids));
    }
    let stored = people[0].reads(&climbers, "?limit=100").await;
    for (answer, guid) in &answered {
        let times = stored.iter().filter(|message| message["source_guid"] == **guid).count();
        match answer.status {
            201 => assert_eq!(times, 1, "{guid} was acknowledged"),
            503 => assert!(times <= 1, "{guid} is there twice"),
            _ => panic!("{}", answer.text),
        }
    }
    world.restarts().await;
    assert_eq!(people[0].reads(&climbers, "?limit=100").await, stored);
}
