//! Old snapshot + replayed events = new snapshot, for every reader, by every transport, whatever
//! five people do, one of them off-line, also when the server is killed.
//!
//! `MODEL_ACTS` sets how many acts there are, `MODEL_KILLS` how often the server dies, `MODEL_SEED`
//! repeats a run.

use std::time::Duration;

use fastrand::Rng;
use serde_json::json;
use tempfile::TempDir;

use crate::acting::Stage;
use crate::caller::Caller;
use crate::picture::Picture;
use crate::program::Program;

/// The number in an environment variable, if it is set.
pub(crate) fn number(name: &str) -> Option<u64> {
    #[expect(clippy::disallowed_methods, reason = "these variables are the test's own")]
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

/// Starts a server on this data folder.
pub(crate) fn starts(data: &TempDir) -> Program {
    // The public URL is fixed, since the port differs after each start and must not change what is
    // shown.
    let fixed = ["--public-url", "http://chat.example.org"];
    let limits = ["--rate-limit", "off", "--dm-limit", "1000000/1m,1000/10m"];
    let previews = ["--link-previews", "--callback-allow", "127.0.0.0/8"];
    Program::starts(data.path(), &[fixed.as_slice(), &limits, &previews].concat())
}

/// A reader catches up, by a random transport, and must then have the same picture as a new
/// snapshot.
async fn checks(reader: &Caller, picture: &mut Picture, random: &mut Rng) {
    for event in reader.heard() {
        picture.hear(&event);
    }
    let shown = loop {
        let missed = match random.u8(..2) {
            0 => reader.polls(&picture.c).await,
            _ => reader.streams(&picture.c).await,
        };
        for event in &missed {
            picture.hear(event);
        }
        let shown = Picture::of(&reader.sees("/v3/sync").await);
        // A read mark is written a moment after its answer, perhaps between these two.
        if reader.polls(&picture.c).await.is_empty() {
            break shown;
        }
    };
    let differences = picture.differences(&shown);
    assert!(differences.is_empty(), "for {}: {}", reader.id, differences.join("\n"));
    for (group, told) in picture.polls() {
        let listed = reader.sees(&format!("/v3/poll/{group}")).await;
        for (id, told) in told {
            let polls = listed["polls"].as_array().unwrap();
            let shown = polls.iter().find(|it| it["data"]["id"] == id.as_str());
            let mut shown = shown.unwrap_or_else(|| panic!("{told} is not listed"))["data"].clone();
            // Events of an anonymous poll do not tell the votes while it is open.
            if told["visibility"] == "anonymous" && told["status"] == "active" {
                for option in shown["options"].as_array_mut().unwrap() {
                    option.as_object_mut().unwrap().remove("votes");
                }
            }
            assert_eq!(*told, shown, "for {}", reader.id);
        }
    }
    for (conv, told) in picture.events() {
        for (id, told) in told {
            let path = format!("/v3/conversations/{conv}/events/show?event_id={id}");
            assert_eq!(*told, reader.sees(&path).await["event"], "for {}", reader.id);
        }
    }
    checks_drafts(reader, picture).await;
    // Half of the time the reader keeps its own picture, so that it is ever longer derived from
    // events.
    if random.bool() {
        *picture = shown;
    }
}

/// Checks that the drafts that a reader received are the stored ones, in the conversations
/// that the reader is still in.
async fn checks_drafts(reader: &Caller, picture: &Picture) {
    let listed = reader.sees("/v3/drafts").await;
    for (conv, told) in picture.drafts() {
        let kept = listed["drafts"].as_array().unwrap().iter();
        let kept = kept.filter(|it| it["conversation_id"] == *conv).collect::<Vec<_>>();
        let is_empty = told["text"] == "" && told["attachments"] == json!([]);
        let expected = if is_empty { Vec::new() } else { vec![told] };
        assert_eq!(kept, expected, "for {}", reader.id);
    }
}

#[tokio::test]
async fn old_snapshot_and_events_are_the_new_snapshot() {
    let (acts, kills) = (number("MODEL_ACTS").unwrap_or(240), number("MODEL_KILLS").unwrap_or(3));
    let seed = number("MODEL_SEED").unwrap_or_else(|| fastrand::u64(..));
    println!("MODEL_SEED={seed} MODEL_ACTS={acts} MODEL_KILLS={kills}");
    let mut random = Rng::with_seed(seed);
    let data = TempDir::new().unwrap();
    let mut program = starts(&data);
    let mut people = Vec::new();
    for name in ["Ana", "Ben", "Cem", "Dia", "Eve"] {
        people.push(Caller::named(&program, name).await);
    }
    let mut stage = Stage::with(people);
    let mut pictures = Vec::new();
    for person in &stage.people {
        pictures.push(Picture::of(&person.sees("/v3/sync").await));
    }
    let mut away = 0;
    for act in 1..=acts {
        for (number, person) in stage.people.iter_mut().enumerate() {
            if number == away {
                person.hangs_up();
            } else if !person.is_live() {
                person.picks_up(&pictures[number].c).await;
            }
        }
        stage.acts(&mut random).await;
        if random.u8(..10) == 0 {
            let number = random.usize(..stage.people.len());
            checks(&stage.people[number], &mut pictures[number], &mut random).await;
        }
        if random.u8(..20) == 0 {
            away = random.usize(..stage.people.len());
        }
        if kills > 0 && act % (acts / kills).max(1) == 0 {
            let patience = Duration::from_micros(random.u64(..20_000));
            let dying = async {
                tokio::time::sleep(patience).await;
                program.dies();
            };
            tokio::join!(stage.act_at_once(&mut random), dying);
            program = starts(&data);
            stage.people.iter_mut().for_each(|person| person.goes_to(&program));
        }
    }
    for (person, picture) in stage.people.iter().zip(&mut pictures) {
        checks(person, picture, &mut random).await;
    }
    program.stops();
    println!("{acts} acts, {kills} kills: every reader was told what is shown");
}
