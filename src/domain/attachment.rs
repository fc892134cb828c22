//! Attachments: what a message carries besides its text.

use serde::{Deserialize, Serialize};

use crate::file::{AttachedFile, FileId};
use crate::ids::{CalendarEventId, PollId, UserId};

/// The path of an image of this installation, without the host, so that messages survive a move of
/// the server. Shown with the present public URL in front.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ImageRef(String);

impl ImageRef {
    /// The folder of all images, below the public URL.
    pub const FOLDER: &str = "/images/";

    /// Parses the path of an image: `/images/<w>x<h>.<format>.<hex>`, optionally followed by the
    /// name of a form.
    pub fn from_path(path: &str) -> Option<Self> {
        let name = path.strip_prefix(Self::FOLDER)?;
        let mut parts = name.split('.');
        let size = parts.next()?;
        let format = parts.next()?;
        let hex = parts.next()?;
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

    /// Parses the name of an image, which is the end of its path.
    pub fn named(name: &str) -> Option<Self> {
        Self::from_path(&format!("{}{name}", Self::FOLDER))
    }

    /// The folder of images under ids that were given before their bytes.
    pub const UPLOADS: &str = "/uploads/";

    /// Parses the path of an image under an id that was given before its bytes:
    /// `/uploads/<id>/<name>`. It stands for an image until that is looked up.
    pub fn from_upload_path(path: &str) -> Option<Self> {
        let (id, name) = path.strip_prefix(Self::UPLOADS)?.split_once('/')?;
        let is_name = !name.is_empty() && !name.contains('/');
        is_name.then(|| FileId::parse(id))?.map(|id| Self(format!("{}{id}", Self::UPLOADS)))
    }

    /// The id that was given before the bytes, if the image is to be looked up by it.
    pub fn uploaded_as(&self) -> Option<FileId> {
        FileId::parse(self.0.strip_prefix(Self::UPLOADS)?)
    }

    /// The name: the path without the folder.
    pub fn name(&self) -> &str {
        self.0.strip_prefix(Self::FOLDER).unwrap_or_default()
    }

    /// The name of the image without a form; the same for every form of the image.
    pub fn stem(&self) -> &str {
        let name = self.name();
        name.match_indices('.').nth(2).map_or(name, |(end, _)| &name[..end])
    }

    /// The path, beginning with a slash.
    pub fn path(&self) -> &str {
        &self.0
    }
}

/// One attachment, parsed and within its limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Attachment {
    /// An image of the image service.
    Image {
        /// The image.
        url: ImageRef,
        /// Properties of the image as the sender's client states them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hints: Option<Box<ImageHints>>,
    },
    /// A location. Coordinates are text, as in the specification.
    Location {
        /// The name of the place.
        name: String,
        /// Latitude in degrees, as text.
        lat: String,
        /// Longitude in degrees, as text.
        lng: String,
    },
    /// A bill to split.
    Split {
        /// The token that identifies the bill.
        token: String,
    },
    /// Pictures shown in place of a placeholder character in the text.
    Emoji {
        /// The character that the pictures replace.
        placeholder: String,
        /// `[pack_id, offset]` of the picture for each occurrence of the placeholder.
        charmap: Vec<Vec<i64>>,
    },
    /// People mentioned in the text.
    Mentions {
        /// User ids, or the words for everybody and for everybody online.
        user_ids: Vec<String>,
        /// `[start, length]` for each of `user_ids`, in Unicode scalar values.
        loci: Vec<Vec<i64>>,
        /// The people who were online at the time, if the message mentions everybody online.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        here: Vec<UserId>,
    },
    /// A reply to another message.
    Reply {
        /// The message replied to.
        reply_id: String,
        /// The first message of the thread.
        base_reply_id: String,
        /// The author of the message replied to; `None` for replies from before this was stored.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        user_id: Option<String>,
    },
    /// A file.
    File(AttachedFile),
    /// A video, with a preview image made by its sender.
    Video {
        /// The path of the video file, without the host.
        path: String,
        /// The video file.
        file: AttachedFile,
        /// The image shown before the video plays.
        preview: ImageRef,
        /// A blurred form of that image, in a few characters.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blur_hash: Option<String>,
    },
    /// A recording. What its sender's client knows of it is passed on as it was sent, as JSON.
    Audio {
        /// The path of the audio file, without the host.
        path: String,
        /// The audio file.
        file: AttachedFile,
        /// How long it is: a number.
        duration: Option<String>,
        /// How loud it is, from its beginning to its end: an array of numbers.
        peaks: Option<String>,
        /// URL of its transcript.
        transcript_url: Option<String>,
    },
    /// An image of another server.
    LinkedImage {
        /// The image's URL.
        url: String,
    },
    /// A poll. Only the server attaches polls.
    Poll {
        /// The poll's id.
        poll: PollId,
    },
    /// A calendar event. Only the server attaches events.
    Event {
        /// The event's id.
        event: CalendarEventId,
    },
}

/// Properties of an image as the sender's client states them. Passed on as it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageHints {
    /// The source of the image.
    pub source_url: Option<String>,
    /// A blurred form of the image, in a few characters.
    pub blur_hash: Option<String>,
}

/// The form in which a client sends mentions and replies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AddressForm {
    /// Loci count Unicode scalar values; invalid mentions and replies are refused.
    #[default]
    Specified,
    /// Loci count UTF-16 units; invalid mentions and replies are repaired or dropped.
    Compatible,
}

/// The fields of a mention.
#[derive(Debug, Clone, Copy)]
pub struct MentionParts<'a> {
    /// User ids, or the words for everybody and for everybody online.
    pub user_ids: &'a [String],
    /// The people who were online at the time, if the message mentions everybody online.
    pub here: &'a [UserId],
}

impl MentionParts<'_> {
    /// Whether the mention contains this word, such as `all`.
    pub fn names(&self, word: &str) -> bool {
        self.user_ids.iter().any(|it| it == word)
    }
}

/// The fields of a reply.
#[derive(Debug, Clone, Copy)]
pub struct ReplyParts<'a> {
    /// The message replied to.
    pub reply_id: &'a str,
    /// The first message of the thread.
    pub base_reply_id: &'a str,
    /// The author of the message replied to, if known.
    pub user_id: Option<&'a str>,
}

impl Attachment {
    /// The fields of a mention; `None` for other attachments.
    pub fn mentions(&self) -> Option<MentionParts<'_>> {
        let Self::Mentions { user_ids, here, .. } = self else { return None };
        Some(MentionParts { user_ids, here })
    }

    /// The fields of a reply; `None` for other attachments.
    pub fn reply(&self) -> Option<ReplyParts<'_>> {
        let Self::Reply { reply_id, base_reply_id, user_id } = self else { return None };
        Some(ReplyParts { reply_id, base_reply_id, user_id: user_id.as_deref() })
    }

    /// The file of a file, video or recording; `None` for other attachments.
    pub const fn file(&self) -> Option<&AttachedFile> {
        if let Self::File(file) | Self::Video { file, .. } | Self::Audio { file, .. } = self {
            return Some(file);
        }
        None
    }

    /// Like [`Attachment::file`], to be filled in.
    pub const fn file_mut(&mut self) -> Option<&mut AttachedFile> {
        if let Self::File(file) | Self::Video { file, .. } | Self::Audio { file, .. } = self {
            return Some(file);
        }
        None
    }

    /// The image that the attachment shows.
    pub const fn image(&self) -> Option<&ImageRef> {
        match self {
            Self::Image { url: image, .. } | Self::Video { preview: image, .. } => Some(image),
            Self::Location { .. }
            | Self::Split { .. }
            | Self::Emoji { .. }
            | Self::Mentions { .. }
            | Self::Reply { .. }
            | Self::Poll { .. }
            | Self::Event { .. }
            | Self::Audio { .. }
            | Self::LinkedImage { .. }
            | Self::File(_) => None,
        }
    }

    /// The image that the attachment shows, and the name of the JSON field that holds it.
    pub const fn image_mut(&mut self) -> Option<(&'static str, &mut ImageRef)> {
        match self {
            Self::Image { url, .. } => Some(("url", url)),
            Self::Video { preview, .. } => Some(("preview_url", preview)),
            Self::Location { .. }
            | Self::Split { .. }
            | Self::Emoji { .. }
            | Self::Mentions { .. }
            | Self::Reply { .. }
            | Self::Poll { .. }
            | Self::Event { .. }
            | Self::Audio { .. }
            | Self::LinkedImage { .. }
            | Self::File(_) => None,
        }
    }

    /// The number of entries in all its lists.
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
            | Self::Audio { .. }
            | Self::LinkedImage { .. }
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
