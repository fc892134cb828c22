//! Strips a PNG of everything that is no picture, so that no decoder inflates it: texts, places and
//! the frames of animations. The colour profile is inflated here, up to a limit.

use std::io::Read;

use flate2::Crc;
use flate2::read::ZlibDecoder;

/// Bytes of a colour profile that is kept; those of cameras have a few thousand at most.
pub(super) const PROFILE_BYTES: usize = 64 << 10;

/// Bytes of the signature that a PNG begins with (W3C PNG, section 5.2).
const SIGNATURE: usize = 8;
/// Bytes of a chunk beside its data: length, type and checksum.
const AROUND: usize = 12;
/// Bytes of an `eXIf` chunk that is kept, for the orientation; a larger one holds something else.
const EXIF_BYTES: usize = 64 << 10;

/// A PNG that holds only the picture.
pub(super) struct StrippedPng {
    /// The bytes of the stripped PNG.
    pub(super) bytes: Vec<u8>,
    /// The colour profile, inflated; `None` if there is none, or one over [`PROFILE_BYTES`].
    pub(super) profile: Option<Vec<u8>>,
}

/// Strips a PNG. One without an end gets one: the decoder refuses it if pixels are missing.
pub(super) fn of(png: &[u8]) -> StrippedPng {
    let (head, mut rest) = png.split_at(SIGNATURE.min(png.len()));
    let mut stripped = StrippedPng { bytes: Vec::with_capacity(png.len()), profile: None };
    stripped.bytes.extend_from_slice(head);
    while let Some((chunk, after)) = next(rest) {
        let kind = &chunk[4..8];
        match kind {
            b"IHDR" | b"PLTE" | b"tRNS" | b"IDAT" | b"IEND" => {
                stripped.bytes.extend_from_slice(chunk)
            }
            b"eXIf" if chunk.len() <= EXIF_BYTES => stripped.bytes.extend_from_slice(chunk),
            b"iCCP" => stripped.profile = profile(&chunk[8..chunk.len() - 4]),
            _ => {}
        }
        if kind == b"IEND" {
            return stripped;
        }
        rest = after;
    }
    if stripped.bytes.len() <= SIGNATURE {
        return stripped;
    }
    if let Some(data) = rest.get(8..).filter(|_| rest[4..8] == *b"IDAT") {
        // The last bytes of the file are lost, which may be those of the checksum.
        let length = u32::from_be_bytes(*rest.first_chunk().unwrap_or(&[0; 4]));
        let length = usize::try_from(length).unwrap_or(data.len());
        add(&mut stripped.bytes, b"IDAT", &data[..length.min(data.len())]);
    }
    add(&mut stripped.bytes, b"IEND", &[]);
    stripped
}

/// Writes a chunk (W3C PNG, section 5.3).
fn add(png: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    let mut checksum = Crc::new();
    checksum.update(kind);
    checksum.update(data);
    // The data are a part of a chunk, whose length fits.
    png.extend_from_slice(&u32::try_from(data.len()).unwrap_or(u32::MAX).to_be_bytes());
    png.extend_from_slice(kind);
    png.extend_from_slice(data);
    png.extend_from_slice(&checksum.sum().to_be_bytes());
}

/// Splits the next chunk from what follows it; `None` if no whole chunk is left.
fn next(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = usize::try_from(u32::from_be_bytes(*bytes.first_chunk()?)).ok()?;
    bytes.split_at_checked(length.checked_add(AROUND)?)
}

/// Inflates the profile in an `iCCP` chunk: a name, a zero, a method, and compressed bytes.
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
        let head = chunk(b"IHDR", &[7; 13]);
        let end = chunk(b"IEND", b"");
        let text = chunk(b"zTXt", &packed(&[b'x'; 1000]));
        for (profile, kept) in [(PROFILE_BYTES, true), (PROFILE_BYTES + 1, false), (9 << 20, false)]
        {
            let colours = chunk(b"iCCP", &packed(&vec![7; profile]));
            let png = [&signature[..], &head, &text, &colours, &end, b"behind"].concat();
            let stripped = of(&png);
            assert_eq!(stripped.bytes, [&signature[..], &head, &end].concat());
            assert_eq!(stripped.profile.map(|it| it.len()), kept.then_some(profile));
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
