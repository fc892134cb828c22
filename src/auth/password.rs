//! Passwords: Argon2id (RFC 9106), computed on blocking threads, a few at a time, so that a rush of
//! log-ins cannot starve the delivery of messages.
//!
//! A hash is made of the form that RFC 8265 gives a password. Hashes of earlier versions are made of
//! the typed bytes: so a password with several forms is checked in each of them, whichever fits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{Output, PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;

use base::random::random;
use domain::canonical::password;

/// The cost of making a hash. A hash contains its own cost parameters, so each is checked with
/// those.
#[derive(Debug, Clone, Copy)]
pub struct PasswordCost {
    /// Memory, in KiB.
    pub memory: u32,
    /// Passes over the memory.
    pub passes: u32,
}

impl Default for PasswordCost {
    /// The first recommendation of OWASP's password storage cheat sheet: 19 MiB, 2 passes,
    /// 1 lane.
    fn default() -> Self {
        Self { memory: 19 * 1024, passes: 2 }
    }
}

impl PasswordCost {
    fn params(self) -> Result<Params, HashingFault> {
        Params::new(self.memory, self.passes, 1, None).map_err(|_| HashingFault)
    }
}

/// The fault that a hash could not be made or checked.
#[derive(Debug, Clone, thiserror::Error)]
#[error("passwords cannot be checked now")]
pub struct HashingFault;

/// Hashes and checks passwords.
#[derive(Debug, Clone)]
pub struct Passwords {
    at_once: Arc<Semaphore>,
    cost: PasswordCost,
    /// The hash that a password is checked against when the email address is unknown, so that the
    /// check takes equally long. It is random: no password is known to fit.
    nobody: Arc<str>,
    worked_on: Arc<AtomicU64>,
}

impl Passwords {
    /// Prepares to work on `at_once` passwords at the same time.
    ///
    /// # Errors
    /// If no hash can be made with these parameters.
    pub fn new(at_once: usize, cost: PasswordCost) -> Result<Self, HashingFault> {
        let nobody = random_hash(cost)?.into();
        let at_once = Arc::new(Semaphore::new(at_once.max(1)));
        Ok(Self { at_once, cost, nobody, worked_on: Arc::default() })
    }

    /// Hashes the canonical form of a password. The result is in PHC form.
    ///
    /// # Errors
    /// If hashing fails.
    pub async fn hash(&self, password: String) -> Result<String, HashingFault> {
        let cost = self.cost;
        self.work(move || hash(&password::opaque(&password), cost)).await
    }

    /// Whether a password matches a hash in one of its forms. Without a hash it never matches. The
    /// time depends only on how many forms the password has.
    ///
    /// # Errors
    /// If the hash cannot be parsed, or the check cannot be run.
    pub async fn fits(&self, password: String, hash: Option<String>) -> Result<bool, HashingFault> {
        let known = hash.is_some();
        let nobody = Arc::clone(&self.nobody);
        let matches = self
            .work(move || {
                let parsed = PasswordHash::new(hash.as_deref().unwrap_or(&nobody));
                let parsed = parsed.map_err(|_| HashingFault)?;
                let fits = |form: String| {
                    Argon2::default().verify_password(form.as_bytes(), &parsed).is_ok()
                };
                // Checks all of them, so that the time does not tell which one fits.
                Ok(password::forms(&password).into_iter().map(fits).fold(false, |any, it| any | it))
            })
            .await?;
        Ok(matches && known)
    }

    /// How many passwords were hashed or checked so far. Each takes about the same time.
    pub fn worked_on(&self) -> u64 {
        self.worked_on.load(Ordering::Relaxed)
    }

    async fn work<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> Result<T, HashingFault> + Send + 'static,
    ) -> Result<T, HashingFault> {
        let turn = Arc::clone(&self.at_once).acquire_owned().await.map_err(|_| HashingFault)?;
        self.worked_on.fetch_add(1, Ordering::Relaxed);
        let done = tokio::task::spawn_blocking(move || {
            let result = job();
            drop(turn);
            result
        });
        done.await.map_err(|_| HashingFault)?
    }
}

/// A hash in PHC form whose bits are random. Unlike a made one, it takes no time and no memory.
fn random_hash(cost: PasswordCost) -> Result<String, HashingFault> {
    let salt = SaltString::generate(&mut OsRng);
    let params = cost.params().and_then(|it| it.try_into().map_err(|_| HashingFault))?;
    let bits = Output::new(&random::<{ Params::DEFAULT_OUTPUT_LEN }>());
    let hash = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params,
        salt: Some(salt.as_salt()),
        hash: Some(bits.map_err(|_| HashingFault)?),
    };
    Ok(hash.to_string())
}

fn hash(password: &str, cost: PasswordCost) -> Result<String, HashingFault> {
    let salt = SaltString::generate(&mut OsRng);
    let hasher = Argon2::new(Algorithm::Argon2id, Version::V0x13, cost.params()?);
    let hash = hasher.hash_password(password.as_bytes(), &salt).map_err(|_| HashingFault)?;
    Ok(hash.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix::test]
    async fn a_password_fits_its_own_hash_only() {
        let passwords = Passwords::new(1, PasswordCost::default()).unwrap();
        let hash = passwords.hash("correct horse".to_owned()).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert!(passwords.fits("correct horse".to_owned(), Some(hash.clone())).await.unwrap());
        assert!(!passwords.fits("wrong horse".to_owned(), Some(hash)).await.unwrap());
        assert!(!passwords.fits("correct horse".to_owned(), None).await.unwrap());
    }

    #[test]
    fn random_hash_costs_as_much_to_check_as_a_made_one() {
        let [random, made] = [random_hash(CHEAP).unwrap(), hash("correct horse", CHEAP).unwrap()];
        assert_ne!(random, random_hash(CHEAP).unwrap());
        let [random, made] = [&random, &made].map(|it| PasswordHash::new(it).unwrap());
        assert_eq!(random.algorithm, made.algorithm);
        assert_eq!(random.version, made.version);
        assert_eq!(random.params, made.params);
        assert_eq!(random.salt.unwrap().len(), made.salt.unwrap().len());
        assert_eq!(random.hash.unwrap().len(), made.hash.unwrap().len());
    }

    #[test]
    fn costs_beyond_argon2_are_refused() {
        assert!(Passwords::new(1, PasswordCost { memory: 7, passes: 1 }).is_err());
        assert!(Passwords::new(1, PasswordCost { memory: 8, passes: 0 }).is_err());
    }

    const CHEAP: PasswordCost = PasswordCost { memory: 8, passes: 1 };
    /// One password as several keyboards type it.
    const TYPED: [&str; 3] = ["Ka\u{308}se bro\u{302}t", "Käse brôt", "Käse\u{a0}brôt"];

    #[actix::test]
    async fn password_fits_however_a_keyboard_composes_it() {
        let passwords = Passwords::new(1, CHEAP).unwrap();
        for made_of in TYPED {
            let hash = passwords.hash(made_of.to_owned()).await.unwrap();
            for typed in TYPED {
                let fits = passwords.fits(typed.to_owned(), Some(hash.clone())).await.unwrap();
                assert!(fits, "{typed:?} for {made_of:?}");
            }
            for wrong in ["Kase brot", "käse brôt", "Käse  brôt"] {
                assert!(!passwords.fits(wrong.to_owned(), Some(hash.clone())).await.unwrap());
            }
        }
    }

    #[actix::test]
    async fn hash_of_raw_bytes_still_fits() {
        let passwords = Passwords::new(1, CHEAP).unwrap();
        for made_of in TYPED {
            let former = hash(made_of, CHEAP).unwrap();
            assert!(passwords.fits(made_of.to_owned(), Some(former)).await.unwrap(), "{made_of:?}");
        }
        let decomposed = hash(TYPED[0], CHEAP).unwrap();
        assert!(passwords.fits(TYPED[1].to_owned(), Some(decomposed)).await.unwrap());
    }
}
