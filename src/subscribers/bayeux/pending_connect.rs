//! A `/meta/connect` that is held: until there are news, its time is over, or its client
//! disconnects.

use std::pin::Pin;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::{Sleep, sleep};

use crate::bayeux::HOLD;
use crate::bayeux::acknowledgements::Via;
use crate::bayeux::message::Incoming;

/// How long a connect is held whose client does not want to wait, so that missed events can be
/// read.
const READING: Duration = Duration::from_secs(2);

/// A connect that is held.
pub(super) struct PendingConnect {
    /// The client's message.
    pub(super) connect: Incoming,
    /// Whether the client wants to wait for news.
    pub(super) waits: bool,
    to: ReplyTarget,
    until: Pin<Box<Sleep>>,
}

enum ReplyTarget {
    /// The connect came in a request, which is answered here.
    Request(oneshot::Sender<Vec<Value>>),
    /// The connect came over the socket of this number.
    Socket(u64),
}

/// How long a connect is held: as advised, or less if the client wants so.
pub(super) fn hold_time(connect: &Incoming, may_wait: bool) -> Duration {
    let wanted = connect.field("advice").and_then(|advice| advice.get("timeout")?.as_u64());
    let wanted = wanted.map_or(HOLD, Duration::from_millis);
    if may_wait { wanted.min(HOLD) } else { Duration::ZERO }
}

impl PendingConnect {
    /// Holds a connect that came in a request.
    pub(super) fn for_request(
        connect: Incoming,
        reply: oneshot::Sender<Vec<Value>>,
        hold_time: Duration,
    ) -> Self {
        Self::of(connect, ReplyTarget::Request(reply), hold_time)
    }

    /// Holds a connect that came over a socket.
    pub(super) fn for_socket(connect: Incoming, number: u64, hold_time: Duration) -> Self {
        Self::of(connect, ReplyTarget::Socket(number), hold_time)
    }

    fn of(connect: Incoming, to: ReplyTarget, hold_time: Duration) -> Self {
        let waits = !hold_time.is_zero();
        let until = Box::pin(sleep(if waits { hold_time } else { READING }));
        Self { connect, waits, to, until }
    }

    /// The transport of the answer.
    pub(super) const fn via(&self) -> Via {
        match self.to {
            ReplyTarget::Request(_) => Via::Requests,
            ReplyTarget::Socket(number) => Via::Socket(number),
        }
    }

    /// Waits until the time is over or the request is gone.
    pub(super) async fn ends(&mut self) -> End {
        match &mut self.to {
            ReplyTarget::Request(reply) => tokio::select! {
                biased;
                () = reply.closed() => End::Left,
                () = &mut self.until => End::Time,
            },
            ReplyTarget::Socket(_) => {
                self.until.as_mut().await;
                End::Time
            }
        }
    }

    /// Answers the request; returns the messages if they must go to a socket.
    ///
    /// # Errors
    /// If the request is gone: nothing of the answer was received.
    pub(super) fn answer(self, messages: Vec<Value>) -> Result<Option<Vec<Value>>, Gone> {
        match self.to {
            ReplyTarget::Request(reply) => reply.send(messages).map(|()| None).map_err(|_| Gone),
            ReplyTarget::Socket(_) => Ok(Some(messages)),
        }
    }
}

/// The request is gone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gone;

/// Why a connect is no longer held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The time is over.
    Time,
    /// The request is gone.
    Left,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bayeux::message;

    #[test]
    fn connect_waits_at_most_the_advised_time() {
        let of = |text: &str| message::read(text.as_bytes()).unwrap().remove(0);
        assert_eq!(hold_time(&of("{}"), true), HOLD);
        assert_eq!(hold_time(&of("{}"), false), Duration::ZERO);
        let wants = |millis: u64| of(&format!("{{\"advice\":{{\"timeout\":{millis}}}}}"));
        assert_eq!(hold_time(&wants(0), true), Duration::ZERO);
        assert_eq!(hold_time(&wants(70), true), Duration::from_millis(70));
        assert_eq!(hold_time(&wants(1_000_000), true), HOLD);
    }
}
