//! Connections by which requests come: whether two are the same one, and whether it is
//! still open. Who keeps a connection does not keep it open by that.

use std::sync::{Arc, Weak};

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
