//! Previews of links: what a page says of itself, beside the message that links to it.
//!
//! Pure rules. A preview is a revision of its message (see [`crate::domain::revision`]), made by
//! the server after the post was answered; it goes with the link, and with the message.

use serde::{Deserialize, Serialize};

use crate::domain::attachment::ImageRef;
use crate::domain::limits::LINK_PREVIEWS;
use crate::domain::links::links;

/// What a page says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkPreview {
    /// The link, as it stands in the text.
    pub url: String,
    /// What the page is called.
    pub title: String,
    /// What it is about.
    #[serde(default)]
    pub description: Option<String>,
    /// Its picture, stored here.
    #[serde(default)]
    pub image: Option<ImageRef>,
}

/// The links of a text that may have a preview: the first few, each once.
pub fn previewable(text: Option<&str>) -> Vec<&str> {
    let mut found = Vec::new();
    for link in links(text.unwrap_or_default()) {
        if found.len() == LINK_PREVIEWS {
            break;
        }
        if !found.contains(&link) {
            found.push(link);
        }
    }
    found
}

/// The previews beside a text, in the order of its links; what was found now goes before what
/// was known.
pub fn previews_of(
    text: Option<&str>,
    found: &[LinkPreview],
    known: &[LinkPreview],
) -> Vec<LinkPreview> {
    if found.is_empty() && known.is_empty() {
        return Vec::new();
    }
    let of = |link: &str| found.iter().chain(known).find(|it| it.url == link).cloned();
    previewable(text).into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_few_links_have_a_preview_each_once() {
        let text = "http://a http://b http://a http://c http://d";
        assert_eq!(previewable(Some(text)), ["http://a", "http://b", "http://c"]);
        assert!(previewable(Some("rope at six")).is_empty() && previewable(None).is_empty());
    }
}
