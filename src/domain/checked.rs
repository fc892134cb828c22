//! Short texts in files of their own, stored with a checksum that reveals damage.

/// Appends the checksum (CRC-32C) to the text.
pub fn with_check(text: &str) -> String {
    format!("{text} {:08x}\n", crc32c::crc32c(text.as_bytes()))
}

/// Returns the text without its checksum; `None` if it is damaged. Earlier versions wrote no
/// checksum.
pub fn checked(written: &str) -> Option<&str> {
    match written.trim().split_once(' ') {
        None => Some(written.trim()),
        Some((text, check)) => {
            let wanted = u32::from_str_radix(check, 16).ok();
            (wanted == Some(crc32c::crc32c(text.as_bytes()))).then_some(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_detected() {
        let written = with_check("1a2b3c4d");
        assert_eq!(checked(&written), Some("1a2b3c4d"));
        assert_eq!(checked("1a2b3c4d\n"), Some("1a2b3c4d"), "of an earlier version");
        for bit in 0..8 * (written.len() - 1) {
            let mut bytes = written.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let Ok(spoiled) = String::from_utf8(bytes) else { continue };
            let found = checked(&spoiled).filter(|found| found.len() == 8);
            // A hexadecimal digit of the checksum may change its case without changing its value.
            assert!(found.is_none_or(|found| found == "1a2b3c4d"), "{spoiled:?}");
        }
    }
}
