//! Looks at a page: fetches it through the address guard, reads its head, and stores its picture.

use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;

use crate::clock::Clock;
use crate::domain::attachment::ImageRef;
use crate::domain::previews::LinkPreview;
use crate::domain::time::Monotonic;
use crate::media::Images;
use crate::outgoing::{FetchLimits, Fetched, LongerBody, Outgoing};
use crate::subscribers::previews::head::{self, PageHead};

/// How much of a page is read; heads of large sites come close to this.
const PAGE: FetchLimits =
    FetchLimits { bytes: 512 << 10, time: Duration::from_secs(5), longer: LongerBody::Cut };
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

    /// The preview of a link; `None` if its page has none.
    pub(super) async fn look(&self, link: &str) -> Option<LinkPreview> {
        if let Some(known) = self.remembered(link).await {
            return known.map(|found| LinkPreview::clone(&found));
        }
        let found = self.look_now(link).await.map(Arc::new);
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

    async fn look_now(&self, link: &str) -> Option<LinkPreview> {
        let page = match self.outgoing.fetch(link, PAGE).await {
            Ok(page) => page,
            Err(fault) => {
                tracing::debug!(%fault, "a link has no preview");
                return None;
            }
        };
        let PageHead { title, description, picture } = head::read(&text_of(&page)?);
        let title = title?;
        let image = match picture {
            Some(picture) => self.picture(&page, &picture).await,
            None => None,
        };
        Some(LinkPreview { url: link.to_owned(), title, description, image })
    }

    /// Fetches and stores the picture of a page. Without a picture the page has a preview all the
    /// same.
    async fn picture(&self, page: &Fetched, picture: &str) -> Option<ImageRef> {
        let url = page.place.join(picture).ok()?;
        let mut intake = self.images.intake().ok()?;
        intake.hold_most().ok()?;
        let fetched = self.outgoing.fetch(&url, PICTURE).await.ok()?;
        intake.add(&fetched.body).ok()?;
        self.images.keep(intake.finish(0..fetched.body.len()), None).await.ok()
    }
}

/// The text of an HTML page; `None` for other content. What is not UTF-8 is read byte by byte as
/// Latin-1, the encoding of most of the other pages.
fn text_of(page: &Fetched) -> Option<String> {
    let kind = page.content_type.as_deref()?.to_ascii_lowercase();
    if !kind.starts_with("text/html") && !kind.starts_with("application/xhtml+xml") {
        return None;
    }
    let text = match std::str::from_utf8(&page.body) {
        Ok(text) => text.to_owned(),
        // The page may have been cut within a character.
        Err(fault) if fault.error_len().is_none() => {
            String::from_utf8_lossy(&page.body).into_owned()
        }
        Err(_) if kind.contains("utf-8") => String::from_utf8_lossy(&page.body).into_owned(),
        Err(_) => page.body.iter().map(|byte| char::from(*byte)).collect(),
    };
    Some(text)
}
