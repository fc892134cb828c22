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

/// A reason to merge segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// A segment holds removed messages.
    Removed,
    /// There are several segments of similar size.
    Similar,
}

/// Returns the indexes of the segments to merge next, and the reason: a single one that holds
/// removed messages, or several of similar size; `None` if there is nothing to merge. If there are
/// both, they take turns, so that steady removals do not keep segments from being merged.
pub(super) fn next(segments: &[SegmentSize], last: Option<Reason>) -> Option<(Reason, Vec<usize>)> {
    let mut sorted: Vec<usize> = (0..segments.len()).collect();
    sorted.sort_by_key(|place| segments[*place].messages);
    // The smallest one first, since it is done soonest.
    let removed = || {
        let place = sorted.iter().find(|place| segments[**place].has_removed)?;
        Some((Reason::Removed, vec![*place]))
    };
    let similar = || Some((Reason::Similar, similar(segments, &sorted)?));
    match last {
        Some(Reason::Removed) => similar().or_else(removed),
        Some(Reason::Similar) | None => removed().or_else(similar),
    }
}

/// Returns the indexes of several segments of similar size, out of those sorted by size.
fn similar(segments: &[SegmentSize], sorted: &[usize]) -> Option<Vec<usize>> {
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
        let sizes: Vec<SegmentSize> = sizes.iter().map(size).collect();
        next(&sizes, None).map(|(_, places)| places)
    }

    #[test]
    fn merges_rewrite_segments_with_deletions_first() {
        let size = |messages, has_removed| SegmentSize { messages, has_removed };
        let mut segments = vec![size(1, false); 9];
        segments.extend([size(90, true), size(70, true)]);
        assert_eq!(next(&segments, None), Some((Reason::Removed, vec![10])));
    }

    #[test]
    fn both_kinds_of_merge_make_progress_under_steady_removals() {
        let mut segments: Vec<SegmentSize> = Vec::new();
        let mut last = None;
        let mut rewritten = 0;
        for _ in 0..1000 {
            // Each commit adds a segment and removes a message of every other one.
            segments.push(SegmentSize { messages: 10, has_removed: false });
            for segment in segments.iter_mut().rev().skip(1).take(20) {
                segment.has_removed = true;
            }
            for _ in 0..2 {
                let Some((reason, places)) = next(&segments, last) else { break };
                let messages = places.iter().map(|place| segments[*place].messages).sum();
                let mut place = 0..;
                segments.retain(|_| !places.contains(&place.next().unwrap()));
                segments.push(SegmentSize { messages, has_removed: false });
                rewritten += usize::from(reason == Reason::Removed);
                last = Some(reason);
            }
        }
        assert!(segments.len() < 40, "{} segments", segments.len());
        assert!(rewritten > 400, "{rewritten} rewritten");
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
