//! Images for tests, drawn here so that their content is known, and the decoding of images that the
//! server returns.

use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageEncoder, ImageFormat, Rgb, RgbImage, RgbaImage};
use serde_json::Value;

use crate::world::answer::Answer;
use crate::world::person::text;

/// The URL in the response to an upload.
#[track_caller]
pub(crate) fn url(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.text);
    let answered: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(answered["payload"]["url"], answered["payload"]["picture_url"]);
    text(&answered["payload"]["url"]).to_owned()
}

/// The path of a URL, with its query.
pub(crate) fn path(url: &str) -> String {
    let (_, rest) = url.split_once("://").unwrap();
    rest[rest.find('/').unwrap()..].to_owned()
}

/// An image that is red on the left, blue on the right, with a white stripe at the top.
pub(crate) fn drawing(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| match (x < width / 2, y < height / 10) {
        (_, true) => Rgb([255, 255, 255]),
        (true, false) => Rgb([255, 0, 0]),
        (false, false) => Rgb([0, 0, 255]),
    })
}

/// An image encoded in this format.
pub(crate) fn encoded(image: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image.into().write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// A PNG of this size.
pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    encoded(drawing(width, height), ImageFormat::Png)
}

/// A JPEG of this size.
pub(crate) fn jpeg(width: u32, height: u32) -> Vec<u8> {
    encoded(drawing(width, height), ImageFormat::Jpeg)
}

/// A WebP of this size, with every third pixel transparent.
pub(crate) fn webp_with_holes(width: u32, height: u32) -> Vec<u8> {
    let mut image: RgbaImage = DynamicImage::from(drawing(width, height)).into_rgba8();
    image.pixels_mut().step_by(3).for_each(|pixel| pixel.0[3] = 0);
    encoded(image, ImageFormat::WebP)
}

/// A JPEG as a phone held upright makes it: the pixels are rotated, and the metadata has the
/// orientation next to the place where the picture was taken.
pub(crate) fn phone_photo(width: u32, height: u32) -> Vec<u8> {
    let upright = DynamicImage::from(drawing(width, height));
    let mut bytes = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut bytes, 95);
    encoder.set_exif_metadata(exif_turned_right()).unwrap();
    upright.rotate270().write_with_encoder(encoder).unwrap();
    bytes
}

/// EXIF data: a TIFF header with two entries, a maker called GPS-HERE and orientation 6.
fn exif_turned_right() -> Vec<u8> {
    let mut exif = b"MM\0\x2a\0\0\0\x08\0\x02".to_vec();
    exif.extend(b"\x01\x0f\0\x02\0\0\0\x09\0\0\0\x26");
    exif.extend(b"\x01\x12\0\x03\0\0\0\x01\0\x06\0\0");
    exif.extend(b"\0\0\0\0GPS-HERE\0");
    exif
}

/// An endless GIF of this many frames, each of another colour, with a comment.
pub(crate) fn gif(width: u16, height: u16, frames: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    let palette: Vec<u8> = (0..=255).flat_map(|shade| [shade, 0, 255 - shade]).collect();
    let mut encoder = gif::Encoder::new(&mut bytes, width, height, &palette).unwrap();
    encoder.set_repeat(gif::Repeat::Infinite).unwrap();
    let comment: &[&[u8]] = &[b"GPS-HERE"];
    encoder.write_raw_extension(gif::AnyExtension(0xfe), comment).unwrap();
    for number in 0..frames {
        let pixels = vec![number; usize::from(width) * usize::from(height)];
        let mut frame = gif::Frame::from_indexed_pixels(width, height, pixels, None);
        frame.delay = 5 + u16::from(number);
        encoder.write_frame(&frame).unwrap();
    }
    drop(encoder);
    bytes
}

/// A PNG whose header claims this size, though it has just one pixel.
pub(crate) fn png_header(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = png(1, 1);
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let crc = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    bytes
}

/// The checksum of a PNG's chunk (ISO 3309).
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc: u32, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 }
        })
    })
}

/// The image in a response, decoded according to its Content-Type.
#[track_caller]
pub(crate) fn seen(answer: &Answer) -> DynamicImage {
    assert_eq!(answer.status, 200, "{}", answer.text);
    let format = ImageFormat::from_mime_type(answer.header("content-type").unwrap()).unwrap();
    image::load_from_memory_with_format(&answer.bytes, format).unwrap()
}
