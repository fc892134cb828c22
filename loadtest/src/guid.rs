//! The `source_guid` of every message that the tester posts.
//!
//! It has a fixed width, so that it can be patched into a prepared request. It names the sender and
//! the message's number among the sender's messages, so that a delivered frame or a listed message
//! is matched with its acknowledgement without a map.

/// Names one message of one run: `lt` run `-` sender `-` number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Guid {
    pub run: u32,
    pub sender: u16,
    pub number: u32,
}

impl Guid {
    /// The length in bytes: `lt`, 8 hexadecimal digits, a dash, 4 decimal digits, a dash, 8 decimal
    /// digits.
    pub const LEN: usize = 24;
    pub const MAX_SENDERS: usize = 10_000;
    pub const MAX_NUMBER: u32 = 99_999_999;

    pub fn write(&self, out: &mut [u8; Self::LEN]) {
        out[..2].copy_from_slice(b"lt");
        for (place, byte) in out[2..10].iter_mut().enumerate() {
            let nibble = (self.run >> (28 - 4 * place)) & 0xf;
            *byte = b"0123456789abcdef"[nibble as usize];
        }
        out[10] = b'-';
        write_decimal(u32::from(self.sender), &mut out[11..15]);
        out[15] = b'-';
        write_decimal(self.number, &mut out[16..24]);
    }

    /// The guid as text.
    pub fn text(&self) -> String {
        let mut bytes = [0; Self::LEN];
        self.write(&mut bytes);
        bytes.iter().map(|byte| char::from(*byte)).collect()
    }

    /// Parses a guid; `None` for one that the tester did not write, such as that of a system
    /// message.
    pub fn parse(raw: &[u8]) -> Option<Self> {
        let raw: &[u8; Self::LEN] = raw.try_into().ok()?;
        if &raw[..2] != b"lt" || raw[10] != b'-' || raw[15] != b'-' {
            return None;
        }
        let run = u32::from_str_radix(std::str::from_utf8(&raw[2..10]).ok()?, 16).ok()?;
        let sender = u16::try_from(read_decimal(&raw[11..15])?).ok()?;
        let number = read_decimal(&raw[16..24])?;
        Some(Self { run, sender, number })
    }
}

fn write_decimal(mut value: u32, out: &mut [u8]) {
    for byte in out.iter_mut().rev() {
        *byte = b'0' + (value % 10) as u8;
        value /= 10;
    }
}

fn read_decimal(raw: &[u8]) -> Option<u32> {
    raw.iter().try_fold(0u32, |sum, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit <= 9).then(|| sum * 10 + u32::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guid_round_trips() {
        let guid = Guid { run: 0xdead_01ff, sender: 9_999, number: Guid::MAX_NUMBER };
        let mut raw = [0; Guid::LEN];
        guid.write(&mut raw);
        assert_eq!(&raw, b"ltdead01ff-9999-99999999");
        assert_eq!(Guid::parse(&raw), Some(guid));
    }

    #[test]
    fn guids_of_others_are_not_ours() {
        for other in [
            "",
            "lt",
            "b8f0a8b4-7f0c-4e7a-9d30",
            "xxdead01ff-9999-99999999",
            "ltdead01ff-99x9-99999999",
        ] {
            assert_eq!(Guid::parse(other.as_bytes()), None, "{other}");
        }
    }
}
