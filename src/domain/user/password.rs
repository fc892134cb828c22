//! Changing the password. Hashing and checking passwords is left to the crate `auth`.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::ids::TokenId;
use crate::mail::MailNote;
use crate::time::Timestamp;
use crate::user::{User, UserFact};

/// Why a password was not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum PasswordRefusal {
    /// There is no such account.
    #[error("there is no such user")]
    Unknown,
    /// The password was changed after it was checked.
    #[error("the password was changed meanwhile")]
    ChangedMeanwhile,
}

impl User {
    /// Sets another password and revokes every token but `keep`, so that anybody who got in with
    /// the old password is locked out.
    pub fn change_password(&self, password: String, keep: Option<TokenId>) -> Decision<()> {
        let mut facts = self.revoke_all_but(keep);
        facts.insert(0, Fact::User(UserFact::PasswordChanged { password }));
        Decision { facts, answer: () }
    }

    /// Does the same for a user who showed the password that has the hash `checked_hash`, and tells
    /// the user by mail if there is a note.
    ///
    /// # Errors
    /// If the password was changed since.
    pub fn change_own_password(
        &self,
        checked_hash: &str,
        password: String,
        keep: TokenId,
        note: Option<MailNote>,
        now: Timestamp,
    ) -> Result<Decision<()>, PasswordRefusal> {
        if self.password != checked_hash {
            return Err(PasswordRefusal::ChangedMeanwhile);
        }
        let mut decision = self.change_password(password, Some(keep));
        decision.facts.extend(self.tell_of_password(note, now));
        Ok(decision)
    }
}
