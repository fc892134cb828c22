//! The index is gone or damaged: it is rebuilt from the journal, and every answer is what it
//! was.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::asking::{Person, starts};
use crate::readings;

/// How often bytes of a file are flipped.
const DAMAGES: u64 = 20;

/// Fills a data folder with a history; returns the user, and the answers to all requests about it.
async fn history(data: &TempDir) -> (Person, Vec<Value>) {
    let program = starts(data.path());
    let mut person = Person::registered(&program).await;
    for group in 0..3 {
        let id = person.creates_group(&format!("group {group}")).await;
        let items = json!({"members": [{"nickname": "N", "user_id": "99999999"}]});
        let add = format!("/v3/groups/{id}/members/add");
        assert_eq!(person.posts(&add, &items).await.unwrap().0, 202);
        for number in 0..40 {
            assert_eq!(person.says(&id, &format!("g{number}")).await.unwrap().0, 201);
        }
    }
    let answers = asked(&mut person, &program).await;
    // A server that is stopped writes the whole index to disk; one that is killed, next to nothing.
    program.stops();
    (person, answers)
}

async fn asked(person: &mut Person, program: &crate::program::Program) -> Vec<Value> {
    person.goes_to(program);
    let mut answers = Vec::new();
    for path in ["/v3/users/me", "/v3/groups", "/v3/sync"] {
        let (status, answer) = person.gets(path).await;
        assert_eq!(status, 200, "{answer}");
        answers.push(answer);
    }
    for group in answers[1].as_array().unwrap().clone() {
        let found = readings::pages(person, group["id"].as_str().unwrap()).await;
        answers.push(json!(found));
    }
    answers
}

async fn same_answers(data: &TempDir, person: &mut Person, before: &[Value], what: &str) {
    let program = starts(data.path());
    let after = asked(person, &program).await;
    assert_eq!(after, before, "{what}");
    program.stops();
}

/// Returns every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

#[tokio::test]
async fn deleted_index_is_rebuilt_identically() {
    let data = TempDir::new().unwrap();
    let (mut person, before) = history(&data).await;
    fs::remove_dir_all(data.path().join("index")).unwrap();
    same_answers(&data, &mut person, &before, "after the index was deleted").await;
    same_answers(&data, &mut person, &before, "after one more start").await;
}

#[tokio::test]
async fn truncated_index_is_rebuilt() {
    let data = TempDir::new().unwrap();
    let (mut person, before) = history(&data).await;
    for file in files(&data.path().join("index")) {
        let half = fs::metadata(&file).unwrap().len() / 2;
        fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(half).unwrap();
        same_answers(&data, &mut person, &before, &format!("{} was cut", file.display())).await;
    }
}

#[tokio::test]
async fn an_index_with_flipped_bytes_gives_the_same_answers() {
    let data = TempDir::new().unwrap();
    let (mut person, before) = history(&data).await;
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    for damage in 0..DAMAGES {
        let what = format!("seed {seed}, damage {damage}");
        // Only one file at a time: if the settings of the store are damaged, its other files are
        // not read.
        let files = files(&data.path().join("index"));
        let file = &files[random.usize(0..files.len())];
        println!("{what}: {}", file.display());
        let mut bytes = fs::read(file).unwrap();
        // A store's file is mostly empty behind the data at its beginning.
        let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        for _ in 0..used.min(20) {
            bytes[random.usize(0..used)] ^= 1 << random.u8(0..8);
        }
        fs::write(file, bytes).unwrap();
        same_answers(&data, &mut person, &before, &what).await;
    }
}
