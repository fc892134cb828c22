//! Tracks what a client has certainly received. Everything else is sent again.
//!
//! A client that acknowledges (`ext.ack`) tells in a connect the number of the last answer that it
//! received, and gets news only in numbered answers.
//!
//! Other clients do not say. There an answer counts as received when the client connects again,
//! unless it could not be written: the request was gone before the answer; or the client, which
//! keeps its connections, comes over another one, and the connection of the answer broke before it
//! carried another request; or the client comes over another socket. Ids of messages tell nothing:
//! some clients give all their messages the same id, and others give none.

use std::collections::VecDeque;

use crate::bayeux::connection::ClientConnection;
use crate::bayeux::feed::FeedPosition;
use crate::bayeux::message::Incoming;

/// Connections remembered of one client; clients that keep connections keep few.
const CONNECTIONS: usize = 4;

/// The transport over which a client gets news.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Via {
    /// The answers to its requests.
    Requests,
    /// The socket of this number.
    Socket(u64),
}

/// The statement of a connect about the messages sent before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectAck {
    /// Everything up to this position was received.
    Got(FeedPosition),
    /// Everything not confirmed must be sent again.
    Lost,
    /// Nothing is said.
    Open,
}

/// The messages sent to a client, and their transport.
#[derive(Debug, Default)]
pub(super) struct Acknowledgements {
    answered: Option<LastAnswer>,
    /// The number of the newest answer, for a client that acknowledges.
    acks: Option<u64>,
    /// The transport of the newest news.
    told_via: Option<Via>,
    /// Whether the last answer had news, and no connect has come since.
    has_news_answer: bool,
    /// Open connections over which requests came, the newest last.
    connections: VecDeque<ClientConnection>,
    /// The connection of the newest request.
    connection: Option<ClientConnection>,
    /// The connection of the newest connect, which carries its answer.
    connect_by: Option<ClientConnection>,
    /// Whether an earlier request came over the connection of the newest one.
    is_known: bool,
    /// Whether the client sends its connects over connections that it keeps. A lost answer resets
    /// this, so that a client is sent the same again only once.
    keeps_connections: bool,
}

#[derive(Debug)]
struct LastAnswer {
    had_news: bool,
    upto: FeedPosition,
    /// The connection of the request that was answered; `None` if nothing is known about it, or a
    /// later request came over it.
    connection: Option<ClientConnection>,
}

impl Acknowledgements {
    /// Tracks a client that acknowledges.
    pub(super) fn by_acks() -> Self {
        Self { acks: Some(0), ..Self::default() }
    }

    /// Whether the client acknowledges.
    pub(super) const fn is_by_acks(&self) -> bool {
        self.acks.is_some()
    }

    /// Numbers the answer that is sent now; `None` for a client that does not acknowledge.
    pub(super) fn next_number(&mut self) -> Option<u64> {
        let number = self.acks.as_mut()?;
        *number += 1;
        Some(*number)
    }

    /// Notes that news was sent, in an answer or by itself.
    pub(super) const fn tells(&mut self, via: Via) {
        self.told_via = Some(via);
    }

    /// Notes that a connect was answered, with everything up to this position.
    pub(super) fn answers(&mut self, via: Via, upto: FeedPosition, had_news: bool) {
        let connection = self.connect_by.clone().filter(|_| via == Via::Requests);
        self.answered = Some(LastAnswer { had_news, upto, connection });
        self.told_via = Some(via);
        self.has_news_answer = had_news;
    }

    /// Whether this connect is the first one after an answer with news.
    pub(super) const fn take_news_connect(&mut self) -> bool {
        std::mem::replace(&mut self.has_news_answer, false)
    }

    /// Notes the connection of a request; `None` if it came through a proxy, whose connections say
    /// nothing about the client's.
    pub(super) fn comes_by(&mut self, connection: Option<ClientConnection>) {
        self.connection.clone_from(&connection);
        self.is_known = false;
        let Some(connection) = connection else { return };
        if let Some(answered) = &mut self.answered
            && answered.connection.as_ref().is_some_and(|before| before.is(&connection))
        {
            // The client has read the answer before it sent this request.
            answered.connection = None;
        }
        self.connections.retain(|known| !known.is_closed());
        self.is_known = self.connections.iter().any(|known| known.is(&connection));
        if self.is_known {
            return;
        }
        if self.connections.len() >= CONNECTIONS {
            self.connections.pop_front();
        }
        self.connections.push_back(connection);
    }

    /// Whether a client that now uses this transport has left another one, on which news may be
    /// lost.
    pub(super) fn has_left(&self, via: Via) -> bool {
        match (self.told_via, via) {
            // A client that moves on to a socket after an answer has received the answer.
            (None, _) | (Some(Via::Requests), Via::Socket(_)) => false,
            (Some(before), now) => before != now,
        }
    }

    /// Judges by a new connect whether the news sent before was received.
    pub(super) fn judge(&mut self, connect: &Incoming, via: Via) -> ConnectAck {
        self.connect_by.clone_from(&self.connection);
        if let Some(number) = self.acks {
            return match &self.answered {
                Some(answered) if connect.acknowledged() == Some(number) => {
                    ConnectAck::Got(answered.upto)
                }
                Some(_) => ConnectAck::Lost,
                None => ConnectAck::Open,
            };
        }
        if self.has_left(via) {
            self.forget();
            return ConnectAck::Lost;
        }
        if via == Via::Requests {
            let kept_before = self.keeps_connections;
            self.keeps_connections |= self.is_known;
            let broke = |answered: &LastAnswer| {
                answered.had_news && answered.connection.as_ref().is_some_and(|it| it.is_closed())
            };
            let is_elsewhere = self.connection.is_some();
            if kept_before && is_elsewhere && self.answered.as_ref().is_some_and(broke) {
                self.keeps_connections = self.is_known;
                return ConnectAck::Lost;
            }
        }
        self.answered.as_ref().map_or(ConnectAck::Open, |answered| ConnectAck::Got(answered.upto))
    }

    /// Forgets what was sent: news is sent again from the last confirmed cursor.
    pub(super) fn forget(&mut self) {
        if !self.is_by_acks() {
            self.answered = None;
        }
        self.told_via = None;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::bayeux::connection::ConnectionGuard;
    use crate::bayeux::message;
    use journal::Cursor;

    const fn at(position: u64) -> FeedPosition {
        FeedPosition::after(Cursor::new(position))
    }

    /// A connect with this id; `null` for none.
    fn connect(id: Value) -> Incoming {
        let connect = json!({"channel": "/meta/connect", "id": id});
        message::read(connect.to_string().as_bytes()).unwrap().remove(0)
    }

    fn acknowledging(number: u64) -> Incoming {
        let connect = json!({"channel": "/meta/connect", "ext": {"ack": number}});
        message::read(connect.to_string().as_bytes()).unwrap().remove(0)
    }

    /// Judges a connect that comes over this connection.
    fn judged(it: &mut Acknowledgements, by: Option<&ConnectionGuard>) -> ConnectAck {
        it.comes_by(by.map(ConnectionGuard::known));
        it.judge(&connect(Value::Null), Via::Requests)
    }

    /// Notes an answer with news.
    fn answers(it: &mut Acknowledgements, position: u64) {
        it.answers(Via::Requests, at(position), true);
    }

    #[test]
    fn a_client_confirms_whatever_ids_its_messages_have() {
        let ids: [fn(u64) -> Value; 4] = [
            |_| json!("4"),
            |_| Value::Null,
            |number| json!(number),
            |number| json!((number % 2).to_string()),
        ];
        for id in ids {
            let mut it = Acknowledgements::default();
            assert_eq!(it.judge(&connect(id(0)), Via::Requests), ConnectAck::Open);
            for number in 1..20 {
                answers(&mut it, number);
                let judged = it.judge(&connect(id(number)), Via::Requests);
                assert_eq!(judged, ConnectAck::Got(at(number)));
            }
        }
    }

    #[test]
    fn a_connection_for_each_request_is_no_sign_of_loss() {
        let mut it = Acknowledgements::default();
        // The handshake and the subscription shared a connection.
        let first = ConnectionGuard::default();
        it.comes_by(Some(first.known()));
        it.comes_by(Some(first.known()));
        for position in 1..10 {
            answers(&mut it, position);
            let connection = ConnectionGuard::default();
            assert_eq!(judged(&mut it, Some(&connection)), ConnectAck::Got(at(position)));
        }
    }

    #[test]
    fn a_kept_connection_that_breaks_loses_its_answer() {
        let mut it = Acknowledgements::default();
        let mut kept = ConnectionGuard::default();
        for round in 0..10 {
            // Two connects over one connection show that the client keeps it.
            for _ in 0..2 {
                assert_ne!(judged(&mut it, Some(&kept)), ConnectAck::Lost, "{round}");
                answers(&mut it, round);
            }
            kept = ConnectionGuard::default();
            assert_eq!(judged(&mut it, Some(&kept)), ConnectAck::Lost, "{round}");
            answers(&mut it, round);
        }
    }

    #[test]
    fn an_answer_is_sent_again_only_once() {
        let mut it = Acknowledgements::default();
        let kept = ConnectionGuard::default();
        assert_eq!(judged(&mut it, Some(&kept)), ConnectAck::Open);
        assert_eq!(judged(&mut it, Some(&kept)), ConnectAck::Open);
        answers(&mut it, 7);
        drop(kept);
        assert_eq!(judged(&mut it, Some(&ConnectionGuard::default())), ConnectAck::Lost);
        for position in 7..20 {
            answers(&mut it, position);
            let judged = judged(&mut it, Some(&ConnectionGuard::default()));
            assert_eq!(judged, ConnectAck::Got(at(position)));
        }
    }

    #[test]
    fn a_request_over_the_connection_of_an_answer_confirms_it() {
        let mut it = Acknowledgements::default();
        let kept = ConnectionGuard::default();
        for _ in 0..2 {
            assert_eq!(judged(&mut it, Some(&kept)), ConnectAck::Open);
        }
        answers(&mut it, 7);
        // A message that is not a connect.
        it.comes_by(Some(kept.known()));
        drop(kept);
        let other = ConnectionGuard::default();
        assert_eq!(judged(&mut it, Some(&other)), ConnectAck::Got(at(7)));
    }

    #[test]
    fn acknowledgement_needs_its_own_connect() {
        let mut it = Acknowledgements::default();
        let kept = ConnectionGuard::default();
        let brief = ConnectionGuard::default();
        for _ in 0..2 {
            assert_eq!(judged(&mut it, Some(&kept)), ConnectAck::Open);
        }
        // A message comes beside the held connect.
        it.comes_by(Some(brief.known()));
        answers(&mut it, 7);
        drop(brief);
        let other = ConnectionGuard::default();
        assert_eq!(judged(&mut it, Some(&other)), ConnectAck::Got(at(7)));
    }

    #[test]
    fn open_connections_in_turn_lose_nothing() {
        let mut it = Acknowledgements::default();
        let [one, other] = [ConnectionGuard::default(), ConnectionGuard::default()];
        for open in [&one, &one, &other] {
            it.comes_by(Some(open.known()));
        }
        for position in 1..10 {
            answers(&mut it, position);
            let by = if position % 2 == 0 { &one } else { &other };
            assert_eq!(judged(&mut it, Some(by)), ConnectAck::Got(at(position)));
        }
        // A new connection beside open ones, as pools of connections make them.
        answers(&mut it, 10);
        assert_eq!(judged(&mut it, Some(&ConnectionGuard::default())), ConnectAck::Got(at(10)));
        // Through a proxy, the connection is unknown.
        answers(&mut it, 11);
        assert_eq!(judged(&mut it, None), ConnectAck::Got(at(11)));
    }

    #[test]
    fn only_the_number_of_an_acknowledging_client_counts() {
        let mut it = Acknowledgements::by_acks();
        let judged = |it: &mut Acknowledgements, number, via| it.judge(&acknowledging(number), via);
        assert_eq!(judged(&mut it, 0, Via::Requests), ConnectAck::Open);
        assert_eq!(it.next_number(), Some(1));
        it.answers(Via::Requests, at(7), true);
        assert_eq!(judged(&mut it, 1, Via::Socket(1)), ConnectAck::Got(at(7)));
        assert_eq!(it.next_number(), Some(2));
        it.answers(Via::Socket(1), at(8), true);
        assert_eq!(judged(&mut it, 1, Via::Socket(1)), ConnectAck::Lost);
        it.forget();
        assert_eq!(judged(&mut it, 2, Via::Requests), ConnectAck::Got(at(8)));
        assert_eq!(it.judge(&connect(json!(1)), Via::Requests), ConnectAck::Lost);
        assert_eq!(Acknowledgements::default().next_number(), None);
    }

    #[test]
    fn news_on_a_socket_that_was_left_is_lost() {
        let mut it = Acknowledgements::default();
        let judged = |it: &mut Acknowledgements, via| it.judge(&connect(Value::Null), via);
        answers(&mut it, 3);
        assert_eq!(judged(&mut it, Via::Socket(1)), ConnectAck::Got(at(3)));
        it.tells(Via::Socket(1));
        assert!(!it.has_left(Via::Socket(1)) && it.has_left(Via::Socket(2)));
        assert_eq!(judged(&mut it, Via::Socket(1)), ConnectAck::Got(at(3)));
        assert_eq!(judged(&mut it, Via::Requests), ConnectAck::Lost);
        assert_eq!(judged(&mut it, Via::Requests), ConnectAck::Open);
    }

    #[test]
    fn one_connect_after_news_is_free() {
        let mut it = Acknowledgements::default();
        assert!(!it.take_news_connect());
        answers(&mut it, 3);
        assert!(it.take_news_connect() && !it.take_news_connect());
        it.answers(Via::Requests, at(3), false);
        assert!(!it.take_news_connect());
    }
}
