//! What of a message is to be looked at again: pictures, videos, files and links.

use std::str::FromStr;

use crate::domain::attachment::Attachment;
use crate::domain::ids::MessageId;
use crate::domain::links::links;

/// What a message can have beside its words, as galleries and searches ask for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GalleryKind {
    /// A picture.
    Image,
    /// A video.
    Video,
    /// Any file.
    File,
    /// A link in the text.
    Link,
}

impl GalleryKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Image, Self::Video, Self::File, Self::Link];

    /// As requests name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Video => "video",
            Self::File => "file",
            Self::Link => "link",
        }
    }

    /// The letter that names it on the disk.
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

/// Which messages of a gallery, both ends left out.
#[derive(Debug, Clone, Copy)]
pub struct GalleryRange {
    /// Newer than this.
    pub after: MessageId,
    /// Older than this.
    pub before: MessageId,
}

/// What a message has, for galleries and searches alike: a video that was sent as a file is a
/// video.
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
        Attachment::File(_) => Some(GalleryKind::File),
        Attachment::Location { .. }
        | Attachment::Split { .. }
        | Attachment::Emoji { .. }
        | Attachment::Mentions { .. }
        | Attachment::Poll { .. }
        | Attachment::Event { .. }
        | Attachment::Reply { .. } => None,
    }
}
