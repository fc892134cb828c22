//! The frame of an event as its readers get it: all the same bytes, but for one who is shown
//! more. Which bytes these are, `frames.rs` says.

use crate::domain::ids::{ClientId, UserId};
use crate::subscribers::slot::Frame;

/// The frame of an event: the same bytes for every reader, but for one who is shown
/// something else.
#[derive(Debug, Clone)]
pub struct Encoded {
    /// What all get to whom nothing more may be shown.
    pub(super) common: Option<Frame>,
    /// What one of them gets in its place.
    pub(super) special: Option<Special>,
}

/// What one user is shown in place of what all are.
#[derive(Debug, Clone)]
pub(super) struct Special {
    /// Who is shown it.
    pub(super) user: UserId,
    /// By which tokens.
    pub(super) tokens: Tokens,
    /// What is shown.
    pub(super) frame: Frame,
}

/// By which tokens a user is shown it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tokens {
    /// By any.
    All,
    /// By a log-in, and by those of this application.
    OwnAnd(Option<ClientId>),
}

impl Special {
    fn is_for(&self, reader: UserId, client: Option<ClientId>) -> bool {
        self.user == reader
            && match self.tokens {
                Tokens::All => true,
                Tokens::OwnAnd(maker) => client.is_none() || client == maker,
            }
    }
}

impl Encoded {
    /// The bytes that all get to whom nothing more may be shown.
    pub const fn for_everybody(&self) -> Option<&Frame> {
        self.common.as_ref()
    }

    /// The bytes that this reader gets, by a token of this application, if it is of one.
    pub fn for_reader(&self, reader: UserId, client: Option<ClientId>) -> Option<&Frame> {
        match &self.special {
            Some(special) if special.is_for(reader, client) => Some(&special.frame),
            Some(_) | None => self.common.as_ref(),
        }
    }
}
