//! A data folder with a history of everything, and all that its server shows of it.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use coterie::domain::ids::StreamId;
use coterie::journal::file::{FileJournal, JournalOptions};
use coterie::journal::view::View;
use coterie::journal::{Commit, Cursor, Journal, Outcome, StreamHead};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::asking::{Person, starts};

/// Bytes of a segment, so small that the journal has compressed segments, a raw one, and one that
/// is being filled.
const SEGMENT: u64 = 16 << 10;

/// The response to a GET: its status, and the part of the body that does not change between starts.
pub(crate) type Shown = (u16, Value);

/// The data folder of a stopped server.
pub(crate) struct History {
    pub(crate) data: TempDir,
    pub(crate) ana: Person,
    /// What the server showed of the data, by path.
    pub(crate) answers: Vec<(String, Shown)>,
}

/// Creates a history.
pub(crate) async fn told() -> History {
    let data = TempDir::new().unwrap();
    let program = starts(data.path());
    let mut ana = Person::registered(&program).await;
    let ben = Person::called("Ben", &program).await;
    let (_, me) = ben.gets("/v3/users/me").await;
    let ben_id = me["id"].as_str().unwrap().to_owned();
    let mut paths: Vec<String> = [
        "/v3/users/me",
        "/v3/groups",
        "/v3/chats",
        "/v3/sync",
        "/v3/push/key",
        "/v3/groups/former",
    ]
    .map(str::to_owned)
    .to_vec();
    let mut group = String::new();
    for name in ["Climbers", "Divers"] {
        group = ana.creates_group(name).await;
        let items = json!({"members": [{"nickname": "Ben", "user_id": ben_id}]});
        let add = format!("/v3/groups/{group}/members/add");
        assert_eq!(ana.posts(&add, &items).await.unwrap().0, 202);
        for number in 0..60 {
            let (status, said) = ana.says(&group, &format!("{name} {number}")).await.unwrap();
            assert_eq!(status, 201, "{said}");
            if number % 7 == 0 {
                let id = said["message"]["id"].as_str().unwrap();
                let like = format!("/v3/messages/{group}/{id}/like");
                assert_eq!(ana.posts(&like, &json!({})).await.unwrap().0, 200);
            }
        }
        let page = format!("/v3/groups/{group}/messages?limit=100");
        paths.extend([
            page,
            format!("/v3/groups/{group}"),
            format!("/v3/groups/{group}/likes?period=day"),
        ]);
    }
    for number in 0..20 {
        let text = format!("between us {number}");
        let message = json!({"source_guid": text, "recipient_id": ben_id, "text": text});
        let sent = ana.posts("/v3/direct_messages", &json!({"direct_message": message})).await;
        assert_eq!(sent.unwrap().0, 201);
    }
    paths.push(format!("/v3/direct_messages?other_user_id={ben_id}&limit=100"));
    paths.extend(pictures(&ana, &group).await);
    program.stops();
    let path = data.path().to_owned();
    tokio::task::spawn_blocking(move || into_small_segments(&path)).await.unwrap();
    let program = starts(data.path());
    ana.goes_to(&program);
    let mut answers = Vec::new();
    for path in paths {
        let shown = ana.shows(&path).await;
        assert!(shown.0 == 200, "{path}: {shown:?}");
        answers.push((path, shown));
    }
    program.stops();
    History { data, ana, answers }
}

/// Uploads two pictures and posts them into the group; returns their paths.
async fn pictures(ana: &Person, group: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for width in [40, 90] {
        let (status, answer) = ana.sends_image(png(width)).await.unwrap();
        assert_eq!(status, 200, "{answer}");
        let url = answer["payload"]["url"].as_str().unwrap();
        let name = url.rsplit('/').next().unwrap();
        let pictures = json!([{"type": "image", "url": url}]);
        let message = json!({"source_guid": name, "attachments": pictures});
        let path = format!("/v3/groups/{group}/messages");
        let said = ana.posts(&path, &json!({"message": message})).await;
        assert_eq!(said.unwrap().0, 201);
        paths.push(format!("/images/{name}"));
    }
    paths
}

fn png(width: u32) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let picture = image::RgbImage::from_fn(width, 30, |x, y| image::Rgb([x as u8, y as u8, 90]));
    picture.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// Rewrites the journal's commits into segments of [`SEGMENT`] bytes, and deletes the index.
fn into_small_segments(data: &Path) {
    let (journal, large) = (data.join("journal"), data.join("large"));
    fs::rename(&journal, &large).unwrap();
    let view = View::open(&large, None).unwrap();
    let options = JournalOptions { segment_bytes: SEGMENT, ..JournalOptions::default() };
    let (small, _) = FileJournal::open(&journal, options).unwrap();
    let mut heads: HashMap<StreamId, StreamHead> = HashMap::new();
    for old in view.scan(Cursor::START, usize::MAX >> 1).unwrap().commits {
        let head = heads.get(&old.stream).copied().unwrap_or_default();
        let (stream, id, at) = (old.stream, old.id, old.at);
        let entries = old.entries.clone();
        let ticket = small.submit(Commit { stream, head, id, at, entries }).unwrap();
        let Outcome::Committed(new) = ticket.wait() else { panic!("it was not written") };
        heads.insert(stream, Arc::clone(&new).after);
    }
    small.close();
    fs::remove_dir_all(&large).unwrap();
    fs::remove_dir_all(data.join("index")).unwrap();
}

/// Returns every file below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// The offset and length of each record of a raw segment.
pub(crate) fn records(bytes: &[u8]) -> Vec<(usize, usize)> {
    let (mut at, mut found) = (64, Vec::new());
    while let Some(length) = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>()) {
        match u32::from_le_bytes(*length) {
            0 | u32::MAX => break,
            length => found.push((at, length as usize + 8)),
        }
        at += found.last().map_or(0, |(_, length)| *length);
    }
    // A segment that was created ahead has no records.
    if found.is_empty() { vec![(64, 96)] } else { found }
}

impl History {
    /// Returns a copy of the data folder.
    pub(crate) fn copy(&self) -> TempDir {
        let copy = TempDir::new().unwrap();
        for file in files(self.data.path()) {
            let to = copy.path().join(file.strip_prefix(self.data.path()).unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(&file, &to).unwrap();
        }
        copy
    }
}

impl Person {
    /// Sends a GET, and removes from the response what changes from start to start.
    pub(crate) async fn shows(&self, path: &str) -> Shown {
        let (status, bytes) = self.gets_bytes(path).await;
        let body = match serde_json::from_slice::<Value>(&bytes) {
            Ok(value) => serde_json::from_str(&value.to_string().replace(&self.url, "")).unwrap(),
            Err(_) => json!(bytes),
        };
        (status, body)
    }
}
