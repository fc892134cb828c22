//! Makes the next segment on a thread of its own while the present one is being filled.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use crate::journal::disk::Disk;
use crate::journal::segment::RawSegment;
use crate::threads::{Monitor, RunningThread, Threads};

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
