//! Bytes of images that are being uploaded, limited for each image and for all together.

use crate::bounds::places::Places;
use crate::bounds::{Bound, Budget, Full, Permit};
use crate::domain::limits::IMAGE_BYTES;
use crate::media::sniff::{self, SourceFormat};

/// Images that are being uploaded or wait to be decoded, and the memory for them.
const HELD: Bound = Bound { items: 1024, bytes: 64 << 20 };
/// Bytes by which the memory for an image grows.
const PIECE: usize = 64 << 10;

/// The memory for all images that are being uploaded.
#[derive(Debug, Clone)]
pub(super) struct IntakeMemory(Budget);

/// Why no more bytes are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IntakeRefusal {
    /// The image has too many bytes.
    #[error("an image may have {IMAGE_BYTES} bytes at most")]
    TooLarge,
    /// All images together have too many bytes.
    #[error("too many images at once")]
    Full,
}

impl From<Full> for IntakeRefusal {
    fn from(_: Full) -> Self {
        Self::Full
    }
}

/// A buffer for the bytes of one image.
#[derive(Debug)]
pub struct Intake {
    room: IntakeMemory,
    bytes: Vec<u8>,
    held: Option<Permit>,
}

/// All bytes of one uploaded image.
#[derive(Debug)]
pub struct Upload {
    bytes: Vec<u8>,
    _held: Option<Permit>,
}

impl IntakeMemory {
    /// A budget of which nothing is taken yet.
    pub(super) fn new(places: &Places) -> Self {
        Self(Budget::new(places, "images", HELD))
    }

    /// Begins an empty buffer.
    pub(super) fn intake(&self) -> Intake {
        Intake { room: self.clone(), bytes: Vec::new(), held: None }
    }
}

impl Intake {
    /// Appends bytes.
    ///
    /// # Errors
    /// If the image, or all images together, have too many bytes.
    pub fn add(&mut self, more: &[u8]) -> Result<(), IntakeRefusal> {
        let length = self.bytes.len() + more.len();
        if length > IMAGE_BYTES {
            return Err(IntakeRefusal::TooLarge);
        }
        let wanted = length.div_ceil(PIECE);
        if self.hold(wanted)? {
            // Reserves exactly what is held: the vector must not double its capacity.
            self.bytes.reserve_exact(wanted * PIECE - self.bytes.len());
        }
        self.bytes.extend_from_slice(more);
        Ok(())
    }

    /// Takes the memory for the largest image at once, for bytes that are first buffered elsewhere.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn hold_most(&mut self) -> Result<(), IntakeRefusal> {
        Ok(self.hold(IMAGE_BYTES.div_ceil(PIECE)).map(drop)?)
    }

    /// Holds memory for this many pieces; returns whether that is more than before.
    fn hold(&mut self, wanted: usize) -> Result<bool, Full> {
        let bytes = wanted * PIECE;
        match &mut self.held {
            Some(held) if bytes <= held.bytes() => return Ok(false),
            Some(held) => held.grow(bytes - held.bytes())?,
            None => self.held = Some(self.room.0.try_hold(bytes)?),
        }
        Ok(true)
    }

    /// Ends the upload. The bytes in this range are the image.
    pub fn finish(self, part: std::ops::Range<usize>) -> Upload {
        let mut bytes = self.bytes;
        bytes.truncate(part.end);
        bytes.drain(..part.start.min(part.end).min(bytes.len()));
        Upload { bytes, _held: self.held }
    }

    /// The bytes so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl Upload {
    /// Whether the image is a WebP, which is accepted except as an avatar.
    pub fn is_webp(&self) -> bool {
        sniff::kind(&self.bytes) == Some(SourceFormat::WebP)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_image_and_all_together_have_a_limit() {
        let room = IntakeMemory::new(&Places::default());
        let piece = vec![7; 1 << 20];
        let mut intakes = Vec::new();
        for _ in 0..6 {
            let mut intake = room.intake();
            (0..10).for_each(|_| intake.add(&piece).unwrap());
            assert_eq!(intake.add(&[7]), Err(IntakeRefusal::TooLarge));
            intakes.push(intake);
        }
        let mut late = room.intake();
        (0..4).for_each(|_| late.add(&piece).unwrap());
        assert_eq!(late.add(&piece), Err(IntakeRefusal::Full));
        drop(intakes.pop());
        late.add(&piece).unwrap();
    }

    #[test]
    fn whoever_fetches_an_image_holds_room_for_the_largest() {
        let room = IntakeMemory::new(&Places::default());
        let mut intakes: Vec<Intake> = (0..7).map(|_| room.intake()).collect();
        let (last, others) = intakes.split_last_mut().unwrap();
        others.iter_mut().for_each(|intake| intake.hold_most().unwrap());
        assert_eq!(last.hold_most(), Err(IntakeRefusal::Full));
        others[0].add(&[7; 100]).unwrap();
    }

    #[test]
    fn a_part_of_what_came_can_be_the_image() {
        let mut intake = IntakeMemory::new(&Places::default()).intake();
        intake.add(b"--x image --x").unwrap();
        assert_eq!(intake.finish(4..9).bytes(), b"image");
    }
}
