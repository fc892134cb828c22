//! Galleries: which messages have images, videos, files or links to look at again.

use std::str::FromStr;

use crate::attachment::Attachment;
use crate::ids::MessageId;
use crate::links::links;

/// Content of a message that galleries and searches ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GalleryKind {
    /// An image.
    Image,
    /// A video.
    Video,
    /// A file of any other type.
    File,
    /// A link in the text.
    Link,
}

impl GalleryKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Image, Self::Video, Self::File, Self::Link];

    /// The name of the kind in requests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Video => "video",
            Self::File => "file",
            Self::Link => "link",
        }
    }

    /// The letter of the kind in index keys.
    pub const fn letter(self) -> u8 {
        match self {
            Self::Image => b'i',
            Self::Video => b'v',
            Self::File => b'f',
            Self::Link => b'l',
        }
    }
}

impl FromStr for GalleryKind {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|kind| kind.as_str() == name);
        known.ok_or("must be image, video, file or link")
    }
}

/// A range of messages in a gallery; both ends are exclusive.
#[derive(Debug, Clone, Copy)]
pub struct GalleryRange {
    /// Messages newer than this one.
    pub after: MessageId,
    /// Messages older than this one.
    pub before: MessageId,
}

/// Returns the kinds of content that a message has, for galleries and searches alike. A video sent
/// as a file counts as a video.
pub fn gallery_kinds(
    text: Option<&str>,
    attachments: &[Attachment],
) -> impl Iterator<Item = GalleryKind> {
    let has = |kind| match kind {
        GalleryKind::Link => text.is_some_and(|text| links(text).next().is_some()),
        GalleryKind::Image | GalleryKind::Video | GalleryKind::File => {
            attachments.iter().any(|it| kind_of(it) == Some(kind))
        }
    };
    GalleryKind::ALL.map(|kind| has(kind).then_some(kind)).into_iter().flatten()
}

fn kind_of(attachment: &Attachment) -> Option<GalleryKind> {
    match attachment {
        Attachment::Image { .. } => Some(GalleryKind::Image),
        Attachment::Video { .. } => Some(GalleryKind::Video),
        Attachment::File(file) if file.mime_type.starts_with("video/") => Some(GalleryKind::Video),
        Attachment::File(_) | Attachment::Audio { .. } => Some(GalleryKind::File),
        Attachment::Location { .. }
        | Attachment::Split { .. }
        | Attachment::Emoji { .. }
        | Attachment::Mentions { .. }
        | Attachment::LinkedImage { .. }
        | Attachment::Poll { .. }
        | Attachment::Event { .. }
        | Attachment::Reply { .. } => None,
    }
}
