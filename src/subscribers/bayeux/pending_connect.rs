//! A `/meta/connect` that waits: for news, for its time to be over, or for its client to
//! go away.

use std::pin::Pin;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::{Sleep, sleep};

use crate::subscribers::bayeux::HOLD;
use crate::subscribers::bayeux::acknowledgements::Via;
use crate::subscribers::bayeux::message::Incoming;

/// Time for what was missed to be read, when the client does not want to wait.
const READING: Duration = Duration::from_secs(2);

/// A connect that waits.
pub(super) struct PendingConnect {
    /// The connect.
    pub(super) connect: Incoming,
    /// Whether its client wants to wait for news.
    pub(super) waits: bool,
    to: To,
    until: Pin<Box<Sleep>>,
}

enum To {
    /// The answer of a request.
    Request(oneshot::Sender<Vec<Value>>),
    /// A socket.
    Socket(u64),
}

/// How long a connect may be held: as long as advised, unless it wants less.
pub(super) fn patience(connect: &Incoming, may_wait: bool) -> Duration {
    let wanted = connect.field("advice").and_then(|advice| advice.get("timeout")?.as_u64());
    let wanted = wanted.map_or(HOLD, Duration::from_millis);
    if may_wait { wanted.min(HOLD) } else { Duration::ZERO }
}

impl PendingConnect {
    /// Of a request.
    pub(super) fn for_request(
        connect: Incoming,
        reply: oneshot::Sender<Vec<Value>>,
        patience: Duration,
    ) -> Self {
        Self::of(connect, To::Request(reply), patience)
    }

    /// Of a socket.
    pub(super) fn for_socket(connect: Incoming, number: u64, patience: Duration) -> Self {
        Self::of(connect, To::Socket(number), patience)
    }

    fn of(connect: Incoming, to: To, patience: Duration) -> Self {
        let waits = !patience.is_zero();
        let until = Box::pin(sleep(if waits { patience } else { READING }));
        Self { connect, waits, to, until }
    }

    /// By which way the answer goes.
    pub(super) const fn via(&self) -> Via {
        match self.to {
            To::Request(_) => Via::Requests,
            To::Socket(number) => Via::Socket(number),
        }
    }

    /// Its time is over, or nobody waits any more.
    pub(super) async fn ends(&mut self) -> End {
        match &mut self.to {
            To::Request(reply) => tokio::select! {
                biased;
                () = reply.closed() => End::Left,
                () = &mut self.until => End::Time,
            },
            To::Socket(_) => {
                self.until.as_mut().await;
                End::Time
            }
        }
    }

    /// Gives the answer of a request; one for a socket comes back.
    ///
    /// # Errors
    /// When the request is gone: nothing of the answer has arrived.
    pub(super) fn answer(self, messages: Vec<Value>) -> Result<Option<Vec<Value>>, Gone> {
        match self.to {
            To::Request(reply) => reply.send(messages).map(|()| None).map_err(|_| Gone),
            To::Socket(_) => Ok(Some(messages)),
        }
    }
}

/// Nobody waits for the answer any more.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gone;

/// Why a connect waits no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Its time is over.
    Time,
    /// The request is gone.
    Left,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subscribers::bayeux::message;

    #[test]
    fn a_connect_waits_as_long_as_it_wants_but_not_longer_than_advised() {
        let of = |text: &str| message::read(text.as_bytes()).unwrap().remove(0);
        assert_eq!(patience(&of("{}"), true), HOLD);
        assert_eq!(patience(&of("{}"), false), Duration::ZERO);
        let wants = |millis: u64| of(&format!("{{\"advice\":{{\"timeout\":{millis}}}}}"));
        assert_eq!(patience(&wants(0), true), Duration::ZERO);
        assert_eq!(patience(&wants(70), true), Duration::from_millis(70));
        assert_eq!(patience(&wants(1_000_000), true), HOLD);
    }
}
