//! Rewrites GIFs, animated ones too: frames are decoded and encoded one after another with their
//! own palettes, so that they look the same, and everything that is no picture (comments,
//! application blocks) is dropped.

use std::borrow::Cow;
use std::num::NonZeroU64;

use gif::{
    DecodeOptions, Decoder, DecodingError, Encoder, EncodingError, Frame, MemoryLimit, Repeat,
};

use crate::PictureRefusal;
use crate::memory::Memory;
use crate::still::{self, File};
use domain::limits::{IMAGE_FRAMES, IMAGE_PIXELS, IMAGE_WORK};

/// Re-encodes a GIF, whose end marker may be missing. Returns its bytes and its width and height.
///
/// # Errors
/// If the GIF is damaged or over a limit.
pub(super) fn rewritten(
    bytes: &[u8],
    memory: &Memory,
) -> Result<(Vec<u8>, (u32, u32)), PictureRefusal> {
    let bytes = &*ended(bytes);
    let plan = look_ahead(bytes)?;
    let _held = memory.take(plan.largest * 2)?;
    let mut from = open(bytes, Pixels::Decoded)?;
    let palette = from.global_palette().unwrap_or_default().to_vec();
    let mut file = File::default();
    let mut to =
        Encoder::new(&mut file, from.width(), from.height(), &palette).map_err(too_long)?;
    if plan.frames > 1 {
        to.set_repeat(plan.repeat).map_err(too_long)?;
    }
    while let Some(frame) = from.read_next_frame().map_err(damaged)? {
        to.write_frame(&shown(frame)).map_err(too_long)?;
    }
    drop(to);
    Ok((file.0, plan.size))
}

/// The marker for the end of a GIF.
const TRAILER: u8 = 0x3b;

/// The GIF with its end marker: programs leave it out, or lose the last bytes of a file (GIF89a,
/// sections 15 and 27). An image whose data was cut is ended where the data end; the decoder
/// refuses it if pixels are missing.
fn ended(gif: &[u8]) -> Cow<'_, [u8]> {
    let Some(end) = missing_end(gif) else { return Cow::Borrowed(gif) };
    let mut whole = gif.to_vec();
    if let Some(sub_block) = end.cut_sub_block {
        // A sub-block has at most 255 bytes, so a part of one has fewer.
        whole[sub_block] = u8::try_from(gif.len() - sub_block - 1).unwrap_or(u8::MAX);
    }
    if end.is_in_image {
        whole.push(0);
    }
    whole.push(TRAILER);
    Cow::Owned(whole)
}

/// The end of a GIF without an end marker.
#[derive(Debug, Default)]
struct MissingEnd {
    /// Whether it ends within the data of an image.
    is_in_image: bool,
    /// The place of the last sub-block, if that is cut.
    cut_sub_block: Option<usize>,
}

/// Walks over the blocks; `None` if the end marker is there, or the bytes are no GIF.
fn missing_end(gif: &[u8]) -> Option<MissingEnd> {
    /// Bytes of a colour table that flags announce.
    fn table(flags: u8) -> usize {
        if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
    }
    let mut at = 13 + table(*gif.get(10)?);
    loop {
        let is_image = match gif.get(at) {
            None if at == gif.len() => return Some(MissingEnd::default()),
            // Image descriptor, its colour table, and the code size.
            Some(0x2c) => {
                at += 10 + table(*gif.get(at + 9)?) + 1;
                true
            }
            // An extension and its label.
            Some(0x21) => {
                at += 2;
                false
            }
            Some(_) | None => return None,
        };
        loop {
            match gif.get(at) {
                Some(0) => break,
                Some(length) if at + 1 + usize::from(*length) <= gif.len() => {
                    at += 1 + usize::from(*length);
                }
                Some(_) => {
                    let cut_sub_block = Some(at).filter(|_| is_image);
                    return cut_sub_block.map(|_| MissingEnd { is_in_image: true, cut_sub_block });
                }
                None => {
                    let is_in_image = is_image && at == gif.len();
                    return is_in_image.then_some(MissingEnd { is_in_image, cut_sub_block: None });
                }
            }
        }
        at += 1;
    }
}

/// The result of a pass over the file, before anything is decoded.
struct Plan {
    size: (u32, u32),
    frames: usize,
    repeat: Repeat,
    /// Pixels of the largest frame.
    largest: u64,
}

/// Reads the frame headers and checks every limit, without decoding a pixel.
fn look_ahead(bytes: &[u8]) -> Result<Plan, PictureRefusal> {
    let mut from = open(bytes, Pixels::Skipped)?;
    let size = (u32::from(from.width()), u32::from(from.height()));
    still::pixels_within(size)?;
    let mut frames = 0;
    let mut largest = 0;
    let mut work = 0;
    while let Some(frame) = from.next_frame_info().map_err(damaged)? {
        let pixels = still::pixels_within((frame.width.into(), frame.height.into()))?;
        (frames, largest, work) = (frames + 1, pixels.max(largest), work + pixels);
        if frames > IMAGE_FRAMES || work > IMAGE_WORK {
            return Err(PictureRefusal::TooMuchWork);
        }
    }
    if frames == 0 {
        return Err(PictureRefusal::Damaged);
    }
    Ok(Plan { size, frames, repeat: from.repeat(), largest })
}

/// Whether the decoder decodes pixels or skips them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pixels {
    Decoded,
    Skipped,
}

fn open(bytes: &[u8], pixels: Pixels) -> Result<Decoder<&[u8]>, PictureRefusal> {
    let mut options = DecodeOptions::new();
    options.skip_frame_decoding(pixels == Pixels::Skipped);
    let most = NonZeroU64::new(IMAGE_PIXELS).map_or(MemoryLimit::Unlimited, MemoryLimit::Bytes);
    options.set_memory_limit(most);
    options.read_info(bytes).map_err(damaged)
}

/// Copies a frame, with only what browsers look at. The decoder has already put interlaced lines in
/// order.
fn shown<'a>(frame: &'a Frame<'_>) -> Frame<'a> {
    Frame {
        delay: frame.delay,
        dispose: frame.dispose,
        transparent: frame.transparent,
        needs_user_input: false,
        top: frame.top,
        left: frame.left,
        width: frame.width,
        height: frame.height,
        interlaced: false,
        palette: frame.palette.clone(),
        buffer: Cow::Borrowed(&frame.buffer),
    }
}

fn damaged(_: DecodingError) -> PictureRefusal {
    PictureRefusal::Damaged
}

fn too_long(_: EncodingError) -> PictureRefusal {
    PictureRefusal::TooManyBytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An animation of three frames with colours of their own.
    fn animation() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, 20, 30, &[]).unwrap();
        for red in [1, 90, 200_u8] {
            let pixels: Vec<u8> =
                (0..600_u32).flat_map(|at| [red, (at * 7 % 256) as u8, (at / 5) as u8]).collect();
            encoder.write_frame(&Frame::from_rgb(20, 30, &pixels)).unwrap();
        }
        drop(encoder);
        bytes
    }

    fn frames(gif: &[u8]) -> Vec<Vec<u8>> {
        let mut options = DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(gif).unwrap();
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            frames.push(frame.buffer.to_vec());
        }
        frames
    }

    #[test]
    fn gif_without_its_end_is_accepted_if_no_pixel_is_missing() {
        let memory = Memory::new(1 << 20);
        let whole = animation();
        let mut accepted = Vec::new();
        let expected = frames(&whole);
        assert_eq!(*whole.last().unwrap(), TRAILER);
        for end in 0..whole.len() {
            if let Ok((stored, size)) = rewritten(&whole[..end], &memory) {
                let stored = frames(&stored);
                assert_eq!(size, (20, 30));
                assert_eq!(stored, expected[..stored.len()], "cut at {end}");
                accepted.push((whole.len() - end, stored.len()));
            }
        }
        // Without the trailer, and without the empty sub-block before it.
        assert!(accepted.contains(&(1, 3)) && accepted.contains(&(2, 3)), "{accepted:?}");
        assert!(accepted.iter().any(|(_, frames)| *frames == 1), "{accepted:?}");
        assert!(accepted.len() < 40, "{accepted:?}");
    }
}
