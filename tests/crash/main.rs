//! Kill -9 at random moments, and what must still be there afterwards: every message
//! that was acknowledged, once, with nothing missing in between.
//!
//! `CRASH_ROUNDS` sets how often the server is killed, `CRASH_SEED` repeats a run.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod acts;
mod asking;
mod calendar;
mod callbacks;
mod drafts;
mod history;
mod images_kept;
mod index_lost;
mod keys;
mod kills;
mod mutations;
mod polls;
mod previews;
#[path = "../program/mod.rs"]
mod program;
mod readings;
mod revisions;
mod rounds;
mod searching;
mod site;
#[path = "../waiting/mod.rs"]
mod waiting;
