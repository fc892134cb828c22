//! Reads the title, description, picture and addresses from the head of an HTML page.
//!
//! A tokenizer that follows the HTML standard reads the page once, under a work budget. This file
//! decides which tokens count: the standard's rules of tree construction, as far as they concern
//! the head (HTML standard, section 13.2.6).

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use html5gum::emitters::callback::{Callback, CallbackEmitter, CallbackEvent};
use html5gum::{Emitter, ForwardingEmitter, Reader, Span, State, Tokenizer};

use base::bounds::work::{Spent, WorkBudget};
use domain::limits::{PREVIEW_DESCRIPTION_CHARS, PREVIEW_TITLE_CHARS};
use domain::visible::one_line;

/// The names under which pages give the same text, the preferred ones first.
const TITLES: [&str; 3] = ["og:title", "twitter:title", "title"];
const DESCRIPTIONS: [&str; 3] = ["og:description", "twitter:description", "description"];
const PICTURES: [&str; 4] = ["og:image:secure_url", "og:image", "og:image:url", "twitter:image"];
const SITES: [&str; 2] = ["og:site_name", "application-name"];
const CANONICAL: [&str; 2] = ["canonical", "og:url"];
const ICONS: [&str; 3] = ["icon", "shortcut icon", "apple-touch-icon"];
const NAMES: [&[&str]; 6] = [&TITLES, &DESCRIPTIONS, &PICTURES, &SITES, &CANONICAL, &ICONS];

/// Start tags that end SVG and MathML (HTML standard, section 13.2.6.5).
const HTML_ONLY: [&str; 44] = [
    "b",
    "big",
    "blockquote",
    "body",
    "br",
    "center",
    "code",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "hr",
    "i",
    "img",
    "li",
    "listing",
    "menu",
    "meta",
    "nobr",
    "ol",
    "p",
    "pre",
    "ruby",
    "s",
    "small",
    "span",
    "strong",
    "strike",
    "sub",
    "sup",
    "table",
    "tt",
    "u",
    "ul",
    "var",
];
/// Elements of SVG and MathML that contain HTML (HTML standard, section 13.2.6).
const INTEGRATION_POINTS: [&str; 9] =
    ["foreignobject", "desc", "title", "annotation-xml", "mi", "mo", "mn", "ms", "mtext"];

/// The head of a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PageHead {
    /// The title; a page without one has no preview.
    pub(super) title: Option<String>,
    /// The description.
    pub(super) description: Option<String>,
    /// The URL of the picture; this and the other URLs may be relative to the page.
    pub(super) picture: Option<String>,
    /// The name of the site.
    pub(super) site: Option<String>,
    /// The URL under which the page wants to be known.
    pub(super) canonical: Option<String>,
    /// The URL of the site's icon.
    pub(super) icon: Option<String>,
}

/// Reads the head of a page, whose end may be missing.
///
/// # Errors
/// If the budget is spent.
pub(super) fn read(page: &str, budget: &mut WorkBudget) -> Result<PageHead, Spent> {
    let mut walk = HeadWalk::default();
    walk.over(page.as_bytes(), budget)?;
    Ok(walk.texts.head())
}

/// The encoding that a page declares in a `meta` tag or an XML declaration (HTML standard, sections
/// 13.2.3.2 and 13.2.3.5).
///
/// # Errors
/// If the budget is spent.
pub(super) fn declared_encoding(
    page: &[u8],
    budget: &mut WorkBudget,
) -> Result<Option<&'static Encoding>, Spent> {
    if let Some(declaration) = page.strip_prefix(b"<?xml") {
        let end = declaration.iter().take(1024).position(|byte| *byte == b'>').unwrap_or(0);
        let found = label_after("encoding", &String::from_utf8_lossy(&declaration[..end]));
        if found.is_some() {
            return Ok(found.map(readable));
        }
    }
    let mut walk = HeadWalk::default();
    walk.over(page, budget)?;
    Ok(walk.encoding)
}

/// The encoding that a `Content-Type` or the like names: the label after `charset=` (HTML standard,
/// "extracting a character encoding from a meta element").
pub(super) fn charset_of(content_type: &str) -> Option<&'static Encoding> {
    label_after("charset", content_type)
}

fn label_after(word: &str, text: &str) -> Option<&'static Encoding> {
    let lower = text.to_ascii_lowercase();
    let mut rest = lower.as_str();
    loop {
        rest = rest.split_once(word)?.1.trim_start();
        let Some(value) = rest.strip_prefix('=') else { continue };
        let value = value.trim_start();
        let label = match value.chars().next()? {
            quote @ ('"' | '\'') => value[1..].split_once(quote)?.0,
            _ => value.split([';', ' ', '\t', '\n', '\r', '\u{c}']).next()?,
        };
        return Encoding::for_label(label.as_bytes());
    }
}

/// The encoding in which a page is written that declares this one in its content: it cannot be
/// UTF-16, since then the declaration could not be read.
fn readable(declared: &'static Encoding) -> &'static Encoding {
    if declared == UTF_16BE || declared == UTF_16LE {
        UTF_8
    } else if declared == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        declared
    }
}

/// The texts of a page, in the order of [`NAMES`].
struct PageTexts([Vec<Option<String>>; NAMES.len()]);

impl Default for PageTexts {
    fn default() -> Self {
        Self(NAMES.map(|names| vec![None; names.len()]))
    }
}

impl PageTexts {
    /// Notes a text; the first one under a name stays.
    fn note(&mut self, name: &str, text: &[u8]) {
        for (names, texts) in NAMES.into_iter().zip(&mut self.0) {
            let place = names.iter().position(|it| it.eq_ignore_ascii_case(name));
            let place = place.filter(|place| texts[*place].is_none());
            let text = place.map(|_| plain(&String::from_utf8_lossy(text)));
            if let (Some(place), Some(text)) = (place, text.filter(|text| !text.is_empty())) {
                texts[place] = Some(text);
            }
        }
    }

    fn head(self) -> PageHead {
        let texts = self.0.map(|texts| texts.into_iter().flatten().next());
        let [title, description, picture, site, canonical, icon] = texts;
        PageHead {
            title: title.map(|it| shortened(&it, PREVIEW_TITLE_CHARS)),
            description: description.map(|it| shortened(&it, PREVIEW_DESCRIPTION_CHARS)),
            picture,
            site: site.map(|it| shortened(&it, PREVIEW_TITLE_CHARS)),
            canonical,
            icon,
        }
    }
}

/// The attributes that count, of the tag that is being read. The first one of a name stays.
#[derive(Default)]
struct Attributes {
    values: [Option<Vec<u8>>; ATTRIBUTES.len()],
    /// The attribute whose value comes next.
    current: Option<usize>,
}

const ATTRIBUTES: [&str; 7] =
    ["property", "name", "content", "charset", "http-equiv", "rel", "href"];

impl Attributes {
    fn name(&mut self, name: &[u8]) {
        let known = ATTRIBUTES.iter().position(|it| it.as_bytes() == name);
        self.current = known.filter(|at| self.values[*at].is_none());
        if let Some(at) = self.current {
            self.values[at] = Some(Vec::new());
        }
    }

    fn value(&mut self, value: &[u8]) {
        if let Some(at) = self.current.take() {
            self.values[at] = Some(value.to_vec());
        }
    }

    fn take(&mut self, name: &str) -> Option<Vec<u8>> {
        let at = ATTRIBUTES.iter().position(|it| *it == name)?;
        self.values[at].take()
    }
}

/// A walk over the head of a page.
#[derive(Default)]
struct HeadWalk {
    texts: PageTexts,
    encoding: Option<&'static Encoding>,
    /// The name of the start tag that is being read.
    tag: String,
    attributes: Attributes,
    /// How many elements of SVG or MathML are open, and how many in them that contain HTML.
    foreign: usize,
    integration: usize,
    /// How many templates are open; their content is no part of the page.
    templates: usize,
    is_in_title: bool,
    /// How the tokenizer reads what follows the tag.
    content: Option<State>,
}

/// The head has ended.
struct HeadEnd;

impl HeadWalk {
    fn over(&mut self, page: &[u8], budget: &mut WorkBudget) -> Result<(), Spent> {
        let emitter = HeadEmitter(CallbackEmitter::new(self));
        let reader = BudgetedReader { rest: page, budget };
        Tokenizer::new_with_emitter(reader, emitter).next().transpose().map(|_| ())
    }

    /// Notes a start tag.
    fn open(&mut self, is_closed: bool) -> Option<HeadEnd> {
        let tag = std::mem::take(&mut self.tag);
        let mut attributes = std::mem::take(&mut self.attributes);
        (self.is_in_title, self.content) = (false, None);
        if self.foreign > 0 && !self.leaves_foreign(&tag, is_closed) {
            return None;
        }
        match tag.as_str() {
            "svg" | "math" => (self.foreign, self.integration) = (usize::from(!is_closed), 0),
            "template" => self.templates += 1,
            "body" if self.templates == 0 => return Some(HeadEnd),
            "meta" if self.templates == 0 => self.meta(&mut attributes),
            "link" if self.templates == 0 => self.link(&mut attributes),
            "title" => {
                self.content = Some(State::RcData);
                self.is_in_title = self.templates == 0;
            }
            other => self.content = raw(other),
        }
        None
    }

    /// Whether a start tag within SVG or MathML is one of HTML, which ends them.
    fn leaves_foreign(&mut self, tag: &str, is_closed: bool) -> bool {
        if self.integration == 0 && HTML_ONLY.contains(&tag) {
            self.foreign = 0;
            return true;
        }
        match tag {
            _ if is_closed => {}
            "svg" | "math" => self.foreign += 1,
            _ if INTEGRATION_POINTS.contains(&tag) => self.integration += 1,
            _ if self.integration > 0 => self.content = raw(tag),
            _ => {}
        }
        false
    }

    fn close(&mut self, tag: &str) -> Option<HeadEnd> {
        (self.is_in_title, self.content) = (false, None);
        match tag {
            "svg" | "math" => {
                self.foreign = self.foreign.saturating_sub(1);
                self.integration *= usize::from(self.foreign > 0);
            }
            _ if self.foreign > 0 => {
                let is_point = INTEGRATION_POINTS.contains(&tag);
                self.integration = self.integration.saturating_sub(usize::from(is_point));
            }
            "template" => self.templates = self.templates.saturating_sub(1),
            "head" if self.templates == 0 => return Some(HeadEnd),
            _ => {}
        }
        None
    }

    fn meta(&mut self, attributes: &mut Attributes) {
        let content = attributes.take("content");
        let charset = attributes.take("charset").and_then(|it| Encoding::for_label(&it));
        let kind = attributes.take("http-equiv");
        let is_type = kind.is_some_and(|it| it.eq_ignore_ascii_case(b"content-type"));
        let named = content.as_ref().filter(|_| is_type);
        let named = named.and_then(|it| charset_of(&String::from_utf8_lossy(it)));
        self.encoding = self.encoding.or(charset.or(named).map(readable));
        let Some(content) = content else { return };
        let names = ["property", "name"].map(|name| attributes.take(name));
        for name in names.into_iter().flatten() {
            self.texts.note(String::from_utf8_lossy(&name).trim(), &content);
        }
    }

    fn link(&mut self, attributes: &mut Attributes) {
        if let (Some(rel), Some(href)) = (attributes.take("rel"), attributes.take("href")) {
            self.texts.note(String::from_utf8_lossy(&rel).trim(), &href);
        }
    }
}

/// How the tokenizer reads the content of an element that holds no tags.
fn raw(tag: &str) -> Option<State> {
    match tag {
        "textarea" => Some(State::RcData),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" | "noscript" => Some(State::RawText),
        "script" => Some(State::ScriptData),
        "plaintext" => Some(State::PlainText),
        _ => None,
    }
}

impl Callback<HeadEnd, ()> for &mut HeadWalk {
    fn handle_event(&mut self, event: CallbackEvent<'_>, _: Span<()>) -> Option<HeadEnd> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = String::from_utf8_lossy(name).into_owned();
                self.attributes = Attributes::default();
                None
            }
            CallbackEvent::AttributeName { name } => {
                self.attributes.name(name);
                None
            }
            CallbackEvent::AttributeValue { value } => {
                self.attributes.value(value);
                None
            }
            CallbackEvent::CloseStartTag { self_closing } => self.open(self_closing),
            CallbackEvent::EndTag { name } => self.close(&String::from_utf8_lossy(name)),
            CallbackEvent::String { value } => {
                if self.is_in_title {
                    self.texts.note("title", value);
                }
                None
            }
            CallbackEvent::Comment { .. }
            | CallbackEvent::Doctype { .. }
            | CallbackEvent::Error(_) => None,
        }
    }
}

/// Passes tokens to the walk, and switches the tokenizer as the walk wants.
struct HeadEmitter<'a>(CallbackEmitter<&'a mut HeadWalk, HeadEnd>);

impl ForwardingEmitter for HeadEmitter<'_> {
    type Token = HeadEnd;

    fn inner(&mut self) -> &mut impl Emitter<Token = HeadEnd> {
        &mut self.0
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        let state = self.0.emit_current_tag();
        state.or(self.0.callback_mut().content.take())
    }

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        let walk = self.0.callback_mut();
        walk.foreign > 0 && walk.integration == 0
    }
}

/// Reads a page for the tokenizer, and spends a step for each piece.
struct BudgetedReader<'a> {
    rest: &'a [u8],
    budget: &'a mut WorkBudget,
}

impl Reader for BudgetedReader<'_> {
    type Error = Spent;

    fn read_byte(&mut self) -> Result<Option<u8>, Spent> {
        self.budget.step(1)?;
        let Some((byte, rest)) = self.rest.split_first() else { return Ok(None) };
        self.rest = rest;
        Ok(Some(*byte))
    }

    fn try_read_string(&mut self, text: &[u8], is_exact: bool) -> Result<bool, Spent> {
        self.budget.step(0)?;
        let Some((start, rest)) = self.rest.split_at_checked(text.len()) else { return Ok(false) };
        let is_same = if is_exact { start == text } else { start.eq_ignore_ascii_case(text) };
        if is_same {
            self.budget.step(text.len())?;
            self.rest = rest;
        }
        Ok(is_same)
    }

    fn read_until<'b>(
        &'b mut self,
        needle: &[u8],
        _: &'b mut [u8; 4],
    ) -> Result<Option<&'b [u8]>, Spent> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let at = self.rest.iter().position(|byte| needle.contains(byte));
        let (piece, rest) = self.rest.split_at(at.unwrap_or(self.rest.len()).max(1));
        self.budget.step(piece.len())?;
        self.rest = rest;
        Ok(Some(piece))
    }
}

/// The text as it is displayed: each run of white space as one space, no control characters.
fn plain(text: &str) -> String {
    one_line(text)
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
    use std::time::Duration;

    use super::*;
    use base::bounds::work::WorkLimits;

    const PAGE: &str = r#"<!doctype html><html><head>
        <!-- <meta property="og:title" content="not this"> -->
        <script>var x = "<meta property='og:title' content='nor this'>";</script>
        <title> Rope
            at six </title>
        <META content='Knot&eacute; &amp; rope &#8211; &#x1F9D7;' property="og:title">
        <meta name=description content="Where people &lt;climb&gt;">
        <meta property="og:image" content="/rope.png?a=1&amp;b=2"/>
        <meta property="og:title" content="nor the second">
        <link rel=canonical href="/rope"><link rel="Shortcut Icon" href=i.png>
        </head><body><meta property="og:description" content="nor what is in the body">"#;

    fn budget() -> WorkBudget {
        let time = Duration::from_secs(3600);
        WorkBudget::new(WorkLimits { steps: u64::MAX, terms: 0, bytes: u64::MAX, time })
    }

    fn read(page: &str) -> PageHead {
        super::read(page, &mut budget()).unwrap()
    }

    fn title(page: &str) -> Option<String> {
        read(page).title
    }

    #[test]
    fn head_yields_the_preferred_texts() {
        let head = read(PAGE);
        assert_eq!(head.title.as_deref(), Some("Knot\u{e9} & rope \u{2013} \u{1f9d7}"));
        assert_eq!(head.description.as_deref(), Some("Where people <climb>"));
        assert_eq!(head.picture.as_deref(), Some("/rope.png?a=1&b=2"));
        assert_eq!(head.canonical.as_deref(), Some("/rope"));
        assert_eq!(head.icon.as_deref(), Some("i.png"));
        let plain = read("<title>Rope\u{0} at\n six</TITLE><meta name='title'>");
        assert_eq!(plain.title.as_deref(), Some("Rope\u{fffd} at six"));
        for nothing in ["", "rope", "<p>rope", "<title></title>", "<meta property=og:title>"] {
            assert_eq!(read(nothing), PageHead::default(), "{nothing:?}");
        }
    }

    #[test]
    fn long_titles_end_with_an_ellipsis() {
        let title = title(&format!("<title>{}</title>", "ä".repeat(500))).unwrap();
        assert_eq!(title.chars().count(), PREVIEW_TITLE_CHARS);
        assert!(title.ends_with("ä\u{2026}"));
    }

    #[test]
    fn character_references_follow_the_standard() {
        for (text, shown) in [
            ("Ros&eacute; &#146;s", "Ros\u{e9} \u{2019}s"),
            ("&#128;&#x80;&#159;", "\u{20ac}\u{20ac}\u{178}"),
            ("&CounterClockwiseContourIntegral;", "\u{2233}"),
            ("&notin; &notit; &ampx &copy2", "\u{2209} \u{ac}it; &x \u{a9}2"),
            ("&NotEqualTilde;", "\u{2242}\u{338}"),
            ("&#0;&#x110000;&#xD800;", "\u{fffd}\u{fffd}\u{fffd}"),
            ("&nosuch; &; &#; &#x; &", "&nosuch; &; &#; &#x; &"),
        ] {
            let page = format!("<title>{text}</title>");
            assert_eq!(title(&page).as_deref(), Some(shown), "{text}");
        }
        // Within an attribute, a reference without a semicolon may be part of a URL.
        let page = r#"<meta name=og:image content="/a?x=1&copy=2&ampx&amp;y">"#;
        assert_eq!(read(page).picture.as_deref(), Some("/a?x=1&copy=2&ampx&y"));
    }

    #[test]
    fn only_the_title_element_of_html_counts() {
        for page in [
            "<svg><title>icon</title></svg><title>Real</title>",
            "<svg><title/></svg><title>Real</title>",
            "<svg><g><title>a<b>c</title></g><svg><title>b</title></svg></svg><title>Real</title>",
            "<math><mi><title>x</title></mi></math><title>Real</title>",
            "<svg><![CDATA[<title>no</title></svg>]]></svg><title>Real</title>",
            "<svg><foreignObject><p><title>x</title></p></foreignObject></svg><title>Real</title>",
            "<svg><path><meta name=x content=y><title>Real</title>",
            "<svg/><title>Real</title>",
            "<template><title>no</title></template><title>Real</title>",
            "<noscript><title>no</title></noscript><title>Real</title>",
            "<style><title>no</title></style><title>Real</title>",
            "<script><!--<title>no</title>--></script><title>Real</title>",
            "<textarea><title>no</title></textarea><title>Real</title>",
            "<title>Real</title><title>second</title>",
            "<title x=\">\" y='<title>'>Real</title >",
        ] {
            assert_eq!(title(page).as_deref(), Some("Real"), "{page}");
        }
        assert_eq!(title("<svg><title>icon</title></svg>"), None);
        assert_eq!(title("</head><title>no</title>"), None);
        assert_eq!(title("<title>a <b>c</b></title>").as_deref(), Some("a <b>c</b>"));
    }

    #[test]
    fn encodings_are_read_from_meta_tags() {
        let declared = |page: &str| {
            declared_encoding(page.as_bytes(), &mut budget()).unwrap().map(Encoding::name)
        };
        for (page, name) in [
            ("<meta charset=windows-1251>", "windows-1251"),
            ("<meta charset=' UTF8 '>", "UTF-8"),
            ("<meta charset=latin1>", "windows-1252"),
            ("<meta charset=utf-16>", "UTF-8"),
            ("<meta charset=x-user-defined>", "windows-1252"),
            ("<META HTTP-EQUIV=Content-Type CONTENT='text/html; Charset=\"koi8-r\"'>", "KOI8-R"),
            ("<meta content='x charset  charset =sjis;' http-equiv=content-type>", "Shift_JIS"),
            ("<!--<meta charset=gbk>--><title>x</title><meta charset=big5>", "Big5"),
            ("<meta charset=unknown><meta charset=gbk>", "GBK"),
            ("<?xml version='1.0' encoding='iso-8859-2'?><html>", "ISO-8859-2"),
        ] {
            assert_eq!(declared(page), Some(name), "{page}");
        }
        for page in ["", "<meta content='text/html; charset=gbk'>", "<body><meta charset=gbk>"] {
            assert_eq!(declared(page), None, "{page}");
        }
    }

    /// Pages that repeat a piece, as attackers write them.
    fn attacks(size: usize) -> Vec<String> {
        let names = "name=title ".repeat(size / 40);
        let mut pages = vec![format!("<meta {names}content=\"{}", "&".repeat(size / 2))];
        for piece in [
            "<",
            "<meta ",
            "<meta a=\"",
            "<!--",
            "</",
            "&",
            "<title>",
            "<meta é=é",
            "<svg>",
            "<svg><title>",
            "<template>",
            "<script>",
            "<script><!--<script>",
            "<meta content=&#1",
            "<title>&CounterClockwise",
            "\0",
            "\r",
            "<![CDATA[",
            "]]>",
            "<meta charset=x ",
            "<?",
            "<link rel=icon href=",
            "<!DOCTYPE ",
            "</title",
            "<a a",
            "<noscript></noscrip",
        ] {
            let repeats = size / piece.len();
            pages.push(piece.repeat(repeats));
            pages.push(format!("<title>{}", piece.repeat(repeats)));
            pages.push(format!("<meta name=title content=\"{}", piece.repeat(repeats)));
        }
        pages
    }

    #[test]
    fn work_grows_with_the_page_and_no_faster() {
        const SIZE: usize = 32 << 10;
        let steps = |page: &String| {
            let mut budget = budget();
            super::read(page, &mut budget).unwrap();
            declared_encoding(page.as_bytes(), &mut budget).unwrap();
            budget.steps()
        };
        for (short, long) in attacks(SIZE).iter().zip(&attacks(4 * SIZE)) {
            let start: String = long.chars().take(30).collect();
            let few = steps(short);
            let many = steps(long);
            assert!(many <= 5 * few + 1000, "{start}: {few} steps become {many}");
            assert!(many <= 64 * long.len() as u64, "{start}: {many} steps");
        }
    }

    #[test]
    fn spent_budget_ends_the_reader() {
        let limits =
            WorkLimits { steps: 50, terms: 0, bytes: 1000, time: Duration::from_secs(3600) };
        assert_eq!(super::read(PAGE, &mut WorkBudget::new(limits)), Err(Spent));
    }

    #[test]
    fn pages_may_end_anywhere() {
        for end in 0..PAGE.len() {
            read(&PAGE[..end]);
            read(&PAGE[end..]);
        }
    }
}
