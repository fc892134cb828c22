pub mod clock;
pub mod domain;
pub mod index;
pub mod journal;
pub mod wire;
