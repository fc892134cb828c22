//! What goes into the engine, what is asked of it, and what comes out.

use crate::search::typed::TypedSearch;

/// The engine refuses: its folder is damaged, or the disk does not do what it should.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the search index cannot be used: {0}")]
pub(super) struct EngineFault(pub(super) String);

impl From<std::io::Error> for EngineFault {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

/// A message as it is indexed.
#[derive(Debug)]
pub(super) struct IndexedMessage {
    /// Its id.
    pub(super) id: u64,
    /// The bytes of its conversation.
    pub(super) conversation: Vec<u8>,
    /// Which of its texts this is.
    pub(super) version: u64,
    /// Who wrote it.
    pub(super) sender: u64,
    /// When, in Unix seconds.
    pub(super) at: u64,
    /// What it carries.
    pub(super) has: Vec<u64>,
    /// What it says.
    pub(super) text: String,
}

/// What is looked for.
#[derive(Debug)]
pub(super) struct EngineQuery {
    /// Words; none if anything will do.
    pub(super) typed: TypedSearch,
    /// The bytes of the conversations, of which at least one.
    pub(super) conversations: Vec<Vec<u8>>,
    /// By whom.
    pub(super) sender: Option<u64>,
    /// Carrying what.
    pub(super) has: Option<u64>,
    /// Since then, in Unix seconds.
    pub(super) from: Option<u64>,
    /// Until then, with it.
    pub(super) to: Option<u64>,
}

/// A message that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    /// Its id.
    pub(super) id: u64,
    /// The bytes of its conversation.
    pub(super) conversation: Vec<u8>,
    /// Which of its texts was found.
    pub(super) version: u64,
}
