//! The push protocol `coterie.push.v1`, as far as a load needs it.

pub mod event;
pub mod listener;
pub mod tally;
