//! What operators rely on: the real binary, its tools, its log and its metrics.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod acme;
mod audit;
mod backup;
mod backup_sets;
mod bots;
mod check;
mod damaged_journal;
mod damaged_middle;
mod doctor;
mod full_disk;
mod hostile_names;
mod https;
mod log;
mod lost_journal;
mod metrics;
mod options;
mod ownership;
mod person;
#[path = "../program/mod.rs"]
mod program;
mod prove;
mod service_manager;
mod small_disk;
mod tools;
mod users;
#[path = "../waiting/mod.rs"]
mod waiting;
