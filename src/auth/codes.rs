//! Authorization codes (RFC 6749, section 4.1; RFC 7636): what somebody consented to, on
//! its way from their browser to the application.
//!
//! Kept in memory only: a code lives for two minutes, and whoever held one when the
//! server stopped is asked again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::auth::access_token::{AccessToken, hash};
use crate::clock::Clock;
use crate::domain::ids::{ClientId, TokenId, UserId};
use crate::domain::time::Monotonic;
use crate::domain::user::TokenHash;

/// How long a code can be spent (RFC 6749 recommends at most ten minutes).
const LIFE_MILLIS: u64 = 120_000;
/// How long a spent code is remembered, so that spending it again ends what it gave.
const MEMORY_MILLIS: u64 = 600_000;
/// Codes that are remembered at the same time.
const REMEMBERED: usize = 65_536;

/// SHA-256 of a verifier, as the application told it before (RFC 7636, section 4.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge([u8; 32]);

impl Challenge {
    /// Reads `code_challenge`.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        Some(Self(bytes.try_into().ok()?))
    }

    /// Whether this is the verifier; its form is that of RFC 7636, section 4.1.
    fn fits(&self, verifier: &str) -> bool {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        (43..=128).contains(&verifier.len())
            && verifier.bytes().all(is_plain)
            && self.0 == <[u8; 32]>::from(Sha256::digest(verifier.as_bytes()))
    }
}

/// What somebody consented to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// Who.
    pub user: UserId,
    /// The hash of the password that they showed.
    pub password: String,
    /// To whom.
    pub client: ClientId,
    /// What that is called.
    pub application: String,
    /// Where they were sent back to.
    pub callback_url: String,
    /// Whether the application named that address itself; then it has to again.
    pub names_callback: bool,
    /// What only the one who asked can answer.
    pub challenge: Challenge,
}

/// What an application shows for a code.
#[derive(Debug, Clone)]
pub struct CodeExchange<'request> {
    /// The code.
    pub code: &'request str,
    /// Who it says that it is.
    pub client: ClientId,
    /// Where it says that people were sent back to.
    pub redirect_uri: Option<&'request str>,
    /// What the challenge was made of.
    pub verifier: &'request str,
}

impl Consent {
    fn covers(&self, claim: &CodeExchange<'_>) -> bool {
        let names_the_same = match claim.redirect_uri {
            Some(named) => named == self.callback_url,
            None => !self.names_callback,
        };
        self.client == claim.client && names_the_same && self.challenge.fits(claim.verifier)
    }
}

/// What comes of spending a code.
#[derive(Debug, PartialEq, Eq)]
pub enum Spending {
    /// It was good, and is spent now.
    Good(Box<Consent>),
    /// It was spent before: somebody else has it too. What it gave has to end.
    Again {
        /// Whose token it gave.
        user: UserId,
        /// The token.
        token: TokenId,
    },
    /// Unknown, too old, or of somebody else.
    Bad,
}

#[derive(Debug)]
enum State {
    Fresh(Box<Consent>),
    Spent { user: UserId, token: TokenId, again: bool },
}

#[derive(Debug)]
struct Entry {
    state: State,
    until: Monotonic,
}

/// Codes that are under way or were spent lately.
pub struct Codes {
    clock: Arc<dyn Clock>,
    known: Mutex<HashMap<TokenHash, Entry>>,
}

impl Codes {
    /// None yet.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, known: Mutex::default() }
    }

    /// A code for a consent; none while too many are under way.
    pub fn issue(&self, consent: Consent) -> Option<String> {
        let now = self.clock.now().mono;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED {
            known.retain(|_, entry| now < entry.until);
        }
        if known.len() >= REMEMBERED {
            return None;
        }
        let code = AccessToken::fresh();
        let until = now.plus_millis(LIFE_MILLIS);
        known.insert(code.hash(), Entry { state: State::Fresh(Box::new(consent)), until });
        Some(code.reveal().to_owned())
    }

    /// Spends a code on the token with this id. A claim that does not fit spends nothing:
    /// nobody else can take a code from the one it was given to.
    pub fn spend(&self, claim: &CodeExchange<'_>, token: TokenId) -> Spending {
        let now = self.clock.now().mono;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let alive = known.get_mut(&hash(claim.code)).filter(|entry| now < entry.until);
        let Some(entry) = alive else { return Spending::Bad };
        match &mut entry.state {
            State::Spent { user, token, again } => {
                *again = true;
                Spending::Again { user: *user, token: *token }
            }
            State::Fresh(consent) if !consent.covers(claim) => Spending::Bad,
            State::Fresh(consent) => {
                let spent = State::Spent { user: consent.user, token, again: false };
                entry.until = now.plus_millis(MEMORY_MILLIS);
                match std::mem::replace(&mut entry.state, spent) {
                    State::Fresh(consent) => Spending::Good(consent),
                    State::Spent { .. } => Spending::Bad,
                }
            }
        }
    }

    /// Whether a code was spent again. Asked once its token works: whoever spends it again
    /// after that finds the token, and before that it is ended by the asker.
    pub fn was_spent_again(&self, code: &str) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = known.get(&hash(code));
        entry.is_some_and(|entry| matches!(entry.state, State::Spent { again: true, .. }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;
    use crate::domain::time::Timestamp;

    // RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    const CLIENT: ClientId = ClientId::new([7; 16]);
    const TOKEN: TokenId = TokenId::new(5);

    fn codes() -> (Codes, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1)));
        (Codes::new(Arc::clone(&clock) as Arc<dyn Clock>), clock)
    }

    fn consent(names_callback: bool) -> Consent {
        Consent {
            user: UserId::new(1),
            password: "hash".to_owned(),
            client: CLIENT,
            application: "Ropes".to_owned(),
            callback_url: "https://ropes.example/".to_owned(),
            names_callback,
            challenge: Challenge::parse(CHALLENGE).unwrap(),
        }
    }

    fn claim(code: &str) -> CodeExchange<'_> {
        CodeExchange { code, client: CLIENT, redirect_uri: None, verifier: VERIFIER }
    }

    #[test]
    fn a_code_is_spent_once_and_the_second_time_names_what_it_gave() {
        let (codes, _) = codes();
        let code = codes.issue(consent(false)).unwrap();
        assert_eq!(codes.spend(&claim(&code), TOKEN), Spending::Good(Box::new(consent(false))));
        assert!(!codes.was_spent_again(&code));
        let again = Spending::Again { user: UserId::new(1), token: TOKEN };
        // Whoever has it, whatever else they know.
        let stolen = CodeExchange { verifier: "x", client: ClientId::new([8; 16]), ..claim(&code) };
        assert_eq!(codes.spend(&stolen, TokenId::new(6)), again);
        assert!(codes.was_spent_again(&code));
    }

    #[test]
    fn a_code_is_for_one_client_one_verifier_and_one_address() {
        let (codes, _) = codes();
        let code = codes.issue(consent(true)).unwrap();
        let good = CodeExchange { redirect_uri: Some("https://ropes.example/"), ..claim(&code) };
        let other = "A".repeat(43);
        for bad in [
            CodeExchange { client: ClientId::new([8; 16]), ..good.clone() },
            CodeExchange { verifier: &other, ..good.clone() },
            CodeExchange { verifier: "", ..good.clone() },
            CodeExchange { redirect_uri: None, ..good.clone() },
            CodeExchange { redirect_uri: Some("https://ropes.example"), ..good.clone() },
            CodeExchange { code: &other, ..good.clone() },
        ] {
            assert_eq!(codes.spend(&bad, TOKEN), Spending::Bad, "{bad:?}");
        }
        assert!(matches!(codes.spend(&good, TOKEN), Spending::Good(_)));
    }

    #[test]
    fn a_code_lives_for_two_minutes() {
        let (codes, clock) = codes();
        let (early, late) =
            (codes.issue(consent(false)).unwrap(), codes.issue(consent(false)).unwrap());
        clock.pass(119_999);
        assert!(matches!(codes.spend(&claim(&early), TOKEN), Spending::Good(_)));
        clock.pass(1);
        assert_eq!(codes.spend(&claim(&late), TOKEN), Spending::Bad);
    }

    #[test]
    fn a_challenge_is_a_sha_256() {
        assert!(Challenge::parse(CHALLENGE).is_some());
        for text in ["", "short", VERIFIER.trim_end_matches('k'), &format!("{CHALLENGE}=")] {
            assert!(Challenge::parse(text).is_none(), "{text:?}");
        }
        assert!(!Challenge::parse(CHALLENGE).unwrap().fits(CHALLENGE));
    }
}
