//! A reader as a stream of server-sent events: `id` is the cursor, `event` the frame's `t`, `data`
//! the frame itself, as on the WebSocket. Comments keep an idle connection open.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use bytestring::ByteString;
use tokio::time::timeout;

use crate::SubscriberContext;
use crate::close::Close;
use crate::reader::{Reader, ReaderEvent};
use domain::time::Monotonic;
use wire::account::ScopeNames;
use wire::live::{self, Welcome};

/// The stream, which is read part by part.
pub struct Stream {
    reader: Reader,
    shared: Arc<SubscriberContext>,
    /// When something was last written.
    spoke_at: Monotonic,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Fresh,
    Open,
    Over,
}

/// How often a quiet stream checks whether its token has expired.
const LOOK: Duration = Duration::from_secs(1);

impl Stream {
    /// A stream of this reader's events.
    pub fn of(reader: Reader, shared: Arc<SubscriberContext>) -> Self {
        let spoke_at = shared.clock.now().mono;
        Self { reader, shared, spoke_at, state: State::Fresh }
    }

    /// Waits for the next part; `None` when the stream is over.
    pub async fn next(&mut self) -> Option<Bytes> {
        match self.state {
            State::Fresh => {
                self.state = State::Open;
                Some(self.part("welcome", &self.welcome()))
            }
            State::Open => Some(self.wait().await),
            State::Over => None,
        }
    }

    async fn wait(&mut self) -> Bytes {
        loop {
            let told = timeout(LOOK.min(self.shared.timeouts.heartbeat), self.reader.next()).await;
            let now = self.shared.clock.now().mono;
            let silent = Duration::from_millis(now.millis_since(self.spoke_at));
            match told {
                Ok(told) => {
                    self.spoke_at = now;
                    return self.told(told);
                }
                Err(_) if !self.reader.is_alive() => {
                    return self.over(self.reader.subscriber().revoked());
                }
                Err(_) if silent >= self.shared.timeouts.heartbeat => {
                    self.spoke_at = now;
                    return Bytes::from_static(b":\n\n");
                }
                Err(_) => {}
            }
        }
    }

    fn told(&mut self, told: ReaderEvent) -> Bytes {
        let cursor = self.reader.cursor();
        match told {
            ReaderEvent::Events(frames) => {
                let mut text = String::new();
                for frame in frames {
                    let cursor = self.shared.instance.cursor(frame.told.cursor);
                    write(&mut text, Some(&cursor), "ev", &frame.text);
                }
                Bytes::from(text)
            }
            ReaderEvent::EphemeralEvents(frames) => {
                let mut text = String::new();
                frames.iter().for_each(|frame| write(&mut text, None, "eph", &frame.text));
                Bytes::from(text)
            }
            ReaderEvent::Synced => self.part("synced", &live::synced(&cursor)),
            ReaderEvent::Reset(why) => self.part("reset", &live::reset(&cursor, why)),
            ReaderEvent::Over(close) => self.over(close),
        }
    }

    /// Ends the stream; its last part says why, and when to reconnect.
    fn over(&mut self, close: Close) -> Bytes {
        self.state = State::Over;
        let bye = live::bye(close.code, self.shared.jitter(self.reader.id()));
        self.part("bye", &bye)
    }

    fn welcome(&self) -> ByteString {
        let reader = &self.reader;
        let welcome = Welcome {
            sid: &format!("{:x}", reader.id()),
            user_id: &reader.subscriber().number().to_string(),
            c: &reader.cursor(),
            resumed: reader.is_resumed(),
            time: self.shared.clock.now().wall.millis(),
            scopes: reader.subscriber().scopes().map(ScopeNames),
        };
        welcome.encode()
    }

    fn part(&self, event: &str, frame: &ByteString) -> Bytes {
        let mut text = String::new();
        write(&mut text, Some(&self.reader.cursor()), event, frame);
        Bytes::from(text)
    }
}

/// Writes one event. The frame is JSON without line breaks, so `data` is one line.
fn write(text: &mut String, id: Option<&str>, event: &str, data: &str) {
    if let Some(id) = id {
        text.extend(["id: ", id, "\n"]);
    }
    text.extend(["event: ", event, "\ndata: ", data, "\n\n"]);
}
