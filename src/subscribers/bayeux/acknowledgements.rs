//! Tracks what a client has certainly received. Everything else is sent again: a repeat is allowed,
//! a loss is not.
//!
//! A client that acknowledges (`ext.ack`) tells in a connect the number of the last answer that it
//! received, and gets news only in numbered answers.
//!
//! Other clients do not say. There an answer counts as received when the client connects again,
//! unless there is a sign that it was lost: the request repeats the `id` of the connect before it
//! (as npm faye does); it comes over another socket; it comes over a new connection, or the
//! connection of the answer is closed, and the client is one that keeps its connections; or it
//! comes late, as from a client that waited in vain. If a client shows one of these signs again and
//! again, its answers are repeated a few times; then the sign is ignored until it was absent as
//! many times.

use std::collections::VecDeque;

use serde_json::Value;

use crate::domain::time::Monotonic;
use crate::journal::Cursor;
use crate::subscribers::bayeux::connection::ClientConnection;
use crate::subscribers::bayeux::message::Incoming;

/// How often a sign is believed until it is ignored; and how often it must be absent until it is
/// believed again.
const REPEATS: u8 = 3;
/// Milliseconds after an answer at which the next connect is late. Clients are advised to connect
/// again at once.
const LATE_MILLIS: u64 = 5000;
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

/// What a connect says about the news sent before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectAck {
    /// Everything up to this cursor was received.
    Got(Cursor),
    /// Everything not confirmed must be sent again.
    Lost,
    /// Nothing is said.
    Open,
}

/// What was sent to a client, and over which transport.
#[derive(Debug, Default)]
pub(super) struct Acknowledgements {
    answered: Option<LastAnswer>,
    /// The number of the newest answer, for a client that acknowledges.
    acks: Option<u64>,
    /// The transport of the newest news.
    told_via: Option<Via>,
    same_ids: LossSign,
    other_connections: LossSign,
    lateness: LossSign,
    /// Connections over which requests came, the newest last.
    connections: VecDeque<ClientConnection>,
    /// The connection of the newest request, and whether it was known before.
    connection: Option<ClientConnection>,
    is_known: bool,
    keeps_connections: bool,
}

#[derive(Debug)]
struct LastAnswer {
    id: Option<Value>,
    had_news: bool,
    upto: Cursor,
    at: Monotonic,
    /// The connection of the request that was answered.
    connection: Option<ClientConnection>,
}

/// A sign that an answer was lost.
#[derive(Debug, Default)]
struct LossSign {
    /// How often the sign was believed since it was last absent often enough.
    believed: u8,
    /// How often in a row the sign was absent.
    absent: u8,
}

impl LossSign {
    /// Whether the sign is there and is still believed.
    const fn speaks(&mut self, is_there: bool) -> bool {
        if !is_there {
            self.absent = self.absent.saturating_add(1);
            if self.absent >= REPEATS {
                self.believed = 0;
            }
            return false;
        }
        self.absent = 0;
        let is_believed = self.believed < REPEATS;
        if is_believed {
            self.believed += 1;
        }
        is_believed
    }
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

    /// Notes that a connect was answered, with everything up to cursor `upto`, at time `at`.
    pub(super) fn answers(
        &mut self,
        id: Option<&Value>,
        via: Via,
        (upto, at): (Cursor, Monotonic),
        had_news: bool,
    ) {
        let connection = self.connection.clone();
        self.answered = Some(LastAnswer { id: id.cloned(), had_news, upto, at, connection });
        self.told_via = Some(via);
    }

    /// Notes the connection of a request; `None` if it came through a proxy, whose connections say
    /// nothing about the client's.
    pub(super) fn comes_by(&mut self, connection: Option<ClientConnection>) {
        self.connection.clone_from(&connection);
        self.is_known = false;
        let Some(connection) = connection else { return };
        self.connections.retain(|known| !known.is_closed());
        self.is_known = self.connections.iter().any(|known| known.is(&connection));
        if self.is_known {
            self.keeps_connections = true;
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
    pub(super) fn judge(&mut self, connect: &Incoming, via: Via, now: Monotonic) -> ConnectAck {
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
        let Some(answered) = &self.answered else { return ConnectAck::Open };
        if via != Via::Requests || !answered.had_news {
            return ConnectAck::Got(answered.upto);
        }
        let is_same = connect.id().is_some() && connect.id() == answered.id.as_ref();
        if self.same_ids.speaks(is_same) {
            return ConnectAck::Lost;
        }
        let (before, now_by) = (answered.connection.as_ref(), self.connection.as_ref());
        // If a client alternates between open connections, nothing was lost on either of them.
        let is_elsewhere = self.keeps_connections
            && before.zip(now_by).is_some_and(|(before, now_by)| {
                !before.is(now_by) && (before.is_closed() || !self.is_known)
            });
        if self.other_connections.speaks(is_elsewhere) {
            return ConnectAck::Lost;
        }
        let is_late = now.millis_since(answered.at) >= LATE_MILLIS;
        if self.lateness.speaks(is_late) {
            return ConnectAck::Lost;
        }
        // A client that gives two connects different ids has ids that mean something.
        if !is_same {
            self.same_ids = LossSign::default();
        }
        ConnectAck::Got(answered.upto)
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
    use serde_json::json;

    use super::*;
    use crate::subscribers::bayeux::connection::ConnectionGuard;
    use crate::subscribers::bayeux::message;

    const fn at(position: u64) -> Cursor {
        Cursor::new(position)
    }

    const fn second(second: u64) -> Monotonic {
        Monotonic::from_millis(second * 1000)
    }

    /// A connect with this id.
    fn connect(id: Value) -> Incoming {
        let connect = json!({"channel": "/meta/connect", "id": id});
        message::read(connect.to_string().as_bytes()).unwrap().remove(0)
    }

    fn acknowledging(number: u64) -> Incoming {
        let connect = json!({"channel": "/meta/connect", "ext": {"ack": number}});
        message::read(connect.to_string().as_bytes()).unwrap().remove(0)
    }

    fn judged(it: &mut Acknowledgements, id: Value) -> ConnectAck {
        it.judge(&connect(id), Via::Requests, second(0))
    }

    /// Notes an answer with news.
    fn answers(it: &mut Acknowledgements, id: Value, position: u64) {
        let id = Some(id).filter(|id| !id.is_null());
        it.answers(id.as_ref(), Via::Requests, (at(position), second(0)), true);
    }

    #[test]
    fn the_next_request_confirms_and_the_same_again_does_not() {
        let mut it = Acknowledgements::default();
        assert_eq!(judged(&mut it, json!("1")), ConnectAck::Open);
        answers(&mut it, json!("1"), 7);
        assert_eq!(judged(&mut it, json!("1")), ConnectAck::Lost);
        answers(&mut it, json!("1"), 7);
        assert_eq!(judged(&mut it, json!("2")), ConnectAck::Got(at(7)));
    }

    #[test]
    fn a_client_whose_ids_are_all_the_same_is_not_told_the_same_for_ever() {
        let id = json!("1");
        let mut it = Acknowledgements::default();
        answers(&mut it, id.clone(), 7);
        for _ in 0..REPEATS {
            assert_eq!(judged(&mut it, id.clone()), ConnectAck::Lost);
            answers(&mut it, id.clone(), 7);
        }
        for position in 7..20 {
            answers(&mut it, id.clone(), position);
            assert_eq!(judged(&mut it, id.clone()), ConnectAck::Got(at(position)));
        }
    }

    #[test]
    fn another_connection_is_a_sign_of_loss_for_those_who_keep_theirs() {
        let mut it = Acknowledgements::default();
        // A client that never keeps a connection.
        for _ in 0..10 {
            it.comes_by(Some(ConnectionGuard::default().known()));
            assert_ne!(judged(&mut it, Value::Null), ConnectAck::Lost);
            answers(&mut it, Value::Null, 7);
        }
        let (one, other) = (ConnectionGuard::default(), ConnectionGuard::default());
        it.comes_by(Some(one.known()));
        it.comes_by(Some(one.known()));
        assert_eq!(judged(&mut it, Value::Null), ConnectAck::Lost, "it keeps this one");
        answers(&mut it, Value::Null, 7);
        it.comes_by(Some(one.known()));
        assert_eq!(judged(&mut it, Value::Null), ConnectAck::Got(at(7)));
        answers(&mut it, Value::Null, 8);
        it.comes_by(Some(other.known()));
        assert_eq!(judged(&mut it, Value::Null), ConnectAck::Lost);
        answers(&mut it, Value::Null, 8);
        // Through a proxy, the connection is unknown.
        it.comes_by(None);
        assert_eq!(judged(&mut it, Value::Null), ConnectAck::Got(at(8)));
    }

    #[test]
    fn whoever_takes_turns_with_open_connections_has_lost_nothing() {
        let mut it = Acknowledgements::default();
        // The second connection carries what is sent while the first one waits.
        let [one, other] = [ConnectionGuard::default(), ConnectionGuard::default()];
        for open in [&one, &one, &other] {
            it.comes_by(Some(open.known()));
        }
        for position in 1..10 {
            answers(&mut it, Value::Null, position);
            it.comes_by(Some(if position % 2 == 0 { &one } else { &other }.known()));
            assert_eq!(judged(&mut it, Value::Null), ConnectAck::Got(at(position)));
        }
        // Until the connection breaks that carried the answer.
        answers(&mut it, Value::Null, 10);
        drop(other);
        it.comes_by(Some(one.known()));
        assert_eq!(judged(&mut it, Value::Null), ConnectAck::Lost);
    }

    #[test]
    fn whoever_comes_late_waited_in_vain_unless_they_always_do() {
        let mut it = Acknowledgements::default();
        let answered_late = |it: &mut Acknowledgements, seconds| {
            answers(it, json!("1"), 7);
            it.judge(&connect(json!("2")), Via::Requests, second(seconds))
        };
        assert_eq!(answered_late(&mut it, 4), ConnectAck::Got(at(7)));
        assert_eq!(answered_late(&mut it, 5), ConnectAck::Lost);
        for _ in 0..REPEATS {
            assert_eq!(answered_late(&mut it, 1), ConnectAck::Got(at(7)));
        }
        for _ in 0..REPEATS {
            assert_eq!(answered_late(&mut it, 40), ConnectAck::Lost);
        }
        for _ in 0..10 {
            assert_eq!(answered_late(&mut it, 40), ConnectAck::Got(at(7)));
            // The client is in time now and then, but its lateness still means nothing.
            assert_eq!(answered_late(&mut it, 1), ConnectAck::Got(at(7)));
        }
    }

    #[test]
    fn whoever_acknowledges_is_believed_and_nothing_else() {
        let mut it = Acknowledgements::by_acks();
        let judged = |it: &mut Acknowledgements, number, via| {
            it.judge(&acknowledging(number), via, second(100))
        };
        assert_eq!(judged(&mut it, 0, Via::Requests), ConnectAck::Open);
        assert_eq!(it.next_number(), Some(1));
        it.answers(None, Via::Requests, (at(7), second(0)), true);
        // Late and over a socket: only the acknowledged number counts.
        assert_eq!(judged(&mut it, 1, Via::Socket(1)), ConnectAck::Got(at(7)));
        assert_eq!(it.next_number(), Some(2));
        it.answers(None, Via::Socket(1), (at(8), second(0)), true);
        assert_eq!(judged(&mut it, 1, Via::Socket(1)), ConnectAck::Lost);
        it.forget();
        assert_eq!(judged(&mut it, 2, Via::Requests), ConnectAck::Got(at(8)));
        assert_eq!(it.judge(&connect(json!(1)), Via::Requests, second(0)), ConnectAck::Lost);
        assert_eq!(Acknowledgements::default().next_number(), None);
    }

    #[test]
    fn what_went_to_a_socket_that_was_left_is_told_again() {
        let mut it = Acknowledgements::default();
        let judged =
            |it: &mut Acknowledgements, via| it.judge(&connect(Value::Null), via, second(0));
        answers(&mut it, Value::Null, 3);
        assert_eq!(judged(&mut it, Via::Socket(1)), ConnectAck::Got(at(3)));
        it.tells(Via::Socket(1));
        assert!(!it.has_left(Via::Socket(1)) && it.has_left(Via::Socket(2)));
        assert_eq!(judged(&mut it, Via::Socket(1)), ConnectAck::Got(at(3)));
        assert_eq!(judged(&mut it, Via::Requests), ConnectAck::Lost);
        assert_eq!(judged(&mut it, Via::Requests), ConnectAck::Open);
    }
}
