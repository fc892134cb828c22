//! Showing a password: who may try, and what an attempt costs.
//!
//! Unknown email and wrong password take the same time and count the same. Failures are
//! counted per account, so that one password cannot be guessed from many places, and per
//! address, so that one place cannot try one password on many accounts.

use std::sync::Arc;

use crate::auth::accounts::{Accounts, LoginAccount};
use crate::auth::attempts::{NoAttempt, PasswordAttempts, PasswordVerdict};
use crate::auth::client_network::ClientNetwork;
use crate::auth::password::{HashingFault, Passwords};
use crate::auth::throttle::{ADDRESS_FAILURES, Failures};
use crate::bounds::places::Places;
use crate::clock::Clock;
use crate::domain::group::Contact;
use crate::domain::ids::{NameId, UserId};
use crate::domain::text::Email;
use crate::index::IndexFault;

/// Why somebody did not get in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LogInRefusal {
    /// One of the two.
    #[error("email or password is wrong")]
    Wrong,
    /// Too many failures of this account.
    #[error("too many failed log-ins for this account")]
    AccountLocked {
        /// Until it may try again.
        wait_millis: u64,
    },
    /// Too many failures from this address.
    #[error("too many failed log-ins from this address")]
    AddressLocked {
        /// Until it may try again.
        wait_millis: u64,
    },
}

/// Why a password was not found right.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LogInFailure {
    /// It is not, or may not be tried.
    #[error(transparent)]
    Refused(#[from] LogInRefusal),
    /// The account could not be looked up.
    #[error(transparent)]
    Index(#[from] IndexFault),
    /// The work could not be done.
    #[error(transparent)]
    Hashing(#[from] HashingFault),
    /// Nobody can tell how many attempts failed.
    #[error("the node that counts failed log-ins of this account cannot be asked")]
    Uncounted,
}

/// Checks passwords.
pub struct LogIns {
    accounts: Accounts,
    passwords: Passwords,
    clock: Arc<dyn Clock>,
    attempts: Arc<dyn PasswordAttempts>,
    addresses: Failures,
}

impl LogIns {
    /// Nobody has failed yet.
    pub fn new(
        accounts: Accounts,
        passwords: Passwords,
        clock: Arc<dyn Clock>,
        attempts: Arc<dyn PasswordAttempts>,
        places: &Places,
    ) -> Self {
        let addresses = Failures::at_most(ADDRESS_FAILURES, places, "failed_addresses");
        Self { accounts, passwords, clock, attempts, addresses }
    }

    /// Whose email and password these are.
    ///
    /// # Errors
    /// When nobody has both, or too many attempts failed.
    pub async fn check(
        &self,
        email: &str,
        password: String,
        from: Option<ClientNetwork>,
    ) -> Result<LoginAccount, LogInFailure> {
        let key = email.trim().to_lowercase();
        let find = async {
            match Email::parse(email) {
                Ok(email) => self.accounts.account_by_email(email).await,
                Err(_) => Ok(None),
            }
        };
        self.attempt(&key, password, from, find).await
    }

    /// Checks the password of somebody who is known already, before an act that needs it.
    ///
    /// # Errors
    /// When it is wrong, or too many attempts failed.
    pub async fn confirm(
        &self,
        user: UserId,
        password: String,
        from: Option<ClientNetwork>,
    ) -> Result<LoginAccount, LogInFailure> {
        let known = self.accounts.own_account(user).await?;
        let key = known.map_or_else(String::new, |account| account.email.key());
        self.attempt(&key, password, from, self.accounts.own_account(user)).await
    }

    async fn attempt(
        &self,
        key: &str,
        password: String,
        from: Option<ClientNetwork>,
        find: impl Future<Output = Result<Option<LoginAccount>, IndexFault>>,
    ) -> Result<LoginAccount, LogInFailure> {
        let address = from.map(|network| network.to_string());
        if let Some(address) = &address {
            let now = self.clock.now().mono;
            if let Some(wait_millis) = self.addresses.locked_for(address, now) {
                return Err(LogInRefusal::AddressLocked { wait_millis }.into());
            }
            // Noted in advance, so that attempts at the same time are no more attempts.
            self.addresses.note(address, now);
        }
        let account = NameId::of(&Contact::Email(key.to_owned()));
        let attempt = match self.attempts.begin(account).await {
            Ok(attempt) => attempt,
            Err(NoAttempt::Locked { wait_millis }) => {
                return Err(LogInRefusal::AccountLocked { wait_millis }.into());
            }
            Err(NoAttempt::Uncounted) => {
                address.iter().for_each(|it| self.addresses.forgive(it));
                return Err(LogInFailure::Uncounted);
            }
        };
        let checked = self.fitting(password, find).await;
        let outcome = match &checked {
            Ok(Some(_)) => PasswordVerdict::Right,
            Ok(None) => PasswordVerdict::Wrong,
            Err(_) => PasswordVerdict::Unchecked,
        };
        attempt.end(outcome).await;
        let account = checked?.ok_or(LogInRefusal::Wrong)?;
        address.iter().for_each(|it| self.addresses.forgive(it));
        Ok(account)
    }

    /// The account that is found, if it has this password.
    async fn fitting(
        &self,
        password: String,
        find: impl Future<Output = Result<Option<LoginAccount>, IndexFault>>,
    ) -> Result<Option<LoginAccount>, LogInFailure> {
        let found = find.await?;
        // An unknown address costs the same work as a wrong password.
        let hash = found.as_ref().map(|account| account.password.clone());
        let fits = self.passwords.fits(password, hash).await?;
        Ok(found.filter(|_| fits))
    }
}
