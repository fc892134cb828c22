//! Previews of links in JSON.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::message::Message;
use crate::wire::instance::Instance;

/// The preview of a web page that a message links to.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinkPreview")]
pub(super) struct LinkPreviewResource<'a> {
    /// The link, as written in the text.
    url: &'a str,
    /// Title of the page.
    title: &'a str,
    /// Description of the page; null if it gives none.
    description: Option<&'a str>,
    /// URL of the page's picture, stored on this server; null if there is none.
    image_url: Option<String>,
}

/// Builds the JSON of a message's link previews.
pub(super) fn resource<'a>(
    message: &'a Message,
    instance: &Instance,
) -> Vec<LinkPreviewResource<'a>> {
    let previews = message.state.previews.iter();
    let shown = previews.map(|preview| LinkPreviewResource {
        url: &preview.url,
        title: &preview.title,
        description: preview.description.as_deref(),
        image_url: preview.image.as_ref().map(|image| instance.image_url(image)),
    });
    shown.collect()
}
