//! The threads that decode pictures: few, of low priority, resting while others want the cores,
//! with short queues, so that a rush of uploads does not slow messages down.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::oneshot;

use base::bounds::places::{Fullness, Places};
use base::threads::Threads;
use base::threads::cpu_throttle::{CpuThrottle, Deference, NICENESS};

/// How long a thread rests after a job: four times as long as the job waited for a core, but it
/// takes a twelfth of a core at least, since somebody waits for a picture.
const DEFERENCE: Deference = Deference { rest: 4, part: 12 };
/// Uploads that may wait to be taken in; each holds its bytes meanwhile.
const UPLOADS: usize = 16;
/// Forms that may wait to be made; they hold no memory yet.
const FORMS: usize = 128;

/// The two queues of the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobQueue {
    /// Uploaded pictures to be taken in.
    Uploads,
    /// Forms of stored images to be made.
    Forms,
}

/// Why a job was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobFailure {
    /// The queue is full.
    Full,
    /// The server is stopping.
    Closed,
    /// The job panicked.
    Broken,
}

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct JobQueues {
    uploads: VecDeque<Job>,
    forms: VecDeque<Job>,
    /// Flips with every job taken, so that uploads and forms take turns and neither waits for ever.
    upload_is_next: bool,
    is_closed: bool,
    /// How often each queue was full, in the order of [`JobQueue`].
    refused: [u64; 2],
}

#[derive(Default)]
struct Shared {
    queues: Mutex<JobQueues>,
    called: Condvar,
    /// Wakes the threads that rest.
    closing: Condvar,
}

/// The decoder threads and their queues.
pub(super) struct DecoderPool {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl DecoderPool {
    /// Starts this many threads, at least one.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub(super) fn start(threads: usize, places: &Places) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        for (name, queue) in
            [("image_uploads", JobQueue::Uploads), ("image_forms", JobQueue::Forms)]
        {
            let shown = Arc::clone(&shared);
            places.add(name, move || {
                let queues = shown.lock();
                Fullness::of_items(queues.of(queue), most(queue), queues.refused[queue as usize])
            });
        }
        let hands = (0..threads.max(1)).map(|_| {
            let shared = Arc::clone(&shared);
            thread::Builder::new().name("pictures".to_owned()).spawn(move || work(&shared))
        });
        let threads = Mutex::new(hands.collect::<Result<_, _>>()?);
        Ok(Self { shared, threads })
    }

    /// Whether the queue takes one more job. Counts a refusal if it is full.
    pub(super) fn has_space(&self, queue: JobQueue) -> bool {
        let mut queues = self.shared.lock();
        let is_full = queues.of(queue) >= most(queue);
        queues.refused[queue as usize] += u64::from(is_full);
        !queues.is_closed && !is_full
    }

    /// Runs a job on one of the threads and returns its result. Dropping the future cancels a job
    /// that has not begun.
    ///
    /// # Errors
    /// If the queue is full, the pool is closed, or the job panicked.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        queue: JobQueue,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JobFailure> {
        let (tell, told) = oneshot::channel();
        let job = Box::new(move || {
            if !tell.is_closed() {
                // The caller may have given up meanwhile.
                drop(tell.send(job()));
            }
        });
        self.shared.add(queue, job)?;
        told.await.map_err(|_| match self.shared.lock().is_closed {
            true => JobFailure::Closed,
            false => JobFailure::Broken,
        })
    }

    /// Drops the jobs that wait, lets the threads finish the ones they have begun, and waits for
    /// the threads.
    pub(super) fn close(&self) {
        let mut queues = self.shared.lock();
        queues.is_closed = true;
        // Dropping a job drops its sender, which tells the caller.
        (queues.uploads, queues.forms) = Default::default();
        drop(queues);
        self.shared.called.notify_all();
        self.shared.closing.notify_all();
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for thread in threads.drain(..) {
            if thread.join().is_err() {
                tracing::error!("an image decoder thread panicked");
            }
        }
    }
}

impl Drop for DecoderPool {
    fn drop(&mut self) {
        self.close();
    }
}

const fn most(queue: JobQueue) -> usize {
    match queue {
        JobQueue::Uploads => UPLOADS,
        JobQueue::Forms => FORMS,
    }
}

impl JobQueues {
    fn of(&self, queue: JobQueue) -> usize {
        match queue {
            JobQueue::Uploads => self.uploads.len(),
            JobQueue::Forms => self.forms.len(),
        }
    }

    fn next(&mut self) -> Option<Job> {
        self.upload_is_next = !self.upload_is_next;
        if self.upload_is_next {
            self.uploads.pop_front().or_else(|| self.forms.pop_front())
        } else {
            self.forms.pop_front().or_else(|| self.uploads.pop_front())
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, JobQueues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, queue: JobQueue, job: Job) -> Result<(), JobFailure> {
        let mut queues = self.lock();
        if queues.is_closed {
            return Err(JobFailure::Closed);
        }
        if queues.of(queue) >= most(queue) {
            queues.refused[queue as usize] += 1;
            return Err(JobFailure::Full);
        }
        match queue {
            JobQueue::Uploads => queues.uploads.push_back(job),
            JobQueue::Forms => queues.forms.push_back(job),
        }
        drop(queues);
        self.called.notify_one();
        Ok(())
    }

    /// Waits for the next job; `None` once the pool is closed.
    fn take(&self) -> Option<Job> {
        let mut queues = self.lock();
        loop {
            if queues.is_closed {
                return None;
            }
            if let Some(job) = queues.next() {
                return Some(job);
            }
            queues = self.called.wait(queues).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Sleeps for this long, or until the pool is closed.
    fn rest(&self, time: Duration) {
        let queues = self.lock();
        let rested = self.closing.wait_timeout_while(queues, time, |queues| !queues.is_closed);
        drop(rested);
    }
}

fn work(shared: &Shared) {
    Threads::System.give_way(NICENESS);
    while let Some(job) = shared.take() {
        let cpu_throttle = CpuThrottle::begin(&Threads::System);
        // A decoder that panics must not end the thread. The caller hears that nothing came of the
        // job.
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
        if done.is_err() {
            tracing::error!("decoding an image panicked; its request fails");
        }
        shared.rest(cpu_throttle.rest(DEFERENCE));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix::test]
    async fn decoder_pool_bounds_its_queue_and_survives_panics() {
        let decoder_pool = DecoderPool::start(1, &Places::default()).unwrap();
        assert_eq!(decoder_pool.run(JobQueue::Forms, || 7).await, Ok(7));
        let broken =
            decoder_pool.run(JobQueue::Forms, || -> u8 { panic!("as a decoder might") }).await;
        assert_eq!(broken, Err(JobFailure::Broken));

        let (free, held) = std::sync::mpsc::channel::<()>();
        let (began, begun) = std::sync::mpsc::channel();
        let job = Box::new(move || {
            began.send(()).unwrap();
            held.recv().unwrap();
        });
        decoder_pool.shared.add(JobQueue::Uploads, job).unwrap();
        begun.recv().unwrap();
        for _ in 0..UPLOADS {
            decoder_pool.shared.add(JobQueue::Uploads, Box::new(|| {})).unwrap();
        }
        assert!(!decoder_pool.has_space(JobQueue::Uploads));
        assert_eq!(decoder_pool.run(JobQueue::Uploads, || 7).await, Err(JobFailure::Full));
        free.send(()).unwrap();
        assert_eq!(decoder_pool.run(JobQueue::Forms, || 8).await, Ok(8));
        decoder_pool.close();
        assert_eq!(decoder_pool.run(JobQueue::Forms, || 9).await, Err(JobFailure::Closed));
    }
}
