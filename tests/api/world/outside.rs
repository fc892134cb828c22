//! A listener outside the server, to which the server posts: keeps each request, and answers as the
//! test says.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::world::person::SOON;

/// A request that the listener received.
#[derive(Debug)]
pub(crate) struct Heard {
    /// The path with its query.
    pub(crate) path: String,
    /// Header names in lower case, with their values.
    pub(crate) headers: Vec<(String, String)>,
    /// The body.
    pub(crate) body: Vec<u8>,
}

impl Heard {
    /// The value of a header, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body, decoded as a form.
    pub(crate) fn form(&self) -> Vec<(String, String)> {
        form_urlencoded::parse(&self.body).into_owned().collect()
    }
}

/// An HTTP listener on this machine.
pub(crate) struct Outside {
    /// The URL of the listener, without a path.
    pub(crate) url: String,
    heard: UnboundedReceiver<Heard>,
    answers: Arc<Mutex<VecDeque<String>>>,
}

impl Outside {
    /// Starts a listener that answers 200 unless told otherwise.
    pub(crate) async fn listens() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (tell, heard) = unbounded_channel();
        let answers = Arc::<Mutex<VecDeque<String>>>::default();
        let next = Arc::clone(&answers);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, tell.clone(), Arc::clone(&next)));
            }
        });
        Self { url, heard, answers }
    }

    /// Answers the next request with this status line and these header lines.
    pub(crate) fn answers_next(&self, status: &str, headers: &str) {
        self.answers.lock().unwrap().push_back(format!("{status}\r\n{headers}"));
    }

    /// Returns the next request.
    pub(crate) async fn hears(&mut self) -> Heard {
        tokio::time::timeout(SOON, self.heard.recv()).await.expect("a request comes").unwrap()
    }

    /// Returns the requests that have already arrived and were not looked at yet.
    pub(crate) fn heard_meanwhile(&mut self) -> Vec<Heard> {
        std::iter::from_fn(|| self.heard.try_recv().ok()).collect()
    }
}

async fn serve(
    mut stream: TcpStream,
    tell: UnboundedSender<Heard>,
    answers: Arc<Mutex<VecDeque<String>>>,
) {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let mut lines = head.lines();
    let path = lines.next().unwrap().split(' ').nth(1).unwrap().to_owned();
    let pair = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_ascii_lowercase(), value.trim().to_owned()))
    };
    let headers: Vec<(String, String)> = lines.filter_map(pair).collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(0, |(_, value)| value.parse().unwrap());
    while bytes.len() < head_end + length {
        if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return;
        }
    }
    let body = bytes[head_end..head_end + length].to_vec();
    let answer = answers.lock().unwrap().pop_front();
    let answer = answer.unwrap_or_else(|| "200 OK\r\n".to_owned());
    let answer = format!("HTTP/1.1 {answer}Content-Length: 0\r\nConnection: close\r\n\r\n");
    // The request is recorded before it is answered, so that a test which sees an effect of the
    // answer finds the request.
    drop(tell.send(Heard { path, headers, body }));
    drop(stream.write_all(answer.as_bytes()).await);
}
