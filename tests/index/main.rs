//! The promises of the index: one suite for every store of rows, and the rule that rows which are
//! rebuilt from the journal give the same answers as those before.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod batches;
mod chains;
mod history;
mod layout;
mod overlay;
mod replay;
mod rows;
mod work;
