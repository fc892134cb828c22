//! Names that only one account may have: email addresses and phone numbers. Who is
//! taking one, and whose it is.
//!
//! The stream of a name puts those who want it in a row. Whose it really is stands in
//! their profile: so before somebody's claim is passed over, they are asked, and a name
//! whose stream is empty, or behind, may be somebody's all the same.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::domain::group::Contact;
use crate::domain::ids::{NameId, UserId};

pub mod claiming;

/// A fact about one name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NameFact {
    /// Somebody is about to take it.
    Claimed {
        /// Who.
        by: UserId,
        /// Counts the claims of this name.
        number: u64,
    },
    /// It stands in the profile of the one who claimed it.
    Confirmed {
        /// By which claim.
        number: u64,
    },
    /// It is free again.
    Released {
        /// From which claim.
        number: u64,
    },
}

/// A name, as its room knows it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// How often it was claimed.
    pub claims: u64,
    /// Who has it, or is about to.
    pub holder: Option<Holder>,
}

/// Who has a name, or is about to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Who.
    pub by: UserId,
    /// Whether it stands in their profile.
    pub is_confirmed: bool,
}

impl NameId {
    /// The stream of a name, in the form that it is compared in.
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
    /// Makes a fact true.
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
