//! Files that people send each other: their ids and names, and what a message keeps of a file.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::hex::hex;
use crate::ids::UserId;
use crate::limits::FILE_NAME_CHARS;
use crate::text::{LineText, TextError};
use crate::visible::is_direction;

/// Identifies one file of one conversation. Random, so that ids cannot be guessed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FileId(String);

impl FileId {
    /// Makes an id of random bytes.
    pub fn new(bytes: [u8; 16]) -> Self {
        Self(hex(&bytes))
    }

    /// Parses an id: 32 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (text.len() == 32 && text.bytes().all(is_digit)).then(|| Self(text.to_owned()))
    }

    /// The id as it appears in paths.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FileId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// A file as messages carry it. All fields but id and duration are determined by the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachedFile {
    /// The id of the file in its conversation.
    pub id: FileId,
    /// The name of the file where it came from, without folders.
    pub name: String,
    /// Bytes of the content.
    pub size: u64,
    /// The MIME type of the content.
    pub mime_type: String,
    /// SHA-256 of the content in hexadecimal digits; empty until the file is looked up.
    pub digest: String,
    /// The user who uploaded the file and on whose quota it counts; `None` until the file is looked
    /// up.
    pub owner: Option<UserId>,
    /// Seconds that a recording lasts, according to its sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<u32>,
}

impl AttachedFile {
    /// A file of which only the id is known, before it is looked up.
    pub fn unresolved(id: FileId, duration: Option<u32>) -> Self {
        let name = String::new();
        let mime_type = String::new();
        let digest = String::new();
        Self { id, name, size: 0, mime_type, digest, owner: None, duration }
    }

    /// Whether the content is audio.
    pub fn is_audio(&self) -> bool {
        self.mime_type.starts_with("audio/")
    }
}

/// Parses the name that a client gives a file: the last part of a path, without direction
/// characters, which can make `exe.fdp` look like `pdf.exe`, and cut to [`FILE_NAME_CHARS`]. A file
/// without a name is called `file`.
///
/// # Errors
/// If the name is not one visible line.
pub fn file_name(raw: &str) -> Result<String, TextError> {
    let last = raw.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept = last.chars().filter(|sign| !is_direction(*sign));
    let name: String = kept.take(FILE_NAME_CHARS).collect();
    match name.trim() {
        "" | "." | ".." if name.chars().all(|sign| sign == '.' || sign == ' ') => {
            Ok("file".to_owned())
        }
        name => LineText::parse(name.to_owned(), FILE_NAME_CHARS).map(Into::into),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_name_is_the_last_path_segment() {
        for (said, kept) in [
            ("plan.pdf", "plan.pdf"),
            ("C:\\Users\\ana\\plan.pdf", "plan.pdf"),
            ("../../etc/passwd", "passwd"),
            ("Überblick 2.txt", "Überblick 2.txt"),
            ("invoice\u{202e}fdp.exe", "invoicefdp.exe"),
            ("invoice\u{61c}fdp.exe", "invoicefdp.exe"),
            ("", "file"),
            ("folder/", "file"),
            ("..", "file"),
            ("👩\u{200d}👧.txt", "👩\u{200d}👧.txt"),
        ] {
            assert_eq!(file_name(said).as_deref(), Ok(kept), "{said:?}");
        }
        assert_eq!(file_name(&"x".repeat(1000)).unwrap().chars().count(), FILE_NAME_CHARS);
        for raw in ["a\r\nSet-Cookie: b", "\u{200b}", "folder/\u{3164}", "a\u{1b}[2J"] {
            assert!(file_name(raw).is_err(), "{raw:?}");
        }
    }

    #[test]
    fn only_generated_file_ids_parse() {
        let id = FileId::new([0xab; 16]);
        assert_eq!(FileId::parse(id.as_str()), Some(id));
        for text in ["", "ab", &"AB".repeat(16), &"zz".repeat(16), &"ab".repeat(17)] {
            assert_eq!(FileId::parse(text), None, "{text}");
        }
    }
}
