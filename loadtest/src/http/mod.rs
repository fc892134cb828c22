//! A minimal HTTP/1.1 client: prepared requests over kept-alive connections.
//!
//! The load generator shares two cores with the server, so whatever the client
//! costs is taken from the server. A general client would cost several times
//! more per request than the trivial server it is to measure.

pub mod connection;
pub mod request;
pub mod response;
