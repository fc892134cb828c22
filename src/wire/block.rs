//! Blocks in JSON (specification, section 2, Block).

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::user::Block;
use crate::wire::schema::scalars::TextId;

/// A block between two users.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Block")]
pub struct BlockResource {
    /// Who blocks.
    user_id: TextId,
    /// Who is blocked.
    blocked_user_id: TextId,
    /// Since when. Unix time in seconds.
    created_at: u64,
}

/// A block as it goes out.
pub fn shown(block: &Block) -> BlockResource {
    BlockResource {
        user_id: block.by.into(),
        blocked_user_id: block.other.into(),
        created_at: block.at.seconds(),
    }
}

/// Whom somebody has blocked.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct BlockList {
    /// Those of the user.
    pub blocks: Vec<BlockResource>,
    /// With `otherUser` only: whether either has blocked the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between: Option<bool>,
}

/// The answer to a new block.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct CreatedBlock {
    /// It.
    pub block: BlockResource,
}

/// Whether a block stands between two users.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct BlockBetween {
    /// Whether either has blocked the other.
    pub between: bool,
}
