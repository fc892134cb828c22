//! Link previews: what a page says about itself, shown beside the message that links to it.
//!
//! Pure rules. A preview is a revision of its message (see [`crate::revision`]), made by
//! the server after the post was answered. It goes when the link is edited out of the message, or
//! the message is deleted.

use serde::{Deserialize, Serialize};

use crate::attachment::ImageRef;
use crate::limits::LINK_PREVIEWS;
use crate::links::links;

/// The description of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkPreview {
    /// The link, exactly as in the text.
    pub url: String,
    /// The title of the page.
    pub title: String,
    /// The description of the page.
    #[serde(default)]
    pub description: Option<String>,
    /// The picture of the page, stored on this server.
    #[serde(default)]
    pub image: Option<ImageRef>,
}

/// Returns the links of a text that get a preview: the first [`LINK_PREVIEWS`], each once.
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

/// Returns the previews for a text, in the order of its links. `found`, the previews just made,
/// take precedence over `known`, the previous ones.
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
