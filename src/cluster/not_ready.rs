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
    /// Its clock differs from those of the other nodes by more than a minute.
    #[error(
        "the node's clock is {} seconds {} the clocks of the other nodes",
        ahead.unsigned_abs(),
        if *ahead < 0 { "behind" } else { "ahead of" }
    )]
    ClockDiffers {
        /// By how many seconds it is ahead; negative if it is behind.
        ahead: i64,
    },
    /// It is to lead, and does not yet.
    #[error("the node is taking over as the leader")]
    Taking,
}
