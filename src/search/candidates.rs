//! Input, queries and results of the engine.

use crate::typed::TypedSearch;
use base::bounds::work::Spent;

/// The engine failed: its folder is damaged, or the disk does not work as it should.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the search index cannot be used: {0}")]
pub(super) struct EngineFault(pub(super) String);

impl From<std::io::Error> for EngineFault {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

/// Why the engine finds nothing.
#[derive(Debug, Clone)]
pub(super) enum EngineError {
    /// The engine failed.
    Fault(EngineFault),
    /// The search causes too much work.
    Spent(Spent),
}

impl<F: Into<EngineFault>> From<F> for EngineError {
    fn from(fault: F) -> Self {
        Self::Fault(fault.into())
    }
}

impl From<Spent> for EngineError {
    fn from(spent: Spent) -> Self {
        Self::Spent(spent)
    }
}

/// A message as it is indexed.
#[derive(Debug)]
pub(super) struct IndexedMessage {
    /// The message's id.
    pub(super) id: u64,
    /// The encoded name of its conversation.
    pub(super) conversation: Vec<u8>,
    /// The version of the text: 0 as posted, otherwise the cursor of the edit.
    pub(super) version: u64,
    /// The id of the user or bot that wrote it.
    pub(super) sender: u64,
    /// When it was posted, in Unix seconds.
    pub(super) at: u64,
    /// The numbers of the kinds of things that it carries.
    pub(super) has: Vec<u64>,
    /// The text.
    pub(super) text: String,
}

/// A query to the engine; a hit meets all conditions.
#[derive(Debug)]
pub(super) struct EngineQuery {
    /// The phrases to find; empty if any text will do.
    pub(super) typed: TypedSearch,
    /// The encoded names of the conversations to search, at least one.
    pub(super) conversations: Vec<Vec<u8>>,
    /// Only messages of this sender.
    pub(super) sender: Option<u64>,
    /// Only messages that carry this kind.
    pub(super) has: Option<u64>,
    /// Only messages posted at this time or later, in Unix seconds.
    pub(super) from: Option<u64>,
    /// Only messages posted at this time or earlier, in Unix seconds.
    pub(super) to: Option<u64>,
}

/// A message that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    /// The message's id.
    pub(super) id: u64,
    /// The encoded name of its conversation.
    pub(super) conversation: Vec<u8>,
    /// The version of the text that was found.
    pub(super) version: u64,
}
