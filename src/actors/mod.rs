//! Rooms: actors that own a conversation or a user.
//!
//! The rules of a room:
//!
//! 1. It decides synchronously: no second message sees a half-done one.
//! 2. What it decided is staged at once, committed, and answered when it is durable, in
//!    that order, in one place: [`ledger`].
//! 3. It never waits for another room. Whoever needs several asks each and composes.
//! 4. It does not know who listens: subscribers follow the journal.
//! 5. It can stop at any time; [`directory`] starts it again from what is durable.

pub mod ask;
pub mod audit;
pub mod chat;
pub mod directory;
pub mod drain;
pub mod front_pages;
mod gallery;
mod gathering;
pub mod ground;
pub mod group;
pub mod idle;
pub mod keeping;
mod last_minute;
pub mod ledger;
#[cfg(test)]
mod ledger_tests;
mod likes;
pub mod liking;
pub mod mint;
pub mod name;
pub mod names;
pub mod nothing;
pub mod paging;
pub mod readiness;
pub mod recent;
pub mod token_use;
pub mod user;
