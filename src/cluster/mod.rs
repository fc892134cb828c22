//! Several nodes: who of them lives, who is to own which shard, and how they talk. Who writes
//! a shard is decided by the log's fence, and all of this only avoids duels.

mod bucket;
mod bundle;
pub mod bus;
pub mod calling;
pub mod calls;
mod handing;
mod lag;
pub mod living;
pub mod membership;
pub mod monitoring;
pub mod not_ready;
pub mod objects;
mod pair;
pub mod pieces;
pub mod placement;
pub mod reached;
mod readiness;
pub mod records;
mod sign;
mod trimming;
