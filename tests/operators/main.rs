//! What whoever hosts the server relies on: the real binary, its tools beside it, and what
//! it tells of itself.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod audit;
mod backup;
mod bots;
mod check;
mod full_disk;
mod log;
mod lost_journal;
mod metrics;
mod options;
mod person;
#[path = "../program/mod.rs"]
mod program;
mod small_disk;
mod tools;
mod users;
