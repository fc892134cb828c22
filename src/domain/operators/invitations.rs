//! Invitations of the operators: links with which people register accounts, also where nobody else
//! may.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::group::InviteLinkState;
use crate::ids::{InvitationId, UserId};
use crate::limits::INVITATIONS;
use crate::text::{Email, InviteName};
use crate::time::Timestamp;

/// An address that used an invitation, as the first eight bytes of the SHA-256 of the token and the
/// address: enough to know it again, and nothing that outlives a deleted account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AddressMark(u64);

impl AddressMark {
    /// The mark of an address at an invitation.
    pub fn of(token: &str, address: &Email) -> Self {
        let hash = Sha256::new().chain_update(token).chain_update(address.key()).finalize();
        Self(hash.iter().take(8).fold(0, |mark, byte| mark << 8 | u64::from(*byte)))
    }
}

/// A link with which people register accounts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountInvitation {
    /// The id.
    pub id: InvitationId,
    /// The secret part of its URL.
    pub token: String,
    /// The name, for operators.
    pub name: Option<InviteName>,
    /// The operator who made it.
    pub by: UserId,
    /// When it was made.
    pub at: Timestamp,
    /// How many people may use it.
    pub max_uses: u32,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// The addresses that used it.
    pub used_by: BTreeSet<AddressMark>,
    /// Whether an operator ended it.
    pub is_ended: bool,
}

impl AccountInvitation {
    /// Whether the invitation can be used now.
    pub fn state(&self, now: Timestamp) -> InviteLinkState {
        let is_used_up = self.uses() >= self.max_uses;
        InviteLinkState::of(self.is_ended, self.expires_at, is_used_up, now)
    }

    /// How many people used it.
    pub fn uses(&self) -> u32 {
        u32::try_from(self.used_by.len()).unwrap_or(u32::MAX)
    }

    /// Whether somebody may use it now.
    ///
    /// # Errors
    /// If it ended, its time is up, or as many people used it as may.
    pub fn check_open(&self, now: Timestamp) -> Result<(), InvitationRefusal> {
        match self.state(now) {
            InviteLinkState::Open => Ok(()),
            InviteLinkState::UsedUp => Err(InvitationRefusal::UsedUp),
            InviteLinkState::Expired => Err(InvitationRefusal::Expired),
            InviteLinkState::Ended => Err(InvitationRefusal::Ended),
        }
    }

    /// Whether an address may use it now. One that did may do so again: its account was not made.
    ///
    /// # Errors
    /// If it ended, its time is up, or as many other people used it as may.
    pub fn permit(&self, address: AddressMark, now: Timestamp) -> Result<(), InvitationRefusal> {
        match self.check_open(now) {
            Err(InvitationRefusal::UsedUp) if self.used_by.contains(&address) => Ok(()),
            opened => opened,
        }
    }
}

/// Something that happened to an invitation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum InvitationChange {
    /// It was made.
    Made(Arc<AccountInvitation>),
    /// Somebody registers with it.
    Used {
        /// The invitation.
        id: InvitationId,
        /// The address that registers.
        address: AddressMark,
    },
    /// An operator ended it.
    Ended {
        /// The invitation.
        id: InvitationId,
    },
    /// It could not be used any more, and nobody needs to know it.
    Forgotten {
        /// The invitation.
        id: InvitationId,
    },
}

impl InvitationChange {
    /// The invitation.
    pub fn id(&self) -> InvitationId {
        match self {
            Self::Made(invitation) => invitation.id,
            Self::Used { id, .. } | Self::Ended { id } | Self::Forgotten { id } => *id,
        }
    }
}

/// Why an invitation was not made, used or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum InvitationRefusal {
    /// There is no such invitation.
    #[error("there is no such invitation")]
    Unknown,
    /// There are too many that can be used.
    #[error("there are at most {INVITATIONS} open invitations; end some first")]
    Full,
    /// Its time is up.
    #[error("this invitation has expired")]
    Expired,
    /// So many people used it as may.
    #[error("this invitation was used by as many people as it is for")]
    UsedUp,
    /// An operator ended it.
    #[error("this invitation was ended")]
    Ended,
}

/// Invitations by their ids.
pub type Invitations = BTreeMap<InvitationId, Arc<AccountInvitation>>;

/// Applies what happened to an invitation.
pub fn apply(invitations: &mut Invitations, change: &InvitationChange) {
    match change {
        InvitationChange::Made(invitation) => {
            invitations.insert(invitation.id, Arc::clone(invitation));
        }
        InvitationChange::Used { id, address } => {
            if let Some(invitation) = invitations.get_mut(id) {
                Arc::make_mut(invitation).used_by.insert(*address);
            }
        }
        InvitationChange::Ended { id } => {
            if let Some(invitation) = invitations.get_mut(id) {
                Arc::make_mut(invitation).is_ended = true;
            }
        }
        InvitationChange::Forgotten { id } => drop(invitations.remove(id)),
    }
}

/// The invitation that a token belongs to.
pub fn with_token<'a>(
    invitations: &'a Invitations,
    token: &str,
) -> Option<&'a Arc<AccountInvitation>> {
    invitations.values().find(|invitation| invitation.token == token)
}
