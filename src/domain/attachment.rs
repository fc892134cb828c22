//! What a message can carry besides its text.

use serde::{Deserialize, Serialize};

use crate::domain::file::AttachedFile;
use crate::domain::ids::{CalendarEventId, PollId, UserId};

/// The path of an image of this installation, without the host, so that a move of
/// the server breaks no message. Shown with the present public URL in front.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ImageRef(String);

impl ImageRef {
    /// Where images live below the public URL.
    pub const FOLDER: &str = "/images/";

    /// Accepts the path of an image: `/images/<w>x<h>.<format>.<hex>`, with or
    /// without a variant at its end.
    pub fn from_path(path: &str) -> Option<Self> {
        let name = path.strip_prefix(Self::FOLDER)?;
        let mut parts = name.split('.');
        let (size, format, hex) = (parts.next()?, parts.next()?, parts.next()?);
        let (width, height) = size.split_once('x')?;
        let is_number = |text: &str| {
            (1..=6).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        let known_variant = matches!(parts.next(), None | Some("preview" | "large" | "avatar"));
        let is_image = is_number(width)
            && is_number(height)
            && matches!(format, "jpeg" | "png" | "gif" | "webp")
            && (16..=64).contains(&hex.len())
            && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
            && known_variant
            && parts.next().is_none();
        is_image.then(|| Self(path.to_owned()))
    }

    /// The name of the image itself: the same for every form of it.
    pub fn stem(&self) -> &str {
        let name = self.0.strip_prefix(Self::FOLDER).unwrap_or_default();
        name.match_indices('.').nth(2).map_or(name, |(end, _)| &name[..end])
    }

    /// The path, from its first slash.
    pub fn path(&self) -> &str {
        &self.0
    }
}

/// One attachment. Parsed and within its limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Attachment {
    /// A picture of the image service.
    Image {
        /// Where it lies.
        url: ImageRef,
    },
    /// A place. Coordinates are text, as the specification has them.
    Location {
        /// What the place is called.
        name: String,
        /// Latitude.
        lat: String,
        /// Longitude.
        lng: String,
    },
    /// A bill to split.
    Split {
        /// Names the bill.
        token: String,
    },
    /// Pictures instead of a placeholder character in the text.
    Emoji {
        /// The character that stands for them.
        placeholder: String,
        /// `[pack_id, offset]` for each place.
        charmap: Vec<Vec<i64>>,
    },
    /// People named in the text.
    Mentions {
        /// Who.
        user_ids: Vec<String>,
        /// `[start, length]` for each, in Unicode scalar values.
        loci: Vec<Vec<i64>>,
        /// Who was here then, where whoever is here is mentioned.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        here: Vec<UserId>,
    },
    /// The message that this one answers.
    Reply {
        /// The message answered.
        reply_id: String,
        /// The first of its chain.
        base_reply_id: String,
        /// Who wrote the message answered; unknown of replies from before it was kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        user_id: Option<String>,
    },
    /// A file.
    File(AttachedFile),
    /// A video, with a picture of it that its sender made.
    Video {
        /// The path of its file, without the host.
        path: String,
        /// The file.
        file: AttachedFile,
        /// What is shown before it is played.
        preview: ImageRef,
    },
    /// A poll; only the server gives it to a message.
    Poll {
        /// Which one.
        poll: PollId,
    },
    /// An event of the calendar; only the server gives it to a message.
    Event {
        /// Which one.
        event: CalendarEventId,
    },
}

/// In which form mentions and replies come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AddressForm {
    /// Places in the text count Unicode scalar values; what is wrong is refused.
    #[default]
    Specified,
    /// They count UTF-16 units; what is wrong is mended or dropped.
    Compatible,
}

/// What a mention says.
#[derive(Debug, Clone, Copy)]
pub struct MentionParts<'a> {
    /// Who.
    pub user_ids: &'a [String],
    /// Who was here then.
    pub here: &'a [UserId],
}

impl MentionParts<'_> {
    /// Whether somebody is mentioned by this word.
    pub fn names(&self, word: &str) -> bool {
        self.user_ids.iter().any(|it| it == word)
    }
}

/// What a reply says.
#[derive(Debug, Clone, Copy)]
pub struct ReplyParts<'a> {
    /// The message answered.
    pub reply_id: &'a str,
    /// The first of its chain.
    pub base_reply_id: &'a str,
    /// Who wrote the message answered.
    pub user_id: Option<&'a str>,
}

impl Attachment {
    /// What it says, if it is a mention.
    pub fn mentions(&self) -> Option<MentionParts<'_>> {
        let Self::Mentions { user_ids, here, .. } = self else { return None };
        Some(MentionParts { user_ids, here })
    }

    /// What it says, if it is a reply.
    pub fn reply(&self) -> Option<ReplyParts<'_>> {
        let Self::Reply { reply_id, base_reply_id, user_id } = self else { return None };
        Some(ReplyParts { reply_id, base_reply_id, user_id: user_id.as_deref() })
    }

    /// The file that it is, if it is one.
    pub const fn file(&self) -> Option<&AttachedFile> {
        if let Self::File(file) | Self::Video { file, .. } = self { Some(file) } else { None }
    }

    /// The same, to be filled in.
    pub const fn file_mut(&mut self) -> Option<&mut AttachedFile> {
        if let Self::File(file) | Self::Video { file, .. } = self { Some(file) } else { None }
    }

    /// The image that it shows, and the field that names it, if it shows one.
    pub const fn image(&self) -> Option<(&'static str, &ImageRef)> {
        match self {
            Self::Image { url } => Some(("url", url)),
            Self::Video { preview, .. } => Some(("preview_url", preview)),
            Self::Location { .. }
            | Self::Split { .. }
            | Self::Emoji { .. }
            | Self::Mentions { .. }
            | Self::Reply { .. }
            | Self::Poll { .. }
            | Self::Event { .. }
            | Self::File(_) => None,
        }
    }

    /// How many entries its lists have.
    pub const fn entries(&self) -> usize {
        match self {
            Self::Emoji { charmap, .. } => charmap.len(),
            Self::Mentions { user_ids, loci, .. } => user_ids.len() + loci.len(),
            Self::Image { .. }
            | Self::Location { .. }
            | Self::Split { .. }
            | Self::Reply { .. }
            | Self::File(_)
            | Self::Poll { .. }
            | Self::Event { .. }
            | Self::Video { .. } => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_the_image_service_are_images() {
        let hex = "0123456789abcdef0123456789abcdef";
        for good in [format!("/images/1x1.png.{hex}"), format!("/images/960x720.jpeg.{hex}.large")]
        {
            assert_eq!(ImageRef::from_path(&good).unwrap().path(), good);
        }
        for bad in [
            "/images/".to_owned(),
            format!("/images/1x1.svg.{hex}"),
            format!("/images/../1x1.png.{hex}"),
            format!("/images/1x1.png.{hex}.huge"),
            format!("/images/1x1.png.{hex}.large.large"),
            format!("/other/1x1.png.{hex}"),
            "/images/1x1.png.zz".to_owned(),
        ] {
            assert_eq!(ImageRef::from_path(&bad), None, "{bad}");
        }
    }
}
