//! Scheduled backups in a folder: `--backup-to`, `coterie backup verify`, and `coterie restore` of a
//! set.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::person::{Person, png};
use crate::program::Program;
use crate::tools::{Ended, tool, tool_without_data};
use crate::waiting::until;

/// Starts a server that makes a set every second in this folder, with more options.
fn starts(data: &Path, sets: &Path, more: &[&str]) -> Program {
    let sets = sets.to_str().unwrap();
    let fixed = ["--rate-limit", "off", "--backup-to", sets, "--backup-every", "1s"];
    Program::starts(data, &[&fixed, more].concat())
}

/// The names of the complete sets in a folder.
fn names(sets: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(sets.join("sets")) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .map(|it| it.unwrap())
        .filter(|it| fs::read_dir(it.path()).is_ok_and(|mut files| files.next().is_some()))
        .map(|it| it.file_name().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

/// The objects in a folder.
fn objects(sets: &Path) -> Vec<PathBuf> {
    let shelves = fs::read_dir(sets.join("objects")).unwrap().map(|it| it.unwrap().path());
    shelves.flat_map(|it| fs::read_dir(it).unwrap().map(|it| it.unwrap().path())).collect()
}

/// Waits until a set is complete that began after this moment.
async fn until_a_later_set(data: &Path) {
    let last = || -> Value {
        let text = fs::read(data.join("backups.json")).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    };
    let name = |status: Value| status["last"]["name"].as_str().unwrap_or_default().to_owned();
    // The set that is being made may have begun before.
    for _ in 0..2 {
        let before = name(last());
        until("a set is made", async || name(last()) > before).await;
    }
}

fn restore(from: &str, data: &Path, more: &[&str]) -> Ended {
    tool(data, &[&["restore", from], more].concat())
}

fn verify(from: &Path, more: &[&str]) -> Ended {
    let verify = ["backup", "verify", from.to_str().unwrap()];
    tool_without_data(&[&verify, more].concat(), "")
}

/// The findings of the doctor on backups: severity and text.
fn finding(data: &Path) -> (String, String) {
    let told = tool(data, &["doctor", "--json"]).stdout;
    let findings: Value = serde_json::from_str(&told).unwrap();
    let findings = findings["findings"].as_array().unwrap();
    let finding = findings.iter().find(|it| it["code"] == "backups").unwrap();
    let text = |field: &str| finding[field].as_str().unwrap().to_owned();
    (text("severity"), text("text"))
}

#[tokio::test]
async fn killed_server_is_restored_from_its_last_set() {
    let folder = TempDir::new().unwrap();
    let (data, sets) = (folder.path().join("data"), folder.path().join("sets"));
    let program = starts(&data, &sets, &["--backup-keep", "2"]);
    let mut ana = Person::registered(&program).await;
    let url = ana.url.clone();
    let group = ana.creates_group("Climbers").await;
    let image = ana.sends_image(png(40)).await;
    ana.shows(&group, "a picture", &image).await;
    let file = ana.sends_file(&group, b"rope at six").await;
    let mut acknowledged = Vec::new();
    for number in 0..50 {
        acknowledged.push(ana.says(&group, &format!("guid-{number}")).await);
    }
    until_a_later_set(&data).await;
    let (severity, text) = finding(&data);
    assert_eq!(severity, "warning", "{text}");
    assert!(text.ends_with("It lies on the disk of the data."), "{text}");
    let metrics = reqwest::Client::builder().no_proxy().build().unwrap();
    let page = metrics.get(format!("{url}/metrics")).send().await.unwrap().text().await.unwrap();
    assert!(page.contains("coterie_backups_total{result=\"made\"}"), "{page}");
    program.dies();

    assert!(names(&sets).len() <= 3, "{:?}", names(&sets));
    let told = verify(&sets, &[]).fine();
    assert!(told.starts_with("verified: "), "{told}");
    fs::rename(&data, folder.path().join("lost")).unwrap();
    let told = restore(sets.to_str().unwrap(), &data, &[]).fine();
    assert!(told.starts_with("restoring the set "), "{told}");
    tool(&data, &["check"]).fine();
    let program = crate::person::starts(&data);
    ana.goes_to(&program);
    let (_, page) = ana.gets(&format!("/v3/groups/{group}/messages?limit=100")).await;
    let messages = page["messages"].as_array().unwrap();
    for id in &acknowledged {
        assert!(messages.iter().any(|it| it["id"] == id.as_str()), "{id} was acknowledged");
    }
    let path = image.strip_prefix(&url).unwrap();
    let shown = metrics.get(format!("{}{path}", ana.url)).send().await.unwrap();
    assert_eq!(shown.status(), 200);
    assert_eq!(ana.gets(&file).await.0, 200);
    program.stops();
}

#[tokio::test]
async fn sets_store_a_content_once_and_old_ones_are_removed() {
    let folder = TempDir::new().unwrap();
    let (data, sets) = (folder.path().join("data"), folder.path().join("sets"));
    let program = starts(&data, &sets, &["--backup-keep", "1"]);
    let ana = Person::registered(&program).await;
    let group = ana.creates_group("Climbers").await;
    ana.sends_file(&group, &[7; 300_000]).await;
    until_a_later_set(&data).await;
    let first = objects(&sets);
    until_a_later_set(&data).await;
    program.stops();
    let second = objects(&sets);
    assert_eq!(first.len(), second.len(), "{first:?} {second:?}");
    assert_eq!(names(&sets).len(), 1);
    let manifest = sets.join("sets").join(&names(&sets)[0]).join("manifest.json");
    let manifest: Value = serde_json::from_slice(&fs::read(manifest).unwrap()).unwrap();
    let files = manifest["files"].as_array().unwrap();
    assert!(files.iter().any(|it| it["bytes"] == 300_000), "{manifest}");
    assert!(!files.iter().any(|it| it["path"] == "backups.json"), "{manifest}");
}

#[tokio::test]
async fn sealed_set_opens_with_its_key_alone() {
    let folder = TempDir::new().unwrap();
    let (data, sets) = (folder.path().join("data"), folder.path().join("sets"));
    let key = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let right = key("right.key", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n");
    let wrong = key("wrong.key", "AQECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n");
    let program = starts(&data, &sets, &["--backup-key-file", &right]);
    let mut ana = Person::registered(&program).await;
    let group = ana.creates_group("Climbers").await;
    ana.says(&group, "rope at six").await;
    until_a_later_set(&data).await;
    program.stops();
    for object in objects(&sets) {
        let bytes = fs::read(&object).unwrap();
        assert!(!bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]), "{object:?} is not encrypted");
    }
    let ended = verify(&sets, &[]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("--backup-key-file must name its key"), "{ended:?}");
    let elsewhere = folder.path().join("elsewhere");
    let from = sets.to_str().unwrap();
    let said = restore(from, &elsewhere, &["--backup-key-file", &wrong]).says_no(2);
    assert!(said.contains("encrypted with another key"), "{said}");
    verify(&sets, &["--backup-key-file", &right]).fine();
    restore(from, &elsewhere, &["--backup-key-file", &right]).fine();
    let program = crate::person::starts(&elsewhere);
    ana.goes_to(&program);
    let (_, groups) = ana.gets("/v3/groups").await;
    assert_eq!(groups[0]["name"], "Climbers");
    program.stops();
}

#[tokio::test]
async fn damaged_and_missing_objects_are_reported() {
    let folder = TempDir::new().unwrap();
    let (data, sets) = (folder.path().join("data"), folder.path().join("sets"));
    let program = starts(&data, &sets, &[]);
    Person::registered(&program).await;
    until_a_later_set(&data).await;
    program.stops();
    verify(&sets, &[]).fine();
    let largest = objects(&sets).into_iter().max_by_key(|it| fs::metadata(it).unwrap().len());
    let largest = largest.unwrap();
    let whole = fs::read(&largest).unwrap();
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    fs::write(&largest, changed).unwrap();
    let ended = verify(&sets, &[]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("set 2"), "{ended:?}");
    let elsewhere = folder.path().join("elsewhere");
    restore(sets.to_str().unwrap(), &elsewhere, &[]).says_no(2);
    fs::remove_file(&largest).unwrap();
    let ended = verify(&sets, &[]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains(" is missing"), "{ended:?}");
}

#[tokio::test]
async fn set_of_a_day_is_restored() {
    let folder = TempDir::new().unwrap();
    let (data, sets) = (folder.path().join("data"), folder.path().join("sets"));
    let program = starts(&data, &sets, &[]);
    Person::registered(&program).await;
    until_a_later_set(&data).await;
    program.stops();
    let names = names(&sets);
    let place = sets.to_str().unwrap();
    let elsewhere = folder.path().join("elsewhere");
    let told = restore(&format!("{place}@{}", names[0]), &elsewhere, &[]).fine();
    assert!(told.starts_with(&format!("restoring the set {}", names[0])), "{told}");
    let early = restore(&format!("{place}@2001-01-01"), &folder.path().join("early"), &[]);
    let said = early.says_no(2);
    assert_eq!(said, "there is no set until 2001-01-01");
}

#[tokio::test]
async fn failed_backup_is_reported_and_retried() {
    let folder = TempDir::new().unwrap();
    let (data, sets) = (folder.path().join("data"), folder.path().join("sets"));
    fs::write(&sets, "no folder").unwrap();
    let program = starts(&data, &sets, &[]);
    until("a failure is noted", async || finding(&data).0 == "error").await;
    assert!(finding(&data).1.starts_with("There is no backup at "), "{:?}", finding(&data));
    fs::remove_file(&sets).unwrap();
    until("a set is made", async || finding(&data).1.starts_with("The last backup")).await;
    program.stops();
}

#[test]
fn wrong_backup_options_end_the_start() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let key = folder.path().join("short.key");
    fs::write(&key, "short").unwrap();
    for (options, help) in [
        (vec!["--backup-to", "s3://chat/x"], "a bucket needs --aws-access-key-id"),
        (vec!["--backup-to", "/x", "--backup-key-file", key.to_str().unwrap()], "32 random bytes"),
        (vec!["--backup-to", "s3://chat/x?color=red"], "endpoint and region"),
        (vec!["--backup-keep", "3"], "--backup-to"),
        (vec!["--backup-to", "/x", "--backup-keep", "0"], "0 is not in 1.."),
    ] {
        let ended = tool(&data, &options);
        assert_eq!(ended.code, 2, "{ended:?}");
        assert!(ended.stderr.contains(help), "{options:?}: {ended:?}");
    }
}
