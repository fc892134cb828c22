//! Writes the segments of a journal: fills one, prepares the next on a thread of its own, and
//! compresses full ones in the background.
//!
//! A compressed file is written under another name, synced, read back and compared, renamed, and the
//! directory synced; only then is the raw file removed. So at every moment at least one of the two
//! files is whole, whichever step a crash interrupts.

use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

use crate::disk::Disk;
use crate::packed::{self, Packed, PackedHeader};
use crate::record::{self, END_MARK_BYTES, Flaw};
use crate::segment::{self, HEADER, RawSegment};
use crate::segments::{Segment, Segments};
use base::threads::{Monitor, RunningThread, Threads};

/// Largest size of the first segment in bytes: a small installation stays small, since segments
/// grow by steps.
const FIRST_SEGMENT: u64 = 16 << 20;

/// The position at which writing continues after opening.
#[derive(Debug)]
pub(super) struct WritePosition {
    /// The segment that is being filled.
    pub(super) active: Arc<RawSegment>,
    /// The position of the next record.
    pub(super) at: u64,
    /// The segment after it, if it was made ahead.
    pub(super) next: Option<RawSegment>,
}

/// The sizes of new segments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Bytes of a full-grown segment; the first ones are smaller.
    pub(super) segment_bytes: u64,
    /// Whether a smaller segment may be made if the disk has no space for a larger one.
    pub(super) may_shrink: bool,
}

/// Writes at the end of a journal's files.
#[derive(Debug)]
pub(super) struct Appender {
    segments: Arc<Segments>,
    preparer: Preparer,
    sealer: Option<Sealer>,
    sizes: Sizes,
    active: Arc<RawSegment>,
    at: u64,
}

impl Appender {
    /// Continues at `place`; compresses full segments if `compress` is set.
    pub(super) fn start(
        disk: Arc<dyn Disk>,
        segments: Arc<Segments>,
        mut place: WritePosition,
        sizes: Sizes,
        compress: bool,
        threads: &Threads,
    ) -> io::Result<Self> {
        let sealer = compress
            .then(|| Sealer::start(Arc::clone(&disk), Arc::clone(&segments), threads.clone()));
        let sealer = sealer.transpose()?;
        for full in segments.raws_before(place.active.base) {
            sealer.iter().for_each(|sealer| sealer.add(Arc::clone(&full)));
        }
        let preparer = Preparer::start(disk, place.next.take(), threads)?;
        let WritePosition { active, at, .. } = place;
        Ok(Self { segments, preparer, sealer, sizes, active, at })
    }

    /// The position of the next record.
    pub(super) const fn at(&self) -> u64 {
        self.at
    }

    /// The segment that is being filled.
    pub(super) const fn active(&self) -> &Arc<RawSegment> {
        &self.active
    }

    /// The position of the first record of the active segment.
    pub(super) fn begins(&self) -> u64 {
        self.active.base + HEADER
    }

    /// Writes bytes at the end; [`advance`](Self::advance) makes them count.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        self.active.file.write_at(bytes, self.at - self.active.base)
    }

    /// Brings what is written to stable storage.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.active.file.sync()
    }

    /// Moves the end: the `bytes` written last belong to the journal from now on.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.at += bytes as u64;
    }

    /// Takes the next segment from the preparer; waits until it is made.
    pub(super) fn next(&self) -> io::Result<Arc<RawSegment>> {
        let wanted = self.next_stretch();
        let mut next = self.preparer.take(wanted)?;
        // A journal that may shrink its segments may have made this one, before the last restart.
        let is_wanted = (next.base, next.capacity) == (wanted.base, wanted.capacity);
        if !self.sizes.may_shrink && !is_wanted {
            next = self.preparer.take(wanted)?;
        }
        Ok(Arc::new(next))
    }

    /// Continues in `next`, after the end mark of the present segment was written.
    pub(super) fn turn_to(&mut self, next: Arc<RawSegment>) {
        self.segments.put(next.base, Segment::Raw(Arc::clone(&next)));
        self.at = next.base + HEADER;
        let full = std::mem::replace(&mut self.active, next);
        self.segments.show_until(self.at);
        self.sealer.iter().for_each(|sealer| sealer.add(Arc::clone(&full)));
    }

    /// Asks for the next segment once a quarter of this one is used.
    pub(super) fn prepare_next(&self) {
        let used = self.at - self.active.base;
        if used >= self.active.capacity / 4 {
            self.preparer.ask(self.next_stretch());
        }
    }

    fn next_stretch(&self) -> SegmentRange {
        let base = self.active.base + self.active.capacity;
        let grown = self.active.capacity.saturating_mul(4);
        let least = first_capacity(self.sizes.segment_bytes);
        let capacity = grown.clamp(least, self.sizes.segment_bytes);
        let least = if self.sizes.may_shrink { least } else { capacity };
        SegmentRange { base, capacity, least }
    }
}

/// The size of a journal's first segment.
pub(super) fn first_capacity(segment_bytes: u64) -> u64 {
    segment_bytes.min(FIRST_SEGMENT)
}

/// The longest record that every segment of a journal with this segment size can hold.
pub(super) fn longest_record(segment_bytes: u64) -> usize {
    let longest = RawSegment::longest_record(first_capacity(segment_bytes));
    usize::try_from(longest).unwrap_or(usize::MAX)
}

/// Whether the error means that the disk or a quota is full.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

/// The positions of a segment to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SegmentRange {
    /// The first position.
    pub(super) base: u64,
    /// How many positions the segment covers.
    pub(super) capacity: u64,
    /// The smaller capacity that will do if the disk has no space for `capacity`.
    pub(super) least: u64,
}

/// The thread that makes segments. Dropping it waits for the segment being made.
#[derive(Debug)]
pub(super) struct Preparer {
    task: Arc<Monitor<Task>>,
    thread: Option<RunningThread>,
}

#[derive(Debug)]
enum Task {
    Idle,
    Wanted(SegmentRange),
    Making,
    Ready(RawSegment),
    Failed(io::Error),
    Over,
}

impl Preparer {
    /// Starts the thread; `ready` is a segment that was made ahead before the last restart.
    pub(super) fn start(
        disk: Arc<dyn Disk>,
        ready: Option<RawSegment>,
        threads: &Threads,
    ) -> io::Result<Self> {
        let task = ready.map_or(Task::Idle, Task::Ready);
        let task = Arc::new(Monitor::new(task, threads.clone()));
        let monitor = Arc::clone(&task);
        let thread = Some(threads.start("journal-preparer", move || run(&monitor, &*disk))?);
        Ok(Self { task, thread })
    }

    /// Asks for a segment to be made ahead. Does nothing if one was asked for or has been made.
    pub(super) fn ask(&self, next: SegmentRange) {
        let mut task = self.task.lock();
        if matches!(*task, Task::Idle) {
            *task = Task::Wanted(next);
            self.task.notify_all();
        }
    }

    /// Takes the segment; waits until it is made. An earlier failure is tried again, since disk
    /// space may have been freed meanwhile.
    pub(super) fn take(&self, next: SegmentRange) -> io::Result<RawSegment> {
        let mut task = self.task.lock();
        if matches!(*task, Task::Idle | Task::Failed(_)) {
            *task = Task::Wanted(next);
            self.task.notify_all();
        }
        loop {
            match std::mem::replace(&mut *task, Task::Idle) {
                Task::Ready(segment) => return Ok(segment),
                Task::Failed(error) => return Err(error),
                Task::Over => {
                    *task = Task::Over;
                    return Err(io::Error::other("the thread that makes segments is gone"));
                }
                waiting @ (Task::Idle | Task::Wanted(_) | Task::Making) => *task = waiting,
            }
            task = self.task.wait(task);
        }
    }
}

fn run(monitor: &Monitor<Task>, disk: &dyn Disk) {
    while let Some(next) = wanted(monitor) {
        let made = make(disk, next);
        let mut task = monitor.lock();
        if matches!(*task, Task::Making) {
            *task = made.map_or_else(Task::Failed, Task::Ready);
        }
        monitor.notify_all();
    }
}

fn make(disk: &dyn Disk, next: SegmentRange) -> io::Result<RawSegment> {
    match RawSegment::create(disk, next.base, next.capacity) {
        Err(error) if error.kind() == ErrorKind::StorageFull && next.least < next.capacity => {
            RawSegment::create(disk, next.base, next.least)
        }
        made => made,
    }
}

fn wanted(monitor: &Monitor<Task>) -> Option<SegmentRange> {
    let mut task = monitor.lock();
    loop {
        match *task {
            Task::Wanted(next) => {
                *task = Task::Making;
                return Some(next);
            }
            Task::Over => return None,
            Task::Idle | Task::Making | Task::Ready(_) | Task::Failed(_) => {}
        }
        task = monitor.wait(task);
    }
}

impl Drop for Preparer {
    fn drop(&mut self) {
        *self.task.lock() = Task::Over;
        self.task.notify_all();
        if let Some(thread) = self.thread.take() {
            thread.join();
        }
    }
}

/// zstd's compression level. With blocks this small, a higher one saves three bytes a message.
const LEVEL: i32 = 1;

/// The thread that compresses segments. Dropping it waits for the segment at hand; those still
/// queued are compressed after the next opening.
#[derive(Debug)]
pub(super) struct Sealer {
    full: Option<mpsc::Sender<Arc<RawSegment>>>,
    closing: Arc<AtomicBool>,
    thread: Option<RunningThread>,
}

impl Sealer {
    /// Starts the thread.
    pub(super) fn start(
        disk: Arc<dyn Disk>,
        segments: Arc<Segments>,
        threads: Threads,
    ) -> io::Result<Self> {
        let (full, waiting) = mpsc::channel::<Arc<RawSegment>>();
        let closing = Arc::new(AtomicBool::new(false));
        let is_closing = Arc::clone(&closing);
        let own = threads.clone();
        let next = move || own.receive(&waiting).filter(|_| !is_closing.load(Ordering::Relaxed));
        let work = move || {
            while let Some(raw) = next() {
                match seal(&*disk, &raw) {
                    Ok(packed) => retire(&*disk, &raw, packed, &segments),
                    // The raw segment serves as well; the next opening tries to compress it again.
                    Err(error) => {
                        let file = segment::raw_name(raw.base);
                        tracing::warn!(
                            file, %error,
                            "compressing a journal segment failed; the next start retries"
                        );
                    }
                }
            }
        };
        let thread = threads.start("journal-sealer", work)?;
        Ok(Self { full: Some(full), closing, thread: Some(thread) })
    }

    /// Queues a full segment, to which nothing is written any more, for compression.
    pub(super) fn add(&self, raw: Arc<RawSegment>) {
        if let Some(full) = &self.full {
            // If the thread is gone, the segment stays uncompressed.
            drop(full.send(raw));
        }
    }
}

/// Writes a segment's compressed file, checks it and gives it its name.
fn seal(disk: &dyn Disk, raw: &RawSegment) -> io::Result<Segment> {
    let bytes = content(raw)?;
    let name = segment::packed_name(raw.base);
    let unfinished = segment::unfinished(&name);
    let head =
        PackedHeader { base: raw.base, capacity: raw.capacity, raw_length: bytes.len() as u64 };
    let file = disk.create(&unfinished)?;
    let is_same = packed::write(&*file, head, &bytes, LEVEL)
        .and_then(|()| Packed::open(file, raw.base)?.holds(&bytes));
    if !matches!(is_same, Ok(true)) {
        // Frees the space; an error of the removal matters less than the one returned below.
        drop(disk.remove(&unfinished));
        is_same?;
        return Err(io::Error::other("the compressed file differs from the written data"));
    }
    disk.rename(&unfinished, &name)?;
    disk.sync()?;
    Ok(Segment::Packed { capacity: raw.capacity })
}

/// Switches readers to the compressed file, and removes the raw one.
fn retire(disk: &dyn Disk, raw: &RawSegment, packed: Segment, segments: &Segments) {
    segments.put(raw.base, packed);
    let name = segment::raw_name(raw.base);
    if let Err(error) = disk.remove(&name).and_then(|()| disk.sync()) {
        // The next opening finds both files and tries again.
        tracing::warn!(
            file = name, %error,
            "removing the raw file of a compressed segment failed; the next start retries"
        );
    }
}

/// The bytes of a full segment from its header to its end mark.
///
/// A damaged segment is not compressed: it is left as it was found.
pub(super) fn content(raw: &RawSegment) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(raw.capacity).unwrap_or(usize::MAX)];
    raw.file.read_at(&mut bytes, 0)?;
    let mut offset = HEADER as usize;
    loop {
        let at = raw.base + offset as u64;
        match record::verify(&bytes[offset..], at) {
            Ok(length) => offset += length,
            Err(Flaw::End) if record::is_end_mark(&bytes[offset..], at) => {
                bytes.truncate(offset + END_MARK_BYTES);
                return Ok(bytes);
            }
            Err(flaw) => {
                let reason = format!("it is damaged at byte {offset}: {flaw}");
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
        }
    }
}

impl Drop for Sealer {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
        drop(self.full.take());
        if let Some(thread) = self.thread.take() {
            thread.join();
        }
    }
}
