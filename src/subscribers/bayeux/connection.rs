//! How a client is reached: HTTP connections over which requests come, and sockets to which a
//! session writes. A [`ClientConnection`] tells whether two connections are the same and whether
//! one is still open; holding it does not keep the connection open.

use std::sync::{Arc, Weak};

use bytestring::ByteString;
use tokio::sync::mpsc;

use crate::close::Close;

/// An open connection. It counts as closed when all clones of this are dropped.
#[derive(Debug, Clone, Default)]
pub struct ConnectionGuard(Arc<()>);

/// A connection over which a request came, open or closed.
#[derive(Debug, Clone)]
pub struct ClientConnection(Weak<()>);

impl ConnectionGuard {
    /// A reference that does not keep the connection open.
    pub fn known(&self) -> ClientConnection {
        ClientConnection(Arc::downgrade(&self.0))
    }
}

impl ClientConnection {
    /// Whether both are the same connection.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0)
    }

    /// Whether the connection is closed.
    pub(super) fn is_closed(&self) -> bool {
        self.0.strong_count() == 0
    }
}

/// A session's handle of a socket.
#[derive(Debug, Clone)]
pub(super) struct SocketHandle {
    /// The socket's number.
    pub(super) number: u64,
    /// The queue of what the socket is to do.
    pub(super) to: mpsc::Sender<SocketCommand>,
}

/// A command of a session to a socket.
#[derive(Debug)]
pub(super) enum SocketCommand {
    /// Send these texts, each an array of one message.
    Texts(Vec<ByteString>),
    /// Close the socket.
    Close(Close),
}
