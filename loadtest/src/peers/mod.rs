//! Peers: other software that one could build a chat on, under the same load in the same run.
//!
//! They are no dependency of this repository: npm fetches them, in the versions named here, when
//! the comparison is asked for.

pub mod dialect;
pub mod install;
pub mod load;
pub mod socket;

use clap::ValueEnum;

/// A peer that Coterie is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Peer {
    #[value(name = "socket.io")]
    SocketIo,
    Faye,
}

impl Peer {
    pub const ALL: [Self; 2] = [Self::SocketIo, Self::Faye];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::SocketIo => "socket.io",
            Self::Faye => "Faye",
        }
    }

    /// The name of the package in the npm registry.
    pub fn package(self) -> &'static str {
        match self {
            Self::SocketIo => "socket.io",
            Self::Faye => "faye",
        }
    }

    /// The exact version to install, so that figures of two days can be compared.
    pub fn version(self) -> &'static str {
        match self {
            Self::SocketIo => "4.8.4",
            Self::Faye => "1.4.3",
        }
    }

    /// What happens to a message when the process or the machine dies a moment after the sender was
    /// answered.
    pub fn durability(self) -> &'static str {
        match self {
            Self::SocketIo => "none: stores nothing",
            Self::Faye => "none: in memory until sent",
        }
    }
}
