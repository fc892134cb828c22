//! Attachments in JSON: exactly the keys of the specification and no others, since some clients
//! reject unknown keys.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::fields::{self, Fields};
use crate::instance::Instance;
use crate::schema::scalars::TextId;
use domain::attachment::{Attachment, ImageHints, ImageRef};
use domain::file::{AttachedFile, FileId};
use domain::limits::{ATTACHMENT_CHARS, ATTACHMENT_ENTRIES, ATTACHMENTS, LATITUDE, LONGITUDE};
use domain::limits::{MESSAGE_ATTACHMENT_BYTES, MESSAGE_ENTRIES, RECORDING_SECONDS};
use domain::text::at_most;

/// The problem reported for a URL that is not that of an image of this server.
pub const NOT_OURS: &str = "must be the URL of an image of this server";

/// Returns the image that a URL refers to, also by the id of an upload.
///
/// # Errors
/// If the URL is not that of an image of this server.
pub fn own_image(url: &str, instance: &Instance) -> Result<ImageRef, &'static str> {
    let uploaded = instance.own_path(url).and_then(ImageRef::from_upload_path);
    uploaded.or_else(|| instance.parse_image(url)).ok_or(NOT_OURS)
}

/// Reads a field that holds the URL of an image of this server; None if it is absent or invalid.
pub fn read_image(fields: &mut Fields<'_>, field: &str, instance: &Instance) -> Option<ImageRef> {
    fields.parsed(field, |url| own_image(&url, instance))
}

/// An attachment of a message.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
#[schemars(rename = "Attachment")]
pub enum AttachmentResource<'a> {
    /// An image.
    Image {
        /// URL of the image, on this server.
        url: String,
        /// Where the image comes from, as its sender wrote; absent if they did not.
        #[serde(skip_serializing_if = "Option::is_none")]
        source_url: Option<&'a str>,
        /// A blurred form of the image, as its sender wrote; absent if they did not.
        #[serde(skip_serializing_if = "Option::is_none")]
        blur_hash: Option<&'a str>,
    },
    /// A location.
    Location {
        /// Name of the place; may be empty.
        name: &'a str,
        /// Latitude in degrees north, as text.
        lat: &'a str,
        /// Longitude in degrees east, as text.
        lng: &'a str,
    },
    /// A bill to be split; in groups only.
    Split {
        /// The token that identifies the bill.
        token: &'a str,
    },
    /// Pictures shown in place of a placeholder character in the text.
    Emoji {
        /// The character of the text that the pictures replace.
        placeholder: &'a str,
        /// One pair for each occurrence of the placeholder: the id of the picture pack and the
        /// picture's index in it.
        #[schemars(with = "Vec<[i64; 2]>")]
        charmap: &'a [Vec<i64>],
    },
    /// Mentions of users in the text.
    Mentions {
        /// Ids of the mentioned users; `all` mentions everybody, `online` everybody who is online.
        user_ids: &'a [String],
        /// One `[start, length]` pair for each mention: where the name begins in the text, and its
        /// length, both in Unicode scalar values.
        #[schemars(with = "Vec<[i64; 2]>")]
        loci: &'a [Vec<i64>],
    },
    /// The message is a reply to another message.
    Reply {
        /// Id of the message that is replied to.
        #[schemars(extend("minLength" = 1))]
        reply_id: &'a str,
        /// Id of the first message of the thread. If a client leaves it out, it is `reply_id`.
        #[schemars(extend("minLength" = 1))]
        base_reply_id: &'a str,
        /// Id of the user who wrote the message that is replied to. Absent if unknown.
        #[serde(skip_serializing_if = "Option::is_none")]
        user_id: Option<&'a str>,
    },
    /// A file that was uploaded to the conversation of the message.
    File {
        /// The file's id in its conversation.
        #[schemars(extend("minLength" = 1))]
        file_id: &'a str,
        /// The file's name.
        name: &'a str,
        /// Size of the file in bytes.
        size: u64,
        /// Media type of the content.
        mime_type: &'a str,
        /// Duration of a recording in seconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        duration: Option<u32>,
    },
    /// A video that was uploaded to the conversation of the message.
    Video {
        /// URL of the video's file in this conversation; downloading it takes the same
        /// authorization as any file.
        url: String,
        /// URL of an image of this server that is shown before the video is played.
        preview_url: String,
        /// A blurred form of that image, as its sender wrote; absent if they did not.
        #[serde(skip_serializing_if = "Option::is_none")]
        blur_hash: Option<&'a str>,
    },
    /// A recording that was uploaded to the conversation of the message. Everything but its URL is
    /// as its sender wrote, and absent if they did not.
    Audio {
        /// URL of the recording's file in this conversation; downloading it takes the same
        /// authorization as any file.
        url: String,
        /// How long it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<f64>")]
        duration: Option<Box<RawValue>>,
        /// How loud it is, from its beginning to its end.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Vec<f64>>")]
        peaks: Option<Box<RawValue>>,
        /// Where its transcript is.
        #[serde(skip_serializing_if = "Option::is_none")]
        transcript_url: Option<&'a str>,
    },
    /// An image of another server.
    #[serde(rename = "linked_image")]
    LinkedImage {
        /// URL of the image.
        url: &'a str,
    },
    /// A poll of the group. Only the server can attach one.
    Poll {
        /// The poll's id.
        poll_id: TextId,
    },
    /// An event of the conversation's calendar. Only the server can attach one.
    Event {
        /// The event's id.
        event_id: TextId,
        /// Always `full`: the event is to be shown with all details.
        #[schemars(extend("const" = "full"))]
        view: &'static str,
    },
}

/// Builds the JSON of an attachment.
pub fn resource<'a>(attachment: &'a Attachment, instance: &Instance) -> AttachmentResource<'a> {
    match attachment {
        Attachment::Image { url, hints } => AttachmentResource::Image {
            url: instance.image_url(url),
            source_url: hints.as_ref().and_then(|it| it.source_url.as_deref()),
            blur_hash: hints.as_ref().and_then(|it| it.blur_hash.as_deref()),
        },
        Attachment::Location { name, lat, lng } => AttachmentResource::Location { name, lat, lng },
        Attachment::Split { token } => AttachmentResource::Split { token },
        Attachment::Emoji { placeholder, charmap } => {
            AttachmentResource::Emoji { placeholder, charmap }
        }
        Attachment::Mentions { user_ids, loci, .. } => {
            AttachmentResource::Mentions { user_ids, loci }
        }
        Attachment::Reply { reply_id, base_reply_id, user_id } => {
            AttachmentResource::Reply { reply_id, base_reply_id, user_id: user_id.as_deref() }
        }
        Attachment::File(file) => shown_file(file),
        Attachment::Audio { path, duration, peaks, transcript_url, .. } => {
            AttachmentResource::Audio {
                url: format!("{}{path}", instance.public_url()),
                duration: duration.clone().and_then(|json| RawValue::from_string(json).ok()),
                peaks: peaks.clone().and_then(|json| RawValue::from_string(json).ok()),
                transcript_url: transcript_url.as_deref(),
            }
        }
        Attachment::LinkedImage { url } => AttachmentResource::LinkedImage { url },
        Attachment::Poll { poll } => AttachmentResource::Poll { poll_id: (*poll).into() },
        Attachment::Event { event } => {
            AttachmentResource::Event { event_id: (*event).into(), view: "full" }
        }
        Attachment::Video { path, preview, blur_hash, .. } => AttachmentResource::Video {
            url: format!("{}{path}", instance.public_url()),
            preview_url: instance.image_url(preview),
            blur_hash: blur_hash.as_deref(),
        },
    }
}

/// Builds the JSON of a file.
pub fn shown_file(file: &AttachedFile) -> AttachmentResource<'_> {
    let AttachedFile { id, name, size, mime_type, duration, .. } = file;
    let file_id = id.as_str();
    let size = *size;
    let duration = *duration;
    AttachmentResource::File { file_id, name, size, mime_type, duration }
}

/// Returns the size of an attachment as JSON, in bytes.
fn bytes(attachment: &Attachment, instance: &Instance) -> usize {
    let json = serde_json::to_vec(&resource(attachment, instance));
    json.expect("texts, numbers and lists are always JSON").len()
}

/// Reads the attachments of a bot's post. A bot may send images, videos, files, emoji, mentions,
/// replies and at most one location.
pub fn read_for_bot(post: &mut Fields<'_>, instance: &Instance) -> Vec<Attachment> {
    let read = read_all(post, instance);
    let fits = |it: &Attachment| match it {
        Attachment::Image { .. }
        | Attachment::Location { .. }
        | Attachment::Mentions { .. }
        | Attachment::Reply { .. }
        | Attachment::File(_)
        | Attachment::Emoji { .. }
        | Attachment::Video { .. } => true,
        Attachment::Split { .. }
        | Attachment::Audio { .. }
        | Attachment::LinkedImage { .. }
        | Attachment::Poll { .. }
        | Attachment::Event { .. } => false,
    };
    if !read.iter().all(fits) {
        post.wrong(
            "attachments",
            "of a bot can be image, video, file, location, emoji, mentions and reply only",
        );
    }
    if read.iter().filter(|it| matches!(it, Attachment::Location { .. })).count() > 1 {
        post.wrong("attachments", "of a bot can be at most one location");
    }
    read
}

/// Reads all attachments of a message that a client sends.
pub fn read_all(message: &mut Fields<'_>, instance: &Instance) -> Vec<Attachment> {
    let list = message.list("attachments", ATTACHMENTS);
    let mut read = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        if let Some(mut fields) = message.entry("attachments", index, value) {
            read.extend(read_one(&mut fields, instance));
        }
    }
    check_totals(message, &read, instance);
    read
}

/// Enforces the limits on all attachments of a message together: entries in lists, and bytes of
/// JSON.
fn check_totals(message: &mut Fields<'_>, read: &[Attachment], instance: &Instance) {
    let entries: usize = read.iter().map(Attachment::entries).sum();
    if entries > MESSAGE_ENTRIES {
        let what =
            format!("have {entries} entries in their lists, at most {MESSAGE_ENTRIES} are allowed");
        message.wrong("attachments", what);
    }
    let bytes: usize = read.iter().map(|it| bytes(it, instance)).sum();
    if bytes > MESSAGE_ATTACHMENT_BYTES {
        let what =
            format!("have {bytes} bytes of JSON, at most {MESSAGE_ATTACHMENT_BYTES} are allowed");
        message.wrong("attachments", what);
    }
}

fn read_one(fields: &mut Fields<'_>, instance: &Instance) -> Option<Attachment> {
    match fields.required_text("type")?.as_str() {
        "image" => image(fields, instance),
        "location" => {
            let name = place_name(fields);
            let lat = degrees(fields, "lat", LATITUDE);
            let lng = degrees(fields, "lng", LONGITUDE);
            Some(Attachment::Location { name: name?, lat: lat?, lng: lng? })
        }
        "split" => Some(Attachment::Split { token: words(fields, "token")? }),
        "emoji" => {
            let placeholder = words(fields, "placeholder");
            let charmap = pairs(fields, "charmap");
            Some(Attachment::Emoji { placeholder: placeholder?, charmap: charmap? })
        }
        "mentions" => {
            let user_ids = ids(fields, "user_ids");
            let loci = pairs(fields, "loci");
            Some(Attachment::Mentions { user_ids: user_ids?, loci: loci?, here: Vec::new() })
        }
        "reply" => {
            let reply_id = named(fields, "reply_id");
            let base_reply_id = match fields.value("base_reply_id") {
                Some(_) => named(fields, "base_reply_id"),
                None => reply_id.clone(),
            };
            let reply_id = reply_id?;
            let base_reply_id = base_reply_id?;
            Some(Attachment::Reply { reply_id, base_reply_id, user_id: None })
        }
        "file" => Some(Attachment::File(named_file(fields)?)),
        "video" => {
            let url = fields.required("url", |url| own_file(&url, instance));
            let preview = fields.required("preview_url", |url| own_image(&url, instance));
            let blur_hash = as_sent(fields, "blur_hash");
            let ((path, id), preview) = (url?, preview?);
            let file = AttachedFile::unresolved(id, None);
            Some(Attachment::Video { path, file, preview, blur_hash })
        }
        "audio" => audio(fields, instance),
        "linked_image" => Some(Attachment::LinkedImage { url: fields.required("url", link)? }),
        other => {
            let known = "image, location, split, emoji, mentions, reply, file, video, audio and \
                         linked_image";
            let other: String = other.chars().take(40).collect();
            fields.wrong("type", format!("{other:?} is not known; known are {known}"));
            None
        }
    }
}

/// Reads an image, with what its sender's client knows of it.
fn image(fields: &mut Fields<'_>, instance: &Instance) -> Option<Attachment> {
    let url = fields.required("url", |url| own_image(&url, instance));
    let source_url = as_sent(fields, "source_url");
    let blur_hash = as_sent(fields, "blur_hash");
    let hints = ImageHints { source_url, blur_hash };
    let has_none = hints.source_url.is_none() && hints.blur_hash.is_none();
    Some(Attachment::Image { url: url?, hints: (!has_none).then(|| Box::new(hints)) })
}

/// Reads a recording.
fn audio(fields: &mut Fields<'_>, instance: &Instance) -> Option<Attachment> {
    let url = fields.required("url", |url| own_file(&url, instance));
    let duration = amount(fields, "duration");
    let peaks = amounts(fields, "peaks");
    let transcript_url = as_sent(fields, "transcript_url");
    let (path, id) = url?;
    let file = AttachedFile::unresolved(id, None);
    Some(Attachment::Audio { path, file, duration, peaks, transcript_url })
}

/// Returns a URL of another server.
fn link(url: String) -> Result<String, String> {
    if !url.starts_with("https://") && !url.starts_with("http://") {
        return Err("must be an http or https URL".to_owned());
    }
    at_most(url, ATTACHMENT_CHARS).map_err(|problem| problem.to_string())
}

/// Returns the path and the id of the file that a URL refers to, without the query of a download
/// link.
///
/// # Errors
/// If the URL is not that of a file of this server.
fn own_file(url: &str, instance: &Instance) -> Result<(String, FileId), &'static str> {
    let path = instance.own_path(url).ok_or(NO_FILE_URL)?;
    let path = path.split('?').next().unwrap_or_default();
    let mut parts = path.strip_prefix("/v3/files/").ok_or(NO_FILE_URL)?.split('/');
    let _conversation = parts.next();
    let id = parts.next().and_then(FileId::parse);
    match (id, parts.next()) {
        (Some(id), None) => Ok((path.to_owned(), id)),
        (Some(_), Some(_)) | (None, _) => Err(NO_FILE_URL),
    }
}

/// The problem reported for a URL that is not that of a file of this server.
const NO_FILE_URL: &str = "must be the URL of a file of this conversation";

/// Reads a file attachment. Only the id and the duration come from the client; the server knows the
/// rest of the file.
fn named_file(fields: &mut Fields<'_>) -> Option<AttachedFile> {
    let id = fields.required("file_id", |id| FileId::parse(&id).ok_or(NO_FILE));
    let seconds = fields.value("duration").map(|value| {
        let seconds = value.as_f64().map(f64::ceil).filter(|it| (0.0..=LONGEST).contains(it));
        // At most a day, so the cast truncates nothing.
        seconds.map(|seconds| seconds as u32)
    });
    if seconds == Some(None) {
        fields.wrong("duration", format!("must be seconds, at most {LONGEST}"));
    }
    Some(AttachedFile::unresolved(id?, seconds.flatten()))
}

/// The problem reported for an id that is not that of a file of the conversation.
pub const NO_FILE: &str = "must be the id of a file of this conversation";
/// Maximum duration of a recording, in seconds.
const LONGEST: f64 = RECORDING_SECONDS as f64;

/// Reads the name of a place: empty if absent, since a pin on a map has no name.
fn place_name(fields: &mut Fields<'_>) -> Option<String> {
    if fields.value("name").is_none() {
        return Some(String::new());
    }
    words(fields, "name")
}

/// Reads a text of bounded length that is passed on as it is.
fn as_sent(fields: &mut Fields<'_>, field: &str) -> Option<String> {
    fields.parsed(field, |text| at_most(text, ATTACHMENT_CHARS))
}

/// Reads a number, as JSON.
fn amount(fields: &mut Fields<'_>, field: &str) -> Option<String> {
    let value = fields.value(field)?;
    let read = value.is_number().then(|| value.to_string());
    fields.checked(field, read.ok_or("must be a number"))
}

/// Reads a list of numbers, as JSON.
fn amounts(fields: &mut Fields<'_>, field: &str) -> Option<String> {
    fields.value(field)?;
    let list = fields.list(field, ATTACHMENT_ENTRIES);
    if !list.iter().all(Value::is_number) {
        fields.wrong(field, "must be an array of numbers");
        return None;
    }
    Some(json!(list).to_string())
}

/// Reads a required text of bounded length. It may be empty.
fn words(fields: &mut Fields<'_>, field: &str) -> Option<String> {
    if fields.is_emptied(field) {
        return Some(String::new());
    }
    fields.required(field, |text| at_most(text, ATTACHMENT_CHARS))
}

/// Reads degrees, as text or as a number, since some clients send a number, and some an empty text.
fn degrees(fields: &mut Fields<'_>, field: &str, most: f64) -> Option<String> {
    let written = match fields.value(field) {
        Some(Value::Number(number)) => number.to_string(),
        Some(_) | None => words(fields, field)?,
    };
    if written.is_empty() { Some(written) } else { fields.degrees(field, &written, most) }
}

/// Reads the required id of a message, as text or as a number.
fn named(fields: &mut Fields<'_>, field: &str) -> Option<String> {
    let name = fields.required_name(field)?;
    fields.checked(field, at_most(name, ATTACHMENT_CHARS))
}

/// Reads a required list of pairs of whole numbers.
fn pairs(fields: &mut Fields<'_>, field: &str) -> Option<Vec<Vec<i64>>> {
    if fields.value(field).is_none() {
        fields.wrong(field, "is required");
        return None;
    }
    let pair = |value: &Value| -> Option<Vec<i64>> {
        let list = value.as_array().filter(|list| list.len() == 2)?;
        list.iter().map(Value::as_i64).collect()
    };
    let read: Option<Vec<_>> = fields.list(field, ATTACHMENT_ENTRIES).iter().map(pair).collect();
    if read.is_none() {
        fields.wrong(field, "must be an array of pairs of whole numbers");
    }
    read
}

/// A list of user ids, as text or numbers.
fn ids(object: &mut Fields<'_>, field: &str) -> Option<Vec<String>> {
    let id = |value: &Value| fields::name(value).filter(|name| name.len() <= 20);
    let read: Option<Vec<_>> = object.list(field, ATTACHMENT_ENTRIES).iter().map(id).collect();
    if read.is_none() {
        object.wrong(field, "must be an array of user ids");
    }
    read
}
