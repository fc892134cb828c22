//! The sessions of all clients by `clientId`, and limits for those of one user or one address.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use dashmap::DashMap;
use tokio::sync::{mpsc, oneshot};

use crate::bayeux::connection::{ClientConnection, SocketHandle};
use crate::bayeux::message::{Advice, BayeuxTrouble, Incoming};
use crate::bayeux::{ABSENCE_MILLIS, FRESH_MILLIS};
use base::bounds::places::Fullness;
use base::random::random;
use domain::client_network::ClientNetwork;
use domain::ids::UserId;
use domain::time::Monotonic;

/// Clients in all.
pub const CLIENTS: usize = 100_000;
/// Clients of one user; one more ends the session of the client that was away longest.
pub const PER_USER: usize = 50;
/// Clients of one address that have not subscribed with a token yet.
pub const PER_ADDRESS: usize = 1000;
/// Messages that may wait for one session.
const MAILBOX: usize = 64;

/// A message for a session.
#[derive(Debug)]
pub(super) enum SessionMessage {
    /// A message of the client.
    Message {
        /// The message.
        message: Incoming,
        /// The transport over which it came.
        by: MessageSource,
        /// Takes the answer: first the reply to the message, then other messages to send.
        reply: oneshot::Sender<Vec<serde_json::Value>>,
    },
    /// The server is about to stop.
    Goodbye,
}

/// The transport over which a message came.
#[derive(Debug, Clone)]
pub(super) enum MessageSource {
    /// A request, which waits for the answer.
    Request {
        /// Whether the request has no other message, so that it may be held.
        is_alone: bool,
        /// The connection; `None` behind a proxy.
        connection: Option<ClientConnection>,
    },
    /// A socket.
    Socket(SocketHandle),
}

/// The sessions of all clients. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Sessions(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    known: DashMap<String, Entry>,
    by_user: DashMap<UserId, Vec<String>>,
    by_address: DashMap<ClientNetwork, usize>,
    is_draining: AtomicBool,
    refused: AtomicU64,
}

#[derive(Debug)]
struct Entry {
    mailbox: mpsc::Sender<SessionMessage>,
    seen: Arc<Seen>,
}

/// When a client last sent a message.
#[derive(Debug, Default)]
struct Seen {
    at: AtomicU64,
    has_subscribed: AtomicBool,
}

impl Seen {
    fn is_over(&self, now: Monotonic) -> bool {
        let away = now.millis_since(Monotonic::from_millis(self.at.load(Ordering::Relaxed)));
        away >= if self.has_subscribed.load(Ordering::Relaxed) {
            ABSENCE_MILLIS
        } else {
            FRESH_MILLIS
        }
    }
}

/// The entry of a session, removed when this is dropped.
#[derive(Debug)]
pub(super) struct SessionGuard {
    sessions: Sessions,
    /// The `clientId`.
    pub(super) client: String,
    address: Option<ClientNetwork>,
    user: Option<UserId>,
    seen: Arc<Seen>,
}

impl Sessions {
    /// How many clients there are, and how many were refused.
    pub fn fullness(&self) -> Fullness {
        let refused = self.0.refused.load(Ordering::Relaxed);
        Fullness::of_items(self.0.known.len(), CLIENTS, refused)
    }

    /// Adds a new client; returns its entry and the queue of its messages.
    pub(super) fn begin(
        &self,
        address: Option<ClientNetwork>,
        now: Monotonic,
    ) -> Result<(SessionGuard, mpsc::Receiver<SessionMessage>), BayeuxTrouble> {
        let too_many = || {
            self.0.refused.fetch_add(1, Ordering::Relaxed);
            BayeuxTrouble::new(429, "", "Too many clients").advise(Advice::Handshake)
        };
        // A session of now would end at once, and some clients (aiocometd) never repeat a
        // subscription that fails.
        if self.0.is_draining.load(Ordering::Acquire) {
            return Err(
                BayeuxTrouble::new(503, "", "The server is stopping").advise(Advice::Handshake)
            );
        }
        if self.0.known.len() >= CLIENTS {
            return Err(too_many());
        }
        if let Some(address) = address {
            let mut fresh = self.0.by_address.entry(address).or_insert(0);
            if *fresh >= PER_ADDRESS {
                return Err(too_many());
            }
            *fresh += 1;
        }
        let client = unguessable();
        let (mailbox, messages) = mpsc::channel(MAILBOX);
        let seen = Arc::new(Seen::default());
        seen.at.store(now.millis(), Ordering::Relaxed);
        let place = SessionGuard {
            sessions: self.clone(),
            client: client.clone(),
            address,
            user: None,
            seen: Arc::clone(&seen),
        };
        self.0.known.insert(client, Entry { mailbox, seen });
        Ok((place, messages))
    }

    /// Finds the queue of a client; `None` if there is no such client, or it was away for too long.
    pub(super) fn find(
        &self,
        client: &str,
        now: Monotonic,
    ) -> Option<mpsc::Sender<SessionMessage>> {
        let entry = self.0.known.get(client)?;
        if entry.seen.is_over(now) {
            return None;
        }
        entry.seen.at.store(now.millis(), Ordering::Relaxed);
        Some(entry.mailbox.clone())
    }

    /// Refuses handshakes from now on, and tells every session that the server is about to stop.
    pub fn say_goodbye(&self) {
        self.0.is_draining.store(true, Ordering::Release);
        for entry in &self.0.known {
            // A session with a full queue is cut off when the server stops.
            drop(entry.mailbox.try_send(SessionMessage::Goodbye));
        }
    }
}

/// Letters and digits of a `clientId`, as the original service has them.
const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
/// Digits of a `clientId`: 160 random bits.
const CLIENT_DIGITS: usize = 31;

/// A `clientId` that nobody can guess.
fn unguessable() -> String {
    let mut client = String::with_capacity(CLIENT_DIGITS);
    while client.len() < CLIENT_DIGITS {
        // Bytes past the last multiple of 36 are skipped, so that all digits are equally likely.
        let fair = random::<32>().into_iter().filter(|byte| *byte < 252);
        let digits = fair.map(|byte| char::from(DIGITS[usize::from(byte % 36)]));
        client.extend(digits.take(CLIENT_DIGITS - client.len()));
    }
    client
}

impl SessionGuard {
    /// Notes that the client is here.
    pub(super) fn see(&self, now: Monotonic) {
        self.seen.at.store(now.millis(), Ordering::Relaxed);
    }

    /// Whether the client was away for too long.
    pub(super) fn is_over(&self, now: Monotonic) -> bool {
        self.seen.is_over(now)
    }

    /// Notes that the client belongs to this user. If the user has too many clients, ends the
    /// session of the one that was away longest.
    pub(super) fn claim(&mut self, user: UserId) {
        if self.user.is_some() {
            return;
        }
        self.user = Some(user);
        self.seen.has_subscribed.store(true, Ordering::Relaxed);
        self.leave_address();
        let inner = &self.sessions.0;
        let mut clients = inner.by_user.entry(user).or_default();
        let spare = if clients.len() < PER_USER { None } else { inner.longest_away(&clients) };
        if let Some(spare) = spare {
            clients.retain(|client| *client != spare);
            inner.known.remove(&spare);
        }
        clients.push(self.client.clone());
    }

    fn leave_address(&mut self) {
        let Some(address) = self.address.take() else { return };
        if let dashmap::Entry::Occupied(mut fresh) = self.sessions.0.by_address.entry(address) {
            *fresh.get_mut() -= 1;
            if *fresh.get() == 0 {
                fresh.remove();
            }
        }
    }
}

impl Inner {
    fn longest_away(&self, clients: &[String]) -> Option<String> {
        let seen = |client: &String| {
            self.known.get(client).map_or(0, |entry| entry.seen.at.load(Ordering::Relaxed))
        };
        clients.iter().min_by_key(|client| seen(client)).cloned()
    }
}

impl Drop for SessionGuard {
    fn drop(&mut self) {
        self.leave_address();
        self.sessions.0.known.remove(&self.client);
        let Some(user) = self.user else { return };
        if let dashmap::Entry::Occupied(mut clients) = self.sessions.0.by_user.entry(user) {
            clients.get_mut().retain(|client| *client != self.client);
            if clients.get().is_empty() {
                clients.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: UserId = UserId::new(1);

    const fn at(millis: u64) -> Monotonic {
        Monotonic::from_millis(millis)
    }

    fn here() -> Option<ClientNetwork> {
        Some(ClientNetwork::of([127, 0, 0, 1].into()))
    }

    #[test]
    fn client_expires_after_long_absence() {
        let sessions = Sessions::default();
        let (mut place, _messages) = sessions.begin(None, at(0)).unwrap();
        let client = place.client.clone();
        assert!(sessions.find(&client, at(FRESH_MILLIS - 1)).is_some());
        assert!(sessions.find(&client, at(2 * FRESH_MILLIS)).is_none());
        place.claim(ANA);
        place.see(at(0));
        assert!(sessions.find(&client, at(ABSENCE_MILLIS - 1)).is_some());
        assert!(sessions.find(&client, at(2 * ABSENCE_MILLIS)).is_none());
        drop(place);
        assert!(sessions.find(&client, at(0)).is_none());
    }

    #[test]
    fn draining_sessions_accept_no_handshake() {
        let sessions = Sessions::default();
        let (place, _messages) = sessions.begin(None, at(0)).unwrap();
        sessions.say_goodbye();
        let refused = sessions.begin(None, at(0)).unwrap_err();
        assert_eq!((refused.code, refused.advice), (503, Some(Advice::Handshake)));
        drop(place);
    }

    #[test]
    fn client_ids_have_31_letters_and_digits() {
        let one = unguessable();
        let other = unguessable();
        assert_eq!(one.len(), CLIENT_DIGITS);
        assert!(one.bytes().all(|it| DIGITS.contains(&it)), "{one}");
        assert_ne!(one, other);
    }

    #[test]
    fn the_client_that_was_away_longest_makes_room() {
        let sessions = Sessions::default();
        let mut places = Vec::new();
        for number in 0..=PER_USER as u64 {
            let (mut place, messages) = sessions.begin(None, at(number)).unwrap();
            place.claim(ANA);
            places.push((place, messages));
        }
        assert!(sessions.find(&places[0].0.client, at(100)).is_none());
        assert!(sessions.find(&places[1].0.client, at(100)).is_some());
        assert!(sessions.find(&places[PER_USER].0.client, at(100)).is_some());
        drop(places);
        assert!(sessions.0.known.is_empty() && sessions.0.by_user.is_empty());
    }

    #[test]
    fn an_address_has_a_bounded_number_of_strangers() {
        let sessions = Sessions::default();
        let mut places: Vec<_> =
            (0..PER_ADDRESS).map(|_| sessions.begin(here(), at(0)).unwrap()).collect();
        assert_eq!(sessions.begin(here(), at(0)).unwrap_err().code, 429);
        places[0].0.claim(ANA);
        assert!(sessions.begin(here(), at(0)).is_ok());
        drop(places);
        assert!(sessions.0.by_address.is_empty());
    }
}
