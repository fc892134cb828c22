//! The state of a log-in through a provider while its browser is away.
//!
//! The state travels with the browser, sealed, so that any node finishes the log-in. Nonce and
//! verifier are computed from its random id with the key of the installation: a reader of the
//! state does not know them. The result waits, encrypted, for the page that uses it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::oidc::claims::ProviderUser;
use crate::seal::SealKey;
use crate::secrets::SecretsKey;
use base::clock::Clock;
use base::msgpack;
use base::random::random;
use domain::first_answer::AskKey;
use domain::identities::Identity;
use domain::ids::{TokenId, UserId};
use domain::time::Timestamp;

/// How long a browser may be away, in milliseconds.
const AWAY_MILLIS: u64 = 15 * 60 * 1000;
/// How long a result waits for its page, in milliseconds: the page may ask for a password.
const RESULT_MILLIS: u64 = 10 * 60 * 1000;
/// The longest address in this server to which a browser comes back, in bytes.
const RETURN_BYTES: usize = 1_500;
/// The longest encrypted ID token that a browser keeps, in bytes: cookies have at most 4,096.
const HINT_BYTES: usize = 3_800;
/// Length of the name of a browser.
const BROWSER_CHARS: usize = 32;

/// What a log-in at the provider is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// To log in.
    LogIn,
    /// To link the identity to the account of this token.
    Link(OwnToken),
    /// To prove who the user of this token is.
    Prove(OwnToken),
}

/// A token, and its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnToken {
    /// The user.
    pub user: UserId,
    /// The token.
    pub token: TokenId,
}

/// A log-in whose browser is away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Away {
    id: u128,
    provider: String,
    browser: u128,
    /// The path in this server to which the browser comes back.
    pub back: String,
    /// What the log-in is for.
    pub purpose: Purpose,
    until: Timestamp,
}

/// The request to the provider.
#[derive(Debug, Clone)]
pub struct Request {
    /// The sealed state.
    pub state: String,
    /// The nonce that the ID token must have.
    pub nonce: String,
    /// The secret of PKCE.
    pub verifier: String,
    /// Whether the user must log in again.
    pub is_fresh: bool,
}

/// The result of a log-in at a provider, which waits for its page.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Arrival {
    id: u128,
    browser: u128,
    until: Timestamp,
    /// The provider.
    pub provider: String,
    /// The identity.
    pub identity: Identity,
    /// The provider's name for the session.
    pub session: Option<String>,
    /// The email address.
    pub email: Option<String>,
    /// Whether the provider checked the address.
    pub is_email_verified: bool,
    /// The name.
    pub name: Option<String>,
    /// Whether the user is in the group of admins; `None` if there is no such group.
    pub is_operator: Option<bool>,
    /// Whether the user is in the group of those who are no guests; `None` if there is no such group.
    #[serde(default)]
    pub is_insider: Option<bool>,
}

/// What the groups of a user at a provider decide; `None` where the provider has no such group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// Whether the user is in the group of admins.
    pub is_operator: Option<bool>,
    /// Whether the user is in the group of those who are no guests.
    pub is_insider: Option<bool>,
}

impl Arrival {
    /// The key under which the token for this result is issued, once.
    pub const fn key(&self) -> AskKey {
        AskKey::new(self.id)
    }
}

/// Makes and reads states and results.
pub struct Flows {
    clock: Arc<dyn Clock>,
    seal: SealKey,
    secrets: SecretsKey,
}

/// The name of a browser, from its cookie, or a fresh one.
pub fn browser_name(cookie: Option<&str>) -> String {
    let is_name = |text: &&str| {
        text.len() == BROWSER_CHARS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let known = cookie.filter(is_name).map(str::to_owned);
    known.unwrap_or_else(|| format!("{:032x}", u128::from_be_bytes(random())))
}

/// The path in this server to which a browser comes back; `None` if the text leads elsewhere.
pub fn own_path(text: &str) -> Option<String> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let is_own = text.starts_with('/') && !text.starts_with("//");
    // Browsers take the path apart once more.
    let base = url::Url::parse("https://own.invalid/").ok()?;
    let joined = base.join(text).ok().filter(|url| url.origin() == base.origin());
    let is_short = text.len() <= RETURN_BYTES;
    (is_plain && is_own && is_short && joined.is_some()).then(|| text.to_owned())
}

impl Flows {
    /// Seals with these keys.
    pub fn new(clock: Arc<dyn Clock>, seal: SealKey, secrets: SecretsKey) -> Self {
        Self { clock, seal, secrets }
    }

    fn after(&self, millis: u64) -> Timestamp {
        self.clock.now().wall.plus_millis(millis)
    }

    fn browser(&self, name: &str) -> u128 {
        self.seal.mark("oidc browser", name)
    }

    fn secret(&self, purpose: &str, id: u128) -> String {
        let half = |part: &str| self.seal.mark(purpose, &format!("{part}{id:032x}"));
        format!("{:032x}{:032x}", half("a"), half("b"))
    }

    /// Begins a log-in.
    pub fn begin(&self, provider: &str, browser: &str, back: String, purpose: Purpose) -> Request {
        let away = Away {
            id: u128::from_be_bytes(random()),
            provider: provider.to_owned(),
            browser: self.browser(browser),
            back,
            purpose,
            until: self.after(AWAY_MILLIS),
        };
        Request {
            state: self.seal.seal("oidc state", &away),
            nonce: self.nonce(&away),
            verifier: self.verifier(&away),
            is_fresh: away.is_fresh(),
        }
    }

    /// The log-in to which a browser comes back from a provider; `None` if the state is another
    /// browser's or provider's, or too old.
    pub fn back(&self, state: &str, provider: &str, browser: &str) -> Option<Away> {
        let away: Away = self.seal.open("oidc state", state)?;
        let is_same = away.provider == provider && away.browser == self.browser(browser);
        (is_same && self.clock.now().wall < away.until).then_some(away)
    }

    /// The nonce of a log-in.
    pub fn nonce(&self, away: &Away) -> String {
        self.secret("oidc nonce", away.id)
    }

    /// The secret of PKCE of a log-in.
    pub fn verifier(&self, away: &Away) -> String {
        self.secret("oidc verifier", away.id)
    }

    /// The result of a log-in, for its page.
    pub fn arrival(&self, away: &Away, user: ProviderUser, standing: Standing) -> Arrival {
        Arrival {
            id: away.id,
            browser: away.browser,
            until: self.after(RESULT_MILLIS),
            provider: away.provider.clone(),
            identity: user.identity,
            session: user.session,
            email: user.email,
            is_email_verified: user.is_email_verified,
            name: user.name,
            is_operator: standing.is_operator,
            is_insider: standing.is_insider,
        }
    }

    /// Encrypts a result for its page.
    pub fn hand_over(&self, arrival: &Arrival) -> String {
        let bytes = msgpack::to_vec(arrival).expect("plain values are always written");
        self.secrets.encrypt("oidc arrival", &bytes)
    }

    /// The result that a page brings; `None` if it is another browser's or too old.
    pub fn taken_over(&self, code: &str, browser: &str) -> Option<Arrival> {
        let bytes = self.secrets.decrypt("oidc arrival", code)?;
        let arrival: Arrival = msgpack::from_slice(&bytes).ok()?;
        let is_same = arrival.browser == self.browser(browser);
        (is_same && self.clock.now().wall < arrival.until).then_some(arrival)
    }
}

impl Flows {
    /// Encrypts the ID token of a log-in, for the browser to keep until its log-out; `None` if it is
    /// too long for a cookie.
    pub fn logout_hint(&self, provider: &str, id_token: &str) -> Option<String> {
        let bytes =
            msgpack::to_vec(&(provider, id_token)).expect("plain values are always written");
        let hint = self.secrets.encrypt("oidc logout hint", &bytes);
        (hint.len() <= HINT_BYTES).then_some(hint)
    }

    /// The ID token of a log-in through this provider that a browser kept.
    pub fn hinted_id_token(&self, provider: &str, hint: &str) -> Option<String> {
        let bytes = self.secrets.decrypt("oidc logout hint", hint)?;
        let (named, id_token): (String, String) = msgpack::from_slice(&bytes).ok()?;
        (named == provider).then_some(id_token)
    }
}

impl Away {
    /// Whether the user must log in at the provider again.
    pub const fn is_fresh(&self) -> bool {
        matches!(self.purpose, Purpose::Prove(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::clock::ManualClock;

    #[test]
    fn browser_comes_back_to_paths_of_this_server() {
        for path in
            ["/", "/#/account", "/admin", "/join_group/1/abc", "/oauth/authorize?client_id=1&a=%2F"]
        {
            assert_eq!(own_path(path).as_deref(), Some(path));
        }
        for path in [
            "",
            "admin",
            "//evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "https://evil.example/",
            "javascript:alert(1)",
            "/\t/evil.example",
            "/a\r\nb",
            &format!("/{}", "a".repeat(RETURN_BYTES)),
        ] {
            assert_eq!(own_path(path), None, "{path:?}");
        }
    }

    #[test]
    fn kept_id_token_is_for_one_provider() {
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1)));
        let folder = tempfile::tempdir().unwrap();
        let secrets = SecretsKey::read_or_make(&folder.path().join("secrets.key")).unwrap();
        let flows = Flows::new(clock, SealKey::fresh(), secrets);
        let hint = flows.logout_hint("sso", "e30.e30.c2ln").unwrap();
        assert!(!hint.contains("e30"));
        assert_eq!(flows.hinted_id_token("sso", &hint).as_deref(), Some("e30.e30.c2ln"));
        assert_eq!(flows.hinted_id_token("other", &hint), None);
        assert_eq!(flows.hinted_id_token("sso", "x"), None);
        assert_eq!(flows.logout_hint("sso", &"a".repeat(HINT_BYTES)), None);
    }

    #[test]
    fn state_is_for_one_browser_and_provider_and_a_quarter_of_an_hour() {
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1)));
        let folder = tempfile::tempdir().unwrap();
        let secrets = SecretsKey::read_or_make(&folder.path().join("secrets.key")).unwrap();
        let flows =
            Flows::new(Arc::clone(&clock) as Arc<dyn Clock>, SealKey::fresh(), secrets.clone());
        let browser = browser_name(None);
        assert_eq!(browser_name(Some(&browser)), browser);
        assert_ne!(browser_name(Some("short")), "short");
        let request = flows.begin("sso", &browser, "/".to_owned(), Purpose::LogIn);
        let away = flows.back(&request.state, "sso", &browser).unwrap();
        assert_eq!(flows.nonce(&away), request.nonce);
        assert_eq!(flows.verifier(&away), request.verifier);
        assert!(request.verifier.len() >= 43 && request.verifier != request.nonce);
        assert_eq!(flows.back(&request.state, "other", &browser), None);
        assert_eq!(flows.back(&request.state, "sso", &browser_name(None)), None);
        let other = Flows::new(Arc::clone(&clock) as Arc<dyn Clock>, SealKey::fresh(), secrets);
        assert_eq!(other.back(&request.state, "sso", &browser), None);
        clock.pass(AWAY_MILLIS);
        assert_eq!(flows.back(&request.state, "sso", &browser), None);
    }
}
