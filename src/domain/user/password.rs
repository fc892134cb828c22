//! Changing the password. Hashing and checking is the business of `crate::auth`.

use serde::{Deserialize, Serialize};

use crate::domain::event::{Decision, Fact};
use crate::domain::ids::TokenId;
use crate::domain::user::{User, UserFact};

/// Why a password was not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum PasswordRefusal {
    /// No such account.
    #[error("there is no such user")]
    Unknown,
    /// Somebody else was faster.
    #[error("the password was changed meanwhile")]
    ChangedMeanwhile,
}

impl User {
    /// Makes another password count, and ends every token but `keep`: whoever got in with
    /// the old password is out.
    pub fn change_password(&self, password: String, keep: Option<TokenId>) -> Decision<()> {
        let mut facts = self.revoke_all_but(keep);
        facts.insert(0, Fact::User(UserFact::PasswordChanged { password }));
        Decision { facts, answer: () }
    }

    /// The same at the request of somebody who showed the password with the hash `shown`.
    ///
    /// # Errors
    /// When that is not the password any more.
    pub fn change_own_password(
        &self,
        shown: &str,
        password: String,
        keep: TokenId,
    ) -> Result<Decision<()>, PasswordRefusal> {
        if self.password != shown {
            return Err(PasswordRefusal::ChangedMeanwhile);
        }
        Ok(self.change_password(password, Some(keep)))
    }
}
