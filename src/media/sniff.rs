//! Tells the format of an image by its first bytes, never by what an uploader claims, and reads
//! what must be known of a JPEG before it is decoded.

/// An accepted format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceFormat {
    /// A JPEG, with what its markers tell.
    Jpeg(Outline),
    /// A PNG; of an animated one, only the first picture is taken.
    Png,
    /// A GIF, possibly animated.
    Gif,
    /// A WebP; of an animated one, only the first picture is taken.
    WebP,
}

/// What the markers of a JPEG tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outline {
    /// How many passes over the image decoding takes.
    pub(super) scans: u64,
    /// Whether the end marker is there. Decoders paint what is missing grey.
    pub(super) is_whole: bool,
}

/// The format of these bytes; `None` if they are no image.
pub(super) fn kind(bytes: &[u8]) -> Option<SourceFormat> {
    match bytes {
        [0xff, 0xd8, 0xff, ..] => Some(SourceFormat::Jpeg(outline(bytes))),
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(SourceFormat::Png),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(SourceFormat::Gif),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
            Some(SourceFormat::WebP)
        }
        _ => None,
    }
}

/// Reads the markers of a JPEG (ITU-T T.81, annex B).
fn outline(bytes: &[u8]) -> Outline {
    let mut scans = 0;
    let mut at = 2;
    while let Some((marker, after)) = next_marker(bytes, at) {
        at = match marker {
            END => return Outline { scans, is_whole: true },
            0x01 | 0xd0..=0xd8 => after,
            SCAN => {
                scans += 1;
                after + length_at(bytes, after)
            }
            _ => after + length_at(bytes, after),
        };
    }
    Outline { scans, is_whole: false }
}

/// The marker for the start of a scan.
const SCAN: u8 = 0xda;
/// The marker for the end of the image. What follows it (films, larger pictures) is ignored.
const END: u8 = 0xd9;

/// The next marker at or after `from`, and where it ends. Within the data of a scan, `ff 00` is a
/// value and not a marker.
fn next_marker(bytes: &[u8], from: usize) -> Option<(u8, usize)> {
    let mut at = from;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == 0xff)?;
        match *bytes.get(at + 1)? {
            0x00 => at += 2,
            0xff => at += 1,
            marker => return Some((marker, at + 2)),
        }
    }
}

/// The length of a segment, which counts the two bytes that say it.
fn length_at(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at..at + 2) {
        Some([high, low]) => usize::from(u16::from_be_bytes([*high, *low])),
        Some(_) | None => bytes.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_beginning_counts() {
        assert_eq!(kind(b"GIF89a..."), Some(SourceFormat::Gif));
        assert_eq!(kind(b"RIFF\x10\0\0\0WEBPVP8 "), Some(SourceFormat::WebP));
        assert_eq!(kind(b"\x89PNG\r\n\x1a\n"), Some(SourceFormat::Png));
        for bytes in [&b""[..], b"GIF", b"<svg/>", b"BM....", b"RIFF\x10\0\0\0WAVE"] {
            assert_eq!(kind(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn scans_are_counted_and_the_end_is_looked_for_behind_them() {
        let head = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0xff, 0xd9];
        let scan = [0xff, 0xda, 0, 2, 7, 0xff, 0, 0xff, 0xd0, 7];
        let bytes = [&head[..], &scan, &scan, &[0xff, 0xff, 0xd9, 1, 2]].concat();
        assert_eq!(outline(&bytes), Outline { scans: 2, is_whole: true });
        let torn = &bytes[..bytes.len() - 3];
        assert_eq!(outline(torn), Outline { scans: 2, is_whole: false });
        assert_eq!(outline(&head[..4]), Outline { scans: 0, is_whole: false });
    }
}
