//! The headers `Range`, `If-Match` and `If-None-Match` (RFC 9110, sections 13 and 14).
//!
//! actix-files is not used: it sends a file to its end, but forms of an image have a seal there;
//! and its ETags are made from inode and time, but an image's is made from its content.

use std::ops::Range;

/// The part of a file that a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RequestedRange {
    /// The whole file, also if several ranges are asked for at once.
    Whole,
    /// A range of bytes.
    Part(Range<u64>),
    /// A range outside the file.
    Unsatisfiable,
}

/// Reads the header `Range` for a file of this length.
pub(super) fn requested_range(header: Option<&str>, length: u64) -> RequestedRange {
    let spec = header.and_then(|it| it.trim().strip_prefix("bytes="));
    let Some((from, to)) = spec.and_then(|spec| spec.trim().split_once('-')) else {
        return RequestedRange::Whole;
    };
    let (first, last) = match (number(from), number(to)) {
        (Some(first), Some(last)) if first <= last => (first, last.min(length.saturating_sub(1))),
        (Some(first), None) if to.is_empty() => (first, length.saturating_sub(1)),
        (None, Some(count)) if from.is_empty() && count > 0 => {
            (length.saturating_sub(count), length.saturating_sub(1))
        }
        (None, Some(0)) if from.is_empty() => return RequestedRange::Unsatisfiable,
        // An invalid range counts as absent.
        _ => return RequestedRange::Whole,
    };
    if first < length {
        RequestedRange::Part(first..last + 1)
    } else {
        RequestedRange::Unsatisfiable
    }
}

fn number(text: &str) -> Option<u64> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // A number that does not fit counts as past the end of any file.
    is_plain.then(|| text.parse().unwrap_or(u64::MAX - 1))
}

/// Whether the header `If-None-Match` names this tag.
pub(super) fn etag_matches(header: &str, tag: &str) -> bool {
    let named = |it: &str| it == "*" || it.strip_prefix("W/").unwrap_or(it) == tag;
    header.split(',').any(|it| named(it.trim()))
}

/// Whether the header `If-Match` names this tag. A weak tag names none (RFC 9110, 13.1.1).
pub(super) fn etag_is_wanted(header: &str, tag: &str) -> bool {
    header.split(',').map(str::trim).any(|it| it == "*" || it == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_from_either_end() {
        for (header, expected) in [
            ("bytes=0-0", RequestedRange::Part(0..1)),
            ("bytes=2-", RequestedRange::Part(2..10)),
            ("bytes=-3", RequestedRange::Part(7..10)),
            ("bytes=-30", RequestedRange::Part(0..10)),
            ("bytes=8-99999999999999999999", RequestedRange::Part(8..10)),
            ("bytes=10-", RequestedRange::Unsatisfiable),
            ("bytes=99999999999999999999-", RequestedRange::Unsatisfiable),
            ("bytes=-0", RequestedRange::Unsatisfiable),
            ("bytes=5-2", RequestedRange::Whole),
            ("bytes=0-1,3-4", RequestedRange::Whole),
            ("bytes=-", RequestedRange::Whole),
            ("pages=1-2", RequestedRange::Whole),
        ] {
            assert_eq!(requested_range(Some(header), 10), expected, "{header}");
        }
        assert_eq!(requested_range(None, 10), RequestedRange::Whole);
        assert_eq!(requested_range(Some("bytes=0-"), 0), RequestedRange::Unsatisfiable);
    }

    #[test]
    fn tags_are_found_in_a_list_and_weak_ones_count() {
        assert!(etag_matches("\"a\", W/\"b\"", "\"b\""));
        assert!(etag_matches("*", "\"b\""));
        assert!(!etag_matches("\"a\"", "\"b\""));
    }

    #[test]
    fn a_weak_tag_is_no_condition_that_holds() {
        assert!(etag_is_wanted("\"a\", \"b\"", "\"b\""));
        assert!(etag_is_wanted("*", "\"b\""));
        assert!(!etag_is_wanted("W/\"b\"", "\"b\""));
        assert!(!etag_is_wanted("\"a\"", "\"b\""));
    }
}
