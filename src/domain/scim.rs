//! Accounts as a directory manages them through SCIM (RFC 7643, RFC 7644): the names that it uses,
//! and whether it deactivated or deleted them.
//!
//! Deleting a resource deletes no account: it is disabled, and the directory no longer sees it.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::canonical::contacts;
use crate::time::Timestamp;

/// A change that a directory made to an account, beside its profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProvisioningChange {
    /// The directory's names for the account are these.
    Named(DirectoryNames),
    /// The directory deactivated the account: nobody can log in.
    Deactivated,
    /// The directory activated the account.
    Activated,
    /// The directory deleted its resource: the account is disabled.
    Removed,
    /// The directory created a resource for the account again.
    Restored,
}

/// The names that a directory has for an account.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectoryNames {
    /// The `userName` of SCIM.
    pub user_name: Option<String>,
    /// The `externalId` of SCIM.
    pub external_id: Option<String>,
}

impl DirectoryNames {
    /// The digests by which the index finds the account.
    pub fn digests(&self) -> impl Iterator<Item = [u8; 32]> {
        let user_name = self.user_name.as_deref().map(user_name_digest);
        user_name.into_iter().chain(self.external_id.as_deref().map(external_id_digest))
    }
}

/// The form in which user names are compared: without case, as addresses are.
pub fn user_name_key(user_name: &str) -> String {
    contacts::email_key(user_name)
}

/// SHA-256 by which a `userName` is found.
pub fn user_name_digest(user_name: &str) -> [u8; 32] {
    Sha256::new().chain_update("userName:").chain_update(user_name_key(user_name)).finalize().into()
}

/// SHA-256 by which an `externalId` is found, which is compared with case.
pub fn external_id_digest(external_id: &str) -> [u8; 32] {
    Sha256::new().chain_update("externalId:").chain_update(external_id).finalize().into()
}

/// What a directory did to an account.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provisioning {
    /// The directory's names for the account.
    pub names: DirectoryNames,
    /// When the directory deactivated the account or deleted its resource.
    pub deactivated_at: Option<Timestamp>,
    /// Whether the directory deleted its resource.
    pub is_removed: bool,
}

impl Provisioning {
    /// Applies a change. Deterministic.
    pub fn apply(&mut self, at: Timestamp, change: &ProvisioningChange) {
        match change {
            ProvisioningChange::Named(names) => self.names = names.clone(),
            ProvisioningChange::Deactivated => self.deactivated_at = Some(at),
            ProvisioningChange::Activated => self.deactivated_at = None,
            ProvisioningChange::Removed => {
                self.deactivated_at = self.deactivated_at.or(Some(at));
                self.is_removed = true;
            }
            ProvisioningChange::Restored => {
                self.deactivated_at = None;
                self.is_removed = false;
            }
        }
    }

    /// Whether a directory manages the account.
    pub fn is_managed(&self) -> bool {
        self.names.user_name.is_some() && !self.is_removed
    }
}

impl ProvisioningChange {
    /// Whether the account may have been disabled by it, or enabled.
    pub const fn changes_standing(&self) -> bool {
        match self {
            Self::Deactivated | Self::Activated | Self::Removed | Self::Restored => true,
            Self::Named(_) => false,
        }
    }
}

/// How a new account begins that a directory creates.
#[derive(Debug, Clone)]
pub struct FirstProvisioning {
    /// The directory's names for the account.
    pub names: DirectoryNames,
    /// Whether the account can be used.
    pub is_active: bool,
}
