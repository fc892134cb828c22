//! Makes an uploaded image into what is stored, and a stored image into its other forms.

use image::DynamicImage;
use image::imageops::FilterType;

use crate::memory::Memory;
use crate::name::{Format, ImageName, Variant};
use crate::sniff::{self, SourceFormat};
use crate::still::{self, Still};
use crate::{PictureRefusal, animation};

/// Sides of the forms in pixels.
const PREVIEW: u32 = 200;
const LARGE: u32 = 960;
const AVATAR: u32 = 60;

/// An image as it is stored.
#[derive(Debug)]
pub(super) struct Remade {
    /// The name, made from the bytes.
    pub(super) name: ImageName,
    /// The encoded bytes.
    pub(super) bytes: Vec<u8>,
}

/// Turns uploaded bytes into an image that holds nothing but pixels.
///
/// # Errors
/// If the bytes are no image, a damaged one, or one over a limit.
pub(super) fn taken_in(bytes: &[u8], memory: &Memory) -> Result<Remade, PictureRefusal> {
    let kind = sniff::kind(bytes).ok_or(PictureRefusal::NotAnImage)?;
    if let Some(format) = sniff::animated(bytes, kind) {
        return Err(PictureRefusal::Animated(format));
    }
    let (bytes, size, format) = match kind {
        SourceFormat::Gif => {
            let (bytes, size) = animation::rewritten(bytes, memory)?;
            (bytes, size, Format::Gif)
        }
        SourceFormat::Jpeg(_) | SourceFormat::Png | SourceFormat::WebP => {
            let still = still::decode(bytes, kind, memory)?;
            let format = match kind {
                SourceFormat::Jpeg(_) => Format::Jpeg,
                SourceFormat::Png | SourceFormat::Gif => Format::Png,
                SourceFormat::WebP => still.best_format(),
            };
            let size = (still.image.width(), still.image.height());
            (still.encode(format)?, size, format)
        }
    };
    let name = ImageName::of(&bytes, size, format);
    Ok(Remade { name, bytes })
}

/// Whether this form of an image is the original itself, because that is small enough.
pub(super) fn is_original(name: &ImageName) -> bool {
    let (width, height) = name.size;
    match name.variant {
        Variant::Original => true,
        Variant::Large => width <= LARGE && height <= LARGE,
        Variant::Preview | Variant::Avatar => false,
    }
}

/// Makes a form of a stored image. The forms of an animation show its first frame.
///
/// # Errors
/// If the stored bytes can no longer be decoded.
pub(super) fn form(
    stored: &[u8],
    name: &ImageName,
    memory: &Memory,
) -> Result<Vec<u8>, PictureRefusal> {
    let kind = sniff::kind(stored).ok_or(PictureRefusal::NotAnImage)?;
    let still = still::decode(stored, kind, memory)?;
    let made = match name.variant {
        Variant::Original => return Ok(stored.to_vec()),
        Variant::Preview => middle(&still, PREVIEW),
        Variant::Avatar => middle(&still, AVATAR),
        Variant::Large => {
            let (width, height) = inside(name.size, LARGE);
            still.with(scaled(&still.image, width, height))
        }
    };
    made.encode(name.format)
}

/// Crops the largest square in the middle and scales it to this side.
fn middle(still: &Still, side: u32) -> Still {
    let width = still.image.width();
    let height = still.image.height();
    let square = width.min(height);
    let cut = still.image.crop_imm((width - square) / 2, (height - square) / 2, square, square);
    still.with(scaled(&cut, side, side))
}

/// The largest size with the same proportions that fits into a square of this side.
fn inside((width, height): (u32, u32), side: u32) -> (u32, u32) {
    let longer = u64::from(width.max(height)).max(1);
    let fit = |length: u32| {
        let fitted = (u64::from(length) * u64::from(side) + longer / 2) / longer;
        u32::try_from(fitted).unwrap_or(side).max(1)
    };
    (fit(width), fit(height))
}

/// Scales an image: first roughly to twice the size if that is far smaller, then smoothly.
fn scaled(image: &DynamicImage, width: u32, height: u32) -> DynamicImage {
    let is_far = image.width() > width * 4 && image.height() > height * 4;
    if is_far {
        let near = image.thumbnail_exact(width * 2, height * 2);
        return near.resize_exact(width, height, FilterType::CatmullRom);
    }
    image.resize_exact(width, height, FilterType::CatmullRom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_keeps_proportions_and_at_least_a_pixel() {
        assert_eq!(inside((4000, 3000), 960), (960, 720));
        assert_eq!(inside((1000, 961), 960), (960, 923));
        assert_eq!(inside((60_000, 3), 960), (960, 1));
    }
}
