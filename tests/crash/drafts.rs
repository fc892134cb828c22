//! People write drafts, and replies with files and mentions, while the server is killed: what was
//! acknowledged is there afterwards, whole and once.

use std::time::Duration;

use serde_json::{Value, json};

use crate::asking::Person;
use crate::asking::starts;
use crate::rounds::Rounds;

/// Writes drafts until the server is gone. Returns the last one that was acknowledged, and the one
/// that may or may not be kept.
async fn drafts(person: Person, group: String) -> [String; 2] {
    let path = format!("/v3/drafts/{group}");
    let mut kept = String::new();
    for number in 0.. {
        let draft = format!("draft {number}");
        match person.puts(&path, &json!({"text": draft})).await {
            Some((200, _)) => kept = draft,
            Some((status, answer)) => panic!("{status}: {answer}"),
            None => return [kept, draft],
        }
    }
    unreachable!("it ends with the server")
}

/// A reply that was acknowledged, and the bytes of its file.
type Answered = (Value, Vec<u8>);

/// Replies to a message until the server is gone.
async fn answers(
    person: Person,
    me: Value,
    (group, base): (String, String),
    seed: u64,
) -> Vec<Answered> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut all = Vec::new();
    loop {
        let bytes: Vec<u8> = (0..random.usize(1..20_000)).map(|_| random.u8(..)).collect();
        let path = format!("/v3/conversations/{group}/files?name=rope.bin");
        let Some((status, sent)) = person.posts_bytes(&path, bytes.clone()).await else { break };
        assert_eq!(status, 201, "{sent}");
        let attachments = json!([
            {"type": "file", "file_id": sent["file"]["file_id"]},
            {"type": "reply", "reply_id": base},
            {"type": "mentions", "user_ids": [me], "loci": [[0, 3]]},
        ]);
        let guid = random.u64(..).to_string();
        let message = json!({"source_guid": guid, "text": "@me", "attachments": attachments});
        let path = format!("/v3/groups/{group}/messages");
        let Some((status, said)) = person.posts(&path, &json!({"message": message})).await else {
            break;
        };
        assert_eq!(status, 201, "{said}");
        all.push((said["message"].clone(), bytes));
    }
    all
}

async fn round(Rounds { data, person, random, .. }: &mut Rounds) {
    let program = starts(data.path());
    person.goes_to(&program);
    let group = person.creates_group("Climbers").await;
    let (_, base) = person.says(&group, "base").await.unwrap();
    let base = base["message"]["id"].as_str().unwrap().to_owned();
    // Asked here, because the server is still certain to answer.
    let (_, me) = person.gets("/v3/users/me").await;
    let drafting = tokio::spawn(drafts(person.clone(), group.clone()));
    let thread = (group.clone(), base.clone());
    let answering = tokio::spawn(answers(person.clone(), me["id"].clone(), thread, random.u64(..)));
    tokio::time::sleep(Duration::from_micros(random.u64(0..400_000))).await;
    program.dies();
    let (written, answered) = (drafting.await.unwrap(), answering.await.unwrap());
    let program = starts(data.path());
    person.goes_to(&program);
    let (_, kept) = person.gets(&format!("/v3/drafts/{group}")).await;
    let kept = kept["draft"]["text"].as_str().unwrap_or_default();
    assert!(written.iter().any(|it| it == kept), "{kept:?} instead of one of {written:?}");
    let one = format!("/v3/groups/{group}/messages");
    for (said, bytes) in &answered {
        let (_, found) = person.gets(&format!("{one}/{}", said["id"].as_str().unwrap())).await;
        assert_eq!(found["message"]["attachments"], said["attachments"]);
        let file = said["attachments"][0]["file_id"].as_str().unwrap();
        let (status, got) = person.gets_bytes(&format!("/v3/files/{group}/{file}")).await;
        assert!(status == 200 && got == *bytes, "a file of {} bytes: {status}", bytes.len());
    }
    let (_, found) = person.gets(&format!("{one}/{base}")).await;
    let (count, least) =
        (found["message"]["reply_count"].as_u64().unwrap_or(0), answered.len() as u64);
    // One more reply may be stored that was not acknowledged.
    assert!((least..=least + 1).contains(&count), "{count} replies are there instead of {least}");
    let thread = format!("/v3/conversations/{group}/messages/{base}/replies?limit=100");
    let (_, thread) = person.gets(&thread).await;
    assert_eq!(thread["count"], count, "{thread}");
    program.dies();
}

#[tokio::test]
async fn drafts_answers_and_files_survive_a_kill() {
    let mut rounds = Rounds::begin(4).await;
    while rounds.next().is_some() {
        round(&mut rounds).await;
    }
}
