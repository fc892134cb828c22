//! Broken inputs, by the thousand: whatever arrives, nothing panics, nothing answers with 5xx,
//! nothing hangs, and the next request is served as before.
//!
//! The server is the real one, in this process, asked over real sockets. Requests and frames are
//! generated from the documents that it publishes, so an operation that is added there is tried
//! here without further ado; then they are broken: values of other types, missing fields, changed
//! bytes.
//!
//! # Use
//!
//! `cargo test --test fuzz` tries a few thousand inputs on each surface, from a fixed seed.
//! `FUZZ=1000000 cargo test --test fuzz -- records --nocapture` tries so many. An input that fails
//! is shrunk to the smallest that still fails, and is printed with its seed and case. To repeat it:
//! `FUZZ_SEED=<seed> FUZZ_CASE=<case>` tries that case alone; without `FUZZ_CASE` all cases before
//! it are tried, too, where the state that they left matters.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod bayeux;
mod broken;
mod connection;
mod engine;
mod frames;
mod images;
mod memory_disk;
mod records;
mod requests;
mod sample;
mod server;
mod socket;

/// The server's allocator, so that the resident memory is what it would be in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
