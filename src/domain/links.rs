//! Finds links in text: where they begin and end. The web client finds the same ones
//! (`static/js/text.js`).

use std::ops::Range;

/// Characters that end a sentence rather than a URL.
const TRAILING: [char; 8] = ['.', ',', ';', ':', '!', '?', '\'', '*'];

/// Schemes that browsers open.
const SCHEMES: [&str; 2] = ["https", "http"];

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
    let is_end = |sign: char| sign.is_whitespace() || matches!(sign, '<' | '>' | '"');
    let rest = &text[start..];
    let link = trimmed(&rest[..rest.find(is_end).unwrap_or(rest.len())]);
    let host = link.get(scheme.len() + "://".len()..)?;
    let is_host = host.starts_with(|first: char| first.is_alphanumeric() || first == '[');
    is_host.then_some(start..start + link.len())
}

/// Cuts off what belongs to the sentence: "(see https://a.example/b)" ends before the bracket,
/// "…/Foo_(bar)" does not.
fn trimmed(found: &str) -> &str {
    let mut link = found.trim_end_matches(TRAILING);
    let mut closing = link.matches(')').count();
    let opening = link.matches('(').count();
    while let Some(shorter) = link.strip_suffix(')')
        && closing > opening
    {
        closing -= 1;
        link = shorter.trim_end_matches(TRAILING);
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_what_browsers_open() {
        for (text, found) in [
            ("see https://example.org/x.", &["https://example.org/x"][..]),
            ("http://[::1]/", &["http://[::1]/"]),
            ("HTTPS://Example.org", &["HTTPS://Example.org"]),
            (
                "(https://a.example/b) https://a.example/F_(b)",
                &["https://a.example/b", "https://a.example/F_(b)"],
            ),
            ("<https://example.org/ä?x=1&y>", &["https://example.org/ä?x=1&y"]),
            ("https:// is a scheme, and so is ftp://example.org", &[]),
            ("xhttp://example.org", &[]),
            ("://", &[]),
            ("ähttp://example.org/", &["http://example.org/"]),
            ("rope at six", &[]),
        ] {
            assert_eq!(links(text).collect::<Vec<_>>(), found, "{text}");
        }
    }

    #[test]
    fn nothing_that_is_written_takes_long_or_breaks_a_sign() {
        for (text, count) in
            [("http://".repeat(142), 1), ("🧗://é".repeat(200), 0), (")".repeat(900), 0)]
        {
            assert_eq!(links(&text).count(), count, "{text}");
        }
        let brackets = format!("http://a{}", ")".repeat(900));
        assert_eq!(links(&brackets).collect::<Vec<_>>(), ["http://a"]);
    }
}
