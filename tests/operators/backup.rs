//! `coterie backup` and `coterie restore`.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_tungstenite::tungstenite::Message;

use crate::person::{Person, fills_with_media, png, starts};
use crate::tools::{Ended, tool};

/// How many people write while the backup is taken.
const WRITERS: usize = 4;

fn backup(data: &Path, to: &Path) -> Ended {
    tool(data, &["backup", to.to_str().unwrap()])
}

fn restore(from: &Path, data: &Path) -> Ended {
    tool(data, &["restore", from.to_str().unwrap()])
}

/// The messages that were acknowledged, and whether the writers are to stop.
#[derive(Default)]
struct Load {
    acknowledged: Mutex<Vec<(String, String)>>,
    is_over: AtomicBool,
}

async fn writes(person: Person, group: String, writer: usize, load: Arc<Load>) {
    for number in 0.. {
        if load.is_over.load(Ordering::SeqCst) {
            return;
        }
        let guid = format!("{writer}-{number}");
        let id = person.says(&group, &guid).await;
        load.acknowledged.lock().unwrap().push((guid, id));
    }
}

/// Returns every message of a group: guid and id.
async fn pages(person: &Person, group: &str) -> HashMap<String, String> {
    let (mut found, mut before) = (HashMap::new(), String::new());
    loop {
        let path = format!("/v3/groups/{group}/messages?limit=100{before}");
        let (status, page) = person.gets(&path).await;
        if status == 304 {
            return found;
        }
        for message in page["messages"].as_array().unwrap() {
            let text = |field: &str| message[field].as_str().unwrap().to_owned();
            before = format!("&before_id={}", text("id"));
            assert_eq!(found.insert(text("source_guid"), text("id")), None, "once each");
        }
    }
}

/// Resumes a socket after this cursor, and returns the first frame after `welcome`.
async fn resumes(person: &Person, after: &str) -> Value {
    let url = format!("{}/v3/push?token={}", person.url.replace("http", "ws"), person.token);
    let (mut socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
    let hello = json!({"t": "hello", "v": 1, "after": after});
    socket.send(Message::text(hello.to_string())).await.unwrap();
    loop {
        let frame = socket.next().await.unwrap().unwrap();
        let frame: Value = serde_json::from_str(frame.to_text().unwrap()).unwrap();
        if frame["t"] != "welcome" {
            return frame;
        }
    }
}

#[tokio::test]
async fn a_copy_taken_under_load_has_everything_acknowledged_before() {
    let (data, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let program = starts(data.path());
    let mut ana = Person::registered(&program).await;
    let url = ana.url.clone();
    let group = ana.creates_group("Climbers").await;
    let load = Arc::new(Load::default());
    let write = |writer| writes(ana.clone(), group.clone(), writer, Arc::clone(&load));
    let writers: Vec<_> = (0..WRITERS).map(|writer| tokio::spawn(write(writer))).collect();
    let image = ana.sends_image(png(40)).await;
    ana.shows(&group, "a picture", &image).await;
    let file = ana.sends_file(&group, b"rope at six").await;
    while load.acknowledged.lock().unwrap().len() < 200 {
        tokio::task::yield_now().await;
    }
    let (_, snapshot) = ana.gets("/v3/sync").await;
    let cursor = snapshot["c"].as_str().unwrap().to_owned();
    let before = load.acknowledged.lock().unwrap().clone();
    let (from, to) = (data.path().to_owned(), folder.path().join("copy"));
    let copy = to.clone();
    let ended = tokio::task::spawn_blocking(move || backup(&from, &copy)).await.unwrap();
    load.is_over.store(true, Ordering::SeqCst);
    let told = ended.fine();
    assert!(told.contains("verified: "), "{told}");
    for writer in writers {
        writer.await.unwrap();
    }
    let all = load.acknowledged.lock().unwrap().len();
    program.dies();

    let elsewhere = folder.path().join("data");
    restore(&to, &elsewhere).fine();
    tool(&elsewhere, &["check"]).fine();
    let program = starts(&elsewhere);
    ana.goes_to(&program);
    let found = pages(&ana, &group).await;
    for (guid, id) in &before {
        assert_eq!(found.get(guid), Some(id), "{guid} was acknowledged");
    }
    println!("{} before, {} in the copy, {all} at the end", before.len(), found.len());
    assert!(before.len() < all, "people wrote on meanwhile");
    let path = image.strip_prefix(&url).unwrap();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let shown = client.get(format!("{}{path}", ana.url)).send().await.unwrap();
    assert_eq!(shown.status(), 200, "the image that a message names came too");
    assert_eq!(ana.gets(&file).await.0, 200, "and the file");
    // The backup may lack events that clients have received, so no client may resume there.
    let frame = resumes(&ana, &cursor).await;
    assert_eq!(frame["t"], "reset", "{frame}");
    ana.says(&group, "after the restore").await;
    program.stops();
    tool(&elsewhere, &["check"]).fine();
}

/// Makes the data of a stopped server and a backup of it; returns both, and the owner of a group in
/// it.
async fn copied(folder: &Path) -> (PathBuf, PathBuf, Person) {
    let (data, to) = (folder.join("data"), folder.join("copy"));
    let program = starts(&data);
    let ana = Person::registered(&program).await;
    let group = ana.creates_group("Climbers").await;
    ana.says(&group, "rope at six").await;
    program.stops();
    backup(&data, &to).fine();
    (data, to, ana)
}

#[tokio::test]
async fn restored_backup_has_a_new_history() {
    let folder = TempDir::new().unwrap();
    let (data, to, mut ana) = copied(folder.path()).await;
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    restore(&to, &elsewhere).fine();
    let history = |path: &Path| fs::read_to_string(path.join("history")).unwrap();
    assert_ne!(history(&elsewhere), history(&data));
    assert!(!elsewhere.join("manifest.json").exists());
    let lines = |path: &Path| tool(path, &["audit"]).fine();
    assert_eq!(lines(&elsewhere), lines(&data));
    let program = starts(&elsewhere);
    ana.goes_to(&program);
    let (_, groups) = ana.gets("/v3/groups").await;
    assert_eq!(groups[0]["name"], "Climbers");
    program.stops();
}

#[tokio::test]
async fn backup_reports_missing_files_of_messages() {
    let folder = TempDir::new().unwrap();
    let (data, to) = (folder.path().join("data"), folder.path().join("copy"));
    let image = fills_with_media(&data).await;
    for shelves in ["images", "files"].map(|name| data.join(name)) {
        for shelf in fs::read_dir(shelves).unwrap().map(|it| it.unwrap().path()) {
            if shelf.file_name().unwrap().len() == 2 {
                fs::remove_dir_all(shelf).unwrap();
            }
        }
    }
    let ended = backup(&data, &to);
    assert_eq!(ended.code, 1, "{ended:?}");
    let name = image.rsplit('/').next().unwrap();
    let line = format!("images: {name} is used but missing\n");
    assert!(ended.stdout.contains(&line), "{line}{ended:?}");
    assert!(ended.stdout.contains("is in a message but missing\n"), "{ended:?}");
    assert!(ended.stdout.ends_with("the copy lacks them too\n"), "{ended:?}");
    restore(&to, &folder.path().join("elsewhere")).fine();
}

#[tokio::test]
async fn nothing_is_ever_overwritten() {
    let folder = TempDir::new().unwrap();
    let (data, to, _) = copied(folder.path()).await;
    let said = backup(&data, &to).says_no(2);
    assert!(said.ends_with("is not empty"), "{said}");
    let said = restore(&to, &data).says_no(2);
    assert!(said.ends_with("is not empty"), "{said}");
    tool(&data, &["check"]).fine();
}

#[tokio::test]
async fn a_copy_that_is_not_whole_is_never_restored() {
    let folder = TempDir::new().unwrap();
    let (_, to, _) = copied(folder.path()).await;
    let elsewhere = folder.path().join("elsewhere");
    let segment = to.join("journal/0000000000000000.log");
    let whole = fs::read(&segment).unwrap();
    let mut flipped = whole.clone();
    flipped[300] ^= 1;
    fs::write(&segment, flipped).unwrap();
    let said = restore(&to, &elsewhere).says_no(2);
    assert!(said.ends_with("differs from the backed-up file"), "{said}");
    // The result is not an installation, and no tool takes it for one.
    let said = tool(&elsewhere, &["user", "add", "--name", "Ana", "--email", "a@b.c"]).says_no(2);
    assert!(said.contains("holds an unfinished restore"), "{said}");
    let again = folder.path().join("again");
    restore(&to, &again).says_no(2);
    fs::remove_dir_all(&elsewhere).unwrap();
    fs::write(&segment, whole).unwrap();
    restore(&to, &again).fine();
    let mut left = fs::read_dir(&again).unwrap().map(|it| it.unwrap().file_name());
    assert!(!left.any(|name| name == "restoring"), "the second restore started over");
    tool(&again, &["check"]).fine();
    let manifest = to.join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("journal/0", "../journal/0")).unwrap();
    let said = restore(&to, &elsewhere).says_no(2);
    assert!(said.contains("names \"../journal/0"), "{said}");
    fs::remove_file(&manifest).unwrap();
    let said = restore(&to, &elsewhere).says_no(2);
    assert!(said.contains("is not a complete backup"), "{said}");
    assert!(!elsewhere.exists());
}
