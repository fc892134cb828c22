//! The encoded frame of an event: the same bytes for all readers, except for one user who may be
//! shown more. `frames.rs` decides what the bytes are.

use crate::slot::Frame;
use domain::ids::{ClientId, UserId};

/// The frame of an event: the same bytes for every reader, except those of one user.
#[derive(Debug, Clone)]
pub struct Encoded {
    /// The frame for all readers without a special one; `None` if they are shown nothing.
    pub(super) common: Option<Frame>,
    /// The frame that one user gets in its place.
    pub(super) special: Option<UserFrame>,
}

/// The frame that one user gets in place of the common one.
#[derive(Debug, Clone)]
pub(super) struct UserFrame {
    /// The user.
    pub(super) user: UserId,
    /// The tokens by which the user gets it.
    pub(super) tokens: TokenScope,
    /// The frame.
    pub(super) frame: Frame,
}

/// The tokens by which a user gets a special frame.
#[derive(Debug, Clone, Copy)]
pub(super) enum TokenScope {
    /// All tokens of the user.
    All,
    /// Tokens from a log-in, and those of this application.
    OwnAnd(Option<ClientId>),
}

impl UserFrame {
    fn is_for(&self, reader: UserId, client: Option<ClientId>) -> bool {
        self.user == reader
            && match self.tokens {
                TokenScope::All => true,
                TokenScope::OwnAnd(maker) => client.is_none() || client == maker,
            }
    }
}

impl Encoded {
    /// The frame for all readers without a special one.
    pub const fn for_everybody(&self) -> Option<&Frame> {
        self.common.as_ref()
    }

    /// The frame for a user's reader; `client` is the application of its token, if it is one's.
    pub fn for_reader(&self, reader: UserId, client: Option<ClientId>) -> Option<&Frame> {
        match &self.special {
            Some(special) if special.is_for(reader, client) => Some(&special.frame),
            Some(_) | None => self.common.as_ref(),
        }
    }
}
