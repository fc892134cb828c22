//! The index's promises: one suite for every store of rows, and rows that are made anew
//! from the journal and answer as those before.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod batches;
mod chains;
mod history;
mod replay;
mod rows;
mod shelter;
mod work;
