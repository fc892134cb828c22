//! PNG files without what is no picture, so that no decoder inflates it: texts, places, frames
//! of animations, and a colour profile, which is inflated here, within its bound.

use std::io::Read;

use flate2::read::ZlibDecoder;

/// Bytes of a colour profile that is kept; those of cameras have some thousand at most.
pub(super) const PROFILE_BYTES: usize = 64 << 10;

/// What a PNG begins with (W3C PNG, section 5.2).
const SIGNATURE: usize = 8;
/// Length, type and check value of a chunk.
const AROUND: usize = 12;
/// Bytes of what tells how a camera was held; more is something else.
const EXIF_BYTES: usize = 64 << 10;

/// A PNG of which only the picture is left.
pub(super) struct Bare {
    /// Its file.
    pub(super) bytes: Vec<u8>,
    /// In which colours it is meant, where it says so within the bound.
    pub(super) profile: Option<Vec<u8>>,
}

/// Takes what is no picture out of a PNG. One that is cut off stays so.
pub(super) fn of(png: &[u8]) -> Bare {
    let (head, mut rest) = png.split_at(SIGNATURE.min(png.len()));
    let mut bare = Bare { bytes: Vec::with_capacity(png.len()), profile: None };
    bare.bytes.extend_from_slice(head);
    while let Some((chunk, after)) = next(rest) {
        let kind = &chunk[4..8];
        match kind {
            b"IHDR" | b"PLTE" | b"tRNS" | b"IDAT" | b"IEND" => bare.bytes.extend_from_slice(chunk),
            b"eXIf" if chunk.len() <= EXIF_BYTES => bare.bytes.extend_from_slice(chunk),
            b"iCCP" => bare.profile = profile(&chunk[8..chunk.len() - 4]),
            _ => {}
        }
        rest = if kind == b"IEND" { &[] } else { after };
    }
    bare
}

/// The next chunk, and what follows it; nothing where none is whole.
fn next(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = usize::try_from(u32::from_be_bytes(*bytes.first_chunk()?)).ok()?;
    bytes.split_at_checked(length.checked_add(AROUND)?)
}

/// The profile in an `iCCP` chunk: a name, a zero, a method, and compressed bytes.
fn profile(data: &[u8]) -> Option<Vec<u8>> {
    let name = data.iter().position(|byte| *byte == 0)?;
    let packed = data.get(name + 2..)?;
    let mut profile = Vec::new();
    let most = PROFILE_BYTES as u64 + 1;
    ZlibDecoder::new(packed).take(most).read_to_end(&mut profile).ok()?;
    (profile.len() <= PROFILE_BYTES).then_some(profile)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [&length, &kind[..], data, &[0; 4]].concat()
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut zlib = ZlibEncoder::new(b"name\0\0".to_vec(), Compression::fast());
        zlib.write_all(bytes).unwrap();
        zlib.finish().unwrap()
    }

    #[test]
    fn only_the_picture_is_left_and_a_profile_within_its_bound() {
        let signature = b"\x89PNG\r\n\x1a\n";
        let (head, end) = (chunk(b"IHDR", &[7; 13]), chunk(b"IEND", b""));
        let text = chunk(b"zTXt", &packed(&[b'x'; 1000]));
        for (profile, kept) in [(PROFILE_BYTES, true), (PROFILE_BYTES + 1, false), (9 << 20, false)]
        {
            let colours = chunk(b"iCCP", &packed(&vec![7; profile]));
            let png = [&signature[..], &head, &text, &colours, &end, b"behind"].concat();
            let bare = of(&png);
            assert_eq!(bare.bytes, [&signature[..], &head, &end].concat());
            assert_eq!(bare.profile.map(|it| it.len()), kept.then_some(profile));
        }
    }

    #[test]
    fn lengths_that_lie_lead_nowhere() {
        let mut png = [&b"\x89PNG\r\n\x1a\n"[..], &chunk(b"IDAT", b"abc")].concat();
        for length in [4, u32::MAX] {
            png[8..12].copy_from_slice(&length.to_be_bytes());
            assert_eq!(of(&png).bytes.len(), SIGNATURE);
        }
        assert!(of(b"\x89PN").bytes.len() <= 3);
        assert_eq!(of(b"").bytes, b"");
    }
}
