//! Authorization codes (RFC 6749, section 4.1; RFC 7636): a user's consent on its way from the
//! browser to the application.
//!
//! A code is the sealed consent itself: the server stores nothing of it, and every node can read
//! it. That it was spent is recorded in the journal, together with the token that it gave
//! (`actors/user/tokens.rs`).

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::first_answers::Hashing;
use crate::seal::SealKey;
use base::clock::Clock;
use base::random::random;
use domain::first_answer::AskKey;
use domain::ids::{ClientId, UserId};
use domain::scopes::ScopeSet;
use domain::time::Timestamp;

/// How long a code can be spent, in milliseconds (RFC 6749 recommends at most ten minutes).
const LIFE_MILLIS: u64 = 120_000;
/// How long a code is still recognized after that, so that spending it again revokes the token that
/// it gave. In milliseconds.
const MEMORY_MILLIS: u64 = 600_000;
const PURPOSE: &str = "code";

/// SHA-256 of the code verifier, sent by the application in its authorization request (RFC 7636,
/// section 4.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge([u8; 32]);

impl Challenge {
    /// Parses the parameter `code_challenge`.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        Some(Self(bytes.try_into().ok()?))
    }

    /// Whether this is the verifier of the challenge, in the form of RFC 7636, section 4.1.
    fn fits(&self, verifier: &str) -> bool {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        (43..=128).contains(&verifier.len())
            && verifier.bytes().all(is_plain)
            && self.0 == <[u8; 32]>::from(Sha256::digest(verifier.as_bytes()))
    }
}

/// The consent of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// The user who consented.
    pub user: UserId,
    /// The hash of the password with which the user logged in.
    pub password: String,
    /// The application that gets the consent.
    pub client: ClientId,
    /// The URL that the user's browser is sent back to.
    pub callback_url: String,
    /// Whether the application named that URL in its request; then it must name it again when it
    /// exchanges the code.
    pub names_callback: bool,
    /// The challenge that only the application that asked can answer.
    pub challenge: Challenge,
    /// The scopes that the user granted; `None` for all of an application.
    pub scopes: Option<ScopeSet>,
}

/// The request of an application to exchange a code for a token.
#[derive(Debug, Clone)]
pub struct CodeExchange<'request> {
    /// The code.
    pub code: &'request str,
    /// The application's client id.
    pub client: ClientId,
    /// The redirect URI that the application names, if it names one.
    pub redirect_uri: Option<&'request str>,
    /// The code verifier, from which the challenge was made.
    pub verifier: &'request str,
}

/// The consent inside a code.
#[derive(Debug, Serialize, Deserialize)]
struct SealedConsent {
    /// A random number, so that every code differs.
    number: u128,
    until: Timestamp,
    user: UserId,
    /// A keyed hash of the password hash.
    password: u128,
    client: ClientId,
    /// SHA-256 of the callback URL.
    callback: [u8; 32],
    names_callback: bool,
    challenge: Challenge,
    #[serde(default)]
    scopes: Option<ScopeSet>,
}

/// A code that an application showed.
#[derive(Debug)]
pub struct CodeShown {
    /// The key under which the journal records that the code was spent.
    pub key: AskKey,
    /// The user who consented.
    pub user: UserId,
    password: u128,
    /// The scopes that the user granted; `None` for all of an application.
    pub scopes: Option<ScopeSet>,
    /// Whether the code can still be spent, and by the application that shows it.
    pub is_good: bool,
}

/// Makes and reads authorization codes.
pub struct Codes {
    clock: Arc<dyn Clock>,
    seal: SealKey,
}

impl Codes {
    /// Makes and reads codes with this key.
    pub fn new(clock: Arc<dyn Clock>, seal: SealKey) -> Self {
        Self { clock, seal }
    }

    /// Makes the code for a consent.
    pub fn issue(&self, consent: &Consent) -> String {
        let now = self.clock.now().wall.millis();
        let sealed = SealedConsent {
            number: u128::from_be_bytes(random()),
            until: Timestamp::from_millis(now + LIFE_MILLIS),
            user: consent.user,
            password: self.seal.mark(PURPOSE, &consent.password),
            client: consent.client,
            callback: digest(&consent.callback_url),
            names_callback: consent.names_callback,
            challenge: consent.challenge.clone(),
            scopes: consent.scopes,
        };
        self.seal.seal(PURPOSE, &sealed)
    }

    /// Reads a code and checks the claim of the application that shows it. `None` if the text is no
    /// code, or expired so long ago that it is no longer recognized.
    pub fn read(&self, claim: &CodeExchange<'_>) -> Option<CodeShown> {
        let sealed: SealedConsent = self.seal.open(PURPOSE, claim.code)?;
        let now = self.clock.now().wall;
        if now.millis() >= sealed.until.millis() + MEMORY_MILLIS {
            return None;
        }
        let key = AskKey::new(Hashing::new().part(b"code").part(claim.code.as_bytes()).finish());
        let is_good = now < sealed.until && sealed.covers(claim);
        let SealedConsent { user, password, scopes, .. } = sealed;
        Some(CodeShown { key, user, password, scopes, is_good })
    }

    /// Whether this is the password hash with which the user consented, so that the password is
    /// unchanged since.
    pub fn was_made_with_password(&self, shown: &CodeShown, password: &str) -> bool {
        self.seal.mark(PURPOSE, password) == shown.password
    }
}

impl SealedConsent {
    fn covers(&self, claim: &CodeExchange<'_>) -> bool {
        let names_the_same = match claim.redirect_uri {
            Some(named) => digest(named) == self.callback,
            None => !self.names_callback,
        };
        self.client == claim.client && names_the_same && self.challenge.fits(claim.verifier)
    }
}

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::clock::ManualClock;

    // RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    const CLIENT: ClientId = ClientId::new([7; 16]);

    fn codes() -> (Codes, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1)));
        (Codes::new(Arc::clone(&clock) as Arc<dyn Clock>, SealKey::fresh()), clock)
    }

    fn consent(names_callback: bool) -> Consent {
        Consent {
            user: UserId::new(1),
            password: "hash".to_owned(),
            client: CLIENT,
            callback_url: "https://ropes.example/".to_owned(),
            names_callback,
            challenge: Challenge::parse(CHALLENGE).unwrap(),
            scopes: None,
        }
    }

    fn claim(code: &str) -> CodeExchange<'_> {
        CodeExchange { code, client: CLIENT, redirect_uri: None, verifier: VERIFIER }
    }

    #[test]
    fn another_node_reads_a_code_and_nobody_can_make_one() {
        let (codes, clock) = codes();
        let code = codes.issue(&consent(false));
        let other = Codes::new(Arc::clone(&clock) as Arc<dyn Clock>, codes.seal.clone());
        let (here, there) =
            (codes.read(&claim(&code)).unwrap(), other.read(&claim(&code)).unwrap());
        assert!(here.is_good && there.is_good);
        assert_eq!((here.key, here.user), (there.key, UserId::new(1)));
        assert!(
            other.was_made_with_password(&there, "hash")
                && !other.was_made_with_password(&there, "another")
        );
        assert_ne!(codes.issue(&consent(false)), code, "each is another");
        let foreign = Codes::new(clock, SealKey::fresh());
        assert!(foreign.read(&claim(&code)).is_none());
    }

    #[test]
    fn a_code_is_for_one_client_one_verifier_and_one_address() {
        let (codes, _) = codes();
        let code = codes.issue(&consent(true));
        let good = CodeExchange { redirect_uri: Some("https://ropes.example/"), ..claim(&code) };
        let other = "A".repeat(43);
        for bad in [
            CodeExchange { client: ClientId::new([8; 16]), ..good.clone() },
            CodeExchange { verifier: &other, ..good.clone() },
            CodeExchange { verifier: "", ..good.clone() },
            CodeExchange { redirect_uri: None, ..good.clone() },
            CodeExchange { redirect_uri: Some("https://ropes.example"), ..good.clone() },
        ] {
            assert!(!codes.read(&bad).unwrap().is_good, "{bad:?}");
        }
        assert!(codes.read(&CodeExchange { code: &other, ..good.clone() }).is_none());
        assert!(codes.read(&good).unwrap().is_good);
    }

    #[test]
    fn code_is_valid_2_minutes_and_remembered_10_more() {
        let (codes, clock) = codes();
        let code = codes.issue(&consent(false));
        clock.pass(119_999);
        assert!(codes.read(&claim(&code)).unwrap().is_good);
        clock.pass(1);
        assert!(!codes.read(&claim(&code)).unwrap().is_good);
        clock.pass(MEMORY_MILLIS);
        assert!(codes.read(&claim(&code)).is_none());
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
