//! Why a node cannot answer every question now, as operators and proxies read it.

/// Why a node cannot answer every question now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotReady {
    /// It does not serve yet, or has not heard from the other nodes for long enough.
    #[error("the node is joining the others")]
    Joining,
    /// It is shutting down.
    #[error("the node is leaving")]
    Leaving,
    /// It has no connection to the log's servers.
    #[error("the servers of the log cannot be reached")]
    CutOff,
    /// Other nodes show events that it does not show yet.
    #[error("the node is behind the others")]
    Behind,
    /// A shard is placed at it that it does not own yet.
    #[error("the node is taking its part of the conversations over")]
    Taking,
}
