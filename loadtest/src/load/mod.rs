//! Producing load and measuring what it did.

pub mod closed_loop;
pub mod meter;
pub mod poster;
