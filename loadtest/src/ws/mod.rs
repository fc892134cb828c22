//! A minimal WebSocket (RFC 6455): the upgrade and whole, unfragmented frames.

pub mod frame;
pub mod handshake;
pub mod stream;
