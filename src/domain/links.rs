//! Finds bare links in text: where they begin and end (after UTS 58).
//!
//! The web client finds the same ones: `static/js/text/link_signs.js` holds this table, which a test
//! compares, and both sides pass `tests/links.json`.

use std::ops::Range;

use icu_properties::props::{
    BidiControl, GeneralCategory, QuotationMark, TerminalPunctuation, WhiteSpace,
};
use icu_properties::{CodePointMapData, CodePointSetData};
use url::Url;

/// Schemes that browsers open.
const SCHEMES: [&str; 2] = ["https", "http"];

/// Brackets that a URL may contain in pairs: an opening one, and the one that closes it.
const PAIRS: &str = "()[]{}（）［］｛｝｟｠「」｢｣『』〈〉《》【】〔〕〖〗〘〙〚〛⟨⟩⟪⟫⟦⟧";

/// ASCII punctuation that belongs to the sentence at the end of a URL, and to the URL inside it.
const TRAILING: &str = ".,;:!?'*";

/// Invisible characters and dashes that end a URL, in addition to those that Unicode lists as the
/// punctuation of sentences and as quotation marks.
const ENDS: &str = "<>\"\u{ad}\u{200b}\u{2060}\u{feff}\u{2014}\u{2015}\u{2026}";

/// The meaning of a character for a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkSign {
    /// It is part of the URL.
    Part,
    /// It is part of the URL unless it is at its end.
    Trailing,
    /// It opens a bracket; this character closes it.
    Open(char),
    /// It closes a bracket.
    Close,
    /// It ends the URL.
    End,
}

impl LinkSign {
    fn of(sign: char) -> Self {
        if sign.is_ascii_alphanumeric() || sign == '/' {
            return Self::Part;
        }
        if let Some(place) = PAIRS.chars().position(|it| it == sign) {
            let closing = PAIRS.chars().nth(place + 1);
            return match closing {
                Some(closing) if place % 2 == 0 => Self::Open(closing),
                _ => Self::Close,
            };
        }
        if TRAILING.contains(sign) {
            Self::Trailing
        } else if ENDS.contains(sign) || sign.is_control() {
            Self::End
        } else {
            Self::by_properties(sign)
        }
    }

    fn by_properties(sign: char) -> Self {
        let category = CodePointMapData::<GeneralCategory>::new().get(sign);
        let is_end = CodePointSetData::new::<WhiteSpace>().contains(sign)
            || CodePointSetData::new::<BidiControl>().contains(sign)
            || CodePointSetData::new::<TerminalPunctuation>().contains(sign)
            || CodePointSetData::new::<QuotationMark>().contains(sign);
        let is_quote_or_bracket = matches!(
            category,
            GeneralCategory::InitialPunctuation
                | GeneralCategory::FinalPunctuation
                | GeneralCategory::OpenPunctuation
                | GeneralCategory::ClosePunctuation
        );
        if is_end || is_quote_or_bracket {
            Self::End
        } else if category == GeneralCategory::DashPunctuation && !sign.is_ascii() {
            Self::Trailing
        } else {
            Self::Part
        }
    }
}

/// Returns the links of a text, in order.
///
/// Every post passes through here, and few contain a link: a text without `://` is searched only
/// for that.
pub fn links(text: &str) -> impl Iterator<Item = &str> {
    let places = text.contains("://").then(|| text.match_indices("://"));
    let mut end = 0;
    places.into_iter().flatten().filter_map(move |(at, _)| {
        // A `://` inside a link belongs to that link.
        let link = (at >= end).then(|| link_around(text, at))??;
        end = link.end;
        Some(&text[link])
    })
}

/// Returns the range of the link whose `://` is at `at`, if it is a link.
fn link_around(text: &str, at: usize) -> Option<Range<usize>> {
    let before = &text.as_bytes()[..at];
    let scheme = SCHEMES.into_iter().find(|scheme| {
        let tail = before.len().checked_sub(scheme.len()).map(|from| &before[from..]);
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(scheme.as_bytes()))
    })?;
    let start = at - scheme.len();
    let is_of_a_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if before[..start].last().is_some_and(is_of_a_word) {
        return None;
    }
    let rest = &text[start..];
    let link = &rest[..length(rest)];
    Url::parse(link).is_ok().then_some(start..start + link.len())
}

/// The bytes of the URL with which a text begins. "(see https://a.example/b)" ends before the
/// bracket, "…/Foo_(bar)" does not.
fn length(text: &str) -> usize {
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut end = 0;
    for (at, sign) in text.char_indices() {
        match LinkSign::of(sign) {
            LinkSign::Part => {}
            LinkSign::Trailing => continue,
            LinkSign::End => break,
            LinkSign::Open(closing) => open.push((at, closing)),
            LinkSign::Close if open.last().is_some_and(|(_, closing)| *closing == sign) => {
                open.pop();
            }
            LinkSign::Close => break,
        }
        end = at + sign.len_utf8();
    }
    let Some((unclosed, _)) = open.first() else { return end };
    let is_trailing = |sign| LinkSign::of(sign) == LinkSign::Trailing;
    text[..*unclosed].trim_end_matches(is_trailing).len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The properties of [`LinkSign::by_properties`] that end a URL, as JavaScript names them.
    const PROPERTIES: &str = "\\p{White_Space}\\p{Bidi_Control}\\p{Terminal_Punctuation}\\p{Quotation_Mark}\\p{Pi}\\p{Pf}\\p{Ps}\\p{Pe}";

    #[test]
    fn web_client_has_the_same_table() {
        let module = include_str!("../../static/js/text/link_signs.js");
        let ends: String = ENDS.chars().map(|sign| format!("\\u{:04x}", u32::from(sign))).collect();
        for line in [
            format!("export const PAIRS = \"{PAIRS}\";"),
            format!("export const TRAILING = /[{TRAILING}]|(?![-\\u2014\\u2015])\\p{{Pd}}/u;"),
            format!("  /[{ends}\\p{{Cc}}{PROPERTIES}]/u;"),
        ] {
            assert!(module.lines().any(|it| it == line), "link_signs.js needs:\n{line}");
        }
    }

    #[test]
    fn links_of_sentences_are_found() {
        let cases: Vec<(String, Vec<String>)> =
            serde_json::from_str(include_str!("../../tests/links.json")).unwrap();
        for (text, found) in cases {
            assert_eq!(links(&text).collect::<Vec<_>>(), found, "{text}");
        }
    }

    #[test]
    fn long_texts_are_searched_in_one_pass() {
        for (text, count) in
            [("http://".repeat(142), 1), ("🧗://é".repeat(200), 0), (")".repeat(900), 0)]
        {
            assert_eq!(links(&text).count(), count, "{text}");
        }
        let brackets = format!("http://a{}", ")".repeat(900));
        assert_eq!(links(&brackets).collect::<Vec<_>>(), ["http://a"]);
    }

    proptest! {
        #[test]
        fn punctuation_of_any_script_ends_a_link(
            before in "[见（“«(]?", path in "[a-zåжक三]{1,8}", after in "[。，、！？；：।،؟۔”»）)」』】\u{200b}\u{200e}\u{202e}\u{2069}…]{1,4}",
            rest in "[请看 a-z]{0,5}",
        ) {
            let link = format!("https://example.org/{path}");
            let text = format!("{before}{link}{after}{rest}");
            prop_assert_eq!(links(&text).collect::<Vec<_>>(), [link]);
        }

        #[test]
        fn links_are_balanced_and_parse(text in "(https?://|[a-z.()（）「」\\[\\] 。é\u{200d}]){0,20}") {
            for link in links(&text) {
                prop_assert!(Url::parse(link).is_ok());
                prop_assert_eq!(length(link), link.len());
            }
        }
    }
}
