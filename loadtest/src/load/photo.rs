//! A photo to upload: drawn, so that no real person's photo is in the repository, and grainy, so
//! that it has as many bytes as a real one.

use std::fmt;

use image::codecs::jpeg::JpegEncoder;
use image::{Rgb, RgbImage};

/// Pixels per byte, as in the photos that phones take.
const PIXELS_PER_BYTE: usize = 3;

/// One photo, from which any number of others can be made that differ in every block.
#[derive(Clone)]
pub struct Photo {
    bytes: Vec<u8>,
    /// The offset of the last four numbers of the first quantization table.
    numbers_at: usize,
}

impl Photo {
    /// Draws a photo of about `wanted` bytes.
    pub fn of_about(wanted: usize) -> Result<Self, image::ImageError> {
        let height = (wanted * PIXELS_PER_BYTE * 3 / 4).isqrt().max(16) as u32;
        let image = grainy(height * 4 / 3, height);
        // Better quality means more bytes: this searches for the best quality within `wanted`
        // bytes.
        let (mut low, mut high) = (1_u8, 100);
        while low < high {
            let quality = (low + high).div_ceil(2);
            if encoded(&image, quality)?.len() <= wanted {
                low = quality;
            } else {
                high = quality - 1;
            }
        }
        let bytes = encoded(&image, low)?;
        // The marker, its length and the table's name (5 bytes) stand before the table's 64
        // numbers.
        let table = bytes.windows(2).position(|it| it == [0xff, 0xdb]).unwrap_or_default();
        Ok(Self { bytes, numbers_at: table + 5 + 60 })
    }

    /// Returns photo `number` in two parts: the beginning, which differs, and the rest, which is
    /// the same for all photos.
    pub fn numbered(&self, number: u32) -> (Vec<u8>, &[u8]) {
        let (first, rest) = self.bytes.split_at(self.numbers_at + 4);
        let mut first = first.to_vec();
        for (place, byte) in first[self.numbers_at..].iter_mut().enumerate() {
            // None of the numbers may be zero.
            *byte = 16 + (number >> (4 * place)) as u8 % 16;
        }
        (first, rest)
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

impl fmt::Debug for Photo {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "a photo of {} bytes", self.bytes.len())
    }
}

fn grainy(width: u32, height: u32) -> RgbImage {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    RgbImage::from_fn(width, height, |x, y| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let grain = (random % 32) as u32;
        Rgb([x * 200 / width + grain, y * 200 / height + grain, (x + y) % 64 + 100 + grain]
            .map(|shade| shade as u8))
    })
}

fn encoded(image: &RgbImage, quality: u8) -> Result<Vec<u8>, image::ImageError> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, quality).encode_image(image)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(photo: &Photo, number: u32) -> RgbImage {
        let (first, rest) = photo.numbered(number);
        image::load_from_memory(&[&first, rest].concat()).unwrap().into_rgb8()
    }

    #[test]
    fn a_photo_has_its_size_and_no_two_are_alike() {
        let photo = Photo::of_about(60_000).unwrap();
        assert!((40_000..=60_000).contains(&photo.len()), "{photo:?}");
        assert_ne!(pixels(&photo, 1), pixels(&photo, 2));
        assert_ne!(pixels(&photo, 1), pixels(&photo, 1 << 12));
        assert_eq!(pixels(&photo, 7), pixels(&photo, 7));
    }
}
