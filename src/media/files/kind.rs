//! What a file is: told by its beginning, never by what somebody says of it. What browsers
//! may show is a short list; everything else is given as a download.

/// How much of the beginning of a file is looked at: enough for the tracks of a recording.
pub const HEAD: usize = 64 << 10;

/// What nobody knows.
const UNKNOWN: &str = "application/octet-stream";
/// Pictures that do nothing but be looked at.
const PICTURES: [&str; 6] =
    ["image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "image/bmp"];

/// The media type of what begins so.
pub fn of(head: &[u8]) -> &'static str {
    let head = &head[..head.len().min(HEAD)];
    match infer::get(head).map(|kind| kind.mime_type()) {
        Some("video/webm" | "video/x-matroska") if is_sound_alone(head, &MATROSKA) => "audio/webm",
        Some("video/mp4") if is_sound_alone(head, &MP4) => "audio/mp4",
        Some("audio/m4a") => "audio/mp4",
        Some(known) => known,
        None if is_text(head) => "text/plain",
        None => UNKNOWN,
    }
}

/// Whether a browser may show it where it is: in a sandbox, without a script of its own.
pub fn is_shown(media_type: &str) -> bool {
    PICTURES.contains(&media_type)
        || media_type.starts_with("video/")
        || media_type.starts_with("audio/")
        || media_type == "application/pdf"
}

/// By what tracks are told in a container: of sound, of pictures.
type Tracks = ([&'static [u8]; 2], [&'static [u8]; 1]);
/// Codecs of tracks (RFC 9559, 27.6).
const MATROSKA: Tracks = ([b"A_OPUS", b"A_VORBIS"], [b"V_"]);
/// Handlers of tracks (ISO/IEC 14496-12, 8.4.3).
const MP4: Tracks = ([b"soun", b"smhd"], [b"vide"]);

/// Whether a container that may hold both tells of sound and of no pictures.
fn is_sound_alone(head: &[u8], (sound, pictures): &Tracks) -> bool {
    let has = |sign: &&[u8]| head.windows(sign.len()).any(|window| window == *sign);
    sound.iter().any(has) && !pictures.iter().any(has)
}

/// Text in UTF-8, which may be cut in the middle of a letter.
fn is_text(head: &[u8]) -> bool {
    let is_whole = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    let is_sign = |byte: &u8| *byte < 0x20 && !matches!(*byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    is_whole && !head.is_empty() && !head.iter().any(is_sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_says_what_a_file_is() {
        for (head, kind) in [
            (&b"%PDF-1.7\n"[..], "application/pdf"),
            (b"\x89PNG\r\n\x1a\n", "image/png"),
            (b"PK\x03\x04xx", "application/zip"),
            (b"ID3\x03\x00", "audio/mpeg"),
            ("Überblick\n".as_bytes(), "text/plain"),
            (b"half a letter \xc3", "text/plain"),
            (b"\x00\x01\x02", "application/octet-stream"),
            (b"", "application/octet-stream"),
        ] {
            assert_eq!(of(head), kind, "{head:?}");
        }
    }

    #[test]
    fn a_recording_without_pictures_is_sound() {
        let mut webm = b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm".to_vec();
        webm.resize(300, 0);
        assert_eq!(of(&[&webm[..], b"....A_OPUS"].concat()), "audio/webm");
        assert_eq!(of(&[&webm[..], b"....V_VP8....A_OPUS"].concat()), "video/webm");
        let mp4 = b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom";
        assert_eq!(of(&[&mp4[..], b"....moov....hdlr........soun"].concat()), "audio/mp4");
        assert_eq!(of(&[&mp4[..], b"....vide....soun"].concat()), "video/mp4");
    }

    #[test]
    fn pages_and_drawings_with_scripts_are_never_shown() {
        for head in [
            &b"<!DOCTYPE html><script>alert(1)</script>"[..],
            b"<html><body>",
            b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>",
            b"<?xml version='1.0'?><svg/>",
            b"#!/bin/sh\nrm -rf /\n",
        ] {
            assert!(!is_shown(of(head)), "{}", of(head));
        }
        assert!(
            ["image/png", "video/mp4", "audio/ogg", "application/pdf"].map(is_shown) == [true; 4]
        );
    }
}
