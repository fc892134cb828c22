//! One picture: decoded within limits, turned upright, and encoded again.
//!
//! Everything that could be costly is checked before a pixel is decoded. The output holds pixels
//! and their colour profile, and nothing else: no place, no date, no device, no thumbnail from
//! before the picture was cropped.

use std::borrow::Cow;
use std::io::{self, Cursor, Write};

use image::codecs::gif::{GifDecoder, GifEncoder};
use image::codecs::jpeg::{JpegDecoder, JpegEncoder};
use image::codecs::png::{CompressionType, FilterType, PngDecoder, PngEncoder};
use image::codecs::webp::WebPDecoder;
use image::metadata::Orientation;
use image::{ColorType, DynamicImage, ImageDecoder, ImageEncoder, ImageError, Limits};

use crate::PictureRefusal;
use crate::memory::Memory;
use crate::name::Format;
use crate::png_strip::{self, PROFILE_BYTES};
use crate::sniff::SourceFormat;
use domain::limits::{IMAGE_PIXELS, IMAGE_SIDE, IMAGE_STORED_BYTES, IMAGE_WORK};

/// JPEG quality, of 100: above this, files grow without looking better.
const JPEG_QUALITY: u8 = 85;
/// Bytes of memory that one picture may take: a photo with the most pixels allowed, and what
/// decoding needs beside them.
const PICTURE_BYTES: u64 = 200 << 20;

/// A decoded picture.
#[derive(Debug)]
pub(super) struct Still {
    /// The pixels, eight bits for each colour, upright.
    pub(super) image: DynamicImage,
    /// The colour profile; `None` for the usual colours.
    profile: Option<Vec<u8>>,
}

/// Decodes a picture.
///
/// # Errors
/// If the picture is damaged or over a limit.
pub(super) fn decode(
    bytes: &[u8],
    kind: SourceFormat,
    memory: &Memory,
) -> Result<Still, PictureRefusal> {
    let (stripped, told) = match kind {
        SourceFormat::Png => {
            let stripped = png_strip::of(bytes);
            (Cow::Owned(stripped.bytes), stripped.profile)
        }
        SourceFormat::Jpeg(outline) if !outline.is_whole => (Cow::Owned(ended(bytes)), None),
        SourceFormat::Jpeg(_) | SourceFormat::Gif | SourceFormat::WebP => {
            (Cow::Borrowed(bytes), None)
        }
    };
    let still = decode_whole(&stripped, kind, memory)?;
    if let SourceFormat::Jpeg(outline) = kind
        && !outline.is_whole
    {
        let _held = memory.take(still.image.as_bytes().len() as u64)?;
        for ended in ended_otherwise(bytes) {
            if decode_whole(&ended, kind, memory)?.image != still.image {
                return Err(PictureRefusal::Damaged);
            }
        }
    }
    let profile = told.or(still.profile);
    let profile = profile.filter(|it| it.len() <= PROFILE_BYTES && describes(it, &still.image));
    Ok(Still { profile, ..still })
}

/// Decodes a picture that is whole, with whatever colour profile it has.
fn decode_whole(
    bytes: &[u8],
    kind: SourceFormat,
    memory: &Memory,
) -> Result<Still, PictureRefusal> {
    let mut decoder = open(bytes, kind, memory)?;
    within(decoder.dimensions(), kind)?;
    let turned = decoder.orientation().map_err(damaged)?;
    let cost = cost(&*decoder, kind, turned);
    if cost > PICTURE_BYTES {
        return Err(PictureRefusal::TooMuchWork);
    }
    let held = memory.take(cost)?;
    let profile = decoder.icc_profile().ok().flatten();
    let mut image = eight_bits(DynamicImage::from_decoder(decoder).map_err(damaged)?);
    image.apply_orientation(turned);
    drop(held);
    Ok(Still { image, profile })
}

/// Reads the headers.
fn open<'a>(
    bytes: &'a [u8],
    kind: SourceFormat,
    memory: &Memory,
) -> Result<Box<dyn ImageDecoder + 'a>, PictureRefusal> {
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(memory.size());
    let input = Cursor::new(bytes);
    let mut decoder: Box<dyn ImageDecoder + 'a> = match kind {
        SourceFormat::Jpeg(_) => Box::new(JpegDecoder::new(input).map_err(damaged)?),
        SourceFormat::Png => {
            Box::new(PngDecoder::with_limits(input, limits.clone()).map_err(damaged)?)
        }
        SourceFormat::Gif => Box::new(GifDecoder::new(input).map_err(damaged)?),
        SourceFormat::WebP => Box::new(WebPDecoder::new(input).map_err(damaged)?),
    };
    decoder.set_limits(limits).map_err(damaged)?;
    Ok(decoder)
}

/// Refuses pictures that are too large, or take too many passes for their size.
fn within(size: (u32, u32), kind: SourceFormat) -> Result<(), PictureRefusal> {
    let pixels = pixels_within(size)?;
    let passes = match kind {
        SourceFormat::Jpeg(outline) if !outline.is_whole => outline.scans * DECODED,
        SourceFormat::Jpeg(outline) => outline.scans,
        SourceFormat::Png | SourceFormat::Gif | SourceFormat::WebP => 1,
    };
    if pixels.saturating_mul(passes) > IMAGE_WORK {
        return Err(PictureRefusal::TooMuchWork);
    }
    Ok(())
}

/// The number of pixels of a picture of this size, if that is allowed.
pub(super) fn pixels_within((width, height): (u32, u32)) -> Result<u64, PictureRefusal> {
    let pixels = u64::from(width) * u64::from(height);
    if width > IMAGE_SIDE || height > IMAGE_SIDE || pixels > IMAGE_PIXELS {
        return Err(PictureRefusal::TooManyPixels { width, height });
    }
    if pixels == 0 { Err(PictureRefusal::Damaged) } else { Ok(pixels) }
}

/// An upper bound of the memory in bytes that decoding and turning take.
fn cost(decoder: &dyn ImageDecoder, kind: SourceFormat, turned: Orientation) -> u64 {
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    let color = decoder.color_type();
    let deep = color.bytes_per_pixel() > color.channel_count();
    // Reducing the bit depth or turning by 90 degrees needs a second copy for a moment.
    let is_copied = deep || lies_on_its_side(turned);
    let painted = decoder.total_bytes() * if is_copied { 2 } else { 1 };
    match kind {
        // Progressive JPEGs are held as 16-bit coefficients until all of them are decoded.
        SourceFormat::Jpeg(outline) if outline.scans > 1 => (pixels * 9).max(painted),
        SourceFormat::Jpeg(_) | SourceFormat::Png => painted,
        SourceFormat::Gif => decoder.total_bytes() * 2,
        SourceFormat::WebP => pixels * if color.has_alpha() { 12 } else { 8 },
    }
}

const fn lies_on_its_side(turned: Orientation) -> bool {
    match turned {
        Orientation::Rotate90
        | Orientation::Rotate270
        | Orientation::Rotate90FlipH
        | Orientation::Rotate270FlipH => true,
        Orientation::NoTransforms
        | Orientation::Rotate180
        | Orientation::FlipHorizontal
        | Orientation::FlipVertical => false,
    }
}

fn damaged(error: ImageError) -> PictureRefusal {
    match error {
        ImageError::Limits(_) => PictureRefusal::TooMuchWork,
        ImageError::Decoding(_)
        | ImageError::Encoding(_)
        | ImageError::Parameter(_)
        | ImageError::Unsupported(_)
        | ImageError::IoError(_) => PictureRefusal::Damaged,
    }
}

/// Reduces the colour depth to eight bits, which is what screens show.
fn eight_bits(image: DynamicImage) -> DynamicImage {
    match image.color() {
        ColorType::L16 => image.into_luma8().into(),
        ColorType::La16 => image.into_luma_alpha8().into(),
        ColorType::Rgb16 | ColorType::Rgb32F => image.into_rgb8().into(),
        ColorType::Rgba16 | ColorType::Rgba32F => image.into_rgba8().into(),
        // The enum is non-exhaustive; no decoder here gives other types.
        ColorType::L8 | ColorType::La8 | ColorType::Rgb8 | ColorType::Rgba8 | _ => image,
    }
}

/// Whether a colour profile is for the colour space that the picture has now (ICC.1:2022, 7.2.6);
/// profiles for printing are not.
fn describes(profile: &[u8], image: &DynamicImage) -> bool {
    let space: &[u8] = if image.color().has_color() { b"RGB " } else { b"GRAY" };
    profile.get(16..20) == Some(space)
}

impl Still {
    /// Another picture with the same colour profile.
    pub(super) fn with(&self, image: DynamicImage) -> Self {
        Self { image, profile: self.profile.clone() }
    }

    /// The format for a picture whose format may be chosen.
    pub(super) fn best_format(&self) -> Format {
        if self.image.has_alpha() { Format::Png } else { Format::Jpeg }
    }

    /// Encodes the picture.
    ///
    /// # Errors
    /// If the result has too many bytes.
    pub(super) fn encode(&self, format: Format) -> Result<Vec<u8>, PictureRefusal> {
        let mut file = File::default();
        let written = match format {
            Format::Jpeg => self.write(JpegEncoder::new_with_quality(&mut file, JPEG_QUALITY)),
            Format::Png => {
                let level = CompressionType::Default;
                let filter = FilterType::Adaptive;
                self.write(PngEncoder::new_with_quality(&mut file, level, filter))
            }
            Format::Gif => {
                let pixels = self.image.to_rgba8();
                let (width, height) = pixels.dimensions();
                let color = image::ExtendedColorType::Rgba8;
                // Slow enough to choose colours well, fast enough for small pictures.
                GifEncoder::new_with_speed(&mut file, 10).encode(&pixels, width, height, color)
            }
        };
        written.map(|()| file.0).map_err(|_| PictureRefusal::TooManyBytes)
    }

    fn write(&self, mut encoder: impl ImageEncoder) -> Result<(), ImageError> {
        if let Some(profile) = &self.profile {
            encoder.set_icc_profile(profile.clone()).map_err(ImageError::Unsupported)?;
        }
        self.image.write_with_encoder(encoder)
    }
}

/// A file in memory that refuses to grow over [`IMAGE_STORED_BYTES`].
#[derive(Default)]
pub(super) struct File(pub(super) Vec<u8>);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > IMAGE_STORED_BYTES {
            return Err(io::Error::other("the file would be too large"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The marker for the end of the image (ITU-T T.81, table B.1).
const END: [u8; 2] = [0xff, 0xd9];
/// Bytes that stand for missing ones, more than enough for some missing pixels.
const STAND_IN: usize = 4096;
/// How often a picture without an end marker is decoded, at most.
pub(super) const DECODED: u64 = 5;

/// The JPEG with an end marker.
pub(super) fn ended(jpeg: &[u8]) -> Vec<u8> {
    [without_half_a_marker(jpeg), &END].concat()
}

/// The JPEG with different bytes in place of missing ones, and an end marker. Any one of them may
/// mean the same pixels by chance, or no pixels at all.
pub(super) fn ended_otherwise(jpeg: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    // No byte is the first one of a marker.
    let mut state = 0x9e37_79b9_u32;
    let mut irregular = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8 & 0x7f
    };
    (1..DECODED).map(move |variant| {
        let mut ended = without_half_a_marker(jpeg).to_vec();
        ended.extend((0..STAND_IN).map(|_| match variant {
            1 => 0x55,
            2 => 0xaa,
            _ => irregular(),
        }));
        ended.extend_from_slice(&END);
        ended
    })
}

/// The JPEG without the first half of a marker at its end.
fn without_half_a_marker(jpeg: &[u8]) -> &[u8] {
    jpeg.strip_suffix(&[0xff]).unwrap_or(jpeg)
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::*;
    use crate::sniff;

    /// A JPEG with a colour profile for this colour space.
    fn jpeg_meant_in(space: &[u8; 4]) -> Vec<u8> {
        let mut profile = vec![7; 200];
        profile[16..20].copy_from_slice(space);
        let mut bytes = Vec::new();
        let mut encoder = JpegEncoder::new(&mut bytes);
        encoder.set_icc_profile(profile).unwrap();
        RgbImage::from_pixel(8, 8, Rgb([200, 30, 30])).write_with_encoder(encoder).unwrap();
        bytes
    }

    #[test]
    fn colour_profiles_are_applied() {
        let memory = Memory::new(1 << 20);
        for (space, stays) in [(b"RGB ", true), (b"CMYK", false)] {
            let bytes = jpeg_meant_in(space);
            let still = decode(&bytes, sniff::kind(&bytes).unwrap(), &memory).unwrap();
            for format in [Format::Jpeg, Format::Png] {
                let written = still.encode(format).unwrap();
                let mut again = open(&written, sniff::kind(&written).unwrap(), &memory).unwrap();
                assert_eq!(again.icc_profile().unwrap().is_some(), stays, "{space:?} {format:?}");
            }
        }
    }

    #[test]
    fn deep_colours_become_8_bit_within_memory() {
        let deep = image::ImageBuffer::from_pixel(100, 100, Rgb([60_000_u16, 0, 0]));
        let mut bytes = Cursor::new(Vec::new());
        deep.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
        let bytes = bytes.into_inner();
        let still = decode(&bytes, SourceFormat::Png, &Memory::new(1 << 20)).unwrap();
        assert_eq!(still.image.color(), ColorType::Rgb8);
        let refused = decode(&bytes, SourceFormat::Png, &Memory::new(100_000)).unwrap_err();
        assert_eq!(refused, PictureRefusal::TooMuchWork);
    }

    /// A picture without two equal rows or columns.
    fn busy() -> RgbImage {
        RgbImage::from_fn(61, 47, |x, y| {
            Rgb([(x * 37 + y * 11) as u8, (x * y) as u8, (y * 53 + x * 3) as u8])
        })
    }

    fn accepted(bytes: &[u8]) -> Option<DynamicImage> {
        let kind = sniff::kind(bytes)?;
        decode(bytes, kind, &Memory::new(1 << 24)).ok().map(|still| still.image)
    }

    /// Cuts a file at every place of its end and at many before; returns how many bytes may be
    /// missing, so that the picture is still accepted.
    fn cuts(whole: &[u8]) -> Vec<usize> {
        let expected = accepted(whole).unwrap();
        let length = whole.len();
        let near = length.saturating_sub(400)..length;
        let ends = (0..length).step_by(97).chain(near).filter(|end| *end < length);
        let mut missing = Vec::new();
        for end in ends {
            if let Some(image) = accepted(&whole[..end]) {
                assert!(image == expected, "cut at {end} of {length}, with other pixels");
                missing.push(length - end);
            }
        }
        missing
    }

    #[test]
    fn jpeg_without_its_end_is_accepted_if_no_pixel_is_missing() {
        for quality in [10, 30, 50, 75, 85, 90, 95, 100] {
            let mut bytes = Vec::new();
            let encoder = JpegEncoder::new_with_quality(&mut bytes, quality);
            busy().write_with_encoder(encoder).unwrap();
            let missing = cuts(&bytes);
            assert!(missing.contains(&1) && missing.contains(&2), "{quality}: {missing:?}");
            assert!(missing.len() < 6, "{quality}: {missing:?}");
        }
    }

    #[test]
    fn png_without_its_end_is_accepted_if_no_pixel_is_missing() {
        let mut bytes = Vec::new();
        busy().write_with_encoder(PngEncoder::new(&mut bytes)).unwrap();
        let missing = cuts(&bytes);
        // The end chunk has 12 bytes, and the checksum before it 4.
        assert!((1..=16).all(|lost| missing.contains(&lost)), "{missing:?}");
        assert!(missing.len() < 30, "{missing:?}");
    }

    #[test]
    fn webp_with_missing_pixels_is_refused() {
        let mut bytes = Vec::new();
        let encoder = image::codecs::webp::WebPEncoder::new_lossless(&mut bytes);
        busy().write_with_encoder(encoder).unwrap();
        let missing = cuts(&bytes);
        assert!(missing.len() < 10, "{missing:?}");
    }
}
