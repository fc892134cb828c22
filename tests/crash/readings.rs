//! What a client finds after a restart: by paging, and by resuming a socket.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::asking::Person;

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}")).to_owned()
}

/// Returns every message of a group, newest first, as `(guid, id)`, and checks that there are as
/// many as the group counts.
pub(crate) async fn pages(person: &Person, group: &str) -> Vec<(String, String)> {
    let messages = messages(person, group).await;
    let found: Vec<(String, String)> =
        messages.iter().map(|it| (text(&it["source_guid"]), text(&it["id"]))).collect();
    let (_, shown) = person.gets(&format!("/v3/groups/{group}")).await;
    assert_eq!(shown["messages"]["count"], found.len(), "paging reaches what is counted");
    found
}

/// Returns the texts of all messages of a group.
pub(crate) async fn texts(person: &Person, group: &str) -> Vec<String> {
    messages(person, group).await.iter().map(|it| text(&it["text"])).collect()
}

async fn messages(person: &Person, group: &str) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    loop {
        let oldest = found.last().map(|it| text(&it["id"]));
        let before = oldest.map(|id| format!("&before_id={id}")).unwrap_or_default();
        let path = format!("/v3/groups/{group}/messages?limit=100{before}");
        let (status, page) = person.gets(&path).await;
        if status == 304 {
            break;
        }
        assert_eq!(status, 200, "{page}");
        found.extend(page["messages"].as_array().unwrap().iter().cloned());
    }
    found
}

/// Resumes a socket after a cursor. Returns the ids of each group's messages in the order of their
/// `n`, which must be without a gap.
pub(crate) async fn replay(person: &Person, after: &str) -> HashMap<String, Vec<String>> {
    let url = format!("{}/v3/push?token={}", person.url.replace("http", "ws"), person.token);
    let (mut socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
    let hello = json!({"t": "hello", "v": 1, "after": after});
    socket.send(Message::text(hello.to_string())).await.unwrap();
    let mut found: HashMap<String, (u64, Vec<String>)> = HashMap::new();
    loop {
        let frame = tokio::time::timeout(Duration::from_secs(120), socket.next()).await;
        let frame = frame.expect("a frame comes").unwrap().unwrap();
        let frame: Value = serde_json::from_str(frame.to_text().unwrap()).unwrap();
        match frame["t"].as_str().unwrap() {
            "welcome" => assert_eq!(frame["resumed"], true, "{frame}"),
            "synced" => break,
            "ev" => {
                let group = text(&frame["conv"]).replace("g:", "");
                let (n, ids) = found.entry(group).or_default();
                assert_eq!(frame["n"], *n + 1, "a hole in {frame}");
                *n += 1;
                if frame["type"] == "line.create" {
                    ids.push(text(&frame["data"]["id"]));
                }
            }
            other => panic!("{other}: {frame}"),
        }
    }
    found.into_iter().map(|(group, (_, ids))| (group, ids)).collect()
}

/// Waits until a message shows link previews, and returns their titles.
pub(crate) async fn previews(person: &Person, message: &str) -> Vec<Value> {
    let looked_at = async {
        loop {
            let (status, found) = person.gets(message).await;
            assert_eq!(status, 200, "{found}");
            if let Some(previews) = found["message"]["link_previews"].as_array() {
                return previews.iter().map(|it| it["title"].clone()).collect();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(120), looked_at).await;
    waited.unwrap_or_else(|_| panic!("nobody looked at the pages of {message}"))
}
