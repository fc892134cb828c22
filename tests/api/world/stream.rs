//! Server-sent events as a browser sees them: each with an id, a name and data.

use serde_json::Value;
use tokio::time::timeout;

use crate::world::framed;
use crate::world::person::{Person, SOON};

/// An open stream of server-sent events.
pub(crate) struct Stream {
    response: reqwest::Response,
    text: String,
}

/// One event of the stream.
#[derive(Debug, PartialEq)]
pub(crate) struct Part {
    /// The `id` field: a cursor, or `None`.
    pub(crate) id: Option<String>,
    /// The `event` field, which is the frame's `t`.
    pub(crate) event: String,
    /// The frame itself.
    pub(crate) data: Value,
}

impl Stream {
    /// Opens a stream, with these headers besides the token.
    pub(crate) async fn open(person: &Person, query: &str, headers: &[(&str, &str)]) -> Self {
        let url = person.address.url(&format!("/v3/events/stream{query}"));
        let client = person.address.new_client();
        let asking = client.get(url).header("X-Access-Token", &person.token);
        let asking =
            headers.iter().fold(asking, |asking, (name, value)| asking.header(*name, *value));
        let response = asking.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, text: String::new() }
    }

    /// Returns the next block that a blank line ends, or `None` at the end of the stream.
    pub(crate) async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                return Some(block);
            }
            let more = timeout(SOON, self.response.chunk()).await.expect("a part comes").unwrap();
            self.text.push_str(std::str::from_utf8(&more?).unwrap());
        }
    }

    /// Returns the next event, skipping comments, or `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<Part> {
        loop {
            let block = self.block().await?;
            if block.starts_with(':') {
                continue;
            }
            let line = |name: &str| {
                block.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned)
            };
            let data: Value = serde_json::from_str(&line("data: ").unwrap()).unwrap();
            framed::hold(&data);
            return Some(Part { id: line("id: "), event: line("event: ").unwrap(), data });
        }
    }

    /// Asserts the name of the next event and returns the event.
    pub(crate) async fn hears(&mut self, event: &str) -> Part {
        let part = self.next().await.expect("the stream goes on");
        assert_eq!(part.event, event, "{part:?}");
        assert_eq!(part.data["t"], event, "{part:?}");
        part
    }
}
