//! Connections that stay open for the next request to the same place: without them, each callback
//! pays for a TCP connection and a TLS handshake.
//!
//! A place is an origin at an address. Every request looks up its host and is checked as if no
//! connection was kept, and uses only kept connections to an address that has just passed the
//! check. So a kept connection never leads to where a new one would be refused.

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use crate::clock::Deadline;
use crate::outgoing::client::{self, OutgoingConnection, Tls, UnreadAnswer};
use crate::outgoing::target::Target;
use crate::outgoing::{Outbound, OutgoingAnswer, OutgoingFault};

/// How long an unused connection is kept: less than the idle timeout of most servers, so that few
/// requests meet a connection that is just being closed.
pub const KEPT_FOR: Duration = Duration::from_secs(4);
/// The most places to which connections are kept; past that, the least recently used is dropped.
const PLACES: usize = 256;

/// The kept connections of one thread; they cannot leave it.
#[derive(Default)]
pub struct KeptConnections(RefCell<HashMap<Place, Kept>>);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Place {
    origin: String,
    address: SocketAddr,
}

struct Kept {
    /// Connections without a request.
    idle: Vec<OutgoingConnection>,
    /// When the place is closed unless it is used again.
    until: Deadline,
}

impl KeptConnections {
    /// Sends the request over a kept connection, or over a new one, which is then kept.
    ///
    /// A kept connection may close at the moment when it is used again. Then it is unknown whether
    /// the request arrived; it is sent once more, over a new connection. So only requests that the
    /// receiver can deduplicate may be sent this way.
    pub(super) async fn send(
        &self,
        tls: &Tls,
        target: &Target,
        address: SocketAddr,
        request: &Outbound,
    ) -> Result<OutgoingAnswer, OutgoingFault> {
        let place = Place { origin: target.origin(), address };
        if let Some(mut connection) = self.take(&place) {
            match connection.send(client::prepared(target, request)?).await {
                Ok(answer) => return self.finish(place, connection, answer, request).await,
                // The other connections kept to the place are as old.
                Err(_) => drop(self.0.borrow_mut().remove(&place)),
            }
        }
        let mut connection = OutgoingConnection::open(tls, target, address).await?;
        let answer = connection.send(client::prepared(target, request)?).await?;
        self.finish(place, connection, answer, request).await
    }

    /// Reads the answer, and keeps the connection if it can carry another request.
    async fn finish(
        &self,
        place: Place,
        mut connection: OutgoingConnection,
        answer: UnreadAnswer,
        request: &Outbound,
    ) -> Result<OutgoingAnswer, OutgoingFault> {
        let answer = client::read(answer, request).await?;
        if !answer.is_cut && connection.is_reusable().await {
            self.keep(place, connection);
        }
        Ok(answer)
    }

    fn take(&self, place: &Place) -> Option<OutgoingConnection> {
        let mut all = self.0.borrow_mut();
        let idle = &mut all.get_mut(place)?.idle;
        idle.retain(|connection| !connection.is_closed());
        idle.pop()
    }

    fn keep(&self, place: Place, connection: OutgoingConnection) {
        let mut all = self.0.borrow_mut();
        if all.len() >= PLACES && !all.contains_key(&place) {
            let oldest = all.iter().min_by_key(|(_, kept)| kept.until).map(|(place, _)| place);
            if let Some(oldest) = oldest.cloned() {
                all.remove(&oldest);
            }
        }
        let until = Deadline::after(KEPT_FOR);
        let kept = all.entry(place).or_insert_with(|| Kept { idle: Vec::new(), until });
        kept.until = until;
        kept.idle.push(connection);
    }

    /// Closes connections that nobody used for [`KEPT_FOR`]. The owner calls this regularly;
    /// otherwise connections that the other side closed would keep their descriptors.
    pub fn close_idle(&self) {
        self.0.borrow_mut().retain(|_, kept| !kept.until.left().is_zero());
    }
}
