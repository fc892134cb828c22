//! Rooms: actors that own a conversation, a user, a name or the audit log.
//!
//! The rules of a room:
//!
//! 1. It decides synchronously: no second message sees a half-done one.
//! 2. What it decided is staged at once, committed, and answered when it is durable, in that order,
//!    in one place: [`ledger`].
//! 3. It never waits for another room. A caller that needs several asks each and composes.
//! 4. It does not know who listens: subscribers follow the journal.
//! 5. It can stop at any time; [`directory`] starts it again from what is durable.

pub mod ask;
pub mod audit;
pub mod chat;
pub mod conversation;
pub mod directory;
pub mod drain;
pub mod errand;
pub mod group;
mod group_cache;
pub mod id_generator;
pub mod idempotency;
pub mod idle;
pub mod instance;
mod last_minute;
pub mod ledger;
#[cfg(test)]
mod ledger_tests;
pub mod name;
pub mod names;
pub mod node_link;
pub mod operator_rules;
pub mod readiness;
pub mod recent;
pub mod recent_pages;
pub mod room_context;
pub mod token_use;
pub mod topic_parents;
pub mod user;
pub mod write_limits;
