//! People vote while the server is killed: every acknowledged vote counts afterwards, once, and a
//! poll that was ended stays ended.

use std::time::Duration;

use serde_json::{Value, json};

use crate::asking::{Person, starts};
use crate::rounds::Rounds;

/// How many polls people vote in at the same time.
const POLLS: usize = 4;

/// What one voter knows at the end: the last vote that was acknowledged, and the one whose response
/// never came.
struct Known {
    poll: String,
    votes: Option<Vec<String>>,
    unknown: Vec<String>,
}

async fn asks(person: &Person, group: &str) -> String {
    let options = [json!({"title": "six"}), json!({"title": "seven"}), json!({"title": "eight"})];
    let poll = json!({"subject": "When?", "options": options, "expiration": 4_102_444_800_u64,
        "type": "multi", "visibility": "public"});
    let (status, made) = person.posts(&format!("/v3/poll/{group}"), &poll).await.unwrap();
    assert_eq!(status, 201, "{made}");
    format!("/v3/poll/{group}/{}", made["poll"]["data"]["id"].as_str().unwrap())
}

/// Votes in a poll, again and again, until the server is gone.
async fn votes(person: Person, poll: String, seed: u64) -> Known {
    let (mut random, mut votes) = (fastrand::Rng::with_seed(seed), None);
    loop {
        let wanted: Vec<String> =
            (1..=3).filter(|_| random.bool()).map(|option: u8| option.to_string()).collect();
        let unknown = if wanted.is_empty() { vec!["2".to_owned()] } else { wanted };
        match person.posts(&poll, &json!({"votes": unknown})).await {
            Some((200, _)) => votes = Some(unknown),
            Some((status, answer)) => panic!("{status}: {answer}"),
            None => return Known { poll, votes, unknown },
        }
    }
}

/// Checks that the vote shown is one of the two known ones, and that each option counts it once.
fn check(poll: &Value, known: &Known) {
    let shown: Option<Vec<String>> = serde_json::from_value(poll["user_votes"].clone()).unwrap();
    let stands = shown == known.votes || shown.as_ref() == Some(&known.unknown);
    assert!(stands, "{shown:?} instead of {:?} or {:?}", known.votes, known.unknown);
    let voted = shown.unwrap_or_default();
    for option in poll["data"]["options"].as_array().unwrap() {
        let is_mine = voted.iter().any(|it| option["id"] == it.as_str());
        assert_eq!(option["votes"], if is_mine { json!(1) } else { Value::Null }, "{poll}");
    }
}

async fn round(Rounds { data, person, random, .. }: &mut Rounds) {
    let program = starts(data.path());
    person.goes_to(&program);
    let group = person.creates_group("Climbers").await;
    let over = asks(person, &group).await;
    assert_eq!(person.posts(&format!("{over}/end"), &json!({})).await.unwrap().0, 200);
    let mut tasks = Vec::new();
    for _ in 0..POLLS {
        let poll = asks(person, &group).await;
        tasks.push(tokio::spawn(votes(person.clone(), poll, random.u64(..))));
    }
    tokio::time::sleep(Duration::from_micros(random.u64(0..300_000))).await;
    program.dies();
    let mut known = Vec::new();
    for task in tasks {
        known.push(task.await.unwrap());
    }
    let program = starts(data.path());
    person.goes_to(&program);
    for known in &known {
        let (status, shown) = person.gets(&known.poll).await;
        assert_eq!(status, 200, "{shown}");
        check(&shown["poll"], known);
        let (status, voted) = person.posts(&known.poll, &json!({"votes": ["1"]})).await.unwrap();
        assert_eq!((status, &voted["poll"]["user_votes"]), (200, &json!(["1"])));
    }
    let (_, shown) = person.gets(&over).await;
    assert_eq!(shown["poll"]["data"]["status"], "past");
    program.dies();
}

#[tokio::test]
async fn votes_survive_a_kill() {
    let mut rounds = Rounds::begin(4).await;
    while rounds.next().is_some() {
        round(&mut rounds).await;
    }
}
