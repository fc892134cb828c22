//! Blocks in JSON (specification, section 2, Block).

use serde_json::{Value, json};

use crate::domain::user::Block;

/// A block as it goes out.
pub fn shown(block: &Block) -> Value {
    json!({
        "user_id": block.by.to_string(),
        "blocked_user_id": block.other.to_string(),
        "created_at": block.at.seconds(),
    })
}
