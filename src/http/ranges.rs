//! The headers `Range` and `If-None-Match` (RFC 9110, sections 13 and 14).
//!
//! actix-files is not used: it sends a file to its end, but forms of an image have a seal there;
//! and its ETags are made from inode and time, but an image's is made from its content.

use std::ops::Range;

/// What a request asks for of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asked {
    /// The whole file, also if several ranges are asked for at once.
    Whole,
    /// A range of bytes.
    Part(Range<u64>),
    /// A range outside the file.
    Nothing,
}

/// Reads the header `Range` for a file of this length.
pub(super) fn asked(header: Option<&str>, length: u64) -> Asked {
    let spec = header.and_then(|it| it.trim().strip_prefix("bytes="));
    let Some((from, to)) = spec.and_then(|spec| spec.trim().split_once('-')) else {
        return Asked::Whole;
    };
    let (first, last) = match (number(from), number(to)) {
        (Some(first), Some(last)) if first <= last => (first, last.min(length.saturating_sub(1))),
        (Some(first), None) if to.is_empty() => (first, length.saturating_sub(1)),
        (None, Some(count)) if from.is_empty() && count > 0 => {
            (length.saturating_sub(count), length.saturating_sub(1))
        }
        (None, Some(0)) if from.is_empty() => return Asked::Nothing,
        // An invalid range counts as absent.
        _ => return Asked::Whole,
    };
    if first < length { Asked::Part(first..last + 1) } else { Asked::Nothing }
}

fn number(text: &str) -> Option<u64> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // A number that does not fit counts as past the end of any file.
    is_plain.then(|| text.parse().unwrap_or(u64::MAX - 1))
}

/// Whether the header `If-None-Match` names this tag.
pub(super) fn names(header: &str, tag: &str) -> bool {
    let named = |it: &str| it == "*" || it.strip_prefix("W/").unwrap_or(it) == tag;
    header.split(',').any(|it| named(it.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_from_either_end() {
        for (header, expected) in [
            ("bytes=0-0", Asked::Part(0..1)),
            ("bytes=2-", Asked::Part(2..10)),
            ("bytes=-3", Asked::Part(7..10)),
            ("bytes=-30", Asked::Part(0..10)),
            ("bytes=8-99999999999999999999", Asked::Part(8..10)),
            ("bytes=10-", Asked::Nothing),
            ("bytes=99999999999999999999-", Asked::Nothing),
            ("bytes=-0", Asked::Nothing),
            ("bytes=5-2", Asked::Whole),
            ("bytes=0-1,3-4", Asked::Whole),
            ("bytes=-", Asked::Whole),
            ("pages=1-2", Asked::Whole),
        ] {
            assert_eq!(asked(Some(header), 10), expected, "{header}");
        }
        assert_eq!(asked(None, 10), Asked::Whole);
        assert_eq!(asked(Some("bytes=0-"), 0), Asked::Nothing);
    }

    #[test]
    fn tags_are_found_in_a_list_and_weak_ones_count() {
        assert!(names("\"a\", W/\"b\"", "\"b\""));
        assert!(names("*", "\"b\""));
        assert!(!names("\"a\"", "\"b\""));
    }
}
