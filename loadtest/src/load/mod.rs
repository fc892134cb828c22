//! Producing load and measuring what it did.

pub mod audience;
pub mod board;
pub mod closed_loop;
pub mod meter;
pub mod metronome;
pub mod photo;
pub mod poster;
pub mod speaker;
pub mod uploads;
