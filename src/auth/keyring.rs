//! The keyring: whose a token is. Looked up in a bounded cache, then in the index.
//!
//! A token is 256 random bits and is stored as its SHA-256 only; with that much
//! randomness a slow hash would add nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};

use crate::clock::Clock;
use crate::domain::ids::{TokenId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::user::{TokenHash, TokenRecord};
use crate::index::{Index, IndexFault};

/// Tokens that are remembered; a miss costs one look-up.
const REMEMBERED: usize = 65_536;
/// Signs of a token: 32 bytes in base64 without padding. Longer ones are not hashed.
const TOKEN_SIGNS: usize = 43;

/// The user of a request, known by their token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    /// Who.
    pub user: UserId,
    /// By which token.
    pub token: TokenId,
    /// When the token ends, if it does.
    pub expires_at: Option<Timestamp>,
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

fn hash(token: &str) -> TokenHash {
    TokenHash::new(Sha256::digest(token.as_bytes()).into())
}

/// Knows whose tokens are.
pub struct Keyring {
    index: Arc<Index>,
    clock: Arc<dyn Clock>,
    known: Cache<TokenHash, Caller>,
    /// Counts revocations, so that a look-up that was under way cannot bring one back.
    revocations: AtomicU64,
}

impl Keyring {
    /// Over this index.
    pub fn new(index: Arc<Index>, clock: Arc<dyn Clock>) -> Self {
        Self { index, clock, known: Cache::new(REMEMBERED), revocations: AtomicU64::new(0) }
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
        let caller = match self.known.get(&hash) {
            Some(caller) => Some(caller),
            None => self.look_up(hash).await?,
        };
        Ok(caller.filter(|caller| self.is_alive(caller)))
    }

    /// Whether the token of this caller still works, as far as time goes.
    pub fn is_alive(&self, caller: &Caller) -> bool {
        caller.expires_at.is_none_or(|end| self.clock.now().wall < end)
    }

    /// Learns a token that was issued just now.
    pub fn learn(&self, user: UserId, token: &TokenRecord) {
        self.known.insert(token.hash, caller(user, token));
    }

    /// Forgets a token that was revoked, after that is durable and noted.
    pub fn forget(&self, hash: &TokenHash) {
        self.revocations.fetch_add(1, Ordering::SeqCst);
        self.known.remove(hash);
    }

    async fn look_up(&self, hash: TokenHash) -> Result<Option<Caller>, IndexFault> {
        let seen = self.revocations.load(Ordering::SeqCst);
        self.index.current().await?;
        let index = Arc::clone(&self.index);
        let row = tokio::task::spawn_blocking(move || index.token(&hash)).await;
        let Some(row) = row.map_err(|_| IndexFault::Stopped)?? else { return Ok(None) };
        let caller = caller(row.user, &row.token);
        if self.revocations.load(Ordering::SeqCst) == seen {
            self.known.insert(hash, caller);
        }
        Ok(Some(caller))
    }
}

fn caller(user: UserId, token: &TokenRecord) -> Caller {
    Caller { user, token: token.id, expires_at: token.expires_at }
}
