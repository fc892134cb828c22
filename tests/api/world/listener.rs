//! A bot's listener under the test's control. It reads one request per connection, and only the
//! first piece that arrives, as naive listeners do; the test says how it answers.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Notify;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinHandle;

/// How a listener answers a request.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// With this status.
    Status(u16),
    /// With this status and this header.
    With(u16, &'static str, String),
    /// With this status, once the test says so.
    Told(u16, Arc<Notify>),
    /// With 200 and this body.
    Says(String),
    /// Resets the connection without an answer.
    Resets,
    /// Sends nothing for a minute, then closes the connection.
    Sleeps,
    /// Sends one byte per second.
    Trickles,
    /// Sends a body of a gigabyte, as long as the server reads it.
    Floods,
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    head: String,
    /// The part of the body that came in the same piece as the headers.
    pub(crate) body: String,
}

impl Request {
    /// The value of a header, if it is there; the name in any case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The text of the message in the body; empty if it has none.
    pub(crate) fn text(&self) -> String {
        self.json()["text"].as_str().unwrap_or_default().to_owned()
    }
}

/// A listener on a port of this machine.
pub(crate) struct Listener {
    place: SocketAddr,
    script: Arc<Mutex<VecDeque<Answer>>>,
    usual: Arc<Mutex<Answer>>,
    heard: UnboundedReceiver<Request>,
    tell: UnboundedSender<Request>,
    task: Option<JoinHandle<()>>,
}

impl Listener {
    /// Starts a listener that answers 200 to every request.
    pub(crate) async fn starts() -> Self {
        let (tell, heard) = mpsc::unbounded_channel();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let place = listener.local_addr().unwrap();
        let usual = Arc::new(Mutex::new(Answer::Status(200)));
        let mut it = Self { place, script: Arc::default(), usual, heard, tell, task: None };
        it.serve(listener);
        it
    }

    fn serve(&mut self, listener: TcpListener) {
        let (script, usual, tell) =
            (Arc::clone(&self.script), Arc::clone(&self.usual), self.tell.clone());
        self.task = Some(tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let next = script.lock().unwrap().pop_front();
                let answer = next.unwrap_or_else(|| usual.lock().unwrap().clone());
                tokio::spawn(serve_one(stream, answer, tell.clone()));
            }
        }));
    }

    /// Stops listening: connections are refused.
    pub(crate) async fn leaves(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
            drop(task.await);
        }
    }

    /// Listens at the same port again.
    pub(crate) async fn returns(&mut self) {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_reuseaddr(true).unwrap();
        socket.bind(self.place).unwrap();
        self.serve(socket.listen(64).unwrap());
    }

    /// The callback URL of the listener.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.place)
    }

    /// The port of the listener.
    pub(crate) fn port(&self) -> u16 {
        self.place.port()
    }

    /// Answers the next requests like this, one each, before it answers as usual.
    pub(crate) fn answers<const N: usize>(&self, answers: [Answer; N]) {
        self.script.lock().unwrap().extend(answers);
    }

    /// Answers like this from now on, once the scripted answers are used up.
    pub(crate) fn always_answers(&self, answer: Answer) {
        *self.usual.lock().unwrap() = answer;
    }

    /// Returns the next request.
    pub(crate) async fn hears(&mut self) -> Request {
        let heard = tokio::time::timeout(Duration::from_secs(120), self.heard.recv()).await;
        heard.expect("a callback should come").unwrap()
    }

    /// Asserts that no request comes for 400 ms.
    pub(crate) async fn hears_nothing(&mut self) {
        let heard = tokio::time::timeout(Duration::from_millis(400), self.heard.recv()).await;
        assert!(heard.is_err(), "no callback should come: {:?}", heard.unwrap().unwrap());
    }
}

async fn serve_one(mut stream: TcpStream, answer: Answer, tell: UnboundedSender<Request>) {
    let mut piece = vec![0; 64 * 1024];
    let length = stream.read(&mut piece).await.unwrap_or(0);
    let text = String::from_utf8_lossy(&piece[..length]).into_owned();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return };
    drop(tell.send(Request { head: head.to_owned(), body: body.to_owned() }));
    let says = |status: u16, more: &str| {
        format!("HTTP/1.1 {status} X\r\n{more}Content-Length: 5\r\n\r\nhello")
    };
    match answer {
        Answer::Status(status) => drop(stream.write_all(says(status, "").as_bytes()).await),
        Answer::With(status, name, value) => {
            let header = format!("{name}: {value}\r\n");
            drop(stream.write_all(says(status, &header).as_bytes()).await);
        }
        Answer::Told(status, told) => {
            told.notified().await;
            drop(stream.write_all(says(status, "").as_bytes()).await);
        }
        Answer::Says(body) => {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            drop(stream.write_all((head + &body).as_bytes()).await);
        }
        Answer::Resets => drop(stream.set_zero_linger()),
        Answer::Sleeps => tokio::time::sleep(Duration::from_secs(60)).await,
        Answer::Trickles => {
            for byte in says(200, "").bytes() {
                if stream.write_all(&[byte]).await.is_err() {
                    return;
                }
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
        Answer::Floods => {
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n";
            let piece = vec![b'x'; 64 * 1024];
            drop(stream.write_all(head.as_bytes()).await);
            while stream.write_all(&piece).await.is_ok() {}
        }
    }
}
