//! Names that only one account may have: email addresses and phone numbers. The stream of a name
//! records who claims it and who holds it.
//!
//! The stream puts those who want a name in order. Who really has it is decided by the profiles:
//! therefore the profile of a holder is checked before another user gets the name, and a name may
//! belong to somebody even if its stream is empty or behind.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::group::Contact;
use crate::ids::{NameId, UserId};

pub mod claim;

/// A fact about one name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NameFact {
    /// A user claimed the name, before it is in their profile.
    Claimed {
        /// The user.
        by: UserId,
        /// The number of the claim, counted per name.
        number: u64,
    },
    /// The name is in the profile of the user who claimed it.
    Confirmed {
        /// The number of the claim.
        number: u64,
    },
    /// The name is free again.
    Released {
        /// The number of the claim that ended.
        number: u64,
    },
}

/// The state of a name, as its room knows it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// The number of claims so far.
    pub claims: u64,
    /// The user who has the name or is claiming it; `None` if it is free.
    pub holder: Option<Holder>,
}

/// The user who has a name or is claiming it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The user.
    pub by: UserId,
    /// Whether the name is in the user's profile.
    pub is_confirmed: bool,
}

impl NameId {
    /// The id of the stream of a name, which is given in the form in which names are compared.
    pub fn of(name: &Contact) -> Self {
        let (kind, text) = match name {
            Contact::Email(text) => ("email:", text),
            Contact::Phone(text) => ("phone:", text),
        };
        let hash = Sha256::new().chain_update(kind).chain_update(text).finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash[..16]);
        Self::new(bytes)
    }
}

impl Name {
    /// Applies a fact.
    pub fn apply(&mut self, fact: &NameFact) {
        match fact {
            NameFact::Claimed { by, number } => {
                self.claims = *number;
                self.holder = Some(Holder { by: *by, is_confirmed: false });
            }
            NameFact::Confirmed { .. } => {
                self.holder = self.holder.map(|holder| Holder { is_confirmed: true, ..holder });
            }
            NameFact::Released { .. } => self.holder = None,
        }
    }
}
