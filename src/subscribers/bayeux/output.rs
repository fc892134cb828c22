//! Sends what goes out of a session: in the answer to a connect if one is held, else on the socket.

use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::bayeux::acknowledgements::Via;
use crate::bayeux::connection::SocketCommand;
use crate::bayeux::message::{self, Advice};
use crate::bayeux::session::{Session, SessionFlow};
use crate::reader::ReaderEvent;

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
        let messages = match self.feed.take(told, self.portion()).await {
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

    /// Answers the held connect. In a response the reply comes first. On a socket it comes last, so
    /// that the next connect confirms the news.
    pub(super) fn answer_connect(
        &mut self,
        news: Vec<Value>,
        permit: Option<mpsc::OwnedPermit<SocketCommand>>,
    ) -> SessionFlow {
        let Some(pending) = self.pending.take() else { return SessionFlow::On };
        let via = pending.via();
        let had_news = !news.is_empty();
        let mut reply = pending.connect.succeeds();
        if let Some(number) = self.acknowledgements.next_number() {
            reply["ext"] = json!({"ack": number});
        }
        let mut messages = news;
        match via {
            Via::Requests => messages.insert(0, reply),
            Via::Socket(_) => messages.push(reply),
        }
        match pending.answer(messages) {
            Ok(None) => {}
            Ok(Some(messages)) => self.say(messages, permit),
            Err(_) => {
                self.feed.pause();
                return SessionFlow::On;
            }
        }
        self.acknowledgements.answers(via, self.feed.position(), had_news);
        match via {
            Via::Requests => self.is_away(),
            Via::Socket(_) if self.acknowledgements.is_by_acks() => self.is_away(),
            Via::Socket(_) => {
                self.spoke();
                SessionFlow::On
            }
        }
    }

    /// Answers a connect whose time is over, with a ping to show that the connection works.
    pub(super) fn time_is_over(&mut self) -> SessionFlow {
        let waited = self.pending.as_ref().is_some_and(|it| it.waits);
        let ping = if waited { self.feed.ping() } else { None };
        self.answer_connect(ping.into_iter().collect(), None)
    }

    /// Sends messages on the socket, each in a text of its own. A socket whose queue is full or closed is dropped.
    pub(super) fn say(
        &mut self,
        messages: Vec<Value>,
        permit: Option<mpsc::OwnedPermit<SocketCommand>>,
    ) {
        if messages.is_empty() {
            return;
        }
        let said = SocketCommand::Texts(message::texts(messages));
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
