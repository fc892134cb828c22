//! Applications: programs that ask users for tokens, and the URLs that browsers are sent back to.
//!
//! An application belongs to the user who registered it. It has no secret: it is identified by the
//! one URL to which it may have browsers sent back.

use core::net::{Ipv4Addr, Ipv6Addr};

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::ids::ClientId;
use crate::limits::{APPLICATION_NAME_CHARS, APPLICATIONS, CALLBACK_URL_CHARS};
use crate::scopes::ScopeSet;
use crate::text::{LineText, TextError, at_most};
use crate::time::Timestamp;
use crate::user::{User, UserFact};
use crate::visible::{breaks_line, is_ignorable};

/// The name of an application on the page that asks for consent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ApplicationName(String);

impl ApplicationName {
    /// Trims and checks a name. Users judge an application by its name, so apart from joiners and
    /// selectors it has no invisible characters.
    ///
    /// # Errors
    /// If the name is no visible line, too long or has invisible characters.
    pub fn parse(raw: &str) -> Result<Self, TextError> {
        let name = raw.trim().to_owned();
        let is_hidden =
            |sign: char| breaks_line(sign) || (is_ignorable(sign) && !is_part_of_words(sign));
        if name.chars().any(is_hidden) {
            return Err(TextError::Form("must not have invisible characters"));
        }
        LineText::parse(name, APPLICATION_NAME_CHARS).map(|name| Self(name.into()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Joiners and selectors, which belong to words and emoji. Tags are left out: they can hide text.
const fn is_part_of_words(sign: char) -> bool {
    matches!(sign, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// The URL that browsers are sent back to: https, http on a loopback host, or a private-use scheme of
/// a native application (RFC 8252, section 7.1). Stored as registered, without the blanks around it;
/// [`as_named`](Self::as_named) compares it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RedirectUrl(String);

impl RedirectUrl {
    /// Parses a URL. Stricter than browsers are, so that no accepted URL can be read in two ways.
    ///
    /// # Errors
    /// If the URL is not of this form, or too long.
    pub fn parse(raw: &str) -> Result<Self, TextError> {
        let raw = at_most(raw.trim().to_owned(), CALLBACK_URL_CHARS)?;
        if raw.contains('#') {
            return Err(TextError::Form("must not have a fragment"));
        }
        if !raw.bytes().all(is_url_sign) {
            return Err(TextError::Form("must be a URL in plain ASCII"));
        }
        let form = TextError::Form("must be an https URL, or http on localhost");
        let (scheme, rest) = raw.split_once(':').ok_or(form.clone())?;
        let (scheme, is_private) = (scheme.to_ascii_lowercase(), is_private_scheme(scheme));
        if is_private && rest.starts_with('/') && !rest.starts_with("//") {
            return Ok(Self(raw));
        }
        let rest = rest.strip_prefix("//").ok_or(form.clone())?;
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(TextError::Form("must not have credentials"));
        }
        let host = host_of(authority).ok_or(form.clone())?;
        match scheme.as_str() {
            "https" => Ok(Self(raw)),
            "http" if is_loopback(host) => Ok(Self(raw)),
            _ if is_private => Ok(Self(raw)),
            _ => Err(form),
        }
    }

    /// The URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Scheme, host and port, by which a user can judge the URL.
    pub fn origin(&self) -> &str {
        let start = self.0.find("://").map_or(0, |at| at + 3);
        let end = self.0[start..].find(['/', '?']).map_or(self.0.len(), |at| start + at);
        &self.0[..end]
    }

    /// This URL as a request names it: exactly (RFC 9700, section 2.1), but for the port of a loopback
    /// address, since an application on the user's machine takes whatever port is free (RFC 8252,
    /// section 7.3).
    pub fn as_named(&self, named: &str) -> Option<Self> {
        if named == self.0 {
            return Some(self.clone());
        }
        let named = Self::parse(named).ok()?;
        let is_same = self.around_port()? == named.around_port()?;
        is_same.then_some(named)
    }

    /// Address and path of an http URL whose host is a loopback address, without its port.
    fn around_port(&self) -> Option<(&str, &str)> {
        let (_, rest) = self.0.split_once("://").filter(|_| self.is_http())?;
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let host = host_of(authority).filter(|host| !host.eq_ignore_ascii_case("localhost"))?;
        Some((host, path))
    }

    /// Whether the URL is http, which is only allowed on a loopback host: the browser's own
    /// machine.
    pub fn is_http(&self) -> bool {
        self.scheme().eq_ignore_ascii_case("http")
    }

    /// Whether the scheme belongs to a native application. Any other program of the device may
    /// claim the same scheme, so a token must not travel in the URL (RFC 8252, section 8.1).
    pub fn is_private(&self) -> bool {
        is_private_scheme(self.scheme())
    }

    /// The scheme, as typed.
    pub fn scheme(&self) -> &str {
        self.0.split(':').next().unwrap_or_default()
    }
}

/// Whether a scheme is a domain name in reverse order (RFC 8252, section 7.1): it has a dot, which
/// no scheme that browsers know has.
fn is_private_scheme(scheme: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(is_sign)
        && scheme.split('.').count() > 1
        && scheme.split('.').all(|part| !part.is_empty())
}

/// The characters of a URL by RFC 3986, without `#`: fragments are refused before.
fn is_url_sign(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=%".contains(&byte)
}

/// The host of `host` or `host:port`; `None` if either is malformed.
fn host_of(authority: &str) -> Option<&str> {
    let end = if authority.starts_with('[') {
        authority.find(']')? + 1
    } else {
        authority.find(':').unwrap_or(authority.len())
    };
    let (host, port) = authority.split_at(end);
    let is_port = |port: &str| {
        port.len() <= 5 && port.parse::<u16>().is_ok() && port.bytes().all(|it| it.is_ascii_digit())
    };
    let has_port = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
    let is_address = host
        .strip_prefix('[')
        .and_then(|it| it.strip_suffix(']'))
        .is_some_and(|it| it.parse::<Ipv6Addr>().is_ok());
    let is_name = !host.is_empty()
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    (has_port && (is_address || is_name)).then_some(host)
}

fn is_loopback(host: &str) -> bool {
    let is_v4 = host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback());
    is_v4 || host == "[::1]" || host.eq_ignore_ascii_case("localhost")
}

/// A program that may ask users for tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Application {
    /// The application's client id.
    pub client: ClientId,
    /// The name that users see.
    pub name: ApplicationName,
    /// The URL that browsers are sent back to.
    pub callback_url: RedirectUrl,
    /// When the application was registered.
    pub created_at: Timestamp,
    /// The scopes that it may ask for; `None` if it may ask for all that applications have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<ScopeSet>,
}

impl Application {
    /// The scopes that the application may ask users for.
    pub fn allowed_scopes(&self) -> ScopeSet {
        self.scopes.map_or(ScopeSet::APPLICATION, |it| it.within(ScopeSet::APPLICATION))
    }
}

/// Why an application was not registered or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum ApplicationRefusal {
    /// There is no such account.
    #[error("there is no such user")]
    NoUser,
    /// The application is unknown, or somebody else's.
    #[error("there is no such application")]
    Unknown,
    /// The user has too many applications.
    #[error("a user has at most {APPLICATIONS} applications")]
    Full,
}

impl User {
    /// Registers an application.
    ///
    /// # Errors
    /// If the user has too many applications.
    pub fn register_application(
        &self,
        application: Application,
    ) -> Result<Decision<()>, ApplicationRefusal> {
        if self.applications.len() >= APPLICATIONS {
            return Err(ApplicationRefusal::Full);
        }
        let fact = Fact::User(UserFact::ApplicationRegistered(application));
        Ok(Decision { facts: vec![fact], answer: () })
    }

    /// Removes an application; the same fact revokes every token that was given to it.
    ///
    /// # Errors
    /// If the user has no such application.
    pub fn remove_application(&self, client: ClientId) -> Result<Decision<()>, ApplicationRefusal> {
        if !self.applications.contains_key(&client) {
            return Err(ApplicationRefusal::Unknown);
        }
        let fact = Fact::User(UserFact::ApplicationsRemoved { clients: vec![client] });
        Ok(Decision { facts: vec![fact], answer: () })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_sent_to_https_or_to_their_own_machine() {
        for raw in [
            "https://app.example.org/callback",
            "https://app.example.org:8443/callback?a=b",
            "https://app.example.org",
            "http://localhost:9000/cb",
            "http://127.0.0.1/cb",
            "http://127.9.8.7:1/",
            "http://[::1]:9000/cb",
            "HTTPS://App.example.org/",
            "Http://LocalHost:9000/",
            " https://app.example.org/ ",
            "com.example.app:/oauth",
            "com.example.app:/",
            "Com.Example.App://oauth/back?x=1",
        ] {
            assert!(RedirectUrl::parse(raw).is_ok(), "{raw}");
        }
        for raw in [
            "",
            "app.example.org",
            "http://app.example.org/",
            "http://localhost.example.org/",
            "http://127.0.0.1.example.org/",
            "http://[::2]/",
            "ftp://localhost/",
            "javascript://localhost/%0aalert(1)",
            "https://",
            "javascript:alert(1)",
            "javascript:/alert(1)",
            "data:/x",
            "com.example.app:oauth",
            "com.example.app:",
            ".app:/oauth",
            "com..app:/oauth",
            "1.app:/oauth",
            "app:/oauth",
            "com.example.app://user@oauth/",
            "https:///path",
            "https://:80/",
            "https://app.example.org:99999/",
            "https://app.example.org:/",
            "https://app.example.org:+1/",
            "https://user@app.example.org/",
            "https://user:secret@app.example.org/",
            "https://app.example.org/#part",
            "https://app.example.org\\@evil.example/",
            "https://app.example.org/a b",
            "https://app.example.org/\r\nSet-Cookie: a=b",
            "https://exämple.org/",
            "http://127.1/",
        ] {
            assert!(RedirectUrl::parse(raw).is_err(), "{raw}");
        }
        assert!(RedirectUrl::parse(&format!("https://a/{}", "x".repeat(2048))).is_err());
    }

    #[test]
    fn a_person_sees_the_origin() {
        let origin = |raw| RedirectUrl::parse(raw).unwrap().origin().to_owned();
        assert_eq!(origin("https://app.example.org:8443/cb?x=/"), "https://app.example.org:8443");
        assert_eq!(origin("http://localhost?x"), "http://localhost");
        assert_eq!(origin("http://[::1]:9000"), "http://[::1]:9000");
        assert_eq!(origin("com.example.app:/oauth"), "com.example.app:");
    }

    #[test]
    fn the_port_of_a_loopback_address_may_be_any() {
        let named = |registered, named| {
            let registered = RedirectUrl::parse(registered).unwrap();
            registered.as_named(named).map(|url| url.as_str().to_owned())
        };
        for (registered, other) in [
            ("http://127.0.0.1/cb", "http://127.0.0.1:49152/cb"),
            ("http://127.0.0.1:9000/cb?a=b", "http://127.0.0.1/cb?a=b"),
            ("http://[::1]:9000", "http://[::1]:1"),
            ("https://app.example.org/cb", "https://app.example.org/cb"),
            ("com.example.app:/cb", "com.example.app:/cb"),
        ] {
            assert_eq!(named(registered, other).as_deref(), Some(other), "{registered}");
        }
        for (registered, other) in [
            ("http://127.0.0.1:9000/cb", "http://127.0.0.1:9000/cb2"),
            ("https://app.example.org/cb", "https://APP.example.org/cb"),
            ("com.example.app:/cb", "com.example.app:/Cb"),
            ("com.example.app:/cb", "com.example.app2:/cb"),
            ("http://127.0.0.1:9000/cb", "http://127.0.0.2:9000/cb"),
            ("http://127.0.0.1:9000/cb", "http://[::1]:9000/cb"),
            ("http://127.0.0.1:9000/cb", "https://127.0.0.1:9000/cb"),
            ("http://127.0.0.1:9000/cb", "http://127.0.0.1:9000@app.example.org/cb"),
            ("http://127.0.0.1:9000/cb", "http://127.0.0.1:99999/cb"),
            ("http://localhost:9000/cb", "http://localhost:9001/cb"),
            ("https://app.example.org/cb", "https://app.example.org:8443/cb"),
            ("https://127.0.0.1/cb", "https://127.0.0.1:8443/cb"),
        ] {
            assert_eq!(named(registered, other), None, "{registered} {other}");
        }
    }

    #[test]
    fn names_are_one_line_that_can_be_seen() {
        assert_eq!(ApplicationName::parse("  Weather bot ").unwrap().as_str(), "Weather bot");
        assert!(ApplicationName::parse(&"x".repeat(100)).is_ok());
        for raw in [
            "",
            "  ",
            "a\nb",
            "safe\u{202e}txt",
            "\u{3164}",
            "\u{2800}",
            "a\u{61c}b",
            "a\u{200b}b",
            "a\u{e0041}",
            "\u{e0041}",
            &"x".repeat(101),
        ] {
            assert!(ApplicationName::parse(raw).is_err(), "{raw:?}");
        }
    }
}
