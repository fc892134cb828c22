//! Several nodes over real servers of the log, each a process of its own: what is written at one
//! node is there at the others, whichever process is killed meanwhile.
//!
//! `CLUSTER_ROUNDS` sets how often each fault is repeated.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![expect(clippy::disallowed_methods, reason = "a test waits on the machine's own clock")]

mod answering;
mod apart;
#[path = "../crash/asking.rs"]
#[expect(dead_code, reason = "shared with the tests of one machine, which ask for more")]
mod asking;
mod clocks;
mod confidential;
mod consent;
mod damage;
mod duels;
mod ear;
mod faults;
mod feed;
mod files;
mod forgeries;
mod full_disk;
mod guessing;
mod installation;
mod keeping;
mod keys;
mod kills;
mod logins;
mod moving;
mod names;
#[path = "../journal/nats_server.rs"]
mod nats_server;
mod network;
mod objects;
mod partitions;
mod power;
mod presence;
mod previewing;
#[path = "../program/mod.rs"]
mod program;
#[path = "../crash/readings.rs"]
#[expect(dead_code, reason = "shared with the tests of one machine")]
mod readings;
mod refusals;
#[path = "../crash/site.rs"]
#[expect(dead_code, reason = "shared with the tests of one machine, which ask for more")]
mod site;
#[path = "../operators/small_disk.rs"]
#[expect(dead_code, reason = "shared with the tests of one machine")]
mod small_disk;
mod talking;
mod topics;
mod versions;
#[path = "../waiting/mod.rs"]
mod waiting;
mod writers;
