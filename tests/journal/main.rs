//! The journal's promises, one suite for every implementation, and the fate of the files when power
//! fails, disks fill and bytes flip.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod brittle_disk;
mod checking;
mod conformance;
mod damage;
mod faults;
mod foreign_messages;
mod forged_messages;
mod forgetting;
mod long_commits;
#[expect(dead_code, reason = "shared with the tests of whole nodes, which ask for more")]
mod nats_server;
mod nodes;
mod packing;
mod paper_log;
mod power;
mod reaching;
mod refusing_log;
mod reopening;
mod replicated;
mod salvage;
mod sample;
mod strange_nodes;
mod viewing;
