//! Looks at a page: fetches it through the address guard, reads its head, and stores its picture.

use std::sync::Arc;
use std::time::Duration;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use quick_cache::sync::Cache;

use crate::previews::page_head::{self, PageHead};
use base::bounds::turns::Owner;
use base::bounds::work::{Spent, WorkBudget, WorkLimits};
use base::clock::Clock;
use domain::attachment::ImageRef;
use domain::previews::LinkPreview;
use domain::time::Monotonic;
use media::Images;
use outgoing::target::Target;
use outgoing::{FetchLimits, Fetched, LongerBody, Outgoing, OutgoingFault};

/// How much of a page is read; heads of large sites come close to this.
const PAGE: FetchLimits =
    FetchLimits { bytes: 512 << 10, time: Duration::from_secs(5), longer: LongerBody::Cut };
/// The work of reading a page: a few steps for each byte, and three bytes of UTF-8 for each byte
/// of an older encoding. The time only stops what nobody foresaw.
const WORK: WorkLimits =
    WorkLimits { steps: 32 << 20, terms: 0, bytes: 4 << 20, time: Duration::from_secs(5) };
/// How large a picture may be; a preview goes without a larger one.
const PICTURE: FetchLimits =
    FetchLimits { bytes: 5 << 20, time: Duration::from_secs(5), longer: LongerBody::Refused };
/// Pages whose look-up is cached.
const REMEMBERED: usize = 1000;
/// Milliseconds for which a preview is cached: a link that many people post is fetched once.
const FRESH_MILLIS: u64 = 3_600_000;
/// Milliseconds for which a page without a preview is not tried again.
const SILENT_MILLIS: u64 = 300_000;

/// The cached result of looking at a page.
#[derive(Clone)]
struct CachedPage {
    at: Monotonic,
    found: Option<Arc<LinkPreview>>,
}

/// Looks at pages, and caches what it found.
pub(super) struct PageReader {
    outgoing: Outgoing,
    images: Arc<Images>,
    clock: Arc<dyn Clock>,
    looks: Cache<String, CachedPage>,
}

impl PageReader {
    pub(super) fn new(outgoing: Outgoing, images: Arc<Images>, clock: Arc<dyn Clock>) -> Self {
        Self { outgoing, images, clock, looks: Cache::new(REMEMBERED) }
    }

    /// The preview of a link that this owner wrote; `None` if its page has none.
    pub(super) async fn look(&self, owner: Owner, link: &str) -> Option<LinkPreview> {
        if let Some(known) = self.remembered(link).await {
            return known.map(|found| LinkPreview::clone(&found));
        }
        let found = self.look_now(owner, link).await.map(Arc::new);
        let look = CachedPage { at: self.clock.now().mono, found: found.clone() };
        self.looks.insert(link.to_owned(), look);
        found.map(|found| LinkPreview::clone(&found))
    }

    async fn remembered(&self, link: &str) -> Option<Option<Arc<LinkPreview>>> {
        let look = self.looks.get(link)?;
        let lasts = if look.found.is_some() { FRESH_MILLIS } else { SILENT_MILLIS };
        let is_fresh = self.clock.now().mono.millis_since(look.at) < lasts;
        // The picture is removed when the last message with it is deleted.
        let image = look.found.as_ref().and_then(|found| found.image.as_ref());
        let is_whole = match image {
            Some(image) => self.images.has(image).await.unwrap_or(false),
            None => true,
        };
        (is_fresh && is_whole).then_some(look.found)
    }

    async fn look_now(&self, owner: Owner, link: &str) -> Option<LinkPreview> {
        let DescribedPage { head, place } = match self.describe(owner, link).await {
            Ok(page) => page,
            Err(fault) => {
                tracing::debug!(%fault, "fetching a link preview failed");
                return None;
            }
        };
        let PageHead { title, description, picture, .. } = head;
        let title = title?;
        let image = match picture.and_then(|picture| place.join(&picture).ok()) {
            Some(picture) => self.picture(owner, &picture).await,
            None => None,
        };
        Some(LinkPreview { url: link.to_owned(), title, description, image })
    }

    /// Fetches a page, and reads its head.
    ///
    /// # Errors
    /// If the page cannot be fetched, is no HTML, or takes too much work.
    pub(super) async fn describe(
        &self,
        owner: Owner,
        link: &str,
    ) -> Result<DescribedPage, PageFault> {
        let page = self.outgoing.fetch(owner, link, PAGE).await?;
        if !is_html(&page) {
            return Err(PageFault::NotHtml);
        }
        let mut budget = WorkBudget::new(WORK);
        let head = page_head::read(&text_of(&page, &mut budget)?, &mut budget)?;
        Ok(DescribedPage { head, place: page.place })
    }

    /// Fetches and stores the picture of a page. A page has a preview without its picture, too.
    async fn picture(&self, owner: Owner, url: &str) -> Option<ImageRef> {
        let mut intake = self.images.intake(owner).ok()?;
        intake.hold_most().ok()?;
        let fetched = self.outgoing.fetch(owner, url, PICTURE).await.ok()?;
        intake.add(&fetched.body).ok()?;
        self.images.keep(intake.finish(0..fetched.body.len()), None).await.ok()
    }
}

/// A page that was read.
pub(super) struct DescribedPage {
    /// The parsed head of the page.
    pub(super) head: PageHead,
    /// Its URL, after every redirect.
    pub(super) place: Target,
}

/// Why a page was not read.
#[derive(Debug, thiserror::Error)]
pub enum PageFault {
    /// The page cannot be fetched.
    #[error("the page cannot be fetched: {0}")]
    Fetch(#[from] OutgoingFault),
    /// The content is no HTML.
    #[error("the content is not HTML")]
    NotHtml,
    /// Reading the page takes too much work.
    #[error("the page cannot be read: {0}")]
    Work(#[from] Spent),
    /// Too many pages of this owner wait, or the server stops.
    #[error("too many pages are waiting")]
    Busy,
}

fn is_html(page: &Fetched) -> bool {
    let kind = page.content_type.as_deref().unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "text/html" || kind == "application/xhtml+xml"
}

/// The text of an HTML page. Byte order mark, `Content-Type` and `meta` tag tell its encoding, in
/// this order (HTML standard, section 13.2.3); a page without them is UTF-8 if it can be, and
/// windows-1252 otherwise, as browsers assume.
fn text_of(page: &Fetched, budget: &mut WorkBudget) -> Result<String, Spent> {
    let bytes = &page.body;
    let content_type = page.content_type.as_deref().unwrap_or_default();
    let (encoding, mark) = match Encoding::for_bom(bytes) {
        Some(marked) => marked,
        None => match page_head::charset_of(content_type) {
            Some(named) => (named, 0),
            None => (page_head::declared_encoding(bytes, budget)?.unwrap_or(assumed(bytes)), 0),
        },
    };
    budget.step(bytes.len())?;
    Ok(encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned())
}

fn assumed(bytes: &[u8]) -> &'static Encoding {
    // The page may have been cut within a character.
    let fault = std::str::from_utf8(bytes).err();
    let is_utf8 = fault.is_none_or(|fault| fault.error_len().is_none());
    if is_utf8 { UTF_8 } else { WINDOWS_1252 }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn text(content_type: &str, body: &[u8]) -> String {
        let page = Fetched {
            body: Bytes::copy_from_slice(body),
            content_type: Some(content_type.to_owned()),
            place: Target::parse("http://a.test/").unwrap(),
        };
        assert!(is_html(&page));
        text_of(&page, &mut WorkBudget::new(WORK)).unwrap()
    }

    #[test]
    fn encoding_comes_from_mark_header_and_meta_in_this_order() {
        let words = "\u{43f}\u{440}\u{438}\u{432}\u{435}\u{442}";
        for label in ["windows-1251", "koi8-r", "iso-8859-5", "x-mac-cyrillic", "utf-8", "ibm866"] {
            let encoding = Encoding::for_label(label.as_bytes()).unwrap();
            let header = format!("text/html; charset={label}");
            assert_eq!(text(&header, &encoding.encode(words).0), words, "{label}");
            let page = format!("<meta charset={label}>{words}");
            let bytes = encoding.encode(&page).0;
            assert_eq!(text("text/html", &bytes), page, "{label}");
            assert_eq!(text(&format!("Text/HTML;Charset=\"{label}\""), &bytes), page, "{label}");
        }
        let utf8 = format!("<meta charset=windows-1251>{words}");
        assert_eq!(text("text/html; charset=utf-8", utf8.as_bytes()), utf8);
        let marked = format!("\u{feff}{utf8}");
        assert_eq!(text("text/html; charset=koi8-r", marked.as_bytes()), utf8);
        let wide: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(text("text/html", &wide), utf8);
        let japanese = "\u{65e5}\u{672c}\u{8a9e}";
        for label in ["shift_jis", "euc-jp", "iso-2022-jp", "gb18030", "big5"] {
            let encoding = Encoding::for_label(label.as_bytes()).unwrap();
            let header = format!("text/html; charset={label}");
            assert_eq!(text(&header, &encoding.encode(japanese).0), japanese, "{label}");
        }
    }

    #[test]
    fn undeclared_pages_are_utf8_if_they_can_be() {
        assert_eq!(text("text/html", "ros\u{e9}".as_bytes()), "ros\u{e9}");
        assert_eq!(text("text/html", b"ros\xe9 \x80"), "ros\u{e9} \u{20ac}");
        assert_eq!(text("text/html", b"cut \xc3"), "cut \u{fffd}");
    }
}
