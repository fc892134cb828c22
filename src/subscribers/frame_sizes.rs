//! Bounds the frames of a client by what their headers announce. The decoder looks at the size of a
//! frame only when all of it has come in, so a frame without an end would fill the memory.

use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_web::error::PayloadError;
use actix_web::web::{Bytes, Payload};
use futures_util::Stream;

/// Bytes of the key with which a client masks a frame, between the header and the content.
const MASK: u64 = 4;

/// The bytes of a socket; they end with an error at the first frame that is too large.
pub(super) struct BoundedFrames {
    bytes: Payload,
    sizes: Sizes,
    is_over: Rc<Cell<bool>>,
}

impl BoundedFrames {
    /// Lets frames through that have at most `most` bytes. `is_over` becomes true when a client
    /// announces a larger one.
    pub(super) fn of(bytes: Payload, most: usize, is_over: Rc<Cell<bool>>) -> Self {
        Self { bytes, sizes: Sizes::at_most(most as u64), is_over }
    }
}

impl Stream for BoundedFrames {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = Pin::new(&mut self.bytes).poll_next(task);
        if let Poll::Ready(Some(Ok(bytes))) = &polled
            && !self.sizes.fit(bytes)
        {
            self.is_over.set(true);
            return Poll::Ready(Some(Err(PayloadError::Overflow)));
        }
        polled
    }
}

/// Follows the frames in a row of bytes.
struct Sizes {
    most: u64,
    /// The first bytes of a header that is not complete yet; at most ten.
    header: Vec<u8>,
    /// Bytes of the present frame that are still to come.
    left: u64,
}

impl Sizes {
    const fn at_most(most: u64) -> Self {
        Self { most, header: Vec::new(), left: 0 }
    }

    /// Whether no header in these bytes announces more than is allowed.
    fn fit(&mut self, mut bytes: &[u8]) -> bool {
        while let Some((first, rest)) = bytes.split_first() {
            if self.left > 0 {
                let passed = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
                self.left -= passed as u64;
                bytes = &bytes[passed..];
                continue;
            }
            self.header.push(*first);
            bytes = rest;
            let Some(announced) = announced(&self.header) else { continue };
            if announced > self.most {
                return false;
            }
            // Frames without a mask are refused by the decoder.
            self.left = announced + MASK;
            self.header.clear();
        }
        true
    }
}

/// The length that a header announces (RFC 6455, section 5.2); `None` if it is not complete.
fn announced(header: &[u8]) -> Option<u64> {
    match header.get(1)? & 0x7f {
        126 => Some(u16::from_be_bytes(header.get(2..4)?.try_into().ok()?).into()),
        127 => Some(u64::from_be_bytes(header.get(2..10)?.try_into().ok()?)),
        short => Some(short.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A masked frame whose header announces this length, with as many bytes as given.
    fn frame(announced: u64, bytes: usize) -> Vec<u8> {
        let length = match announced {
            0..126 => vec![0x80 | announced as u8],
            126..65_536 => [&[0x80 | 126], &(announced as u16).to_be_bytes()[..]].concat(),
            _ => [&[0x80 | 127], &announced.to_be_bytes()[..]].concat(),
        };
        [&[0x81], &length[..], &[0; 4], &vec![b'x'; bytes]].concat()
    }

    #[test]
    fn frame_header_is_checked_before_its_payload() {
        let good = [frame(0, 0), frame(125, 125), frame(126, 126), frame(70_000, 70_000)].concat();
        for announced in [70_001, 1 << 32, 1 << 62, u64::MAX] {
            let bad = [&good[..], &frame(announced, 0)[..10 + 1]].concat();
            for piece in [1, 3, 1000, bad.len()] {
                let mut sizes = Sizes::at_most(70_000);
                let fits: Vec<bool> = bad.chunks(piece).map(|it| sizes.fit(it)).collect();
                let refused = fits.iter().position(|fits| !fits).unwrap();
                assert!(refused >= good.len() / piece, "{announced} in pieces of {piece}");
                let mut sizes = Sizes::at_most(70_000);
                assert!(good.chunks(piece).all(|it| sizes.fit(it)));
            }
        }
    }
}
