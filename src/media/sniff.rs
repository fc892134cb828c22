//! Tells the format of an image by its first bytes, never by what an uploader claims, and reads
//! what must be known of a JPEG before it is decoded.

/// An accepted format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceFormat {
    /// A JPEG, with what its markers tell.
    Jpeg(Outline),
    /// A PNG.
    Png,
    /// A GIF, possibly animated.
    Gif,
    /// A WebP.
    WebP,
}

/// Properties of a JPEG from its markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outline {
    /// How many passes over the image decoding takes.
    pub(super) scans: u64,
    /// Whether the end marker is there. Without it, pixels may be missing, which decoders paint grey.
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

/// The name of the format, if the image has several frames in a format whose animations are not
/// kept.
pub(super) fn animated(bytes: &[u8], kind: SourceFormat) -> Option<&'static str> {
    match kind {
        SourceFormat::Png => (png_frames(bytes) > 1).then_some("PNG"),
        SourceFormat::WebP => (webp_frames(bytes) > 1).then_some("WebP"),
        SourceFormat::Jpeg(_) | SourceFormat::Gif => None,
    }
}

/// The frames that an animated PNG announces before its first picture (W3C PNG, section 11.3.6.1).
fn png_frames(png: &[u8]) -> u32 {
    let mut rest = png.get(8..).unwrap_or_default();
    while let Some([a, b, c, d, kind @ ..]) = rest.first_chunk::<8>() {
        let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        match kind {
            b"acTL" => {
                let frames = rest.get(8..).and_then(<[u8]>::first_chunk);
                return frames.map_or(0, |frames| u32::from_be_bytes(*frames));
            }
            b"IDAT" => return 0,
            _ => rest = length.checked_add(12).and_then(|all| rest.get(all..)).unwrap_or_default(),
        }
    }
    0
}

/// The frames of an animated WebP (RFC 9649, section 2.7.1.1).
fn webp_frames(webp: &[u8]) -> usize {
    let mut rest = webp.get(12..).unwrap_or_default();
    let mut frames = 0;
    while let Some([kind @ .., a, b, c, d]) = rest.first_chunk::<8>() {
        frames += usize::from(kind == b"ANMF");
        // Chunks have an even length.
        let length = (u32::from_le_bytes([*a, *b, *c, *d]) as usize).next_multiple_of(2);
        rest = length.checked_add(8).and_then(|all| rest.get(all..)).unwrap_or_default();
    }
    frames
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

    fn png(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        for (kind, data) in chunks {
            let length = u32::try_from(data.len()).unwrap();
            bytes.extend([&length.to_be_bytes(), &kind[..], data, &[0; 4]].concat());
        }
        bytes
    }

    fn webp(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut bytes = b"RIFF\0\0\0\0WEBP".to_vec();
        for (kind, data) in chunks {
            let length = u32::try_from(data.len()).unwrap();
            bytes.extend([&kind[..], &length.to_le_bytes(), data].concat());
            bytes.extend(vec![0; data.len() % 2]);
        }
        bytes
    }

    #[test]
    fn animations_differ_from_still_images() {
        let head = (b"IHDR", &[0; 13][..]);
        let data = (b"IDAT", &b"acTL"[..]);
        let frames = |count: u32| [count.to_be_bytes(), [0; 4]].concat();
        let two = frames(2);
        let one = frames(1);
        let vp8x = (b"VP8X", &[2; 10][..]);
        let frame = (b"ANMF", &b"odd"[..]);
        for (bytes, name) in [
            (png(&[head, (b"acTL", &two), data]), Some("PNG")),
            (png(&[head, (b"tEXt", b"x"), (b"acTL", &two), data]), Some("PNG")),
            (png(&[head, (b"acTL", &one), data]), None),
            (png(&[head, data, (b"acTL", &two)]), None),
            (png(&[head, (b"acTL", b"")]), None),
            (webp(&[vp8x, (b"ANIM", &[0; 6]), frame, frame]), Some("WebP")),
            (webp(&[vp8x, (b"ICCP", b"odd"), frame, frame, frame]), Some("WebP")),
            (webp(&[vp8x, (b"ANIM", &[0; 6]), frame]), None),
            (webp(&[(b"VP8 ", b"ANMFANMF")]), None),
            (b"GIF89a".to_vec(), None),
        ] {
            assert_eq!(animated(&bytes, kind(&bytes).unwrap()), name, "{bytes:?}");
            for end in 12..bytes.len() {
                animated(&bytes[..end], kind(&bytes[..end]).unwrap());
            }
        }
        let mut lying = png(&[head, data]);
        lying[8..12].copy_from_slice(&u32::MAX.to_be_bytes());
        assert_eq!(animated(&lying, SourceFormat::Png), None);
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
