//! Texts from people, parsed once: a value of these types is within its limits.
//!
//! Lengths count characters (Unicode scalar values), not bytes.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::canonical::contacts;
use crate::canonical::folds::comparable;
use crate::limits;
use crate::visible::{breaks_line, has_visible, is_ignorable, is_invisible};

/// Why a text was refused. The reader of the request puts the name of the field in front.
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

/// Text of one visible line, as typed. It has at least one visible character, and no control
/// character, line break or direction override. Joiners, selectors and direction marks stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineText(String);

impl LineText {
    /// Parses a line of at most `limit` characters.
    ///
    /// # Errors
    /// If the text is empty, too long, invisible, or not one line.
    pub fn parse(raw: String, limit: usize) -> Result<Self, TextError> {
        let raw = at_most(raw, limit)?;
        if raw.chars().any(breaks_line) {
            return Err(TextError::Form(
                "must be one line without control characters and direction overrides",
            ));
        }
        visible(raw).map(Self)
    }

    /// Parses a line that may be empty.
    ///
    /// # Errors
    /// If the text is too long, or has characters but is no line.
    pub fn parse_or_empty(raw: String, limit: usize) -> Result<String, TextError> {
        if raw.is_empty() { Ok(raw) } else { Self::parse(raw, limit).map(Into::into) }
    }
}

impl From<LineText> for String {
    fn from(line: LineText) -> Self {
        line.0
    }
}

/// Parses text of one or more lines with at least one visible character. Line breaks and tabs are
/// the only control characters that it may have.
///
/// # Errors
/// If the text is empty, too long, invisible, or has other control characters or direction
/// overrides.
pub fn parse_lines(raw: String, limit: usize) -> Result<String, TextError> {
    let raw = at_most(raw, limit)?;
    let is_layout = |sign: char| matches!(sign, '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}');
    if raw.chars().any(|sign| breaks_line(sign) && !is_layout(sign)) {
        return Err(TextError::Form("must not have control characters or direction overrides"));
    }
    visible(raw)
}

/// Returns the text if it has at least one visible character.
fn visible(raw: String) -> Result<String, TextError> {
    match has_visible(&raw) {
        true => Ok(raw),
        false if raw.is_empty() => Err(TextError::Empty),
        false => Err(TextError::Form("must have at least one visible character")),
    }
}

/// Accepts any text of one character or more, as typed.
fn any(raw: String, limit: usize) -> Result<String, TextError> {
    within(&raw, limit).map(|()| raw)
}

/// Accepts one visible line, as typed.
fn line(raw: String, limit: usize) -> Result<String, TextError> {
    LineText::parse(raw, limit).map(Into::into)
}

/// Accepts one line with a character that remains when rules compare it.
fn rule_word(raw: String, limit: usize) -> Result<String, TextError> {
    let raw = line(raw, limit)?;
    match comparable(&raw).trim_matches(['*', ' ']).is_empty() {
        true => Err(TextError::Form("must have a character other than * and blanks")),
        false => Ok(raw),
    }
}

macro_rules! text {
    ($(#[$doc:meta])* $name:ident, $rule:ident, $limit:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Accepts the text exactly as typed.
            ///
            /// # Errors
            /// If it is empty, over its limit, or not of the form that its type describes.
            pub fn parse(raw: String) -> Result<Self, TextError> {
                $rule(raw, $limit).map(Self)
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
    MessageText, any, limits::MESSAGE_CHARS
}
text! {
    /// A group's name: one visible line of 1 to 140 characters.
    GroupName, line, limits::GROUP_NAME_CHARS
}
text! {
    /// A group's description: visible lines of 1 to 255 characters.
    Description, parse_lines, limits::DESCRIPTION_CHARS
}
text! {
    /// Why the owner or an admin decided something about a user: visible lines of 1 to 500
    /// characters.
    ModerationReason, parse_lines, limits::MODERATION_REASON_CHARS
}
text! {
    /// What a member says about a report: visible lines of 1 to 1000 characters.
    ReportText, parse_lines, limits::REPORT_TEXT_CHARS
}
text! {
    /// The name of a rule of a group: one visible line of 1 to 60 characters.
    RuleName, line, limits::RULE_NAME_CHARS
}
text! {
    /// The name of an invite link: one visible line of 1 to 60 characters.
    InviteName, line, limits::INVITE_NAME_CHARS
}
text! {
    /// The question that people answer when they ask to join a group: one visible line of 1 to 255
    /// characters.
    JoinQuestion, line, limits::JOIN_QUESTION_CHARS
}
text! {
    /// The answer to it: visible lines of 1 to 500 characters.
    JoinResponse, parse_lines, limits::JOIN_ANSWER_CHARS
}
text! {
    /// What somebody says who asks for an account: visible lines of 1 to 500 characters.
    AboutText, parse_lines, limits::ABOUT_CHARS
}
text! {
    /// What the author of a refused post reads: visible lines of 1 to 150 characters.
    RuleMessage, parse_lines, limits::RULE_MESSAGE_CHARS
}
text! {
    /// A word of a rule: one line of 1 to 60 characters with a letter, a digit or an emoji. `*` at
    /// either end stands for any letters.
    RuleWord, rule_word, limits::RULE_WORD_CHARS
}
text! {
    /// A member's name in one group: one visible line of 1 to 255 characters.
    Nickname, line, limits::NICKNAME_CHARS
}
text! {
    /// A user's name: one visible line of 1 to 255 characters.
    UserName, line, limits::USER_NAME_CHARS
}
text! {
    /// The id that a client gives a message, for deduplication: 1 to 255 characters.
    SourceGuid, any, limits::GUID_CHARS
}

impl From<UserName> for Nickname {
    fn from(name: UserName) -> Self {
        // Both have the same limit, so nothing has to be cut.
        Self(name.0)
    }
}

/// An email address, with its case as typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Email(String);

impl Email {
    /// Accepts `name@domain` (specification, section 4, users/update). White space around it and
    /// ignorable characters are removed, and letters are composed.
    ///
    /// # Errors
    /// If it does not have this form or is too long.
    pub fn parse(raw: &str) -> Result<Self, TextError> {
        let form = TextError::Form("must have the form name@domain");
        let text = contacts::clean_email(raw);
        within(&text, limits::EMAIL_CHARS)?;
        let (name, domain) = text.rsplit_once('@').ok_or(form.clone())?;
        // The joiners that are left belong to the domain.
        let is_plain = |part: &str| {
            !part.is_empty()
                && !part.contains(|c: char| {
                    (is_invisible(c) && !is_ignorable(c)) || matches!(c, '@' | '＠')
                })
        };
        if is_plain(name) && is_plain(domain) { Ok(Self(text)) } else { Err(form) }
    }

    /// The address with its case as typed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address of a deleted account. Nobody can own it (RFC 2606, section 2).
    pub fn nobodys() -> Self {
        Self("nobody@deleted.invalid".to_owned())
    }

    /// The canonical form: two addresses with the same key are the same.
    pub fn key(&self) -> String {
        contacts::email_key(&self.0)
    }

    /// The key of earlier versions, if it differs: their users log in with the address as they
    /// typed it then.
    pub fn former_key(&self) -> Option<String> {
        Some(contacts::former_email_key(&self.0)).filter(|former| *former != self.key())
    }
}

/// A phone number, with ASCII digits and separators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Phone(String);

impl Phone {
    /// Accepts digits of any script with an optional plus and the blanks, dashes and separators
    /// that people type.
    ///
    /// # Errors
    /// If it has letters, or fewer than 3 or more than 15 digits (ITU-T E.164) after the
    /// international prefix, or is over 40 characters.
    pub fn parse(raw: &str) -> Result<Self, TextError> {
        let form = TextError::Form("must be a phone number of 3 to 15 digits");
        let text = contacts::clean_phone(raw);
        let digits = contacts::phone_key(&text).len();
        let rest = text.strip_prefix('+').unwrap_or(&text);
        let plain = rest
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, ' ' | '-' | '(' | ')' | '.' | '/'));
        let least = contacts::PHONE_DIGITS_LEAST;
        let fits = (least..=limits::PHONE_DIGITS).contains(&digits) && text.len() <= 40;
        if plain && fits { Ok(Self(text)) } else { Err(form) }
    }

    /// The number with its separators.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number as it is dialled, without separators.
    pub fn dialled(&self) -> String {
        contacts::dialled_phone(&self.0)
    }

    /// The canonical form: two numbers with the same key are the same.
    pub fn key(&self) -> String {
        contacts::phone_key(&self.0)
    }

    /// The key of earlier versions, if it differs.
    pub fn former_key(&self) -> Option<String> {
        let digits: String = self.0.chars().filter(char::is_ascii_digit).collect();
        Some(digits).filter(|former| *former != self.key())
    }
}

/// The URL where a bot is called back or a picture is fetched: an `http` or `https` URL with a host
/// and without credentials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallbackUrl(String);

impl CallbackUrl {
    /// Checks the form, not whether a server answers there. Blanks around the URL are removed.
    ///
    /// # Errors
    /// If it does not have this form or is too long.
    pub fn parse(raw: &str) -> Result<Self, TextError> {
        let raw = raw.trim();
        within(raw, limits::CALLBACK_URL_CHARS)?;
        let form = TextError::Form("must be an http or https URL without credentials");
        let is_web =
            |scheme: &str| ["https", "http"].iter().any(|it| scheme.eq_ignore_ascii_case(it));
        let rest = raw.split_once("://").filter(|(scheme, _)| is_web(scheme)).map(|(_, rest)| rest);
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
    use proptest::prelude::*;

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
        for raw in [
            "ana",
            "@x",
            "ana@",
            "a na@x",
            "ana@x\n.y",
            "a@b@c",
            "\u{200b}@x",
            "a@\u{200d}",
            "a\u{a0}b@x",
            "a\u{2800}@x",
            "a\u{fff9}@x",
            "a@b\u{3000}c",
        ] {
            assert!(Email::parse(raw).is_err(), "{raw:?}");
        }
    }

    #[test]
    fn callback_urls_name_a_host_and_no_secret() {
        assert!(CallbackUrl::parse("https://bots.example.org/hook?x=1").is_ok());
        assert!(CallbackUrl::parse("http://127.0.0.1:9000").is_ok());
        let typed = CallbackUrl::parse(" Https://Example.com\n").unwrap();
        assert_eq!(typed.as_str(), "Https://Example.com");
        for raw in ["", "ftp://x", "https://", "http://:80/", "https://a:b@c/", "https://a b/", "x"]
        {
            assert!(CallbackUrl::parse(raw).is_err(), "{raw:?}");
        }
    }

    #[test]
    fn phones_compare_by_their_digits() {
        assert_eq!(Phone::parse("+1 (555) 010-9999").unwrap().key(), "15550109999");
        assert_eq!(Phone::parse("+49\u{a0}170\u{2011}12").unwrap().as_str(), "+49 170-12");
        for raw in ["", "12", "555-CALL", "1234567890123456", "\u{200b}12", "12½", "+1+555"] {
            assert!(Phone::parse(raw).is_err(), "{raw:?}");
        }
    }

    fn line(raw: &str) -> Result<String, TextError> {
        LineText::parse(raw.to_owned(), 255).map(Into::into)
    }

    #[test]
    fn names_of_every_script_stay_as_typed() {
        for name in [
            "Ana",
            " Ana  Bo ",
            "نمی\u{200c}خواهم",
            "क्\u{200d}ष",
            "👩\u{200d}👩\u{200d}👧",
            "\u{2764}\u{fe0f}",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
            "C# \u{200f}שלום",
            "ภาษา\u{200b}ไทย",
            "e\u{301}",
            "1\u{fe0f}\u{20e3}",
            "東京\u{3000}太郎",
            ".",
        ] {
            assert_eq!(line(name).as_deref(), Ok(name), "{name:?}");
        }
    }

    #[test]
    fn invisible_names_are_refused() {
        for name in [
            "",
            " ",
            "\u{a0}\u{3000}",
            "\u{200b}",
            "\u{2060}\u{feff}",
            "\u{3164}",
            "\u{115f}\u{1160}",
            "\u{ffa0}",
            "\u{2800}",
            "\u{ad}",
            "\u{fe0f}",
            "\u{200d}\u{200c}",
            "\u{e0041}",
            "\u{34f}",
            "\u{301}",
            "\u{17b4}",
            "\u{180e}",
            "\u{1d159}",
        ] {
            assert!(line(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn visible_refuses_what_breaks_a_line() {
        for sign in [
            "\n", "\r", "\t", "\0", "\u{1b}", "\u{7f}", "\u{85}", "\u{9b}", "\u{2028}", "\u{2029}",
            "\u{202a}", "\u{202d}", "\u{202e}", "\u{2066}", "\u{2068}", "\u{2069}",
        ] {
            assert!(line(&format!("Ana{sign}Bo")).is_err(), "{sign:?}");
        }
        let lines = |raw: &str| parse_lines(raw.to_owned(), 255);
        assert!(lines("one\r\n\ttwo").is_ok());
        for text in ["\n", "a\u{1b}[2J", "a\u{202e}b", "\u{200b}\n", &"x".repeat(256)] {
            assert!(lines(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn parsed_lines_are_visible_and_stay_as_typed(
            raw in "\\PC{0,4}[\u{0}-\u{ff}\u{2000}-\u{2070}\u{e0000}-\u{e0080}]{0,4}\\PC{0,2}",
        ) {
            if let Ok(parsed) = line(&raw) {
                prop_assert_eq!(&parsed, &raw);
                prop_assert!(parsed.chars().any(|sign| !sign.is_control() && !sign.is_whitespace()));
                prop_assert_eq!(parsed.lines().count(), 1);
            }
        }
    }
}
