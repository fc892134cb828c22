//! Coterie's load tester.
//!
//! It knows the server only by what the API promises: JSON over HTTP and frames over WebSockets. So
//! a mistake in the wire format cannot hide by being made on both sides.
//!
//! A scenario (`scenarios`) builds a world (`world`), runs loads against the server and against a
//! reference in turn (`load`, `reference`), and reports its results (`report`). The README beside
//! `Cargo.toml` says what the figures mean.
#![allow(
    clippy::disallowed_methods,
    reason = "the ban is for the server, whose tests own the time; here measuring time is the job"
)]

pub mod callbacks;
pub mod cli;
pub mod fdatasync;
pub mod guid;
pub mod http;
pub mod load;
pub mod open_files;
pub mod peers;
pub mod process;
pub mod push;
pub mod reference;
pub mod report;
pub mod scenarios;
pub mod stats;
pub mod world;
pub mod ws;
