#![doc = include_str!("README.md")]

pub use actors;
pub mod admin;
pub use auth;
pub use backup;
pub mod boot;
pub mod cli;
pub use cluster;
pub mod config;
pub use domain;
pub mod http;
pub use index;
pub use journal;
pub mod log;
pub mod panics;
pub use base::{bounds, clock, descriptors, metrics, msgpack, random, secret_file, space, threads};
pub use media;
pub use notify;
pub use outgoing;
pub use search;
pub use subscribers;
pub use wire;
