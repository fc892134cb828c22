//! Previews of links in JSON.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::message::Message;
use crate::wire::instance::Instance;

/// What a page says of itself to which a message links.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinkPreview")]
pub(super) struct LinkPreviewResource<'a> {
    /// The link, as it stands in the text.
    url: &'a str,
    /// What the page is called.
    title: &'a str,
    /// What it is about.
    description: Option<&'a str>,
    /// Its picture, stored by this server.
    image_url: Option<String>,
}

/// The previews of a message as they go out.
pub(super) fn shown<'a>(message: &'a Message, instance: &Instance) -> Vec<LinkPreviewResource<'a>> {
    let previews = message.state.previews.iter();
    let shown = previews.map(|preview| LinkPreviewResource {
        url: &preview.url,
        title: &preview.title,
        description: preview.description.as_deref(),
        image_url: preview.image.as_ref().map(|image| instance.image_url(image)),
    });
    shown.collect()
}
