//! The bytes of images on their way in: how many of one, and how many of all together.

use crate::bounds::places::Places;
use crate::bounds::{Bound, Budget, Full, Permit};
use crate::domain::limits::IMAGE_BYTES;
use crate::media::sniff::{self, SourceFormat};

/// Images that are being sent or wait to be decoded, and the memory for them.
const HELD: Bound = Bound { items: 1024, bytes: 64 << 20 };
/// It is taken in pieces of this size.
const PIECE: usize = 64 << 10;

/// Memory for all images on their way in.
#[derive(Debug, Clone)]
pub(super) struct IntakeMemory(Budget);

/// Why no more bytes are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IntakeRefusal {
    /// This image has too many.
    #[error("an image may have {IMAGE_BYTES} bytes at most")]
    TooLarge,
    /// All together have.
    #[error("too many images at once")]
    Full,
}

impl From<Full> for IntakeRefusal {
    fn from(_: Full) -> Self {
        Self::Full
    }
}

/// Where the bytes of one image gather.
#[derive(Debug)]
pub struct Intake {
    room: IntakeMemory,
    bytes: Vec<u8>,
    held: Option<Permit>,
}

/// The bytes of one image, all of them.
#[derive(Debug)]
pub struct Upload {
    bytes: Vec<u8>,
    _held: Option<Permit>,
}

impl IntakeMemory {
    /// All of it is free.
    pub(super) fn new(places: &Places) -> Self {
        Self(Budget::new(places, "images", HELD))
    }

    /// Nothing yet.
    pub(super) fn intake(&self) -> Intake {
        Intake { room: self.clone(), bytes: Vec::new(), held: None }
    }
}

impl Intake {
    /// Adds bytes.
    ///
    /// # Errors
    /// When there are too many.
    pub fn add(&mut self, more: &[u8]) -> Result<(), IntakeRefusal> {
        let length = self.bytes.len() + more.len();
        if length > IMAGE_BYTES {
            return Err(IntakeRefusal::TooLarge);
        }
        let wanted = length.div_ceil(PIECE);
        if self.hold(wanted)? {
            // What is held is what is used: no doubling.
            self.bytes.reserve_exact(wanted * PIECE - self.bytes.len());
        }
        self.bytes.extend_from_slice(more);
        Ok(())
    }

    /// Takes the room of the largest image at once, for bytes that gather elsewhere first.
    ///
    /// # Errors
    /// When there is not as much.
    pub fn hold_most(&mut self) -> Result<(), IntakeRefusal> {
        Ok(self.hold(IMAGE_BYTES.div_ceil(PIECE)).map(drop)?)
    }

    /// Holds so many pieces; whether these are more than before.
    fn hold(&mut self, wanted: usize) -> Result<bool, Full> {
        let bytes = wanted * PIECE;
        match &mut self.held {
            Some(held) if bytes <= held.bytes() => return Ok(false),
            Some(held) => held.grow(bytes - held.bytes())?,
            None => self.held = Some(self.room.0.try_hold(bytes)?),
        }
        Ok(true)
    }

    /// These are all, of which those in this range are the image.
    pub fn finish(self, part: std::ops::Range<usize>) -> Upload {
        let mut bytes = self.bytes;
        bytes.truncate(part.end);
        bytes.drain(..part.start.min(part.end).min(bytes.len()));
        Upload { bytes, _held: self.held }
    }

    /// What came so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl Upload {
    /// Whether it is in the format that is taken in, but not as an avatar.
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
