//! Chooses which segments to merge, so that searches read few of them, and no segment keeps
//! messages that were removed.

/// Messages in a merged segment at most, which limits what one deletion causes to be rewritten. A
/// single commit may have more.
const LARGEST: u32 = 400_000;
/// How many segments of similar size are merged at once.
const MERGED: usize = 8;
/// The minimum for a merge where one more segment would exceed [`LARGEST`].
const FEW: usize = 3;
/// Segments with fewer messages than this count as equal in size.
const SMALL: u32 = 512;

/// The size of a segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct SegmentSize {
    /// Messages in it, including removed ones.
    pub(super) messages: u32,
    /// Whether it holds removed messages.
    pub(super) has_removed: bool,
}

/// Returns the indexes of the segments to merge next: a single one that holds removed messages, or
/// several of similar size; `None` if there is nothing to merge.
pub(super) fn next(segments: &[SegmentSize]) -> Option<Vec<usize>> {
    let mut sorted: Vec<usize> = (0..segments.len()).collect();
    sorted.sort_by_key(|place| segments[*place].messages);
    // The smallest one first, since it is done soonest.
    if let Some(place) = sorted.iter().find(|place| segments[**place].has_removed) {
        return Some(vec![*place]);
    }
    let size = |place: &usize| segments[*place].messages.max(SMALL).ilog(8);
    sorted.chunk_by(|one, next| size(one) == size(next)).find_map(|group| {
        let mut messages = 0;
        let fit = group.iter().take(MERGED).take_while(|place| {
            messages += segments[**place].messages;
            messages <= LARGEST
        });
        let fit: Vec<usize> = fit.copied().collect();
        let is_worth_it = fit.len() == MERGED || (fit.len() >= FEW && fit.len() < group.len());
        is_worth_it.then_some(fit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(sizes: &[u32]) -> Option<Vec<usize>> {
        let size = |messages: &u32| SegmentSize { messages: *messages, has_removed: false };
        next(&sizes.iter().map(size).collect::<Vec<_>>())
    }

    #[test]
    fn what_was_removed_is_written_anew_first() {
        let size = |messages, has_removed| SegmentSize { messages, has_removed };
        let mut segments = vec![size(1, false); 9];
        segments.extend([size(90, true), size(70, true)]);
        assert_eq!(next(&segments), Some(vec![10]));
    }

    #[test]
    fn segments_of_about_one_size_become_one() {
        assert_eq!(merged(&[1; 7]), None);
        assert_eq!(merged(&[1, 100, 3, 400, 5, 6, 7, 8, 9]), Some(vec![0, 2, 4, 5, 6, 7, 8, 1]));
        assert_eq!(merged(&[1, 1, 1, 1, 5000, 5000, 5000, 5000]), None);
    }

    #[test]
    fn no_segment_becomes_too_large() {
        assert_eq!(merged(&[60_000; 8]), Some(vec![0, 1, 2, 3, 4, 5]));
        assert_eq!(merged(&[180_000; 20]), None);
        let mut segments = Vec::new();
        for more in std::iter::repeat_n(5000, 2000) {
            segments.push(more);
            while let Some(next) = merged(&segments) {
                let sum = next.iter().map(|place| segments[*place]).sum();
                assert!(sum <= LARGEST);
                let rest = segments.iter().enumerate().filter(|(at, _)| !next.contains(at));
                segments = rest.map(|(_, size)| *size).chain([sum]).collect();
            }
        }
        assert!(segments.len() < 80, "{segments:?}");
    }
}
