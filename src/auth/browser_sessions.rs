//! Browser sessions: browsers that logged in on the page that asks for consent, for some minutes;
//! and the CSRF tokens on that page's forms.
//!
//! A CSRF token proves that this server made the form, recently, for this browser and for this
//! request. A page of another site can send a form here, but not one with a valid CSRF token.
//!
//! Both are sealed values that the browser holds, so that every node can read them.

use std::sync::Arc;

use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};

use crate::access_token::AccessToken;
use crate::accounts::LoginAccount;
use crate::seal::SealKey;
use base::clock::Clock;
use domain::ids::UserId;
use domain::time::Timestamp;

/// How long a browser stays logged in, in milliseconds.
const BROWSER_SESSION_MILLIS: u64 = 15 * 60 * 1000;
/// How long a form may stay open, in milliseconds.
const FORM_MILLIS: u64 = 60 * 60 * 1000;
/// Length of a browser's name, in characters.
const NAME_LENGTH: usize = AccessToken::LENGTH;
/// The longest cookie that is read, in characters.
const LONGEST: usize = 512;
/// Ended sessions that are remembered. Each was begun with a password less than
/// [`BROWSER_SESSION_MILLIS`] before.
const ENDED: usize = 16_384;
const SESSION: &str = "session";
const FORM: &str = "form";

/// The random name of a browser, kept in its cookie, and the session of the user who logged in
/// there, if one did.
#[derive(Clone, PartialEq, Eq)]
pub struct BrowserId {
    name: String,
    /// A sealed [`BrowserSession`].
    session: Option<String>,
}

impl BrowserId {
    /// A browser with a random name and without a session.
    pub fn fresh() -> Self {
        Self { name: AccessToken::fresh().reveal().to_owned(), session: None }
    }

    /// Parses a cookie. `None` if it has not the form of one.
    pub fn parse(text: &str) -> Option<Self> {
        let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let (name, session) = match text.split_once('.') {
            Some((name, session)) => (name, Some(session)),
            None => (text, None),
        };
        let all = name.bytes().chain(session.unwrap_or_default().bytes()).all(is_sign);
        let is_one = text.len() <= LONGEST && name.len() == NAME_LENGTH && all;
        is_one.then(|| Self { name: name.to_owned(), session: session.map(str::to_owned) })
    }

    /// The text of the cookie.
    pub fn reveal(&self) -> String {
        match &self.session {
            Some(session) => format!("{}.{session}", self.name),
            None => self.name.clone(),
        }
    }
}

/// The user who logged in, and until when.
#[derive(Debug, Serialize, Deserialize)]
struct BrowserSession {
    browser: String,
    user: UserId,
    /// A keyed hash of the password hash, which changes with the password.
    password: u128,
    until: Timestamp,
}

/// The scope in which a form is valid.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FormSeal {
    until: Timestamp,
    /// A keyed hash of the browser's name and the subject of the form.
    form: u128,
}

/// A user who is logged in in a browser.
#[derive(Debug, Clone, Copy)]
pub struct LoggedInBrowser {
    /// The user's id.
    pub user: UserId,
    password: u128,
}

/// Makes and reads browser sessions and CSRF tokens.
pub struct BrowserSessions {
    clock: Arc<dyn Clock>,
    seal: SealKey,
    /// Names of browsers whose session was ended before its time. Each node knows its own.
    ended: Cache<String, ()>,
}

impl BrowserSessions {
    /// Seals with this key. What another key sealed is not accepted.
    pub fn new(clock: Arc<dyn Clock>, seal: SealKey) -> Self {
        Self { clock, seal, ended: Cache::new(ENDED) }
    }

    /// Ends the session of this browser: a copy of its cookie is worth nothing from then on.
    pub fn end(&self, browser: &BrowserId) {
        self.ended.insert(browser.name.clone(), ());
    }

    fn after(&self, millis: u64) -> Timestamp {
        Timestamp::from_millis(self.clock.now().wall.millis().saturating_add(millis))
    }

    /// Starts a session after a user showed the password. The browser gets a fresh name, since the
    /// old one may have been planted by an attacker (session fixation).
    pub fn begin(&self, account: &LoginAccount) -> BrowserId {
        let browser = BrowserId::fresh();
        let session = BrowserSession {
            browser: browser.name.clone(),
            user: account.user,
            password: self.seal.mark(SESSION, &account.password),
            until: self.after(BROWSER_SESSION_MILLIS),
        };
        BrowserId { session: Some(self.seal.seal(SESSION, &session)), ..browser }
    }

    /// Returns the user who is logged in in this browser. The caller has to check with
    /// [`Self::was_made_with_password`] that the password is still the same.
    pub fn of(&self, browser: &BrowserId) -> Option<LoggedInBrowser> {
        let session: BrowserSession = self.seal.open(SESSION, browser.session.as_ref()?)?;
        let BrowserSession { browser: name, user, password, until } = session;
        let is_young = self.clock.now().wall < until;
        let has_ended = self.ended.get(&name).is_some();
        (is_young && !has_ended && name == browser.name)
            .then_some(LoggedInBrowser { user, password })
    }

    /// Whether this is the password hash with which the user logged in.
    pub fn was_made_with_password(&self, browser: &LoggedInBrowser, password: &str) -> bool {
        self.seal.mark(SESSION, password) == browser.password
    }

    /// Makes a CSRF token for a form in this browser that is about `subject`.
    pub fn csrf_token(&self, browser: &BrowserId, subject: &str) -> String {
        let form = FormSeal { until: self.after(FORM_MILLIS), form: self.form(browser, subject) };
        self.seal.seal(FORM, &form)
    }

    /// Whether this CSRF token was made here for this browser and subject, at most an hour ago.
    pub fn accepts(&self, csrf_token: &str, browser: &BrowserId, subject: &str) -> bool {
        let Some(FormSeal { until, form }) = self.seal.open(FORM, csrf_token) else { return false };
        self.clock.now().wall < until && form == self.form(browser, subject)
    }

    /// Hashes the browser's name and the subject. Names have a fixed length, so no character can
    /// move from one to the other.
    fn form(&self, browser: &BrowserId, subject: &str) -> u128 {
        self.seal.mark(FORM, &format!("{}{subject}", browser.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::clock::ManualClock;
    use domain::factors::Factors;
    use domain::identities::Identities;
    use domain::text::{Email, UserName};

    fn sessions(clock: &Arc<ManualClock>, key: &SealKey) -> BrowserSessions {
        BrowserSessions::new(Arc::clone(clock) as Arc<dyn Clock>, key.clone())
    }

    #[test]
    fn a_csrf_token_is_for_one_browser_one_form_and_an_hour() {
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1)));
        let key = SealKey::fresh();
        let mine = BrowserId::fresh();
        let other = BrowserId::fresh();
        let here = sessions(&clock, &key);
        let there = sessions(&clock, &key);
        let csrf_token = here.csrf_token(&mine, "a");
        assert!(here.accepts(&csrf_token, &mine, "a") && there.accepts(&csrf_token, &mine, "a"));
        assert!(!here.accepts(&csrf_token, &other, "a"));
        assert!(!here.accepts(&csrf_token, &mine, "b"));
        assert!(!here.accepts("", &mine, "a"));
        let later = sessions(&clock, &SealKey::fresh());
        assert!(!later.accepts(&csrf_token, &mine, "a"), "another start of the server");
        clock.pass(FORM_MILLIS);
        assert!(!here.accepts(&csrf_token, &mine, "a"));
    }

    #[test]
    fn browser_session_is_valid_at_every_node_for_15_minutes() {
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1)));
        let key = SealKey::fresh();
        let here = sessions(&clock, &key);
        let there = sessions(&clock, &key);
        let account = LoginAccount {
            user: UserId::new(7),
            name: UserName::parse("Ana".to_owned()).unwrap(),
            email: Email::parse("ana@example.org").unwrap(),
            password: "hash".to_owned(),
            factors: Factors::default(),
            identities: Identities::default(),
            is_confirmed: false,
            recovered_by_operator: None,
            awaits_identity: false,
            needs_factor: false,
        };
        let browser = BrowserId::parse(&here.begin(&account).reveal()).unwrap();
        let known = there.of(&browser).unwrap();
        assert_eq!(known.user, account.user);
        assert!(
            there.was_made_with_password(&known, "hash")
                && !there.was_made_with_password(&known, "another")
        );
        let stolen = BrowserId { session: browser.session.clone(), ..BrowserId::fresh() };
        assert!(here.of(&stolen).is_none(), "it is for one name");
        assert!(here.of(&BrowserId::fresh()).is_none());
        assert!(sessions(&clock, &SealKey::fresh()).of(&browser).is_none());
        clock.pass(BROWSER_SESSION_MILLIS);
        assert!(here.of(&browser).is_none());
    }

    #[test]
    fn a_cookie_holds_a_name_or_nothing() {
        let browser = BrowserId::fresh();
        assert!(BrowserId::parse(&browser.reveal()).is_some_and(|it| it == browser));
        for text in ["", "x", &"=".repeat(NAME_LENGTH), &"a".repeat(NAME_LENGTH + 1)] {
            assert!(BrowserId::parse(text).is_none(), "{text}");
        }
    }
}
