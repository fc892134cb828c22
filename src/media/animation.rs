//! Rewrites GIFs, animated ones too: frames are decoded and encoded one after another with their
//! own palettes, so that they look the same, and everything that is no picture (comments,
//! application blocks) is dropped.

use std::borrow::Cow;
use std::num::NonZeroU64;

use gif::{
    DecodeOptions, Decoder, DecodingError, Encoder, EncodingError, Frame, MemoryLimit, Repeat,
};

use crate::domain::limits::{IMAGE_FRAMES, IMAGE_PIXELS, IMAGE_WORK};
use crate::media::PictureRefusal;
use crate::media::memory::Memory;
use crate::media::still::{self, File};

/// Re-encodes a GIF. Returns its bytes and its width and height.
///
/// # Errors
/// If the GIF is damaged or over a limit.
pub(super) fn rewritten(
    bytes: &[u8],
    memory: &Memory,
) -> Result<(Vec<u8>, (u32, u32)), PictureRefusal> {
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

/// What a pass over the file found, before anything is decoded.
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
    let (mut frames, mut largest, mut work) = (0, 0, 0);
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
