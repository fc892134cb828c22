//! The keyring: whose a token is. Looked up in a bounded cache, then in the index.
//!
//! A token is 256 random bits and is stored as its SHA-256 only; with that much
//! randomness a slow hash would add nothing.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};

use crate::clock::Clock;
use crate::domain::ids::{ClientId, TokenId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::user::{TokenHash, TokenRecord};
use crate::index::{Index, IndexFault};

/// Tokens that are remembered; a miss costs one look-up.
const REMEMBERED: usize = 65_536;
/// Signs of a token: 32 bytes in base64 without padding. Longer ones are not hashed.
const TOKEN_SIGNS: usize = 43;
/// How exactly the last use of a token is known while the server runs.
const USED_MILLIS: u64 = 60_000;
/// How exactly it is known after a restart: how often it is written down.
const NOTED_MILLIS: u64 = 24 * 60 * 60 * 1000;

/// The user of a request, known by their token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    /// Who.
    pub user: UserId,
    /// By which token.
    pub token: TokenId,
    /// When the token ends, if it does.
    pub expires_at: Option<Timestamp>,
    /// The application that it was given to; none for a log-in.
    pub client: Option<ClientId>,
}

/// A token that was looked up.
#[derive(Debug)]
struct Known {
    caller: Caller,
    /// When it was last used, in Unix milliseconds; zero when never.
    used: AtomicU64,
    /// When that was last written down.
    noted: AtomicU64,
}

impl Known {
    fn of(user: UserId, token: &TokenRecord) -> Self {
        let caller =
            Caller { user, token: token.id, expires_at: token.expires_at, client: token.client };
        let used = token.last_used_at.unwrap_or_default();
        let noted = used.max(token.created_at);
        Self { caller, used: AtomicU64::new(used.millis()), noted: AtomicU64::new(noted.millis()) }
    }
}

/// A token in clear: shown once, to the one who asked for it.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken(String);

impl std::fmt::Debug for AccessToken {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("AccessToken(…)")
    }
}

impl AccessToken {
    /// 256 random bits, URL-safe.
    pub fn fresh() -> Self {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).expect("the operating system always has random bytes");
        Self(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// The token, to be shown.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is stored of it.
    pub fn hash(&self) -> TokenHash {
        hash(&self.0)
    }
}

/// What is stored of a secret of such randomness.
pub(super) fn hash(token: &str) -> TokenHash {
    TokenHash::new(Sha256::digest(token.as_bytes()).into())
}

/// Knows whose tokens are.
pub struct Keyring {
    index: Arc<Index>,
    clock: Arc<dyn Clock>,
    known: Cache<TokenHash, Arc<Known>>,
    /// Tokens whose use is to be written down, and whose they are.
    due: Mutex<HashMap<TokenId, UserId>>,
    /// Counts revocations, so that a look-up that was under way cannot bring one back.
    revocations: AtomicU64,
}

impl Keyring {
    /// Over this index.
    pub fn new(index: Arc<Index>, clock: Arc<dyn Clock>) -> Self {
        let (known, due) = (Cache::new(REMEMBERED), Mutex::default());
        Self { index, clock, known, due, revocations: AtomicU64::new(0) }
    }

    /// Whose this token is; nobody's if it is unknown, revoked or at its end.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub async fn caller(&self, token: &str) -> Result<Option<Caller>, IndexFault> {
        if token.len() != TOKEN_SIGNS {
            return Ok(None);
        }
        let hash = hash(token);
        let known = match self.known.get(&hash) {
            Some(known) => Some(known),
            None => self.look_up(hash).await?,
        };
        let Some(known) = known.filter(|known| self.is_alive(&known.caller)) else {
            return Ok(None);
        };
        self.touch(&known);
        Ok(Some(known.caller))
    }

    /// Remembers that a token is in use now. Nothing is written on most requests: many
    /// threads would fight for the line.
    fn touch(&self, known: &Known) {
        let now = self.clock.now().wall.millis();
        if now < known.used.load(Ordering::Relaxed).saturating_add(USED_MILLIS) {
            return;
        }
        known.used.store(now, Ordering::Relaxed);
        if now >= known.noted.load(Ordering::Relaxed).saturating_add(NOTED_MILLIS) {
            let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
            if due.len() < REMEMBERED {
                due.insert(known.caller.token, known.caller.user);
                known.noted.store(now, Ordering::Relaxed);
            }
        }
    }

    /// When a token was last used, as far as this process saw.
    pub fn last_used(&self, hash: &TokenHash) -> Option<Timestamp> {
        let used = self.known.get(hash)?.used.load(Ordering::Relaxed);
        (used > 0).then(|| Timestamp::from_millis(used))
    }

    /// Takes the tokens whose use is to be written down, each once a day at most.
    pub fn take_due(&self) -> HashMap<TokenId, UserId> {
        std::mem::take(&mut self.due.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the token of this caller still works, as far as time goes.
    pub fn is_alive(&self, caller: &Caller) -> bool {
        caller.expires_at.is_none_or(|end| self.clock.now().wall < end)
    }

    /// Learns a token that was issued just now. Not for those of applications: theirs may
    /// have been removed meanwhile, which only the index knows.
    pub fn learn(&self, user: UserId, token: &TokenRecord) {
        self.known.insert(token.hash, Arc::new(Known::of(user, token)));
    }

    /// Forgets a token that was revoked, after that is durable and noted.
    pub fn forget(&self, hash: &TokenHash) {
        self.revocations.fetch_add(1, Ordering::SeqCst);
        self.known.remove(hash);
    }

    /// Forgets the tokens of an application that was removed, after that is durable and
    /// noted.
    pub fn forget_application(&self, client: ClientId) {
        self.revocations.fetch_add(1, Ordering::SeqCst);
        self.known.retain(|_, known| known.caller.client != Some(client));
    }

    async fn look_up(&self, hash: TokenHash) -> Result<Option<Arc<Known>>, IndexFault> {
        let seen = self.revocations.load(Ordering::SeqCst);
        self.index.current().await?;
        let row = self.index.aside(move |index| index.token(&hash)).await?;
        let Some(row) = row else { return Ok(None) };
        let known = Arc::new(Known::of(row.user, &row.token));
        self.known.insert(hash, Arc::clone(&known));
        if self.revocations.load(Ordering::SeqCst) != seen {
            self.known.remove(&hash);
        }
        Ok(Some(known))
    }
}
