//! Texts from people, parsed once: a value of these types is within its limits.
//!
//! Lengths count characters (Unicode scalar values), not bytes.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::domain::limits;

/// Why a text was refused. Whoever reads the request puts the name of the field in front.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// The text is empty.
    #[error("must not be empty")]
    Empty,
    /// The text has more characters than the limit.
    #[error("is too long: {chars} characters, at most {limit} are allowed")]
    TooLong {
        /// The number of characters.
        chars: usize,
        /// The limit.
        limit: usize,
    },
    /// The text does not have the required form.
    #[error("{0}")]
    Form(&'static str),
}

/// Refuses empty texts and those over the limit.
fn within(raw: &str, limit: usize) -> Result<(), TextError> {
    match raw.chars().count() {
        0 => Err(TextError::Empty),
        chars if chars > limit => Err(TextError::TooLong { chars, limit }),
        _ => Ok(()),
    }
}

/// Accepts a text that may be empty, as typed.
///
/// # Errors
/// If it has more characters than `limit`.
pub fn at_most(raw: String, limit: usize) -> Result<String, TextError> {
    match within(&raw, limit) {
        Ok(()) | Err(TextError::Empty) => Ok(raw),
        Err(problem) => Err(problem),
    }
}

macro_rules! text {
    ($(#[$doc:meta])* $name:ident, $limit:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Accepts the text exactly as typed.
            ///
            /// # Errors
            /// If it is empty or over its limit.
            pub fn parse(raw: String) -> Result<Self, TextError> {
                within(&raw, $limit)?;
                Ok(Self(raw))
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(out)
            }
        }
    };
}

text! {
    /// The text of a message: 1 to 1000 characters.
    MessageText, limits::MESSAGE_CHARS
}
text! {
    /// A group's name: 1 to 140 characters.
    GroupName, limits::GROUP_NAME_CHARS
}
text! {
    /// A group's description: 1 to 255 characters.
    Description, limits::DESCRIPTION_CHARS
}
text! {
    /// A member's name in one group: 1 to 255 characters.
    Nickname, limits::NICKNAME_CHARS
}
text! {
    /// A user's name: 1 to 255 characters.
    UserName, limits::USER_NAME_CHARS
}
text! {
    /// The id that a client gives a message, for deduplication: 1 to 255 characters.
    SourceGuid, limits::GUID_CHARS
}

impl From<UserName> for Nickname {
    fn from(name: UserName) -> Self {
        // Both have the same limit, so nothing has to be cut.
        Self(name.0)
    }
}

/// An email address, as typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Email(String);

impl Email {
    /// Accepts `name@domain` (specification, section 4, users/update), without the spaces around
    /// it.
    ///
    /// # Errors
    /// If it does not have this form or is too long.
    pub fn parse(raw: &str) -> Result<Self, TextError> {
        let form = TextError::Form("must have the form name@domain");
        let raw = raw.trim();
        within(raw, limits::EMAIL_CHARS)?;
        let (name, domain) = raw.rsplit_once('@').ok_or(form.clone())?;
        let is_plain = |part: &str| {
            !part.is_empty()
                && !part.contains(|c: char| c.is_whitespace() || c.is_control() || c == '@')
        };
        if is_plain(name) && is_plain(domain) { Ok(Self(raw.to_owned())) } else { Err(form) }
    }

    /// The address as typed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address of a deleted account. Nobody can own it (RFC 2606, section 2).
    pub fn nobodys() -> Self {
        Self("nobody@deleted.invalid".to_owned())
    }

    /// The address in lower case: two addresses with the same key are the same.
    pub fn key(&self) -> String {
        self.0.to_lowercase()
    }
}

/// A phone number, as typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Phone(String);

impl Phone {
    /// Accepts digits with an optional plus and the separators that people type.
    ///
    /// # Errors
    /// If it has letters, or fewer than 3 or more than 15 digits (ITU-T E.164), or is over 40
    /// bytes.
    pub fn parse(raw: &str) -> Result<Self, TextError> {
        let form = TextError::Form("must be a phone number of 3 to 15 digits");
        let raw = raw.trim();
        let digits = raw.chars().filter(char::is_ascii_digit).count();
        let rest = raw.strip_prefix('+').unwrap_or(raw);
        let plain = rest
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, ' ' | '-' | '(' | ')' | '.' | '/'));
        let fits = (3..=limits::PHONE_DIGITS).contains(&digits) && raw.len() <= 40;
        if plain && fits { Ok(Self(raw.to_owned())) } else { Err(form) }
    }

    /// The number as typed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number as it is dialled, without separators.
    pub fn dialled(&self) -> String {
        let plus = if self.0.starts_with('+') { "+" } else { "" };
        format!("{plus}{}", self.key())
    }

    /// The digits alone: two numbers with the same key are the same.
    pub fn key(&self) -> String {
        self.0.chars().filter(char::is_ascii_digit).collect()
    }
}

/// The URL where a bot is called back or a picture is fetched: an `http` or `https` URL with a host
/// and without credentials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallbackUrl(String);

impl CallbackUrl {
    /// Checks the form, not whether a server answers there.
    ///
    /// # Errors
    /// If it does not have this form or is too long.
    pub fn parse(raw: &str) -> Result<Self, TextError> {
        within(raw, limits::CALLBACK_URL_CHARS)?;
        let form = TextError::Form("must be an http or https URL without credentials");
        let rest = raw.strip_prefix("https://").or_else(|| raw.strip_prefix("http://"));
        let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).ok_or(form.clone())?;
        let is_plain = !raw.contains(|sign: char| sign.is_whitespace() || sign.is_control());
        let names_a_host = !host.is_empty() && !host.starts_with(':') && !host.contains('@');
        if is_plain && names_a_host { Ok(Self(raw.to_owned())) } else { Err(form) }
    }

    /// The URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emoji_is_one_character() {
        assert!(MessageText::parse("🧗".repeat(1000)).is_ok());
        let refused = MessageText::parse("🧗".repeat(1001)).unwrap_err();
        assert_eq!(refused, TextError::TooLong { chars: 1001, limit: 1000 });
    }

    #[test]
    fn nothing_is_not_a_name() {
        assert_eq!(GroupName::parse(String::new()), Err(TextError::Empty));
    }

    #[test]
    fn emails_compare_without_case() {
        assert_eq!(Email::parse(" Ana@Example.ORG ").unwrap().key(), "ana@example.org");
        for raw in ["ana", "@x", "ana@", "a na@x", "ana@x\n.y", "a@b@c"] {
            assert!(Email::parse(raw).is_err(), "{raw:?}");
        }
    }

    #[test]
    fn callback_urls_name_a_host_and_no_secret() {
        assert!(CallbackUrl::parse("https://bots.example.org/hook?x=1").is_ok());
        assert!(CallbackUrl::parse("http://127.0.0.1:9000").is_ok());
        for raw in ["", "ftp://x", "https://", "http://:80/", "https://a:b@c/", "https://a b/", "x"]
        {
            assert!(CallbackUrl::parse(raw).is_err(), "{raw:?}");
        }
    }

    #[test]
    fn phones_compare_by_their_digits() {
        assert_eq!(Phone::parse("+1 (555) 010-9999").unwrap().key(), "15550109999");
        for raw in ["", "12", "555-CALL", "1234567890123456"] {
            assert!(Phone::parse(raw).is_err(), "{raw:?}");
        }
    }
}
