//! Bytes of images that are being uploaded, limited for each image and for all together.

use crate::sniff::{self, SourceFormat};
use base::bounds::Bound;
use base::bounds::places::Places;
use base::bounds::shares::{OwnedShare, ShareRefusal, Shares};
use base::bounds::turns::Owner;
use domain::limits::IMAGE_BYTES;

/// Images that are being uploaded or wait to be decoded, and the memory for them.
const HELD: Bound = Bound { items: 1024, bytes: 64 << 20 };
/// The share of one owner: half as many images as may wait for the decoder, and two of the largest.
const SHARE: Bound = Bound { items: OF_ONE_OWNER, bytes: 2 * IMAGE_BYTES + 2 * PIECE };
/// Images of one owner that are uploaded or wait at once.
const OF_ONE_OWNER: usize = 8;
/// Bytes by which the memory for an image grows.
const PIECE: usize = 64 << 10;

/// The memory for all images that are being uploaded.
#[derive(Debug, Clone)]
pub(super) struct IntakeMemory(Shares);

/// Why no more bytes are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IntakeRefusal {
    /// The image has too many bytes.
    #[error("an image may have at most {IMAGE_BYTES} bytes")]
    TooLarge,
    /// All images together have too many bytes.
    #[error("too many images at once")]
    Full,
    /// The owner uploads too many images at once.
    #[error(
        "too many of your images at once: at most {OF_ONE_OWNER}, with {} MiB together",
        SHARE.bytes >> 20
    )]
    OwnerFull,
}

impl From<ShareRefusal> for IntakeRefusal {
    fn from(refusal: ShareRefusal) -> Self {
        match refusal {
            ShareRefusal::OfOwner => Self::OwnerFull,
            ShareRefusal::OfAll => Self::Full,
        }
    }
}

/// A buffer for the bytes of one image.
#[derive(Debug)]
pub struct Intake {
    bytes: Vec<u8>,
    held: OwnedShare,
}

/// All bytes of one uploaded image.
#[derive(Debug)]
pub struct Upload {
    bytes: Vec<u8>,
    _held: OwnedShare,
}

impl IntakeMemory {
    /// A budget of which nothing is taken yet.
    pub(super) fn new(places: &Places) -> Self {
        Self(Shares::new(places, "images", HELD, SHARE))
    }

    /// Begins an empty buffer for an image of this owner.
    ///
    /// # Errors
    /// If the owner, or all together, upload too many images.
    pub(super) fn intake(&self, owner: Owner) -> Result<Intake, IntakeRefusal> {
        Ok(Intake { bytes: Vec::new(), held: self.0.try_hold(&owner, 0)? })
    }
}

impl Intake {
    /// Appends bytes.
    ///
    /// # Errors
    /// If the image, or all images of the owner or of everybody together, have too many bytes.
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
    fn hold(&mut self, wanted: usize) -> Result<bool, ShareRefusal> {
        let more = (wanted * PIECE).saturating_sub(self.held.bytes());
        if more > 0 {
            self.held.grow(more)?;
        }
        Ok(more > 0)
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
    use domain::ids::UserId;

    fn owner(number: u64) -> Owner {
        Owner::User(UserId::new(number))
    }

    #[test]
    fn one_image_and_all_together_have_a_limit() {
        let memory = IntakeMemory::new(&Places::default());
        let piece = vec![7; 1 << 20];
        let mut intakes = Vec::new();
        for number in 1..=6 {
            let mut intake = memory.intake(owner(number)).unwrap();
            (0..10).for_each(|_| intake.add(&piece).unwrap());
            assert_eq!(intake.add(&[7]), Err(IntakeRefusal::TooLarge));
            intakes.push(intake);
        }
        let mut late = memory.intake(owner(7)).unwrap();
        (0..4).for_each(|_| late.add(&piece).unwrap());
        assert_eq!(late.add(&piece), Err(IntakeRefusal::Full));
        drop(intakes.pop());
        late.add(&piece).unwrap();
    }

    #[test]
    fn owner_has_a_share_of_images_and_of_their_bytes() {
        let memory = IntakeMemory::new(&Places::default());
        let mut intakes: Vec<Intake> =
            (0..OF_ONE_OWNER).map(|_| memory.intake(owner(1)).unwrap()).collect();
        assert_eq!(memory.intake(owner(1)).unwrap_err(), IntakeRefusal::OwnerFull);
        intakes[0].hold_most().unwrap();
        intakes[1].hold_most().unwrap();
        assert_eq!(intakes[2].hold_most(), Err(IntakeRefusal::OwnerFull));
        memory.intake(owner(2)).unwrap().hold_most().unwrap();
        let upload = intakes.swap_remove(0).finish(0..0);
        assert_eq!(memory.intake(owner(1)).unwrap_err(), IntakeRefusal::OwnerFull, "until decoded");
        drop(upload);
        memory.intake(owner(1)).unwrap();
    }

    #[test]
    fn fetched_image_reserves_memory_for_the_largest() {
        let memory = IntakeMemory::new(&Places::default());
        let mut intakes: Vec<Intake> =
            (1..=7).map(|number| memory.intake(owner(number)).unwrap()).collect();
        let (last, others) = intakes.split_last_mut().unwrap();
        others.iter_mut().for_each(|intake| intake.hold_most().unwrap());
        assert_eq!(last.hold_most(), Err(IntakeRefusal::Full));
        others[0].add(&[7; 100]).unwrap();
    }

    #[test]
    fn part_of_the_body_can_be_the_image() {
        let mut intake = IntakeMemory::new(&Places::default()).intake(Owner::Server).unwrap();
        intake.add(b"--x image --x").unwrap();
        assert_eq!(intake.finish(4..9).bytes(), b"image");
    }
}
