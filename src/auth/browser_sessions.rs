//! Browser sessions: browsers that logged in on the page that asks for consent, for some minutes;
//! and the CSRF tokens on that page's forms.
//!
//! A CSRF token says: this server made this form, lately, for this browser and for this
//! request. A page of somebody else can send a form here, but not one with a CSRF token.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use quick_cache::sync::Cache;
use sha2::Sha256;

use crate::auth::access_token::{AccessToken, hash};
use crate::auth::accounts::LoginAccount;
use crate::clock::Clock;
use crate::domain::time::Monotonic;
use crate::domain::user::TokenHash;

/// How long a browser stays logged in.
const BROWSER_SESSION_MILLIS: u64 = 15 * 60 * 1000;
/// How long a form may stay open.
const FORM_MILLIS: u64 = 60 * 60 * 1000;
/// Browser sessions at the same time; the least recent ends first.
const REMEMBERED: usize = 16_384;
/// Signs of a browser's name.
const NAME_SIGNS: usize = AccessToken::SIGNS;

/// What a browser is called, in its cookie.
#[derive(Clone, PartialEq, Eq)]
pub struct BrowserId(String);

impl BrowserId {
    /// A name that nobody can guess.
    pub fn fresh() -> Self {
        Self(AccessToken::fresh().reveal().to_owned())
    }

    /// The name that a cookie holds.
    pub fn parse(text: &str) -> Option<Self> {
        let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let is_name = text.len() == NAME_SIGNS && text.bytes().all(is_sign);
        is_name.then(|| Self(text.to_owned()))
    }

    /// The name, for the cookie.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// Who logged in, and until when they are.
#[derive(Debug, Clone)]
struct BrowserSession {
    account: LoginAccount,
    until: Monotonic,
}

/// Browsers that logged in lately.
pub struct BrowserSessions {
    clock: Arc<dyn Clock>,
    key: [u8; 32],
    known: Cache<TokenHash, BrowserSession>,
}

impl BrowserSessions {
    /// Nobody is here. The CSRF tokens of an earlier start are worth nothing.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let mut key = [0; 32];
        getrandom::fill(&mut key).expect("the operating system always has random bytes");
        Self { clock, key, known: Cache::new(REMEMBERED) }
    }

    /// Somebody showed their password in this browser. Give it a fresh name first: nobody
    /// may have chosen it for them.
    pub fn begin(&self, browser: &BrowserId, account: LoginAccount) {
        let until = self.clock.now().mono.plus_millis(BROWSER_SESSION_MILLIS);
        self.known.insert(hash(&browser.0), BrowserSession { account, until });
    }

    /// Who is logged in here, as they were when they came: whether their password is
    /// still the same, the asker has to see.
    pub fn of(&self, browser: &BrowserId) -> Option<LoginAccount> {
        let browser_session = self.known.get(&hash(&browser.0))?;
        (self.clock.now().mono < browser_session.until).then_some(browser_session.account)
    }

    /// They go.
    pub fn end(&self, browser: &BrowserId) {
        self.known.remove(&hash(&browser.0));
    }

    /// A CSRF token for a form in this browser that is about `subject`.
    pub fn csrf_token(&self, browser: &BrowserId, subject: &str) -> String {
        let until = self.clock.now().mono.plus_millis(FORM_MILLIS).millis().to_be_bytes();
        let mut csrf_token = until.to_vec();
        csrf_token.extend_from_slice(&self.mac(until, browser, subject).finalize().into_bytes());
        URL_SAFE_NO_PAD.encode(csrf_token)
    }

    /// Whether this CSRF token is from here, not too old, and for such a form.
    pub fn accepts(&self, csrf_token: &str, browser: &BrowserId, subject: &str) -> bool {
        let Ok(bytes) = URL_SAFE_NO_PAD.decode(csrf_token) else { return false };
        let Some((until, mac)) = bytes.split_first_chunk::<8>() else { return false };
        let is_young = self.clock.now().mono.millis() < u64::from_be_bytes(*until);
        is_young && self.mac(*until, browser, subject).verify_slice(mac).is_ok()
    }

    fn mac(&self, until: [u8; 8], browser: &BrowserId, subject: &str) -> Hmac<Sha256> {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.key).expect("HMAC takes keys of any length");
        // Time and name have fixed lengths, so nothing can move between the three.
        mac.update(&until);
        mac.update(browser.0.as_bytes());
        mac.update(subject.as_bytes());
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;
    use crate::domain::time::Timestamp;

    #[test]
    fn a_csrf_token_is_for_one_browser_one_form_and_an_hour() {
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1)));
        let browser_sessions = BrowserSessions::new(Arc::clone(&clock) as Arc<dyn Clock>);
        let (mine, other) = (BrowserId::fresh(), BrowserId::fresh());
        let csrf_token = browser_sessions.csrf_token(&mine, "a");
        assert!(browser_sessions.accepts(&csrf_token, &mine, "a"));
        assert!(!browser_sessions.accepts(&csrf_token, &other, "a"));
        assert!(!browser_sessions.accepts(&csrf_token, &mine, "b"));
        assert!(!browser_sessions.accepts("", &mine, "a"));
        let later = BrowserSessions::new(Arc::clone(&clock) as Arc<dyn Clock>);
        assert!(!later.accepts(&csrf_token, &mine, "a"), "another start of the server");
        let mut longer = URL_SAFE_NO_PAD.decode(&csrf_token).unwrap();
        longer[0] = 1;
        assert!(!browser_sessions.accepts(&URL_SAFE_NO_PAD.encode(longer), &mine, "a"));
        clock.pass(FORM_MILLIS);
        assert!(!browser_sessions.accepts(&csrf_token, &mine, "a"));
    }

    #[test]
    fn a_cookie_holds_a_name_or_nothing() {
        let browser = BrowserId::fresh();
        assert!(BrowserId::parse(browser.reveal()).is_some_and(|it| it == browser));
        for text in ["", "x", &"=".repeat(NAME_SIGNS), &"a".repeat(NAME_SIGNS + 1)] {
            assert!(BrowserId::parse(text).is_none(), "{text}");
        }
    }
}
