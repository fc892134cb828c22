//! Reads the title, description and picture from the head of an HTML page.
//!
//! The parser is a small one of our own: it needs the texts of three tags, and a parser that builds
//! trees would be most of what this server compiles. It walks over the bytes once, whatever they
//! are, so a page may be malformed, as pages are.

use crate::domain::limits::{PREVIEW_DESCRIPTION_CHARS, PREVIEW_TITLE_CHARS};

/// Tags whose content is not parsed as HTML.
const RAW: [&str; 4] = ["script", "style", "noscript", "template"];
/// The names under which pages give the same text, the preferred ones first.
const TITLES: [&str; 3] = ["og:title", "twitter:title", "title"];
const DESCRIPTIONS: [&str; 3] = ["og:description", "twitter:description", "description"];
const PICTURES: [&str; 4] = ["og:image:secure_url", "og:image", "og:image:url", "twitter:image"];
/// Character references that occur in titles; numeric ones need no table.
const ENTITIES: [(&str, char); 16] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("ndash", '\u{2013}'),
    ("mdash", '\u{2014}'),
    ("hellip", '\u{2026}'),
    ("laquo", '\u{ab}'),
    ("raquo", '\u{bb}'),
    ("lsquo", '\u{2018}'),
    ("rsquo", '\u{2019}'),
    ("ldquo", '\u{201c}'),
    ("rdquo", '\u{201d}'),
    ("middot", '\u{b7}'),
];

/// What the head of a page says of the page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PageHead {
    /// The title; a page without one has no preview.
    pub(super) title: Option<String>,
    /// The description.
    pub(super) description: Option<String>,
    /// The URL of the picture, which may be relative to the page.
    pub(super) picture: Option<String>,
}

/// The texts of a page, in the order of the names in [`TITLES`], [`DESCRIPTIONS`] and [`PICTURES`].
struct Said([Vec<Option<String>>; 3]);

impl Said {
    fn new() -> Self {
        Self([TITLES.len(), DESCRIPTIONS.len(), PICTURES.len()].map(|names| vec![None; names]))
    }

    /// Notes a text; the first one under a name stays.
    fn note(&mut self, name: &str, text: &str) {
        let names: [&[&str]; 3] = [&TITLES, &DESCRIPTIONS, &PICTURES];
        for (names, texts) in names.into_iter().zip(&mut self.0) {
            let place = names.iter().position(|it| it.eq_ignore_ascii_case(name));
            let text = place.is_some().then(|| plain(text)).filter(|text| !text.is_empty());
            if let (Some(place), Some(text)) = (place, text) {
                texts[place].get_or_insert(text);
            }
        }
    }

    fn head(self) -> PageHead {
        let [title, description, picture] = self.0.map(|texts| texts.into_iter().flatten().next());
        PageHead {
            title: title.map(|it| shortened(&it, PREVIEW_TITLE_CHARS)),
            description: description.map(|it| shortened(&it, PREVIEW_DESCRIPTION_CHARS)),
            picture,
        }
    }
}

/// Reads the head of a page, whose end may be missing.
pub(super) fn read(page: &str) -> PageHead {
    let (mut said, mut rest) = (Said::new(), page);
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            let Some(end) = comment.find("-->") else { break };
            rest = &comment[end..];
            continue;
        }
        let name_end = rest.find(|it: char| !it.is_ascii_alphanumeric() && it != '/');
        let (name, attributes) = rest.split_at(name_end.unwrap_or(rest.len()));
        let is = |tag: &str| name.eq_ignore_ascii_case(tag);
        if is("/head") || is("body") {
            break;
        }
        if is("meta") {
            rest = meta(attributes, &mut said);
        } else if is("title") {
            let (_, content) = attributes.split_once('>').unwrap_or_default();
            let (title, after) = until_end_of("title", content);
            said.note("title", title);
            rest = after;
        } else if let Some(raw) = RAW.into_iter().find(|tag| is(tag)) {
            rest = until_end_of(raw, attributes).1;
        }
    }
    said.head()
}

/// Splits the text before the end tag of this name.
fn until_end_of<'a>(tag: &str, text: &'a str) -> (&'a str, &'a str) {
    let is_end = |at: &usize| {
        let name = text.as_bytes().get(at + 2..at + 2 + tag.len());
        name.is_some_and(|name| name.eq_ignore_ascii_case(tag.as_bytes()))
    };
    let end = text.match_indices("</").map(|(at, _)| at).find(is_end);
    text.split_at(end.unwrap_or(text.len()))
}

/// Notes what a `meta` tag says; returns the text after it.
fn meta<'a>(attributes: &'a str, said: &mut Said) -> &'a str {
    let (mut names, mut content, mut rest) = (Vec::new(), None, attributes);
    loop {
        rest = rest.trim_start_matches(|it: char| it.is_ascii_whitespace() || it == '/');
        if rest.is_empty() || rest.starts_with(['>', '<']) {
            break;
        }
        let (name, value, after) = attribute(rest);
        if name.eq_ignore_ascii_case("content") {
            content = content.or(value);
        } else if name.eq_ignore_ascii_case("property") || name.eq_ignore_ascii_case("name") {
            names.extend(value);
        }
        rest = after;
    }
    for name in names {
        content.iter().for_each(|content| said.note(name.trim(), content));
    }
    rest
}

/// One attribute, its value, and the text after it, which is always shorter than `text`.
fn attribute(text: &str) -> (&str, Option<&str>, &str) {
    let is_end = |it: char| it.is_ascii_whitespace() || matches!(it, '=' | '>');
    let name_end = text.find(is_end).unwrap_or(text.len());
    let (name, rest) = text.split_at(name_end);
    let after = rest.trim_start();
    let Some(value) = after.strip_prefix('=') else { return (name, None, after) };
    let value = value.trim_start();
    let quote = value.chars().next().filter(|it| matches!(it, '"' | '\''));
    if let Some(quote) = quote {
        let inside = &value[1..];
        // A value whose quote is never closed is ignored, with everything after it.
        let Some(end) = inside.find(quote) else { return (name, None, "") };
        return (name, Some(&inside[..end]), &inside[end + 1..]);
    }
    let is_end = |it: char| it.is_ascii_whitespace() || it == '>';
    let (value, rest) = value.split_at(value.find(is_end).unwrap_or(value.len()));
    (name, Some(value), rest)
}

/// The text as it is displayed: character references resolved, each run of white space as one
/// space, no control characters.
fn plain(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        let (character, after) = named(&rest[at..]);
        plain.push(character);
        rest = after;
    }
    plain.push_str(rest);
    let words = plain.split(|it: char| it.is_whitespace() || it.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// The character at the start of a text that begins with `&`, resolved if it is a known reference,
/// and the text after it.
fn named(text: &str) -> (char, &str) {
    let after = &text[1..];
    let found = after.find(';').filter(|end| *end <= 10).and_then(|end| {
        let name = &after[..end];
        let number = name.strip_prefix('#').map(|number| match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        });
        let character = match number {
            Some(number) => char::from_u32(number.ok()?),
            None => {
                ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, character)| *character)
            }
        };
        Some((character?, &after[end + 1..]))
    });
    found.unwrap_or(('&', after))
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most - 1).collect();
    short.truncate(short.trim_end().len());
    short.push('\u{2026}');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<!doctype html><html><head>
        <!-- <meta property="og:title" content="not this"> -->
        <script>var x = "<meta property='og:title' content='nor this'>";</script>
        <title> Rope
            at six </title>
        <META content='Knot&eacute; &amp; rope &#8211; &#x1F9D7;' property="og:title">
        <meta name=description content="Where people &lt;climb&gt;">
        <meta property="og:image" content="/rope.png?a=1&amp;b=2"/>
        <meta property="og:title" content="nor the second">
        </head><body><meta property="og:description" content="nor what is in the body">"#;

    #[test]
    fn a_page_is_called_what_it_says_and_nothing_else() {
        let head = read(PAGE);
        assert_eq!(head.title.as_deref(), Some("Knot&eacute; & rope \u{2013} \u{1f9d7}"));
        assert_eq!(head.description.as_deref(), Some("Where people <climb>"));
        assert_eq!(head.picture.as_deref(), Some("/rope.png?a=1&b=2"));
        let plain = read("<title>Rope\u{0} at\n six</TITLE><meta name='title'>");
        assert_eq!(plain.title.as_deref(), Some("Rope at six"));
        for nothing in ["", "rope", "<p>rope", "<title></title>", "<meta property=og:title>"] {
            assert_eq!(read(nothing), PageHead::default(), "{nothing:?}");
        }
    }

    #[test]
    fn long_titles_end_with_a_sign_that_says_so() {
        let title = read(&format!("<title>{}</title>", "ä".repeat(500))).title.unwrap();
        assert_eq!(title.chars().count(), PREVIEW_TITLE_CHARS);
        assert!(title.ends_with("ä\u{2026}"));
    }

    #[test]
    fn a_page_may_end_anywhere_and_have_anything_in_it() {
        for end in 0..PAGE.len() {
            read(&PAGE[..end]);
            read(&PAGE[end..]);
        }
        for piece in ["<", "<meta ", "<meta a=\"", "<!--", "</", "&", "<title>", "<meta é=é"] {
            read(&piece.repeat(20_000));
        }
    }
}
