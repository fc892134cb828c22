//! Several nodes: who of them lives, and who is to own which shard. Rules only; who writes
//! a shard is decided by the log's fence, and all of this only avoids duels.

pub mod living;
pub mod placement;
