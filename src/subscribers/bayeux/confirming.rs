//! What a client has certainly got. What it has not is sent again; a repeat is allowed,
//! a loss is not.
//!
//! An answer counts as got when its client connects again. A request that repeats the
//! `id` of the connect before it (as npm faye does), a client that keeps its connections
//! and comes back on another one, or one that comes on another socket, did not get it.

use std::net::SocketAddr;

use serde_json::Value;

use crate::journal::Cursor;

/// Answers that are repeated for the same `id`, or for another connection; then it is
/// clear that this client's ids, or its connections, mean nothing.
const REPEATS: u8 = 3;

/// Where a client takes what it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Via {
    /// The answers of its requests.
    Requests,
    /// This socket.
    Socket(u64),
}

/// What a connect says about what was told before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Everything up to here has arrived.
    Got(Cursor),
    /// What is not known to have arrived is to be told again.
    Lost,
    /// Nothing.
    Open,
}

/// What was told and how.
#[derive(Debug, Default)]
pub(super) struct Confirming {
    answered: Option<Answered>,
    /// Where anything was told last.
    told_via: Option<Via>,
    same_ids: u8,
    other_connections: u8,
    /// By which connection the newest request came.
    connection: Option<SocketAddr>,
    keeps_connections: bool,
}

#[derive(Debug)]
struct Answered {
    id: Option<Value>,
    had_news: bool,
    upto: Cursor,
    /// By which connection it went.
    connection: Option<SocketAddr>,
}

impl Confirming {
    /// News went out, as the answer of a connect or by itself.
    pub(super) const fn tells(&mut self, via: Via) {
        self.told_via = Some(via);
    }

    /// A connect was answered, with everything up to here.
    pub(super) fn answers(&mut self, id: Option<&Value>, via: Via, upto: Cursor, had_news: bool) {
        let connection = self.connection;
        self.answered = Some(Answered { id: id.cloned(), had_news, upto, connection });
        self.told_via = Some(via);
    }

    /// A request came by this connection; none if it came through a proxy, whose
    /// connections say nothing about the client's.
    pub(super) fn comes_by(&mut self, connection: Option<SocketAddr>) {
        self.keeps_connections |= connection.is_some() && self.connection == connection;
        self.connection = connection;
    }

    /// A client is here by this way: whether it has left another one on which something
    /// may have been lost.
    pub(super) fn has_left(&self, via: Via) -> bool {
        match (self.told_via, via) {
            // Who goes on to a socket after an answer has seen the answer.
            (None, _) | (Some(Via::Requests), Via::Socket(_)) => false,
            (Some(before), now) => before != now,
        }
    }

    /// Judges what was told before by a connect that comes now.
    pub(super) fn judge(&mut self, id: Option<&Value>, via: Via) -> Verdict {
        if self.has_left(via) {
            self.forget();
            return Verdict::Lost;
        }
        let Some(answered) = &self.answered else { return Verdict::Open };
        if via != Via::Requests || !answered.had_news {
            return Verdict::Got(answered.upto);
        }
        if id.is_some() && id == answered.id.as_ref() && self.same_ids < REPEATS {
            self.same_ids += 1;
            return Verdict::Lost;
        }
        let is_elsewhere = self.keeps_connections
            && self.connection.is_some()
            && answered.connection.is_some_and(|it| Some(it) != self.connection);
        if is_elsewhere && self.other_connections < REPEATS {
            self.other_connections += 1;
            return Verdict::Lost;
        }
        // Whoever once tells two connects apart gives ids that mean something.
        if id != answered.id.as_ref() {
            self.same_ids = 0;
        }
        Verdict::Got(answered.upto)
    }

    /// Begins anew: what comes is told from what has certainly arrived.
    pub(super) fn forget(&mut self) {
        self.answered = None;
        self.told_via = None;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const fn at(position: u64) -> Cursor {
        Cursor::new(position)
    }

    #[test]
    fn the_next_request_confirms_and_the_same_again_does_not() {
        let (one, two) = (json!("1"), json!("2"));
        let mut it = Confirming::default();
        assert_eq!(it.judge(Some(&one), Via::Requests), Verdict::Open);
        it.answers(Some(&one), Via::Requests, at(7), true);
        assert_eq!(it.judge(Some(&one), Via::Requests), Verdict::Lost);
        it.answers(Some(&one), Via::Requests, at(7), true);
        assert_eq!(it.judge(Some(&two), Via::Requests), Verdict::Got(at(7)));
    }

    #[test]
    fn a_client_whose_ids_are_all_the_same_is_not_told_the_same_for_ever() {
        let id = json!("1");
        let mut it = Confirming::default();
        it.answers(Some(&id), Via::Requests, at(7), true);
        for _ in 0..REPEATS {
            assert_eq!(it.judge(Some(&id), Via::Requests), Verdict::Lost);
            it.answers(Some(&id), Via::Requests, at(7), true);
        }
        for position in 7..20 {
            it.answers(Some(&id), Via::Requests, at(position), true);
            assert_eq!(it.judge(Some(&id), Via::Requests), Verdict::Got(at(position)));
        }
    }

    #[test]
    fn another_connection_is_a_sign_of_loss_for_those_who_keep_theirs() {
        let port = |port: u16| Some(SocketAddr::from(([127, 0, 0, 1], port)));
        let mut it = Confirming::default();
        // One who never keeps a connection.
        for number in 1..10 {
            it.comes_by(port(number));
            assert_ne!(it.judge(None, Via::Requests), Verdict::Lost);
            it.answers(None, Via::Requests, at(7), true);
        }
        it.comes_by(port(9));
        assert_eq!(it.judge(None, Via::Requests), Verdict::Got(at(7)));
        it.answers(None, Via::Requests, at(8), true);
        it.comes_by(port(10));
        assert_eq!(it.judge(None, Via::Requests), Verdict::Lost);
        it.answers(None, Via::Requests, at(8), true);
        it.comes_by(None);
        assert_eq!(it.judge(None, Via::Requests), Verdict::Got(at(8)));
    }

    #[test]
    fn what_went_to_a_socket_that_was_left_is_told_again() {
        let mut it = Confirming::default();
        it.answers(None, Via::Requests, at(3), true);
        assert_eq!(it.judge(None, Via::Socket(1)), Verdict::Got(at(3)));
        it.tells(Via::Socket(1));
        assert!(!it.has_left(Via::Socket(1)) && it.has_left(Via::Socket(2)));
        assert_eq!(it.judge(None, Via::Socket(1)), Verdict::Got(at(3)));
        assert_eq!(it.judge(None, Via::Requests), Verdict::Lost);
        assert_eq!(it.judge(None, Via::Requests), Verdict::Open);
    }
}
