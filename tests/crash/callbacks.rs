//! The server is killed again and again while it calls back a bot: each message arrives at least
//! once, in order, with one name, and a kill repeats one attempt at most.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::asking::{Person, starts};

/// How many messages are posted.
const MESSAGES: usize = 200;
/// How often the server is killed meanwhile.
const KILLS: usize = 12;

/// What the bot received: the name of each request and its text.
type Heard = Arc<Mutex<Vec<(String, String)>>>;

/// Starts a bot that accepts every request, a little slowly. Returns its URL and what it receives.
async fn listens() -> (String, Heard) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let heard = Heard::default();
    let noted = Arc::clone(&heard);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let noted = Arc::clone(&noted);
            tokio::spawn(async move {
                let Some(text) = reads_request(&mut stream).await else { return };
                let (head, body) = text.split_once("\r\n\r\n").unwrap();
                let name = head.lines().find_map(|line| line.strip_prefix("webhook-id: "));
                let message: Value = serde_json::from_str(body).unwrap();
                let words = message["source_guid"].as_str().unwrap().to_owned();
                noted.lock().unwrap().push((name.unwrap().to_owned(), words));
                tokio::time::sleep(Duration::from_millis(2)).await;
                drop(stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await);
            });
        }
    });
    (url, heard)
}

/// Reads a whole request, whose head and body may come separately. None if the server was killed
/// while it sent the request.
async fn reads_request(stream: &mut TcpStream) -> Option<String> {
    let (mut read, mut piece) = (Vec::new(), [0; 64 * 1024]);
    loop {
        let length = stream.read(&mut piece).await.ok().filter(|length| *length > 0)?;
        read.extend_from_slice(&piece[..length]);
        let text = String::from_utf8(read.clone()).unwrap();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let head = head.to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        if body.len() >= length.parse::<usize>().unwrap() {
            return Some(text);
        }
    }
}

fn check(heard: &[(String, String)], said: &[String]) {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut firsts = Vec::new();
    for (name, words) in heard {
        let known = names.entry(name).or_insert_with(|| {
            firsts.push(words.clone());
            words
        });
        assert_eq!(known, words, "one name is one message");
    }
    let of_ours: Vec<&String> = firsts.iter().filter(|words| said.contains(words)).collect();
    let missing: Vec<&String> = said.iter().filter(|it| !of_ours.contains(it)).collect();
    assert_eq!(missing, [""; 0], "each message");
    assert_eq!(of_ours, said.iter().collect::<Vec<_>>(), "in order");
    let repeats = heard.len() - names.len();
    println!("{} requests for {} messages, {repeats} repeated", heard.len(), names.len());
    assert!(repeats <= KILLS, "a kill repeats at most the attempt that was under way");
}

#[tokio::test]
async fn each_message_reaches_a_bot_although_the_server_is_killed() {
    let mut random = fastrand::Rng::new();
    println!("seed {}", random.get_seed());
    let data = TempDir::new().unwrap();
    let mut program = starts(data.path());
    let mut person = Person::registered(&program).await;
    let group = person.creates_group("Climbers").await;
    let (url, heard) = listens().await;
    let bot = json!({"name": "Echo", "group_id": group, "callback_url": url});
    let (status, told) = person.posts("/v3/bots", &bot).await.unwrap();
    assert_eq!(status, 201, "{told}");
    let mut said: Vec<String> = Vec::new();
    for kill in 1..=KILLS {
        while said.len() < MESSAGES * kill / KILLS {
            let guid = format!("message {}", said.len());
            let (status, told) = person.says(&group, &guid).await.unwrap();
            assert_eq!(status, 201, "{told}");
            said.push(guid);
        }
        tokio::time::sleep(Duration::from_micros(random.u64(0..60_000))).await;
        program.dies();
        program = starts(data.path());
        person.goes_to(&program);
    }
    for _ in 0..600 {
        let has_all = heard.lock().unwrap().iter().any(|(_, words)| Some(words) == said.last());
        if has_all {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    program.stops();
    let heard = heard.lock().unwrap().clone();
    check(&heard, &said);
}
