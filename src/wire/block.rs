//! Blocks in JSON (specification, section 2, Block).

use schemars::JsonSchema;
use serde::Serialize;

use crate::schema::scalars::TextId;
use domain::user::Block;

/// A block: one user has blocked another.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Block")]
pub struct BlockResource {
    /// The user who blocked the other.
    user_id: TextId,
    /// The user who is blocked.
    blocked_user_id: TextId,
    /// When the user was blocked. Unix time in seconds.
    created_at: u64,
}

/// Builds the JSON of a block.
pub fn resource(block: &Block) -> BlockResource {
    BlockResource {
        user_id: block.by.into(),
        blocked_user_id: block.other.into(),
        created_at: block.at.seconds(),
    }
}

/// The users whom a user has blocked.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BlockList {
    /// The blocks that the user has set.
    pub blocks: Vec<BlockResource>,
    /// Whether either of the two users has blocked the other; present only if the request has
    /// `otherUser`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between: Option<bool>,
}

/// The response to creating a block.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CreatedBlock {
    /// The new block.
    pub block: BlockResource,
}

/// Whether there is a block between two users.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BlockBetween {
    /// Whether either of the two users has blocked the other.
    pub between: bool,
}
