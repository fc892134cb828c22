//! How a client is reached. Connections by which requests come: whether two are the same
//! one, and whether it is still open. Who keeps a connection does not keep it open by that.
//! And sockets, on which a session says what it has to tell.

use std::sync::{Arc, Weak};

use bytestring::ByteString;
use tokio::sync::mpsc;

use crate::subscribers::closing::Close;

/// A connection that stays open as long as this is kept.
#[derive(Debug, Clone, Default)]
pub struct Open(Arc<()>);

/// A connection by which a request came, open or closed.
#[derive(Debug, Clone)]
pub struct ClientConnection(Weak<()>);

impl Open {
    /// As those know it who do not keep it open.
    pub fn known(&self) -> ClientConnection {
        ClientConnection(Arc::downgrade(&self.0))
    }
}

impl ClientConnection {
    /// Whether both are the same.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0)
    }

    /// Whether it is open no more.
    pub(super) fn is_closed(&self) -> bool {
        self.0.strong_count() == 0
    }
}

/// The way to a socket.
#[derive(Debug, Clone)]
pub(super) struct SocketHandle {
    /// Names the socket.
    pub(super) number: u64,
    /// Takes what is said on it.
    pub(super) to: mpsc::Sender<Said>,
}

/// What a session does with a socket.
#[derive(Debug)]
pub(super) enum Said {
    /// Says an array of messages.
    Text(ByteString),
    /// Closes it.
    Close(Close),
}
