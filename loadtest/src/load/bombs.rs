//! Decompression bombs: a few bytes that stand for very many, which a server must not unpack.

/// Returns about `bytes` bytes of a DEFLATE stream (RFC 1951) of a very long run of one byte: one
/// block with fixed codes, in which every 13 bits repeat the previous byte 258 times.
fn deflate(bytes: usize) -> Vec<u8> {
    let mut bits = Bits::default();
    // The last block, with fixed codes.
    bits.push(0b011, 3);
    // The literal 0x20 is the code 0x30 + 0x20, most significant bit first.
    bits.push_code(0x50, 8);
    while bits.bytes.len() < bytes {
        // Length 258 is symbol 285, whose code is 0xc0 + (285 - 280); distance 1 is code 0.
        bits.push_code(0xc5, 8);
        bits.push_code(0, 5);
    }
    // The end of the block is symbol 256.
    bits.push_code(0, 7);
    bits.finish()
}

/// Returns a gzip file (RFC 1952) of about `bytes` bytes, which unpacks to 158 times as many.
pub fn gzip(bytes: usize) -> Vec<u8> {
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    file.extend(deflate(bytes));
    // Checksum and length, left at zero, since no server should get that far.
    file.extend([0; 8]);
    file
}

/// Returns a PNG of 60,000 by 60,000 pixels in about `bytes` bytes.
pub fn png(bytes: usize) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    file.extend(60_000_u32.to_be_bytes());
    file.extend(60_000_u32.to_be_bytes());
    // Eight bits per channel, RGBA, everything else zero; then the checksum of this header.
    file.extend([8, 6, 0, 0, 0]);
    file.extend(0x80d2_7542_u32.to_be_bytes());
    let data = [vec![0x78, 0x9c], deflate(bytes)].concat();
    file.extend(u32::try_from(data.len()).unwrap_or(u32::MAX).to_be_bytes());
    file.extend(b"IDAT");
    file.extend(data);
    file.extend([0; 4]);
    file.extend(b"\0\0\0\0IEND\xae\x42\x60\x82");
    file
}

/// Bits packed as DEFLATE does: from the least significant bit of each byte.
#[derive(Debug, Default)]
struct Bits {
    bytes: Vec<u8>,
    open: u8,
    used: u8,
}

impl Bits {
    /// Appends a number, least significant bit first.
    fn push(&mut self, value: u16, count: u8) {
        for place in 0..count {
            self.bit(value >> place & 1 == 1);
        }
    }

    /// Appends a code, most significant bit first.
    fn push_code(&mut self, code: u16, count: u8) {
        for place in (0..count).rev() {
            self.bit(code >> place & 1 == 1);
        }
    }

    fn bit(&mut self, is_set: bool) {
        self.open |= u8::from(is_set) << self.used;
        self.used += 1;
        if self.used == 8 {
            self.bytes.push(std::mem::take(&mut self.open));
            self.used = 0;
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.used > 0 {
            self.bytes.push(self.open);
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::Crc;
    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn gzip_bomb_expands_far_beyond_its_size() {
        let file = gzip(10_000);
        let mut unpacked = Vec::new();
        // The checksum is wrong, which the decoder notices only after the text.
        GzDecoder::new(file.as_slice()).read_to_end(&mut unpacked).unwrap_err();
        assert!(unpacked.len() > 150 * file.len(), "{} of {}", unpacked.len(), file.len());
    }

    #[test]
    fn picture_bomb_claims_a_vast_size() {
        let file = png(1000);
        assert_eq!(&file[16..24], &[0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60]);
        let mut check = Crc::new();
        check.update(&file[12..29]);
        assert_eq!(check.sum().to_be_bytes(), file[29..33]);
    }
}
