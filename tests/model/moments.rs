//! A snapshot is of one moment: it shows the result of exactly the events up to its cursor, also
//! when it is taken while everybody writes.
//!
//! `MODEL_WRITES` sets how much each of the writers does; `MODEL_SEED` repeats a run as far as the
//! order in which other tasks run allows it.

use std::sync::atomic::{AtomicBool, Ordering};

use fastrand::Rng;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::caller::{Caller, text};
use crate::converging::{number, starts};
use crate::picture::Picture;

/// How many groups everybody is in at the beginning.
const GROUPS: usize = 4;

/// Puts everybody into a few groups, and begins chats between some of them; returns the groups.
async fn sets_the_fixture(people: &[Caller]) -> Vec<String> {
    let mut groups = Vec::new();
    for number in 0..GROUPS {
        let body = json!({"name": format!("group {number}"), "share": true});
        let (status, made) = people[0].posts("/v3/groups", &body).await.unwrap();
        assert_eq!(status, 201, "{made}");
        let (id, url) = (text(&made["id"]).to_owned(), text(&made["share_url"]));
        let token = url.rsplit('/').next().unwrap();
        for person in &people[1..] {
            let (status, joined) =
                person.posts(&format!("/v3/groups/{id}/join/{token}"), &json!({})).await.unwrap();
            assert_eq!(status, 200, "{joined}");
        }
        groups.push(id);
    }
    groups
}

/// A user who does one act after another, while other writers do the same.
struct Writer<'fixture> {
    people: &'fixture [Caller],
    groups: &'fixture [String],
    who: usize,
    random: Rng,
}

impl Writer<'_> {
    async fn does(&self, path: &str, body: &Value) -> Option<Value> {
        let (status, payload) = self.people[self.who].posts(path, body).await.expect("it answers");
        assert!(status < 500, "{path} {body}: {status} {payload}");
        (status < 300).then_some(payload)
    }

    async fn writes(&mut self, acts: u64) {
        let mut said: Option<(String, String)> = None;
        for act in 0..acts {
            let group = &self.groups[self.random.usize(..self.groups.len())];
            let guid = format!("{}-{act}", self.who);
            match self.random.u8(..20) {
                0..9 => {
                    let message = json!({"message": {"source_guid": guid, "text": guid}});
                    let path = format!("/v3/groups/{group}/messages");
                    if let Some(made) = self.does(&path, &message).await {
                        said = Some((group.clone(), text(&made["message"]["id"]).to_owned()));
                    }
                }
                9..14 => {
                    let to = &self.people[self.random.usize(..self.people.len())].id;
                    let message = json!({"source_guid": guid, "recipient_id": to, "text": guid});
                    let body = json!({"direct_message": message});
                    self.does("/v3/direct_messages", &body).await;
                }
                14..16 => {
                    let Some((group, message)) = &said else { continue };
                    let act = if self.random.bool() { "like" } else { "unlike" };
                    let path = format!("/v3/messages/{group}/{message}/{act}");
                    self.does(&path, &json!({})).await;
                }
                16..18 => {
                    let path = format!("/v3/conversations/{group}/read");
                    let Some((there, message)) = &said else { continue };
                    if there == group {
                        self.does(&path, &json!({"message_id": message})).await;
                    }
                }
                18 if self.random.bool() => self.changes(group, &guid).await,
                18 => {
                    let path = format!("/v3/groups/{group}/memberships/update");
                    self.does(&path, &json!({"membership": {"nickname": guid}})).await;
                }
                _ => self.goes_and_comes_back(group).await,
            }
        }
    }

    /// Changes a group and a profile, whose events contain the whole object.
    async fn changes(&self, group: &str, name: &str) {
        let path = format!("/v3/groups/{group}/update");
        self.does(&path, &json!({"description": name})).await;
        self.does("/v3/users/update", &json!({"zip_code": name})).await;
    }

    /// Leaves a group and joins it again; not for the two users who take snapshots.
    async fn goes_and_comes_back(&self, group: &str) {
        if self.who < 2 {
            return;
        }
        let me = &self.people[self.who];
        let shown = me.sees(&format!("/v3/groups/{group}")).await;
        let members = shown["members"].as_array().unwrap();
        let own = members.iter().find(|it| it["user_id"] == me.id.as_str()).unwrap();
        let path = format!("/v3/groups/{group}/members/{}/remove", text(&own["id"]));
        self.does(&path, &json!({})).await;
        self.does("/v3/groups/join", &json!({"group_id": group})).await;
    }
}

/// Takes snapshots until no writer is left, and one after that.
async fn looks(person: &Caller, is_over: &AtomicBool) -> Vec<Value> {
    let mut seen = Vec::new();
    loop {
        let was_over = is_over.load(Ordering::SeqCst);
        seen.push(person.sees("/v3/sync").await);
        if was_over {
            return seen;
        }
    }
}

/// Checks that every snapshot is the one before it plus the events in between, each of which is the
/// next one of its conversation. Returns the number of these events.
async fn compares(person: &Caller, seen: &[Value]) -> usize {
    let log = person.polls(text(&seen[0]["c"])).await;
    let mut between = 0;
    for pair in seen.windows(2) {
        let (mut picture, shown) = (Picture::of(&pair[0]), Picture::of(&pair[1]));
        let (after, upto) = (text(&pair[0]["c"]), text(&pair[1]["c"]));
        let events = log.iter().filter(|it| text(&it["c"]) > after && text(&it["c"]) <= upto);
        for event in events {
            picture.hear_next(event);
            between += 1;
        }
        let differences = picture.differences(&shown);
        assert!(differences.is_empty(), "for {}: {}", person.id, differences.join("\n"));
    }
    between
}

#[tokio::test]
async fn snapshot_during_writes_is_consistent() {
    let acts = number("MODEL_WRITES").unwrap_or(120);
    let seed = number("MODEL_SEED").unwrap_or_else(|| fastrand::u64(..));
    println!("MODEL_SEED={seed} MODEL_WRITES={acts}");
    let data = TempDir::new().unwrap();
    let program = starts(&data);
    let mut people = Vec::new();
    for name in ["Ana", "Ben", "Cem", "Dia", "Eve"] {
        people.push(Caller::named(&program, name).await);
    }
    let groups = sets_the_fixture(&people).await;
    let is_over = AtomicBool::new(false);
    let writing = async {
        let writers = (0..people.len()).map(|who| {
            let random = Rng::with_seed(seed.wrapping_add(who as u64));
            let mut writer = Writer { people: &people, groups: &groups, who, random };
            async move { writer.writes(acts).await }
        });
        futures_util::future::join_all(writers).await;
        is_over.store(true, Ordering::SeqCst);
    };
    let looking = async { tokio::join!(looks(&people[0], &is_over), looks(&people[1], &is_over)) };
    let ((), (anas, bens)) = tokio::join!(writing, looking);
    for (person, seen) in [(&people[0], anas), (&people[1], bens)] {
        let between = compares(person, &seen).await;
        assert!(seen.len() > 2 && between > 0, "snapshots were taken while others wrote");
        println!("{} snapshots, {between} events between them", seen.len());
    }
    program.stops();
}
