pub mod clock;
pub mod domain;
pub mod journal;
