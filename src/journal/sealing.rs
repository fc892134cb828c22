//! Compresses full segments in the background.
//!
//! The compressed file is written under another name, synced, read back and compared, renamed, and
//! the directory synced; only then is the raw file removed. So at every moment at least one of the
//! two files is whole, whichever step a crash interrupts.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

use crate::journal::disk::Disk;
use crate::journal::packed::{self, Packed, PackedHeader};
use crate::journal::record::{self, END_MARK_BYTES, Flaw};
use crate::journal::segment::{self, HEADER, RawSegment};
use crate::journal::segments::{Segment, Segments};
use crate::threads::{RunningThread, Threads};

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
        let (is_closing, own) = (Arc::clone(&closing), threads.clone());
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
