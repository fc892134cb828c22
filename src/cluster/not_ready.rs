//! Why a node cannot be asked everything now, as operators and proxies read it.

/// Why a node cannot be asked everything now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotReady {
    /// It has not begun.
    #[error("the node is joining the others")]
    Joining,
    /// It is about to end.
    #[error("the node is leaving")]
    Leaving,
    /// It hears nobody.
    #[error("the servers of the log cannot be reached")]
    CutOff,
    /// Others show what it does not show yet.
    #[error("the node is behind the others")]
    Behind,
    /// Something is placed here that it does not own yet.
    #[error("the node is taking its part of the conversations over")]
    Taking,
}
