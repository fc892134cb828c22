//! Decodes the elements of MessagePack: numbers, texts, and the lengths of containers. The marker
//! bytes are those of the specification (msgpack.org).

use serde::de::Error as _;
use serde::de::value::Error;

/// Why bytes could not be decoded.
pub type DecodeError = Error;

pub(super) type Read<T> = Result<T, DecodeError>;

/// Reads values from the front of some bytes, one after the other.
#[derive(Debug)]
pub struct Unpacker<'de> {
    rest: &'de [u8],
    pub(super) depth: u16,
}

/// An integer of any width.
pub(super) enum Number {
    Positive(u64),
    Negative(i64),
}

/// A text or a byte string.
pub(super) enum Piece<'de> {
    Text(&'de str),
    Bytes(&'de [u8]),
}

/// The head of a container: how many values, or pairs of values, follow.
pub(super) enum Container {
    Array(usize),
    Map(usize),
}

impl<'de> Unpacker<'de> {
    /// Begins at the front of `bytes`.
    pub fn new(bytes: &'de [u8]) -> Self {
        Self { rest: bytes, depth: 0 }
    }

    /// Whether no bytes are left.
    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn peek(&self) -> Read<u8> {
        self.rest.first().copied().ok_or_else(cut)
    }

    #[inline(never)]
    pub(super) fn take(&mut self, count: usize) -> Read<&'de [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(cut)?;
        self.rest = rest;
        Ok(taken)
    }

    /// Reads a big-endian number of so many bytes, eight at most.
    #[inline(never)]
    pub(super) fn big_endian(&mut self, bytes: usize) -> Read<u64> {
        Ok(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    pub(super) fn length(&mut self, bytes: usize) -> Read<usize> {
        usize::try_from(self.big_endian(bytes)?).map_err(|_| cut())
    }

    pub(super) fn marker(&mut self) -> Read<u8> {
        let marker = self.peek()?;
        self.rest = &self.rest[1..];
        Ok(marker)
    }

    #[inline(never)]
    pub(super) fn number(&mut self) -> Read<Number> {
        let marker = self.marker()?;
        Ok(match marker {
            0x00..=0x7f => Number::Positive(u64::from(marker)),
            0xe0..=0xff => Number::Negative(i64::from(marker.cast_signed())),
            0xcc..=0xcf => Number::Positive(self.big_endian(1 << (marker - 0xcc))?),
            0xd0..=0xd3 => {
                let bytes = 1 << (marker - 0xd0);
                let unused = 64 - 8 * u32::try_from(bytes).map_err(|_| cut())?;
                // The shifts extend the sign bit.
                let number = (self.big_endian(bytes)? << unused).cast_signed() >> unused;
                u64::try_from(number).map_or(Number::Negative(number), Number::Positive)
            }
            _ => return Err(unexpected(marker, "a number")),
        })
    }

    #[inline(never)]
    pub(super) fn piece(&mut self) -> Read<Piece<'de>> {
        let marker = self.marker()?;
        let is_text = matches!(marker, 0xa0..=0xbf | 0xd9..=0xdb);
        let length = match marker {
            0xa0..=0xbf => usize::from(marker & 0x1f),
            0xd9 | 0xc4 => self.length(1)?,
            0xda | 0xc5 => self.length(2)?,
            0xdb | 0xc6 => self.length(4)?,
            _ => return Err(unexpected(marker, "a text")),
        };
        let bytes = self.take(length)?;
        if !is_text {
            return Ok(Piece::Bytes(bytes));
        }
        std::str::from_utf8(bytes).map(Piece::Text).map_err(Error::custom)
    }

    #[inline(never)]
    pub(super) fn container(&mut self) -> Read<Container> {
        let marker = self.marker()?;
        Ok(match marker {
            0x90..=0x9f => Container::Array(usize::from(marker & 0x0f)),
            0xdc => Container::Array(self.length(2)?),
            0xdd => Container::Array(self.length(4)?),
            0x80..=0x8f => Container::Map(usize::from(marker & 0x0f)),
            0xde => Container::Map(self.length(2)?),
            0xdf => Container::Map(self.length(4)?),
            _ => return Err(unexpected(marker, "an array or a map")),
        })
    }

    pub(super) fn array(&mut self) -> Read<usize> {
        match self.container()? {
            Container::Array(length) => Ok(length),
            Container::Map(_) => Err(Error::custom("a map stands where an array should")),
        }
    }

    /// Skips `count` values, with everything inside them.
    #[inline(never)]
    pub(super) fn pass(&mut self, count: usize) -> Read<()> {
        let mut left = count;
        while left > 0 {
            left -= 1;
            let marker = self.peek()?;
            let bytes = match marker {
                0x80..=0x9f | 0xdc..=0xdf => {
                    let more = match self.container()? {
                        Container::Array(length) => length,
                        Container::Map(length) => length.saturating_mul(2),
                    };
                    left = left.saturating_add(more);
                    continue;
                }
                0xa0..=0xbf | 0xc4..=0xc6 | 0xd9..=0xdb => {
                    self.piece()?;
                    continue;
                }
                0x00..=0x7f | 0xc0 | 0xc2 | 0xc3 | 0xe0..=0xff => 0,
                0xcc..=0xcf => 1 << (marker - 0xcc),
                0xd0..=0xd3 => 1 << (marker - 0xd0),
                0xca => 4,
                0xcb => 8,
                _ => return Err(unexpected(marker, "a value")),
            };
            self.take(1 + bytes)?;
        }
        Ok(())
    }

    /// Reads a 128-bit number: sixteen bytes, or a shorter number.
    #[inline(never)]
    pub(super) fn wide(&mut self) -> Read<u128> {
        if self.peek()? != 0xc4 {
            return match self.number()? {
                Number::Positive(number) => Ok(u128::from(number)),
                Number::Negative(number) => Ok(i128::from(number).cast_unsigned()),
            };
        }
        match self.piece()? {
            Piece::Bytes(bytes) => bytes.try_into().map(u128::from_be_bytes).map_err(Error::custom),
            Piece::Text(_) => Err(Error::custom("a text stands where a number should")),
        }
    }

    #[inline(never)]
    pub(super) fn nil(&mut self) -> Read<()> {
        match self.marker()? {
            // A unit is nil; a struct without fields is an empty array.
            0xc0 | 0x90 => Ok(()),
            marker => Err(unexpected(marker, "nothing")),
        }
    }

    #[inline(never)]
    pub(super) fn truth(&mut self) -> Read<bool> {
        match self.marker()? {
            0xc2 => Ok(false),
            0xc3 => Ok(true),
            marker => Err(unexpected(marker, "true or false")),
        }
    }
}

#[cold]
pub(super) fn cut() -> DecodeError {
    Error::custom("the bytes end too early")
}

#[cold]
fn unexpected(marker: u8, wanted: &str) -> DecodeError {
    Error::custom(format_args!("{marker:#04x} begins no value that is {wanted}"))
}
