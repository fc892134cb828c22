//! The bots of an account that operators disable: they get no events and cannot post until it is
//! enabled again, and then they miss nothing.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio_tungstenite::tungstenite::Message;

use crate::person::{Person, starts};
use crate::tools::{adds, logs_in, posts, tool};
use crate::users::{Socket, frame};

const PATIENCE: Duration = Duration::from_secs(120);

/// Starts a bot that accepts every request. Returns its URL, and the texts that it receives.
async fn listens() -> (String, UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (tell, heard) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut piece = vec![0; 64 * 1024];
            let length = stream.read(&mut piece).await.unwrap_or(0);
            let request = String::from_utf8_lossy(&piece[..length]).into_owned();
            let Some((_, body)) = request.split_once("\r\n\r\n") else { continue };
            let message: Value = serde_json::from_str(body).unwrap();
            drop(tell.send(message["text"].as_str().unwrap().to_owned()));
            drop(stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await);
        }
    });
    (url, heard)
}

/// Opens a bot's socket and reads up to `synced`; returns it with the texts that came before.
async fn pulls(url: &str, bot: &Value, after: &str) -> (Socket, Vec<String>) {
    let url = format!("{}/v3/push", url.replace("http", "ws"));
    let (mut socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
    let hello = json!({"t": "hello", "v": 1, "bot_id": bot["bot_id"], "secret": bot["secret"],
        "after": after});
    socket.send(Message::text(hello.to_string())).await.unwrap();
    let mut texts = Vec::new();
    loop {
        let frame = frame(&mut socket).await;
        match frame["t"].as_str().unwrap() {
            "ev" => texts.push(frame["data"]["text"].as_str().unwrap().to_owned()),
            "synced" => return (socket, texts),
            _ => {}
        }
    }
}

/// Waits until a socket is closed; returns the close code.
async fn ends(socket: &mut Socket) -> u16 {
    let end = async {
        loop {
            if let Some(Ok(Message::Close(reason))) = socket.next().await {
                return u16::from(reason.unwrap().code);
            }
        }
    };
    tokio::time::timeout(PATIENCE, end).await.expect("the socket is closed")
}

async fn hears(heard: &mut UnboundedReceiver<String>) -> String {
    tokio::time::timeout(PATIENCE, heard.recv()).await.expect("a callback comes").unwrap()
}

async fn hears_nothing(heard: &mut UnboundedReceiver<String>) {
    let heard = tokio::time::timeout(Duration::from_millis(500), heard.recv()).await;
    assert!(heard.is_err(), "no callback should come: {heard:?}");
}

/// The status that a bot gets when it posts.
async fn says(url: &str, bot: &Value) -> u16 {
    posts(url, "/v3/bots/post", &json!({"bot_id": bot["bot_id"], "text": "hello"})).await.0
}

/// The status that a bot gets when it asks for events.
async fn asks(url: &str, bot: &Value) -> u16 {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let path = format!("{url}/v3/bots/{}/events", bot["bot_id"].as_str().unwrap());
    let asked = client.get(path).bearer_auth(bot["secret"].as_str().unwrap());
    asked.send().await.unwrap().status().as_u16()
}

/// Ana's two bots, one with a callback and one without, in a group that Ben is in, too.
struct Fixture {
    ben: Person,
    group: String,
    called: Value,
    pulling: Value,
}

impl Fixture {
    async fn set(data: &std::path::Path, program: &crate::program::Program, url: &str) -> Self {
        let ana = Person::registered(program).await;
        let new = json!({"name": "Climbers", "share": true});
        let (_, group) = ana.posts("/v3/groups", &new).await;
        adds(data, "Ben", "ben@example.org");
        let (_, welcome) = logs_in(program.url(), "ben@example.org", crate::tools::PASSWORD).await;
        let mut ben = ana.clone();
        ben.token = welcome["access_token"].as_str().unwrap().to_owned();
        let (_, share) = group["share_url"].as_str().unwrap().rsplit_once('/').unwrap();
        let group = group["id"].as_str().unwrap().to_owned();
        let joined = ben.posts(&format!("/v3/groups/{group}/join/{share}"), &json!({})).await;
        assert_eq!(joined.0, 200, "{joined:?}");
        let mut bots = Vec::new();
        for wanted in [
            json!({"name": "Pull", "group_id": group}),
            json!({"name": "Called", "group_id": group, "callback_url": url}),
        ] {
            let (status, bot) = ana.posts("/v3/bots", &wanted).await;
            assert_eq!(status, 201, "{bot}");
            bots.push(bot);
        }
        let [pulling, called] = bots.try_into().unwrap();
        Self { ben, group, called, pulling }
    }
}

#[tokio::test]
async fn disabled_accounts_bots_pause_and_resume() {
    let data = TempDir::new().unwrap();
    let mut program = starts(data.path());
    let (url, mut heard) = listens().await;
    let mut fixture = Fixture::set(data.path(), &program, &url).await;
    hears(&mut heard).await;
    let (mut socket, _) = pulls(program.url(), &fixture.pulling, "0").await;
    let before = fixture.ben.says(&fixture.group, "before").await;
    assert_eq!(hears(&mut heard).await, "said as before");
    assert_eq!(frame(&mut socket).await["data"]["id"], json!(before));

    tool(data.path(), &["user", "disable", "ana@example.org"]).fine();
    assert_eq!(ends(&mut socket).await, 4401);
    for round in 0..2 {
        for bot in [&fixture.pulling, &fixture.called] {
            assert_eq!(
                (says(program.url(), bot).await, asks(program.url(), bot).await),
                (403, 403)
            );
        }
        fixture.ben.says(&fixture.group, &format!("meanwhile {round}")).await;
        hears_nothing(&mut heard).await;
        // The same holds for a server that starts while the account is disabled.
        program.stops();
        program = starts(data.path());
        fixture.ben.goes_to(&program);
    }
    hears_nothing(&mut heard).await;

    tool(data.path(), &["user", "enable", "ana@example.org"]).fine();
    let meanwhile = ["said as meanwhile 0", "said as meanwhile 1"];
    for words in meanwhile {
        assert_eq!(hears(&mut heard).await, words);
    }
    let (_, texts) = pulls(program.url(), &fixture.pulling, &before).await;
    assert_eq!(texts, meanwhile);
    assert_eq!(
        (says(program.url(), &fixture.called).await, asks(program.url(), &fixture.called).await),
        (201, 200)
    );
    fixture.ben.says(&fixture.group, "after").await;
    assert_eq!(hears(&mut heard).await, "said as after");
    hears_nothing(&mut heard).await;
    program.stops();
}
