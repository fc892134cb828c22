//! Several nodes: which of them are alive, which is to own which shard, and how they talk. The
//! log's fence decides who may write a shard; everything here only avoids conflicts.

mod bucket;
mod bundle;
pub mod bus;
pub mod bus_calls;
pub mod bus_guard;
pub mod calls;
mod clocks;
mod handover;
pub mod leadership;
pub mod liveness;
mod log_retention;
pub mod membership;
pub mod not_ready;
pub mod objects;
mod pair;
pub mod pieces;
pub mod reached;
mod readiness;
pub mod records;
mod sign;
pub mod sync_check;
