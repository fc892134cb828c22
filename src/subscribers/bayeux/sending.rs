//! Sends what goes out of a session: in the answer to a connect if one is held, else on the socket.

use bytestring::ByteString;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::subscribers::bayeux::acknowledgements::Via;
use crate::subscribers::bayeux::connection::SocketCommand;
use crate::subscribers::bayeux::message::{self, Advice};
use crate::subscribers::bayeux::session::{Session, SessionFlow};
use crate::subscribers::bayeux::translate;
use crate::subscribers::reader::ReaderEvent;

impl Session {
    /// Answers a held connect without news.
    pub(super) fn release(&mut self, advice: Advice) {
        let Some(pending) = self.pending.take() else { return };
        let reply = pending.connect.succeeds_for_now(advice);
        if let Ok(Some(messages)) = pending.answer(vec![reply]) {
            self.say(messages, None);
        }
    }

    /// Sends what the reader supplied: in the answer to a connect if one is held, else on the
    /// socket.
    pub(super) async fn tell(
        &mut self,
        told: ReaderEvent,
        permit: Option<mpsc::OwnedPermit<SocketCommand>>,
    ) -> SessionFlow {
        let messages = match self.feed.take(told).await {
            Ok(messages) => messages,
            Err(close) => return self.over(close),
        };
        let is_asked = self.pending.as_ref().is_some_and(|it| !it.waits && self.feed.is_synced());
        if messages.is_empty() && !is_asked {
            return SessionFlow::On;
        }
        if self.pending.is_some() {
            return self.answer_connect(messages, permit);
        }
        if let Some(socket) = &self.socket {
            self.acknowledgements.tells(Via::Socket(socket.number));
            self.say(messages, permit);
            self.spoke();
        }
        SessionFlow::On
    }

    /// Answers the held connect: the reply first, then the news.
    pub(super) fn answer_connect(
        &mut self,
        news: Vec<Value>,
        permit: Option<mpsc::OwnedPermit<SocketCommand>>,
    ) -> SessionFlow {
        let Some(pending) = self.pending.take() else { return SessionFlow::On };
        let (via, id, had_news) = (pending.via(), pending.connect.id().cloned(), !news.is_empty());
        let mut reply = pending.connect.succeeds();
        if let Some(number) = self.acknowledgements.next_number() {
            reply["ext"] = json!({"ack": number});
        }
        let mut messages = vec![reply];
        messages.extend(news);
        match pending.answer(messages) {
            Ok(None) => {}
            Ok(Some(messages)) => self.say(messages, permit),
            Err(_) => {
                self.feed.pause();
                return SessionFlow::On;
            }
        }
        let now = self.context.shared.clock.now().mono;
        self.acknowledgements.answers(id.as_ref(), via, (self.feed.position(), now), had_news);
        match via {
            Via::Requests => self.is_away(),
            Via::Socket(_) if self.acknowledgements.is_by_acks() => self.is_away(),
            Via::Socket(_) => {
                self.spoke();
                SessionFlow::On
            }
        }
    }

    /// Answers a connect whose time is over, with a ping for each channel to show that the
    /// connection works.
    pub(super) fn time_is_over(&mut self) -> SessionFlow {
        let waited = self.pending.as_ref().is_some_and(|it| it.waits);
        let pings = if waited { self.feed.on_all(&translate::ping()) } else { Vec::new() };
        self.answer_connect(pings, None)
    }

    /// Sends messages on the socket. A socket whose queue is full or closed is dropped.
    pub(super) fn say(
        &mut self,
        messages: Vec<Value>,
        permit: Option<mpsc::OwnedPermit<SocketCommand>>,
    ) {
        let said = SocketCommand::Text(ByteString::from(message::batch(messages)));
        match (permit, &self.socket) {
            (Some(permit), _) => drop(permit.send(said)),
            (None, Some(socket)) => {
                if socket.to.try_send(said).is_err() {
                    self.socket = None;
                    self.feed.pause();
                }
            }
            (None, None) => {}
        }
    }
}
