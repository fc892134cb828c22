//! Nonsense, by the thousand: whatever arrives, nothing panics, nothing answers with 5xx,
//! nothing hangs, and what comes after it is served as before.
//!
//! The server is the real one, in this process, asked over real sockets. Requests and
//! frames are made from the documents that it publishes, so what is added there is tried
//! here by itself; then they are broken: values of other kinds, fields that are missing,
//! bytes that are changed.
//!
//! # Use
//!
//! `cargo test --test fuzz` tries a few thousand inputs on each surface, from a fixed seed.
//! `FUZZ=1000000 cargo test --test fuzz -- records --nocapture` tries so many. What fails is
//! made as small as it still fails, and is printed with what sent it. The same again:
//! `FUZZ_SEED=<seed> FUZZ_CASE=<case>` tries that one alone, and without `FUZZ_CASE` all
//! before it too, where the state that they left matters.

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

/// As the server has it, so that what is resident is what it would be there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
