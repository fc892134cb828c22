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

use crate::client::{self, KeepingClient, SentOverKept, Tls};
use crate::target::Target;
use crate::{Outbound, OutgoingAnswer, OutgoingFault};
use base::clock::Deadline;

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
    client: KeepingClient,
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
        let client = self.find(tls, place.clone());
        match client.send(target, address, request).await {
            SentOverKept::Ended(answer) => answer,
            SentOverKept::KeptConnectionClosed => {
                // The other connections kept to the place are as old.
                self.0.borrow_mut().remove(&place);
                client::send(tls, target, address, request).await
            }
        }
    }

    fn find(&self, tls: &Tls, place: Place) -> KeepingClient {
        let mut all = self.0.borrow_mut();
        if all.len() >= PLACES && !all.contains_key(&place) {
            let oldest = all.iter().min_by_key(|(_, kept)| kept.until).map(|(place, _)| place);
            if let Some(oldest) = oldest.cloned() {
                all.remove(&oldest);
            }
        }
        let until = Deadline::after(KEPT_FOR);
        let new = || Kept { client: KeepingClient::new(tls, KEPT_FOR), until };
        let kept = all.entry(place).or_insert_with(new);
        kept.until = until;
        kept.client.clone()
    }

    /// Closes connections that nobody used for [`KEPT_FOR`]. The owner calls this regularly;
    /// otherwise connections that the other side closed would keep their descriptors.
    pub fn close_idle(&self) {
        self.0.borrow_mut().retain(|_, kept| !kept.until.left().is_zero());
    }
}
