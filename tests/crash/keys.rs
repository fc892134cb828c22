//! Kill -9 during requests with an Idempotency-Key: each act is done once, whether it was answered
//! before the kill or by its repetition after it.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::asking::{Person, starts};
use crate::readings;
use crate::rounds::{Rounds, chances};
use crate::waiting::until;

/// How many clients act at the same time.
const HANDS: usize = 4;

/// An act that only its Idempotency-Key keeps from being done twice.
#[derive(Clone)]
struct Act {
    key: String,
    path: String,
    body: Value,
    /// The text of the response, if one came.
    answered: Option<String>,
}

/// Creates groups, and posts as a bot and as a member, until the server is gone.
async fn acts(person: Person, home: Home, hand: String) -> Vec<Act> {
    let mut done = Vec::new();
    for number in 0_u64.. {
        let key = format!("{hand}-{number}");
        let (path, body) = match number % 3 {
            0 => ("/v3/groups".to_owned(), json!({"name": key})),
            1 => ("/v3/bots/post".to_owned(), json!({"bot_id": home.bot, "text": key})),
            _ => {
                let message = json!({"source_guid": key, "text": key});
                let path = format!("/v3/groups/{}/messages", home.group);
                (path, json!({"message": message}))
            }
        };
        let answer = person.posts_once(&path, &body, &key).await;
        let is_over = answer.is_none();
        let answered = answer.map(|(status, text, is_replayed)| {
            assert_eq!((status, is_replayed), (201, false), "{key}: {text}");
            text
        });
        done.push(Act { key, path, body, answered });
        if is_over {
            break;
        }
    }
    done
}

/// A group and a bot in it.
#[derive(Clone)]
struct Home {
    group: String,
    bot: String,
}

async fn settles(person: &Person, round: u64) -> Home {
    let group = person.creates_group(&format!("home {round}")).await;
    let bot = json!({"name": "Tides", "group_id": group});
    let (status, made) = person.posts("/v3/bots", &bot).await.unwrap();
    assert_eq!(status, 201, "{made}");
    Home { group, bot: made["bot_id"].as_str().unwrap().to_owned() }
}

/// Repeats an act: the response is the one given before, if there was one. Returns whether the act
/// had been done but not answered.
async fn repeat(person: &Person, act: &mut Act) -> bool {
    let answer = person.posts_once(&act.path, &act.body, &act.key).await;
    let (status, text, is_replayed) = answer.expect("a running server answers");
    assert_eq!(status, 201, "{}: {text}", act.key);
    if let Some(first) = &act.answered {
        assert!(is_replayed, "{} was answered before the kill", act.key);
        assert_eq!(&text, first, "{}", act.key);
    }
    act.answered = Some(text);
    is_replayed
}

/// How often each key is found: as the name of a group, or as the text of a message in the home
/// group.
async fn traces(person: &Person, home: &Home) -> HashMap<String, usize> {
    let mut found: HashMap<String, usize> = HashMap::new();
    for page in 1.. {
        let (_, groups) = person.gets(&format!("/v3/groups?per_page=500&page={page}")).await;
        let groups = groups.as_array().unwrap().clone();
        if groups.is_empty() {
            break;
        }
        for group in groups {
            *found.entry(group["name"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    for text in readings::texts(person, &home.group).await {
        *found.entry(text).or_default() += 1;
    }
    found
}

async fn round(rounds: &mut Rounds, number: u64) -> (usize, usize) {
    let Rounds { data, person, random, .. } = rounds;
    let program = starts(data.path());
    person.goes_to(&program);
    let home = settles(person, number).await;
    let hands: Vec<_> = (0..HANDS)
        .map(|hand| tokio::spawn(acts(person.clone(), home.clone(), format!("{number}-{hand}"))))
        .collect();
    tokio::time::sleep(Duration::from_micros(random.u64(0..300_000))).await;
    program.dies();
    let mut done = Vec::new();
    for hand in hands {
        done.append(&mut hand.await.unwrap());
    }
    let program = starts(data.path());
    person.goes_to(&program);
    let open: Vec<bool> = done.iter().map(|act| act.answered.is_none()).collect();
    let mut healed = 0;
    for _ in 0..2 {
        for (act, was_open) in done.iter_mut().zip(&open) {
            let is_replayed = repeat(person, act).await;
            healed += usize::from(*was_open && is_replayed);
        }
    }
    let found = traces(person, &home).await;
    for act in &done {
        assert_eq!(found.get(&act.key), Some(&1), "{} was done once", act.key);
    }
    program.dies();
    (done.len(), healed.saturating_sub(HANDS))
}

#[tokio::test]
async fn an_act_under_a_key_is_done_once_over_a_kill() {
    let mut rounds = Rounds::begin(6).await;
    let (mut acts, mut healed, mut kills) = (0, 0, 0);
    while let Some(number) = rounds.next() {
        let (done, found) = round(&mut rounds, number).await;
        acts += done;
        healed += found;
        kills += 1;
    }
    println!("{kills} kills, {acts} acts, {healed} done before the kill and answered after it");
    assert!(acts > HANDS * kills, "something was answered");
}

/// How many groups are handed over in one request, during which the server is killed.
const HANDED: usize = 25;

/// Creates groups with another member, and returns the request that makes that member the owner of
/// all of them.
async fn gives_away(owner: &Person, heir: &str) -> Value {
    let mut requests = Vec::new();
    for number in 0..HANDED {
        let group = owner.creates_group(&format!("gift {number}")).await;
        let member = json!({"nickname": "Heir", "user_id": heir});
        let add = format!("/v3/groups/{group}/members/add");
        let (status, asked) = owner.posts(&add, &json!({"members": [member]})).await.unwrap();
        assert_eq!(status, 202, "{asked}");
        let results = asked["results_id"].as_str().unwrap();
        let path = format!("/v3/groups/{group}/members/results/{results}");
        until("the members are added", async || owner.gets(&path).await.0 != 503).await;
        requests.push(json!({"group_id": group, "owner_id": heir}));
    }
    json!({"requests": requests})
}

#[tokio::test]
async fn multi_step_request_resumes_after_a_kill() {
    let mut random = chances();
    let data = TempDir::new().unwrap();
    let mut program = starts(data.path());
    let mut ana = Person::registered(&program).await;
    let ben = Person::called("Ben", &program).await;
    let (_, ben) = ben.gets("/v3/users/me").await;
    let mut in_the_middle = 0;
    for round in 0..4 {
        let gifts = gives_away(&ana, ben["id"].as_str().unwrap()).await;
        let key = format!("gifts-{round}");
        let asks = |ana: Person| {
            let (gifts, key) = (gifts.clone(), key.clone());
            async move { ana.posts_once("/v3/groups/change_owners", &gifts, &key).await }
        };
        let hurried = tokio::spawn(asks(ana.clone()));
        tokio::time::sleep(Duration::from_micros(random.u64(5_000..60_000))).await;
        program.dies();
        in_the_middle += usize::from(hurried.await.unwrap().is_none());
        program = starts(data.path());
        ana.goes_to(&program);
        let (status, text, _) = asks(ana.clone()).await.unwrap();
        assert_eq!(status, 200, "{text}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        let results = answer["response"]["results"].as_array().unwrap();
        assert_eq!(results.len(), HANDED);
        // If the server had not kept the steps already done, it would refuse them now, since those
        // groups are not Ana's any more.
        assert!(results.iter().all(|it| it["status"] == "200"), "{text}");
    }
    program.dies();
    println!("{in_the_middle} of 4 requests were killed before their answer");
}
