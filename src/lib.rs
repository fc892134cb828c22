pub mod actors;
pub mod auth;
pub mod clock;
pub mod domain;
pub mod index;
pub mod journal;
pub mod wire;
