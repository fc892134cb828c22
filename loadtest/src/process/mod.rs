//! Processes: the one under test, the references, and what `/proc` says of them.

pub mod proc_fs;
pub mod server;
pub mod target;
