//! The server is killed while words are indexed: afterwards search finds every acknowledged
//! message, once, and no deleted one.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::asking::{Person, starts};
use crate::rounds::Rounds;
use crate::waiting::{until, until_some};

/// The messages that search finds with a word. Retries while the search index is being opened.
async fn found(person: &Person, word: &str) -> Vec<Value> {
    let path = format!("/v3/search/messages?q={word}&limit=100");
    let page = until_some("the search index is open", async || match person.gets(&path).await {
        (200, page) => Some(page["messages"].as_array().unwrap().clone()),
        (304, _) => Some(Vec::new()),
        (503, _) => None,
        (status, answer) => panic!("{status}: {answer}"),
    });
    page.await
}

/// Posts until the server is gone; returns the texts that were acknowledged.
async fn posts(person: Person, group: String, name: String) -> Vec<String> {
    let mut said = Vec::new();
    loop {
        let guid = format!("everywhere {name}n{}", said.len());
        match person.says(&group, &guid).await {
            Some((201, payload)) => {
                said.push(payload["message"]["text"].as_str().unwrap().to_owned())
            }
            Some((status, answer)) => panic!("{status}: {answer}"),
            None => return said,
        }
    }
}

#[tokio::test]
async fn acknowledged_messages_are_searchable_after_a_kill() {
    let mut rounds = Rounds::begin(5).await;
    let program = starts(rounds.data.path());
    rounds.person.goes_to(&program);
    let group = rounds.person.creates_group("Climbers").await;
    program.dies();
    let mut said: Vec<String> = Vec::new();
    let mut last = 0;
    while let Some(round) = rounds.next() {
        let program = starts(rounds.data.path());
        rounds.person.goes_to(&program);
        let person = &rounds.person;
        let (_, answer) = person.says(&group, &format!("everywhere gone{round}")).await.unwrap();
        let gone = answer["message"]["id"].as_str().unwrap().to_owned();
        let writers = (0..3).map(|writer| {
            let name = format!("r{round}w{writer}");
            tokio::spawn(posts(person.clone(), group.clone(), name))
        });
        let writers: Vec<_> = writers.collect();
        // Leaves time for some commits of the search index, or for none.
        tokio::time::sleep(Duration::from_millis(rounds.random.u64(100..1500))).await;
        let deleted = person.removes(&format!("/v3/conversations/{group}/messages/{gone}")).await;
        assert_eq!(deleted, Some(204));
        tokio::time::sleep(Duration::from_millis(rounds.random.u64(0..700))).await;
        program.dies();
        for writer in writers {
            said.extend(writer.await.unwrap());
        }
        last = round;
    }
    let Rounds { data, mut person, .. } = rounds;
    let program = starts(data.path());
    person.goes_to(&program);
    let body = json!({"message": {"source_guid": "last", "text": "thatisall"}});
    person.posts(&format!("/v3/groups/{group}/messages"), &body).await.unwrap();
    until("the last message is found", async || !found(&person, "thatisall").await.is_empty())
        .await;
    for text in said.iter().rev().step_by(1 + said.len() / 300) {
        let (_, word) = text.rsplit_once(' ').unwrap();
        let texts: Vec<Value> =
            found(&person, word).await.iter().map(|it| it["text"].clone()).collect();
        assert_eq!(texts, [json!(text)], "each is found once");
    }
    let newest: HashSet<String> = found(&person, "everywhere")
        .await
        .iter()
        .map(|it| it["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(newest.len(), 100.min(said.len()));
    for round in 1..=last {
        assert!(found(&person, &format!("gone{round}")).await.is_empty());
    }
    println!("{last} kills, {} messages found", said.len());
    program.stops();
}
