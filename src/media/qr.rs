//! QR codes (ISO/IEC 18004) as pictures.

use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder as _};
use qrcode::{Color, QrCode};

/// Pixels along the side of a module.
const MODULE: usize = 8;
/// Modules of blank space on each side, which the standard requires.
const QUIET: usize = 4;
const BLACK: u8 = 0;
const WHITE: u8 = 255;

/// The QR code of a text as a PNG; `None` if the text is too long for one.
pub fn png(text: &str) -> Option<Vec<u8>> {
    let code = QrCode::new(text).ok()?;
    let modules = code.to_colors();
    let width = code.width();
    let side = (width + 2 * QUIET) * MODULE;
    let is_dark = |x: usize, y: usize| -> Option<bool> {
        let x = x.checked_sub(QUIET)?;
        let y = y.checked_sub(QUIET)?;
        (x < width).then(|| modules.get(y * width + x) == Some(&Color::Dark))
    };
    let pixels: Vec<u8> = (0..side * side)
        .map(|at| is_dark(at % side / MODULE, at / side / MODULE))
        .map(|is_dark| if is_dark == Some(true) { BLACK } else { WHITE })
        .collect();
    let side = u32::try_from(side).ok()?;
    let mut png = Vec::new();
    PngEncoder::new(&mut png).write_image(&pixels, side, side, ExtendedColorType::L8).ok()?;
    Some(png)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_finders_in_three_corners_and_blank_space_around() {
        let png = png("https://example.org/join_group/1/abc").unwrap();
        let image = image::load_from_memory(&png).unwrap().to_luma8();
        let side = image.width();
        let dark = |x: u32, y: u32| {
            let middle = MODULE as u32 / 2;
            image.get_pixel(x * MODULE as u32 + middle, y * MODULE as u32 + middle)[0] == BLACK
        };
        let first = QUIET as u32;
        let count = side / MODULE as u32;
        let last = count - first - 7;
        for (x, y) in [(first, first), (last, first), (first, last)] {
            let row: Vec<bool> = (0..7).map(|at| dark(x + at, y + 3)).collect();
            assert_eq!(row, [true, false, true, true, true, false, true]);
        }
        assert!((0..count).all(|at| !dark(at, first - 1) && !dark(first - 1, at)));
        assert_eq!(image.height(), side);
    }

    #[test]
    fn texts_that_are_too_long_have_no_code() {
        assert_eq!(png(&"a".repeat(5000)), None);
    }
}
