//! Makes the next segment while the present one is being filled.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use crate::journal::disk::Disk;
use crate::journal::segment::RawSegment;

/// A stretch of positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    /// The first.
    pub(super) base: u64,
    /// How many.
    pub(super) capacity: u64,
}

/// The thread that makes segments. Dropping it waits for the one being made.
#[derive(Debug)]
pub(super) struct Preparer {
    desk: Arc<Desk>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Desk {
    task: Mutex<Task>,
    changed: Condvar,
}

#[derive(Debug)]
enum Task {
    Idle,
    Wanted(Stretch),
    Making,
    Ready(RawSegment),
    Failed(io::Error),
    Over,
}

impl Preparer {
    /// Starts the thread; with a segment that was made before, if there is one.
    pub(super) fn start(disk: Arc<dyn Disk>, ready: Option<RawSegment>) -> io::Result<Self> {
        let task = Mutex::new(ready.map_or(Task::Idle, Task::Ready));
        let desk = Arc::new(Desk { task, changed: Condvar::new() });
        let working = Arc::clone(&desk);
        let thread = thread::Builder::new().name("journal-preparer".to_owned());
        let thread = Some(thread.spawn(move || working.run(&*disk))?);
        Ok(Self { desk, thread })
    }

    /// Asks for a segment that will be taken later. Asking again is free.
    pub(super) fn ask(&self, next: Stretch) {
        let mut task = self.desk.lock();
        if matches!(*task, Task::Idle) {
            *task = Task::Wanted(next);
            self.desk.changed.notify_all();
        }
    }

    /// Takes the segment; waits until it is made. A failure met earlier is tried again,
    /// since somebody may have made space meanwhile.
    pub(super) fn take(&self, next: Stretch) -> io::Result<RawSegment> {
        let mut task = self.desk.lock();
        if matches!(*task, Task::Idle | Task::Failed(_)) {
            *task = Task::Wanted(next);
            self.desk.changed.notify_all();
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
            task = self.desk.changed.wait(task).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Desk {
    fn run(&self, disk: &dyn Disk) {
        while let Some(next) = self.wanted() {
            let made = RawSegment::create(disk, next.base, next.capacity);
            let mut task = self.lock();
            if matches!(*task, Task::Making) {
                *task = made.map_or_else(Task::Failed, Task::Ready);
            }
            self.changed.notify_all();
        }
    }

    fn wanted(&self) -> Option<Stretch> {
        let mut task = self.lock();
        loop {
            match *task {
                Task::Wanted(next) => {
                    *task = Task::Making;
                    return Some(next);
                }
                Task::Over => return None,
                Task::Idle | Task::Making | Task::Ready(_) | Task::Failed(_) => {}
            }
            task = self.changed.wait(task).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Task> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Preparer {
    fn drop(&mut self) {
        *self.desk.lock() = Task::Over;
        self.desk.changed.notify_all();
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread that makes journal segments panicked");
        }
    }
}
