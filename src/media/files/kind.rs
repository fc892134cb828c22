//! The media type of a file, told by its first bytes and never by what an uploader claims. Browsers
//! may show a short list of types; all others are downloads.

/// Bytes at the beginning of a file that are looked at: enough for the tracks of a recording.
pub const HEAD: usize = 64 << 10;

/// The type of content that is not recognized.
const UNKNOWN: &str = "application/octet-stream";
/// Image types without active content.
const PICTURES: [&str; 6] =
    ["image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "image/bmp"];

/// The media type of a file that begins with these bytes.
pub fn of(head: &[u8]) -> &'static str {
    let head = &head[..head.len().min(HEAD)];
    match infer::get(head).map(|kind| kind.mime_type()) {
        Some("video/webm" | "video/x-matroska") if is_sound_in_matroska(head) => "audio/webm",
        Some("video/mp4") if is_sound_in_mp4(head) => "audio/mp4",
        Some("audio/m4a") => "audio/mp4",
        Some(known) => known,
        None if is_text(head) => "text/plain",
        None => UNKNOWN,
    }
}

/// Whether browsers may show files of this type inline, in a sandbox and without scripts.
pub fn is_shown(media_type: &str) -> bool {
    PICTURES.contains(&media_type)
        || media_type.starts_with("video/")
        || media_type.starts_with("audio/")
        || media_type == "application/pdf"
}

/// Whether a Matroska file has audio tracks that browsers play, and no video tracks. Looks only at
/// the track entries: encoded data may contain `V_` by chance.
fn is_sound_in_matroska(head: &[u8]) -> bool {
    // Segment, Tracks, TrackEntry, CodecID (RFC 9559, 5.1).
    const CODECS: [u64; 4] = [0x1853_8067, 0x1654_ae6b, 0xae, 0x86];
    let codecs = CODECS.iter().fold(vec![head], |within, wanted| {
        let all = within.into_iter().flat_map(elements);
        all.filter(|(id, _)| id == wanted).map(|(_, content)| content).collect()
    });
    codecs.iter().any(|codec| [&b"A_OPUS"[..], b"A_VORBIS"].contains(codec))
        && !codecs.iter().any(|codec| codec.starts_with(b"V_"))
}

/// The consecutive EBML elements in these bytes, each with its id and its content, which may be cut
/// off (RFC 8794, 4 to 6).
fn elements(mut rest: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    std::iter::from_fn(move || {
        let (id, _, after) = variable_number(rest)?;
        let (size, length, after) = variable_number(after)?;
        let most = (1 << (7 * length)) - 1;
        // All ones: the size is unknown, and the element goes on to the end.
        let size = Some(size & most).filter(|size| *size != most);
        let size = size.map_or(usize::MAX, |size| usize::try_from(size).unwrap_or(usize::MAX));
        let (content, after) = after.split_at(size.min(after.len()));
        rest = after;
        Some((id, content))
    })
}

/// Reads an EBML variable-size integer, whose first one bit tells its length. Returns the number
/// with that bit, its length in bytes, and what follows it.
fn variable_number(bytes: &[u8]) -> Option<(u64, usize, &[u8])> {
    let length = bytes.first()?.leading_zeros() as usize + 1;
    let (own, rest) = bytes.split_at_checked(length).filter(|_| length <= 8)?;
    Some((own.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)), length, rest))
}

/// Whether the track handlers of an MP4 file name sound and no video (ISO/IEC 14496-12, 8.4.3).
fn is_sound_in_mp4(head: &[u8]) -> bool {
    let has = |sign: &[u8; 4]| head.windows(sign.len()).any(|window| window == sign);
    (has(b"soun") || has(b"smhd")) && !has(b"vide")
}

/// Whether the bytes are UTF-8 text, which may be cut in the middle of a character.
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

    /// A Matroska element, of known or unknown size.
    fn element(id: &[u8], content: &[u8], is_known: bool) -> Vec<u8> {
        let size = if is_known { 1 << 56 | content.len() as u64 } else { (1 << 57) - 1 };
        [id, &size.to_be_bytes(), content].concat()
    }

    /// A recording with tracks of these codecs, as browsers write it.
    fn recording(codecs: &[&str], coded: &[u8], is_live: bool) -> Vec<u8> {
        const CLUSTER: &[u8] = b"\x1f\x43\xb6\x75";
        let entry =
            |codec: &&str| element(b"\xae", &element(b"\x86", codec.as_bytes(), true), true);
        let tracks: Vec<u8> = codecs.iter().flat_map(entry).collect();
        // The seek table names the elements that come later.
        let seek = element(b"\x11\x4d\x9b\x74", &element(b"\x53\xab", CLUSTER, true), true);
        let void = element(b"\xec", &[0; 200], true);
        let tracks = element(b"\x16\x54\xae\x6b", &tracks, true);
        let cluster = element(CLUSTER, coded, !is_live);
        let segment =
            element(b"\x18\x53\x80\x67", &[seek, void, tracks, cluster].concat(), !is_live);
        let header = element(b"\x1a\x45\xdf\xa3", b"\x42\x82\x84webm", true);
        [header, segment].concat()
    }

    #[test]
    fn a_recording_without_pictures_is_sound() {
        for is_live in [false, true] {
            let of = |codecs: &[&str], coded| of(&recording(codecs, coded, is_live));
            assert_eq!(of(&["A_OPUS"], b"what is coded"), "audio/webm");
            assert_eq!(of(&["V_VP8", "A_OPUS"], b"what is coded"), "video/webm");
            assert_eq!(of(&["V_VP8"], b"A_OPUS"), "video/webm");
            assert_eq!(of(&["A_AAC"], b"A_OPUS"), "video/webm");
            // Encoded data with `V_` in it by chance, and with a whole track entry.
            assert_eq!(of(&["A_OPUS"], b"..V_.."), "audio/webm");
            assert_eq!(of(&["A_OPUS"], b"\xae\x87\x86\x85V_VP8"), "audio/webm");
        }
        let whole = recording(&["A_OPUS"], &[0; 100], true);
        for end in 0..whole.len() {
            assert!(!of(&whole[..end]).is_empty(), "cut anywhere, it is something");
        }
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
