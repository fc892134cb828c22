//! Opens a copy: finds out by its marks how far it has got, and cuts what is incomplete.

use std::sync::Arc;

use crate::disk::Disk;
use crate::file::JournalOptions;
use crate::open_error::OpenError;
use crate::recovery::{self, OpenReport, TornTail};
use crate::replicated::copy::{CopyState, DiskPatience, History, LocalCopy};
use crate::replicated::mark::Mark;
use crate::replicated::message::CopyPoint;
use crate::replicated::repair;
use crate::replicated::shard::SHARDS;
use crate::segment::{self, HEADER};
use crate::segments::Segments;
use crate::segments_writer::{Appender, Sizes, WritePosition, first_capacity};
use crate::{Cursor, JournalFault, reader, record};

/// The result of opening a copy.
pub(super) struct ResumedCopy {
    pub(super) copy: LocalCopy,
    pub(super) report: OpenReport,
    /// Whether damage was found in the copy and cut.
    pub(super) was_wrong: bool,
}

/// Opens the copy on this disk, or makes a new one.
///
/// # Errors
/// If a file is damaged or missing, or a file operation fails.
pub(super) fn open(
    disk: Arc<dyn Disk>,
    options: &JournalOptions,
    patience: DiskPatience,
) -> Result<ResumedCopy, OpenError> {
    let cut = repair::cut_noted(&*disk)?;
    let first_capacity = first_capacity(options.segment_bytes);
    // After a cut the copy ends early on purpose, so the check for a lost end is skipped.
    let known = options.must_have.filter(|_| cut.is_none());
    let opened = recovery::open(&disk, first_capacity, known)?;
    let segments = opened.segments;
    let mut place = opened.place;
    let mut report = opened.report;
    let hole = report.torn.take_if(|it| it.hides_records);
    hole.iter().for_each(tell_hole);
    let (state, end) = resume(&segments, place.at)?;
    cut_tail(&mut place, end)?;
    segments.show_until(end);
    report.end = Cursor::new(end);
    let sizes = Sizes { segment_bytes: options.segment_bytes, may_shrink: false };
    let own = Arc::clone(&disk);
    let shown = Arc::clone(&segments);
    let appender = Appender::start(own, shown, place, sizes, options.compress, &patience.threads)
        .map_err(|source| OpenError::refused("journal", source))?;
    let history = History::from(state.known, end);
    let batch = Vec::new();
    let marked = state.known.sequence;
    let copy = LocalCopy { disk, segments, appender, patience, state, batch, history, marked };
    Ok(ResumedCopy { copy, report, was_wrong: cut.is_some() || hole.is_some() })
}

/// Logs a torn tail that has whole records behind its first flaw. That happens if power is lost
/// while pages are on their way to the disk; otherwise it is damage.
fn tell_hole(hole: &TornTail) {
    let TornTail { file, offset, bytes, reason, .. } = hole;
    tracing::error!(
        file,
        offset,
        bytes,
        reason,
        "this node's journal is damaged: cutting it there and reading the rest from the log"
    );
}

/// How far the copy has got, and the position where its last complete message ends.
fn resume(segments: &Segments, end: u64) -> Result<(CopyState, u64), OpenError> {
    let mut end = end;
    for base in segments.bases().into_iter().rev() {
        let mut marks = Marks::default();
        let see = |at: u64, record: &[u8]| marks.see(at, record);
        let from = base + HEADER;
        let limit = segments.covering(base).map_or(end, |(_, it)| end.min(base + it.capacity()));
        reader::each(segments, from, limit, see).map_err(|fault| unreadable(base, &fault))?;
        marks.finish(end);
        if let Some(last) = marks.whole {
            return Ok((last.state, last.end));
        }
        // A message lies in one segment, so the copy ends before the first mark of a segment in
        // which none is complete.
        end = marks.first.unwrap_or(end);
    }
    let unmarked = (end > HEADER).then_some(end);
    Ok((CopyState { known: CopyPoint::default(), installation: None, unmarked, number: 0 }, end))
}

/// The sequence of each shard's newest message in a copy that ends here; 0 if it has none. Reads
/// backwards until every shard has one.
///
/// # Errors
/// If a file is damaged.
pub(super) fn newest_of_shards(segments: &Segments, end: u64) -> Result<Vec<u64>, OpenError> {
    let mut newest = vec![0_u64; usize::from(SHARDS)];
    for base in segments.bases().into_iter().rev() {
        let mut here = vec![0_u64; usize::from(SHARDS)];
        let see = |_: u64, record: &[u8]| {
            let mark = Mark::read(record);
            let place = mark.and_then(|it| here.get_mut(usize::from(it.shard)).zip(mark));
            place.into_iter().for_each(|(place, mark)| *place = mark.sequence);
        };
        let limit = segments.covering(base).map_or(end, |(_, it)| end.min(base + it.capacity()));
        reader::each(segments, base + HEADER, limit, see)
            .map_err(|fault| unreadable(base, &fault))?;
        for (place, found) in newest.iter_mut().zip(here) {
            *place = if *place == 0 { found } else { *place };
        }
        if newest.iter().all(|it| *it > 0) {
            break;
        }
    }
    Ok(newest)
}

fn unreadable(base: u64, fault: &JournalFault) -> OpenError {
    OpenError::damaged(segment::raw_name(base), 0, fault)
}

/// Overwrites the bytes from `end` to the write position with zeros, and continues at `end`.
fn cut_tail(place: &mut WritePosition, end: u64) -> Result<(), OpenError> {
    if end >= place.at {
        return Ok(());
    }
    let name = segment::raw_name(place.active.base);
    let Some(offset) = end.checked_sub(place.active.base) else {
        return Err(OpenError::damaged(name, 0, "a message of the log before it is incomplete"));
    };
    let zeros = vec![0; usize::try_from(place.at - end).unwrap_or(0)];
    let file = &place.active.file;
    let cut = file.write_at(&zeros, offset).and_then(|()| file.sync());
    place.at = end;
    cut.map_err(|source| OpenError::refused(&name, source))
}

/// The marks of one segment, on the way through its records.
#[derive(Default)]
struct Marks {
    /// The position of the first mark.
    first: Option<u64>,
    /// The latest mark, with the records seen after it.
    open: Option<OpenMark>,
    /// The newest message that is complete.
    whole: Option<WholeMark>,
    /// Whether a mark or its records do not fit together; what follows does not count.
    is_broken: bool,
}

struct OpenMark {
    mark: Mark,
    sum: u64,
    seen: u32,
}

#[derive(Clone, Copy)]
struct WholeMark {
    state: CopyState,
    end: u64,
}

impl Marks {
    fn see(&mut self, at: u64, record: &[u8]) {
        match (Mark::read(record), &mut self.open) {
            (Some(mark), _) => {
                self.finish(at);
                let goes_on = self.whole.is_none_or(|last| last.state.known.goes_on_as(&mark));
                self.is_broken |= !goes_on;
                self.first.get_or_insert(at);
                self.open = Some(OpenMark { mark, sum: mark.sum, seen: 0 });
            }
            (None, Some(open)) => {
                open.sum = record::fold(open.sum, record::crc(record));
                open.seen += 1;
            }
            // A record from the journal that was here before there was a log.
            (None, None) => {}
        }
    }

    fn finish(&mut self, end: u64) {
        let Some(OpenMark { mark, sum, seen }) = self.open.take() else { return };
        self.is_broken |= seen != mark.count;
        if self.is_broken {
            return;
        }
        let known = CopyPoint { sequence: mark.sequence, sum };
        let installation = Some(mark.installation);
        let number = mark.number;
        let state = CopyState { known, installation, unmarked: None, number };
        self.whole = Some(WholeMark { state, end });
    }
}

impl CopyPoint {
    fn goes_on_as(self, mark: &Mark) -> bool {
        self.sequence < mark.sequence && self.sum == mark.sum
    }
}
