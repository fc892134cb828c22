//! Several people edit, delete, pin and react while the server is killed: afterwards everything
//! acknowledged is there, and nothing that nobody asked for. Deleted messages stay deleted.

use std::time::Duration;

use serde_json::{Value, json};

use crate::asking::{Person, starts};
use crate::rounds::Rounds;

/// How many people act at the same time, and how many messages each has.
const WRITERS: usize = 4;
const MESSAGES: usize = 6;
const SIGNS: [&str; 3] = ["❤️", "🔥", "👍🏽"];

/// The state of a message.
#[derive(Debug, Clone, PartialEq)]
struct Standing {
    id: String,
    text: Option<String>,
    sign: Option<String>,
    is_pinned: bool,
}

/// What a person does to one message.
#[derive(Debug, Clone)]
enum Act {
    Edit(String),
    Delete,
    React(&'static str),
    Unlike,
    Pin,
    Unpin,
}

impl Standing {
    fn after(&self, act: &Act) -> Self {
        let mut after = self.clone();
        match act {
            Act::Edit(text) => after.text = Some(text.clone()),
            Act::Delete => (after.text, after.is_pinned) = (None, false),
            Act::Pin => after.is_pinned = true,
            Act::Unpin => after.is_pinned = false,
            Act::React(sign) => after.sign = Some((*sign).to_owned()),
            Act::Unlike => after.sign = None,
        }
        after
    }

    /// The state of a message as a page shows it.
    fn shown(message: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let sign = text(&message["reactions"][0]["code"]);
        assert_eq!(message["favorited_by"].as_array().unwrap().len(), usize::from(sign.is_some()));
        assert_eq!(message["text"].is_null(), message.get("deleted_at").is_some(), "{message}");
        let (id, is_pinned) = (text(&message["id"]).unwrap(), !message["pinned_at"].is_null());
        Self { id, text: text(&message["text"]), sign, is_pinned }
    }
}

/// What one person knows at the end.
struct Known {
    messages: Vec<Standing>,
    /// The index of a message, and the act whose response never came.
    unknown: Option<(usize, Act)>,
}

/// A random act that is allowed on the message in this state.
fn act(random: &mut fastrand::Rng, number: usize, standing: &Standing) -> Act {
    match random.u8(0..13) {
        _ if standing.text.is_none() => Act::Unlike,
        0..5 => Act::Edit(format!("edited {number}")),
        5..8 => Act::React(SIGNS[random.usize(..SIGNS.len())]),
        8 => Act::Unlike,
        9 | 10 => Act::Pin,
        11 => Act::Unpin,
        _ => Act::Delete,
    }
}

async fn does(person: &Person, group: &str, id: &str, act: &Act) -> Option<u16> {
    let one = format!("/v3/conversations/{group}/messages/{id}");
    let like = format!("/v3/messages/{group}/{id}/like");
    let answer = match act {
        Act::Edit(text) => person.puts(&one, &json!({"text": text})).await,
        Act::Delete => return person.removes(&one).await,
        Act::React(sign) => {
            let icon = json!({"like_icon": {"type": "unicode", "code": sign}});
            person.posts(&like, &icon).await
        }
        Act::Pin => person.posts(&format!("{one}/pin"), &json!({})).await,
        Act::Unpin => person.posts(&format!("{one}/unpin"), &json!({})).await,
        Act::Unlike => person.posts(&like.replace("/like", "/unlike"), &json!({})).await,
    };
    answer.map(|(status, _)| status)
}

/// Acts on random messages until the server is gone.
async fn works(person: Person, group: String, seed: u64, messages: Vec<Standing>) -> Known {
    let (mut random, mut known) = (fastrand::Rng::with_seed(seed), messages);
    for number in 0.. {
        let at = random.usize(..known.len());
        let act = act(&mut random, number, &known[at]);
        match does(&person, &group, &known[at].id, &act).await {
            Some(200 | 204) => known[at] = known[at].after(&act),
            // The message has been edited as often as is allowed.
            Some(403) if matches!(act, Act::Edit(_)) => {}
            Some(status) => panic!("{act:?}: {status}"),
            None => return Known { messages: known, unknown: Some((at, act)) },
        }
    }
    unreachable!("it ends with the server")
}

async fn begins(person: &Person, group: &str, writer: usize) -> Vec<Standing> {
    let mut messages = Vec::new();
    for number in 0..MESSAGES {
        let (status, said) = person.says(group, &format!("{writer}-{number}")).await.unwrap();
        assert_eq!(status, 201, "{said}");
        messages.push(Standing::shown(&said["message"]));
    }
    messages
}

/// Checks that each message is in the acknowledged state, or in the state after the act that was
/// not acknowledged.
fn check(page: &[Standing], known: &Known) {
    for (at, expected) in known.messages.iter().enumerate() {
        let shown = page.iter().find(|it| it.id == expected.id).expect("every message stays");
        let unknown = known.unknown.iter().filter(|(it, _)| *it == at);
        let perhaps = unknown.map(|(_, act)| expected.after(act)).next();
        let stands = shown == expected || Some(shown) == perhaps.as_ref();
        assert!(stands, "{shown:?} instead of {expected:?} or {perhaps:?}");
    }
}

async fn round(Rounds { data, person, random, .. }: &mut Rounds) {
    let program = starts(data.path());
    person.goes_to(&program);
    let group = person.creates_group("Climbers").await;
    let mut tasks = Vec::new();
    for writer in 0..WRITERS {
        let messages = begins(person, &group, writer).await;
        let seed = random.u64(..);
        tasks.push(tokio::spawn(works(person.clone(), group.clone(), seed, messages)));
    }
    tokio::time::sleep(Duration::from_micros(random.u64(0..300_000))).await;
    program.dies();
    let mut known = Vec::new();
    for task in tasks {
        known.push(task.await.unwrap());
    }
    let program = starts(data.path());
    person.goes_to(&program);
    let mut page = Vec::new();
    for id in known.iter().flat_map(|known| &known.messages).map(|standing| &standing.id) {
        // Lines about pins may have pushed the message off the newest page.
        let (status, found) = person.gets(&format!("/v3/groups/{group}/messages/{id}")).await;
        assert_eq!(status, 200, "{found}");
        page.push(Standing::shown(&found["message"]));
    }
    let (_, pinned) = person.gets(&format!("/v3/pinned/groups/{group}/messages")).await;
    let listed = pinned["messages"].as_array().unwrap().iter().map(Standing::shown);
    let listed: Vec<String> = listed.map(|standing| standing.id).collect();
    for standing in &page {
        assert_eq!(standing.is_pinned, listed.contains(&standing.id), "{standing:?}");
    }
    known.iter().for_each(|known| check(&page, known));
    program.dies();
}

#[tokio::test]
async fn edits_and_deletions_survive_a_kill() {
    let mut rounds = Rounds::begin(4).await;
    while rounds.next().is_some() {
        round(&mut rounds).await;
    }
}
