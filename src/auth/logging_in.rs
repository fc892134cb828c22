//! Checks passwords: who may try, and what an attempt costs.
//!
//! An unknown email address and a wrong password take the same time and count the same. Failures
//! are counted per account, so that one password cannot be guessed from many places, and per
//! address, so that one place cannot try one password on many accounts. Attempts by somebody who is
//! logged in are counted per token alone, so that strangers cannot lock the owner out.

use std::sync::Arc;

use crate::accounts::{Accounts, LoginAccount};
use crate::password::{HashingFault, Passwords};
use crate::throttle::{ADDRESS_FAILURES, Failures, LOGIN_FAILURES};
use crate::totp::device_hash;
use base::bounds::places::Places;
use base::clock::Clock;
use domain::canonical::contacts;
use domain::client_network::ClientNetwork;
use domain::group::Contact;
use domain::ids::{NameId, TokenId, UserId};
use domain::text::Email;
use index::IndexFault;

/// Why a log-in was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LogInRefusal {
    /// The email address is unknown, or the password is wrong.
    #[error("wrong email or password")]
    Wrong,
    /// Too many attempts at this account failed.
    #[error("too many failed log-ins for this account")]
    AccountLocked {
        /// Milliseconds until the next attempt is allowed.
        wait_millis: u64,
    },
    /// Too many attempts from this address failed.
    #[error("too many failed log-ins from this address")]
    AddressLocked {
        /// Milliseconds until the next attempt is allowed.
        wait_millis: u64,
    },
}

/// Why a password was not accepted.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LogInFailure {
    /// The password is wrong, or may not be tried now.
    #[error(transparent)]
    Refused(#[from] LogInRefusal),
    /// The account of a user who is authenticated was deleted meanwhile.
    #[error("the account was deleted")]
    Gone,
    /// The account could not be looked up.
    #[error(transparent)]
    Index(#[from] IndexFault),
    /// The password could not be hashed.
    #[error(transparent)]
    Hashing(#[from] HashingFault),
}

/// The outcome of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordVerdict {
    /// The password was right: earlier failures are forgotten.
    Right,
    /// The password was wrong.
    Wrong,
    /// The password was not checked.
    Unchecked,
}

/// Checks passwords, and counts the failures per account and per address. Everything is in memory: a
/// node that begins to lead starts counting from zero.
pub struct LogIns {
    accounts: Accounts,
    passwords: Passwords,
    clock: Arc<dyn Clock>,
    names: Failures,
    addresses: Failures,
}

impl LogIns {
    /// No address has failed yet.
    pub fn new(
        accounts: Accounts,
        passwords: Passwords,
        clock: Arc<dyn Clock>,
        places: &Places,
    ) -> Self {
        let names = Failures::at_most(LOGIN_FAILURES, places, "failed_accounts");
        let addresses = Failures::at_most(ADDRESS_FAILURES, places, "failed_addresses");
        Self { accounts, passwords, clock, names, addresses }
    }

    /// Returns the account with this email address and password. A device that the account trusts
    /// has a count of its own, so that strangers cannot lock its user out there. A right password of
    /// an account that needs a second factor resets no count.
    ///
    /// # Errors
    /// If there is no such account, too many attempts failed, or the password could not be checked.
    pub async fn check(
        &self,
        email: &str,
        password: String,
        device: Option<&str>,
        from: Option<ClientNetwork>,
    ) -> Result<LoginAccount, LogInFailure> {
        let device = device.map(device_hash);
        let trusts = |account: &LoginAccount| {
            let now = self.clock.now().wall;
            let trusted = device.as_ref().and_then(|device| account.factors.device(device, now));
            trusted.map(|device| device.id)
        };
        let mut key = contacts::email_key(email);
        if device.is_some()
            && let Some(account) = self.accounts.account_by_typed_email(email).await?
            && let Some(id) = trusts(&account)
        {
            // No email address has spaces.
            key = format!("by device {id} of {}", account.user);
        }
        let find = async {
            let account = self.accounts.account_by_typed_email(email).await?;
            Ok(account.map(|account| {
                let needs_factor = account.factors.is_on() && trusts(&account).is_none();
                LoginAccount { needs_factor, ..account }
            }))
        };
        self.attempt(&key, password, from, find).await
    }

    /// Checks the password of a user who is authenticated already, before an act that requires it.
    ///
    /// # Errors
    /// If the password is wrong, the account was deleted, too many attempts failed, or the password
    /// could not be checked.
    pub async fn confirm(
        &self,
        user: UserId,
        token: TokenId,
        password: String,
    ) -> Result<LoginAccount, LogInFailure> {
        self.accounts.own_account(user).await?.ok_or(LogInFailure::Gone)?;
        // Looked up again when its turn comes: an attempt before may have deleted the account.
        let find = async {
            let account = self.accounts.own_account(user).await?;
            let account = account.ok_or(LogInFailure::Gone)?;
            Ok(Some(LoginAccount { needs_factor: false, ..account }))
        };
        // No email address has spaces.
        self.attempt(&format!("by token {token}"), password, None, find).await
    }

    async fn attempt(
        &self,
        key: &str,
        password: String,
        from: Option<ClientNetwork>,
        find: impl Future<Output = Result<Option<LoginAccount>, LogInFailure>>,
    ) -> Result<LoginAccount, LogInFailure> {
        let check = async {
            let found = self.fitting(password, find).await?;
            let verdict = match &found {
                Some(account) if account.needs_factor => PasswordVerdict::Unchecked,
                Some(_) => PasswordVerdict::Right,
                None => PasswordVerdict::Wrong,
            };
            Ok::<_, LogInFailure>((found, verdict))
        };
        Ok(self.counted(key, from, check).await?.ok_or(LogInRefusal::Wrong)?)
    }

    /// Forgets the wrong passwords of an account, which has another password now.
    pub fn unlock(&self, email: &Email) {
        let key = Contact::Email(contacts::email_key(email.as_str()));
        self.names.clear(&NameId::of(&key).to_string());
    }

    /// Runs a check of something that a person typed to show who they are, and counts its verdict
    /// for an account and an address. One check of an account runs at a time.
    ///
    /// # Errors
    /// If too many attempts failed, or the check fails.
    pub async fn counted<T, E: From<LogInFailure>>(
        &self,
        key: &str,
        from: Option<ClientNetwork>,
        check: impl Future<Output = Result<(T, PasswordVerdict), E>>,
    ) -> Result<T, E> {
        let address = from.map(|network| network.to_string());
        if let Some(address) = &address {
            let begun = self.addresses.begin(address, self.clock.now().mono);
            begun.map_err(|wait_millis| {
                LogInFailure::from(LogInRefusal::AddressLocked { wait_millis })
            })?;
        }
        let account = NameId::of(&Contact::Email(key.to_owned())).to_string();
        let _turn = self.names.turn(&account).await;
        let began = self.clock.now().mono;
        if let Some(wait_millis) = self.names.locked_for(&account, began) {
            return Err(LogInFailure::from(LogInRefusal::AccountLocked { wait_millis }).into());
        }
        let checked = check.await;
        let outcome = match &checked {
            Ok((_, verdict)) => *verdict,
            Err(_) => PasswordVerdict::Unchecked,
        };
        match outcome {
            PasswordVerdict::Right => self.names.clear(&account),
            PasswordVerdict::Wrong => self.names.note(&account, began),
            PasswordVerdict::Unchecked => {}
        }
        if outcome != PasswordVerdict::Wrong {
            // An attempt that could not be checked has not failed: else a server in trouble would
            // lock out everybody who comes from one address.
            address.iter().for_each(|it| self.addresses.forgive(it));
        }
        Ok(checked?.0)
    }

    /// Returns the account that `find` finds, if it has this password.
    async fn fitting(
        &self,
        password: String,
        find: impl Future<Output = Result<Option<LoginAccount>, LogInFailure>>,
    ) -> Result<Option<LoginAccount>, LogInFailure> {
        let found = find.await?;
        // An unknown email address costs the same work as a wrong password.
        let hash = found.as_ref().map(|account| account.password.clone());
        let fits = self.passwords.fits(password, hash).await?;
        Ok(found.filter(|_| fits))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::password::PasswordCost;
    use base::clock::ManualClock;
    use domain::audience::Audience;
    use domain::event::{Entry, Event, Fact};
    use domain::ids::StreamId;
    use domain::text::UserName;
    use domain::time::Timestamp;
    use domain::user::{Profile, UserFact};
    use index::indexer::{self, Indexer};
    use index::memory::MemoryRows;
    use journal::memory::MemoryJournal;
    use journal::{Commit, CommitId, Journal, Outcome, StreamHead};

    /// Nobody has an account. The indexer has to live as long as it is asked.
    fn log_ins() -> (LogIns, Indexer) {
        log_ins_over(Arc::new(MemoryJournal::new()))
    }

    fn log_ins_over(journal: Arc<MemoryJournal>) -> (LogIns, Indexer) {
        let places = Places::default();
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::at(Timestamp::from_seconds(100)));
        let opened = indexer::open(Arc::new(MemoryRows::default()), journal).unwrap();
        let accounts = Accounts::new(Arc::clone(&opened.index));
        let passwords = Passwords::new(1, PasswordCost { memory: 8, passes: 1 }).unwrap();
        (LogIns::new(accounts, passwords, clock, &places), opened.indexer)
    }

    /// Accounts that earlier versions accepted, with the typed address as it was stored, and hashes
    /// of the typed bytes.
    async fn register_as_before(journal: &dyn Journal, accounts: &[(u64, &str, &str)]) {
        for (id, email, password) in accounts {
            let argon = argon2::Argon2::new(
                argon2::Algorithm::Argon2id,
                argon2::Version::V0x13,
                argon2::Params::new(8, 1, 1, None).unwrap(),
            );
            let salt = argon2::password_hash::SaltString::encode_b64(b"some salt").unwrap();
            let hash = argon2::PasswordHasher::hash_password(&argon, password.as_bytes(), &salt);
            let profile = Profile {
                name: UserName::parse("Ana".to_owned()).unwrap(),
                email: serde_json::from_value(json!(email)).unwrap(),
                phone: None,
                image: None,
                zip_code: None,
                guest: None,
            };
            let at = Timestamp::from_seconds(100);
            let fact = UserFact::Registered { profile, password: hash.unwrap().to_string() };
            let event = Arc::new(Event { at, fact: Fact::User(fact) });
            let entry = Entry { audience: Audience::nobody(), ..Entry::stored(event) };
            let commit = Commit {
                stream: StreamId::User(UserId::new(*id)),
                head: StreamHead::default(),
                id: CommitId(u128::from(*id)),
                at,
                entries: vec![entry],
            };
            let outcome = journal.submit(commit).unwrap().await;
            assert!(matches!(outcome, Outcome::Committed(_)), "the journal works");
        }
    }

    #[actix::test]
    async fn accounts_of_earlier_versions_log_in_as_they_did() {
        let journal = Arc::new(MemoryJournal::new());
        let decomposed = "Ka\u{308}sebrot";
        let accounts = [
            (1, "z1@example.org", "one password"),
            (2, "z1@example.org\u{200b}", "two password"),
            (3, "Jose\u{301}@example.org", decomposed),
            (4, "z4@example.org\u{2060}", "four password"),
        ];
        register_as_before(&*journal, &accounts).await;
        let (log_ins, _indexer) = log_ins_over(journal);
        for (id, email, password) in accounts {
            let account = log_ins.check(email, password.to_owned(), None, None).await.unwrap();
            assert_eq!(account.user, UserId::new(id), "{email:?}");
        }
        for (id, email, password) in
            [(3, "josé@example.org", "Käsebrot"), (4, "Z4@example.org", "four password")]
        {
            let account = log_ins.check(email, password.to_owned(), None, None).await.unwrap();
            assert_eq!(account.user, UserId::new(id), "{email:?}");
        }
        let other = log_ins.check("z1@example.org", "two password".to_owned(), None, None).await;
        assert!(other.is_err());
    }

    /// When two requests deleted one account at once, the second got a wrong-password error.
    #[actix::test]
    async fn deleted_account_gets_no_wrong_password_error() {
        let (log_ins, _indexer) = log_ins();
        let confirmed =
            log_ins.confirm(UserId::new(7), TokenId::new(8), "a guess".to_owned()).await;
        assert!(matches!(confirmed, Err(LogInFailure::Gone)), "{:?}", confirmed.err());
    }

    #[actix::test]
    async fn unchecked_passwords_do_not_lock_an_address() {
        let (log_ins, _indexer) = log_ins();
        let office = || Some(ClientNetwork::of([192, 0, 2, 1].into()));
        let tries = async |number: usize, found: Result<Option<LoginAccount>, LogInFailure>| {
            let name = format!("{number}@example.org");
            log_ins.attempt(&name, "a guess".to_owned(), office(), async { found }).await
        };
        for number in 0..ADDRESS_FAILURES * 2 {
            let failed = tries(number, Err(IndexFault::Mending.into())).await.unwrap_err();
            assert!(matches!(failed, LogInFailure::Index(_)), "{failed}");
        }
        for number in 0..ADDRESS_FAILURES {
            let failed = tries(number, Ok(None)).await.unwrap_err();
            assert!(matches!(failed, LogInFailure::Refused(LogInRefusal::Wrong)), "{failed}");
        }
        let failed = tries(0, Ok(None)).await.unwrap_err();
        let is_locked = matches!(failed, LogInFailure::Refused(LogInRefusal::AddressLocked { .. }));
        assert!(is_locked, "{failed}");
    }
}
