//! Processes: the server under test, the references, and what `/proc` says about them.

pub mod proc_fs;
pub mod server;
pub mod target;
