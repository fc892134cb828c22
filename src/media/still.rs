//! One picture: read within its limits, turned the right way up, and written anew.
//!
//! Everything that could cost is looked at before a pixel is decoded. What is written
//! holds pixels and the colours they are meant in, and nothing else: no place, no date, no
//! device, no smaller picture from before it was cropped.

use std::borrow::Cow;
use std::io::{self, Cursor, Write};

use image::codecs::gif::{GifDecoder, GifEncoder};
use image::codecs::jpeg::{JpegDecoder, JpegEncoder};
use image::codecs::png::{CompressionType, FilterType, PngDecoder, PngEncoder};
use image::codecs::webp::WebPDecoder;
use image::metadata::Orientation;
use image::{ColorType, DynamicImage, ImageDecoder, ImageEncoder, ImageError, Limits};

use crate::domain::limits::{IMAGE_PIXELS, IMAGE_SIDE, IMAGE_STORED_BYTES, IMAGE_WORK};
use crate::media::PictureRefusal;
use crate::media::bare::{self, PROFILE_BYTES};
use crate::media::memory::Memory;
use crate::media::name::Format;
use crate::media::sniff::SourceFormat;

/// How good JPEGs are, of 100: above this, files grow and nobody sees why.
const JPEG_QUALITY: u8 = 85;
/// Bytes of memory that one picture may take: a photo of the most pixels, with what is
/// needed beside them.
const PICTURE_BYTES: u64 = 200 << 20;

/// A picture in memory.
#[derive(Debug)]
pub(super) struct Still {
    /// Its pixels, eight bits for each colour, the right way up.
    pub(super) image: DynamicImage,
    /// In which colours they are meant, where that is not the usual ones.
    profile: Option<Vec<u8>>,
}

/// Reads a picture.
///
/// # Errors
/// When it is damaged, or over a limit.
pub(super) fn decode(
    bytes: &[u8],
    kind: SourceFormat,
    memory: &Memory,
) -> Result<Still, PictureRefusal> {
    let (bare, told) = match kind {
        SourceFormat::Png => {
            let bare = bare::of(bytes);
            (Cow::Owned(bare.bytes), bare.profile)
        }
        SourceFormat::Jpeg(_) | SourceFormat::Gif | SourceFormat::WebP => {
            (Cow::Borrowed(bytes), None)
        }
    };
    let mut decoder = open(&bare, kind, memory)?;
    within(decoder.dimensions(), kind)?;
    let turned = decoder.orientation().map_err(damaged)?;
    let cost = cost(&*decoder, kind, turned);
    if cost > PICTURE_BYTES {
        return Err(PictureRefusal::TooMuchWork);
    }
    let held = memory.take(cost)?;
    let profile = told.or_else(|| decoder.icc_profile().ok().flatten());
    let mut image = eight_bits(DynamicImage::from_decoder(decoder).map_err(damaged)?);
    image.apply_orientation(turned);
    drop(held);
    let profile = profile.filter(|it| it.len() <= PROFILE_BYTES && describes(it, &image));
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
        SourceFormat::Jpeg(outline) if !outline.is_whole => return Err(PictureRefusal::Damaged),
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

/// Refuses what is too large, or too slow to read for its size.
fn within(size: (u32, u32), kind: SourceFormat) -> Result<(), PictureRefusal> {
    let pixels = pixels_within(size)?;
    let passes = match kind {
        SourceFormat::Jpeg(outline) => outline.scans,
        SourceFormat::Png | SourceFormat::Gif | SourceFormat::WebP => 1,
    };
    if pixels.saturating_mul(passes) > IMAGE_WORK {
        return Err(PictureRefusal::TooMuchWork);
    }
    Ok(())
}

/// How many pixels a picture of this size has, if it may have them.
pub(super) fn pixels_within((width, height): (u32, u32)) -> Result<u64, PictureRefusal> {
    let pixels = u64::from(width) * u64::from(height);
    if width > IMAGE_SIDE || height > IMAGE_SIDE || pixels > IMAGE_PIXELS {
        return Err(PictureRefusal::TooManyPixels { width, height });
    }
    if pixels == 0 { Err(PictureRefusal::Damaged) } else { Ok(pixels) }
}

/// Bytes of memory that decoding and turning take at most.
fn cost(decoder: &dyn ImageDecoder, kind: SourceFormat, turned: Orientation) -> u64 {
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    let color = decoder.color_type();
    let deep = color.bytes_per_pixel() > color.channel_count();
    // Made smaller or laid on its side, it is there twice for a moment.
    let is_copied = deep || lies_on_its_side(turned);
    let painted = decoder.total_bytes() * if is_copied { 2 } else { 1 };
    match kind {
        // Progressive ones are kept whole as 16-bit numbers until they are painted.
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

/// Eight bits are what screens show.
fn eight_bits(image: DynamicImage) -> DynamicImage {
    match image.color() {
        ColorType::L16 => image.into_luma8().into(),
        ColorType::La16 => image.into_luma_alpha8().into(),
        ColorType::Rgb16 | ColorType::Rgb32F => image.into_rgb8().into(),
        ColorType::Rgba16 | ColorType::Rgba32F => image.into_rgba8().into(),
        // The type may grow, by kinds that no decoder here gives.
        ColorType::L8 | ColorType::La8 | ColorType::Rgb8 | ColorType::Rgba8 | _ => image,
    }
}

/// Whether a colour profile speaks of the colours that the picture has now (ICC.1:2022,
/// 7.2.6): one for printing does not.
fn describes(profile: &[u8], image: &DynamicImage) -> bool {
    let space: &[u8] = if image.color().has_color() { b"RGB " } else { b"GRAY" };
    profile.get(16..20) == Some(space)
}

impl Still {
    /// Another picture in the same colours.
    pub(super) fn with(&self, image: DynamicImage) -> Self {
        Self { image, profile: self.profile.clone() }
    }

    /// In which format it is stored when it may choose.
    pub(super) fn best_format(&self) -> Format {
        if self.image.has_alpha() { Format::Png } else { Format::Jpeg }
    }

    /// Its bytes in this format.
    ///
    /// # Errors
    /// When there would be too many.
    pub(super) fn encode(&self, format: Format) -> Result<Vec<u8>, PictureRefusal> {
        let mut file = File::default();
        let written = match format {
            Format::Jpeg => self.write(JpegEncoder::new_with_quality(&mut file, JPEG_QUALITY)),
            Format::Png => {
                let (level, filter) = (CompressionType::Default, FilterType::Adaptive);
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

/// A file in memory that does not grow without end.
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

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::*;
    use crate::media::sniff;

    /// A JPEG whose colours are meant in this space, as far as its profile goes.
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
    fn colours_stay_what_they_are_meant_to_be() {
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
    fn sixteen_bits_become_eight_and_what_needs_more_memory_than_there_is_is_refused() {
        let deep = image::ImageBuffer::from_pixel(100, 100, Rgb([60_000_u16, 0, 0]));
        let mut bytes = Cursor::new(Vec::new());
        deep.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
        let bytes = bytes.into_inner();
        let still = decode(&bytes, SourceFormat::Png, &Memory::new(1 << 20)).unwrap();
        assert_eq!(still.image.color(), ColorType::Rgb8);
        let refused = decode(&bytes, SourceFormat::Png, &Memory::new(100_000)).unwrap_err();
        assert_eq!(refused, PictureRefusal::TooMuchWork);
    }
}
