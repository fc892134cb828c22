//! Parsing and encoding WebSocket frames in byte buffers.
//!
//! Many frames are taken from one read, and payloads are borrowed from it. Messages in several
//! fragments are refused: neither our server nor our references send any.

/// The largest payload that is read, in bytes; no frame of the push protocol comes near it.
pub const MAX_PAYLOAD: usize = 1024 * 1024;

/// Why bytes cannot be read as frames.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum FrameError {
    #[error("a frame has the unknown opcode {0}")]
    Opcode(u8),
    #[error("a message came in fragments")]
    Fragmented,
    #[error("a frame has reserved bits set")]
    Reserved,
    #[error("a frame of {0} bytes is too large")]
    TooLarge(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opcode {
    Text,
    Binary,
    Close,
    Ping,
    Pong,
}

impl Opcode {
    fn from_bits(bits: u8) -> Result<Self, FrameError> {
        match bits {
            0x0 => Err(FrameError::Fragmented),
            0x1 => Ok(Self::Text),
            0x2 => Ok(Self::Binary),
            0x8 => Ok(Self::Close),
            0x9 => Ok(Self::Ping),
            0xa => Ok(Self::Pong),
            other => Err(FrameError::Opcode(other)),
        }
    }

    fn bits(self) -> u8 {
        match self {
            Self::Text => 0x1,
            Self::Binary => 0x2,
            Self::Close => 0x8,
            Self::Ping => 0x9,
            Self::Pong => 0xa,
        }
    }
}

/// Where a frame lies at the beginning of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub opcode: Opcode,
    pub mask: Option<[u8; 4]>,
    pub payload_at: usize,
    pub end: usize,
}

/// Finds the first frame; `None` as long as it is incomplete.
pub fn first_frame(bytes: &[u8]) -> Result<Option<Span>, FrameError> {
    let [first, second, rest @ ..] = bytes else {
        return Ok(None);
    };
    if first & 0x70 != 0 {
        return Err(FrameError::Reserved);
    }
    if first & 0x80 == 0 {
        return Err(FrameError::Fragmented);
    }
    let opcode = Opcode::from_bits(first & 0x0f)?;
    let Some((length, length_bytes)) = payload_length(second & 0x7f, rest) else {
        return Ok(None);
    };
    let length = match usize::try_from(length) {
        Ok(fits) if fits <= MAX_PAYLOAD => fits,
        _ => return Err(FrameError::TooLarge(length)),
    };
    let mut payload_at = 2 + length_bytes;
    let mut mask = None;
    if second & 0x80 != 0 {
        let Some(key) = bytes.get(payload_at..payload_at + 4) else {
            return Ok(None);
        };
        mask = key.try_into().ok();
        payload_at += 4;
    }
    let end = payload_at + length;
    Ok((bytes.len() >= end).then_some(Span { opcode, mask, payload_at, end }))
}

/// Returns the payload length, and how many bytes after the second it took.
fn payload_length(short: u8, rest: &[u8]) -> Option<(u64, usize)> {
    match short {
        126 => Some((u64::from(u16::from_be_bytes(*rest.first_chunk()?)), 2)),
        127 => Some((u64::from_be_bytes(*rest.first_chunk()?), 8)),
        short => Some((u64::from(short), 0)),
    }
}

/// Encodes a frame as a server sends it.
pub fn encode(opcode: Opcode, payload: &[u8]) -> Vec<u8> {
    let mut frame = header(opcode, payload.len(), 0);
    frame.extend_from_slice(payload);
    frame
}

/// Encodes a frame as a client sends it. The key need not be secret, since both sides are ours.
pub fn encode_masked(opcode: Opcode, payload: &[u8], key: [u8; 4]) -> Vec<u8> {
    let mut frame = header(opcode, payload.len(), 0x80);
    frame.extend_from_slice(&key);
    frame.extend(payload.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key));
    frame
}

pub fn unmask(payload: &[u8], key: [u8; 4]) -> Vec<u8> {
    payload.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key).collect()
}

fn header(opcode: Opcode, length: usize, mask_bit: u8) -> Vec<u8> {
    let mut frame = Vec::with_capacity(length + 14);
    frame.push(0x80 | opcode.bits());
    match length {
        0..126 => frame.push(mask_bit | length as u8),
        126..=0xffff => {
            frame.push(mask_bit | 126);
            frame.extend_from_slice(&(length as u16).to_be_bytes());
        }
        _ => {
            frame.push(mask_bit | 127);
            frame.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    frame
}

/// The beginning of a frame that a read cut in two.
///
/// Nearly always empty, so ten thousand idle sockets need no buffers.
#[derive(Debug, Default)]
pub struct Remainder(Vec<u8>);

impl Remainder {
    /// Hands every complete frame to `take`, and keeps the rest for the next read.
    pub fn feed<E: From<FrameError>>(
        &mut self,
        chunk: &[u8],
        mut take: impl FnMut(Opcode, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let kept = std::mem::take(&mut self.0);
        let joined;
        let mut bytes = chunk;
        if !kept.is_empty() {
            joined = [&kept, chunk].concat();
            bytes = &joined;
        }
        while let Some(span) = first_frame(bytes)? {
            take(span.opcode, &bytes[span.payload_at..span.end])?;
            bytes = &bytes[span.end..];
        }
        self.0 = bytes.to_vec();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames_of(chunks: &[&[u8]]) -> Vec<(Opcode, Vec<u8>)> {
        let mut remainder = Remainder::default();
        let mut frames = Vec::new();
        for chunk in chunks {
            let fed: Result<(), FrameError> = remainder.feed(chunk, |opcode, payload| {
                frames.push((opcode, payload.to_vec()));
                Ok(())
            });
            fed.unwrap();
        }
        frames
    }

    #[test]
    fn every_length_form_comes_back() {
        for length in [0, 1, 125, 126, 127, 65_535, 65_536, 100_000] {
            let payload = vec![b'x'; length];
            let frame = encode(Opcode::Text, &payload);
            assert_eq!(frames_of(&[&frame]), [(Opcode::Text, payload)], "{length}");
        }
    }

    #[test]
    fn many_frames_may_come_in_one_read_and_one_frame_in_many() {
        let mut bytes = Vec::new();
        for word in ["one", "two", "three"] {
            bytes.extend(encode(Opcode::Text, word.as_bytes()));
        }
        let whole = frames_of(&[&bytes]);
        assert_eq!(whole.len(), 3);
        let single_bytes: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(frames_of(&single_bytes), whole);
        for cut in 0..bytes.len() {
            let (head, tail) = bytes.split_at(cut);
            assert_eq!(frames_of(&[head, tail]), whole, "cut at {cut}");
        }
    }

    #[test]
    fn a_masked_frame_is_unmasked() {
        let frame = encode_masked(Opcode::Text, b"hello", [1, 2, 3, 4]);
        let span = first_frame(&frame).unwrap().unwrap();
        assert_eq!(unmask(&frame[span.payload_at..span.end], span.mask.unwrap()), b"hello");
    }

    #[test]
    fn unsupported_frame_is_an_error() {
        assert_eq!(first_frame(&[0x01, 0x00]), Err(FrameError::Fragmented));
        assert_eq!(first_frame(&[0x80, 0x00]), Err(FrameError::Fragmented));
        assert_eq!(first_frame(&[0xc1, 0x00]), Err(FrameError::Reserved));
        assert_eq!(first_frame(&[0x83, 0x00]), Err(FrameError::Opcode(3)));
        let huge = [0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0];
        assert_eq!(first_frame(&huge), Err(FrameError::TooLarge(1 << 40)));
    }
}
