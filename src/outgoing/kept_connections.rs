//! Connections that stay open for the next request to the same place: without them, each
//! callback pays for a connection, and with TLS for its keys.
//!
//! A place is an origin at an address. Every request looks its host up and is checked as if
//! nothing was kept, and goes only over connections to an address that was just found good. So
//! what is kept leads nowhere that a new connection would not.

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use crate::clock::Deadline;
use crate::outgoing::client::{self, KeepingClient, SentOverKept, Tls};
use crate::outgoing::target::Target;
use crate::outgoing::{Outbound, OutgoingAnswer, OutgoingFault};

/// How long a connection is kept that nobody uses: less than most servers keep theirs idle, so
/// that few requests meet one that is just being closed.
pub const KEPT_FOR: Duration = Duration::from_secs(4);
/// Places to which connections are kept.
const PLACES: usize = 256;

/// The connections of one thread, which cannot leave it.
#[derive(Default)]
pub struct KeptConnections(RefCell<HashMap<Place, Kept>>);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Place {
    origin: String,
    address: SocketAddr,
}

struct Kept {
    client: KeepingClient,
    /// When its connections are over unless somebody uses them.
    until: Deadline,
}

impl KeptConnections {
    /// Sends it over a connection that is kept, or a new one, which is kept then.
    ///
    /// A connection that was kept may end in the very moment when it is used again. Nobody can
    /// tell whether the request arrived then; it goes out once more, over a new one. So what is
    /// sent this way is recognized by whoever gets it, should it come twice.
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
            SentOverKept::MetTheEnd => {
                // Those that were kept beside it are as old.
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

    /// Closes what nobody used for some seconds. Whoever owns this calls it now and then, or
    /// connections that their other side closed take up descriptors.
    pub fn close_idle(&self) {
        self.0.borrow_mut().retain(|_, kept| !kept.until.left().is_zero());
    }
}
