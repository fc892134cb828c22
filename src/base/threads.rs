//! Threads: who runs what may block. In a server that is the operating system; in a simulation it
//! is a scheduler, which lets one thread run at a time, in an order that it chooses, so that a
//! whole run can be repeated.
//!
//! Everything that has a thread of its own starts it here, and waits through here: for a
//! [`Monitor`] to change, for a message, for time to pass. Locks are exempt, since no thread holds
//! one while it waits.

use std::any::Any;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{
    Receiver, RecvTimeoutError, SendError, SyncSender, TryRecvError, TrySendError,
};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle, ThreadId};
use std::time::Duration;

use tokio::sync::oneshot;

pub mod cpu_throttle;

/// Starts and schedules threads. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub enum Threads {
    /// The operating system, all threads at once.
    #[default]
    System,
    /// A scheduler, one thread at a time.
    Simulated(Arc<dyn Scheduler>),
}

/// The work of a thread, from beginning to end.
pub type Work = Box<dyn FnOnce() + Send>;

/// The result of work, of a type that the caller knows.
pub struct WorkDone(Box<dyn Any + Send>);

impl WorkDone {
    /// Wraps a result.
    pub fn new(value: impl Any + Send) -> Self {
        Self(Box::new(value))
    }

    /// Unwraps the result, which must be of this type.
    pub fn value<T: Any>(self) -> T {
        *self.0.downcast().expect("the caller knows the type of its result")
    }
}

/// Lets one thread run at a time. It may give the next turn to any thread.
pub trait Scheduler: Send + Sync + fmt::Debug {
    /// Starts a thread with this name, whose first turn comes later.
    fn start(&self, name: &'static str, work: Work);

    /// Ends the turn of the calling thread, which waits for something that other threads do. It
    /// checks its condition at its next turn, which may come too early.
    fn wait(&self);

    /// Ends the turn of the calling thread; its next turn comes after this time.
    fn sleep(&self, time: Duration);
}

/// A started thread. It runs on if this is dropped.
#[derive(Debug)]
pub struct RunningThread {
    name: &'static str,
    thread: Thread,
}

#[derive(Debug)]
enum Thread {
    System(JoinHandle<()>),
    Simulated(Arc<dyn Scheduler>, Arc<Simulated>),
}

#[derive(Debug, Default)]
struct Simulated {
    id: OnceLock<ThreadId>,
    is_over: AtomicBool,
}

/// Marks a thread as over when dropped, also after a panic.
struct Over(Arc<Simulated>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::SeqCst);
    }
}

impl Threads {
    /// Starts a thread.
    ///
    /// # Errors
    /// If the system cannot start one.
    pub fn start(
        &self,
        name: &'static str,
        work: impl FnOnce() + Send + 'static,
    ) -> io::Result<RunningThread> {
        let thread = match self {
            Self::System => {
                Thread::System(thread::Builder::new().name(name.to_owned()).spawn(work)?)
            }
            Self::Simulated(scheduler) => {
                let simulated = Arc::<Simulated>::default();
                let over = Over(Arc::clone(&simulated));
                scheduler.start(
                    name,
                    Box::new(move || {
                        over.0.id.get_or_init(|| thread::current().id());
                        work();
                        drop(over);
                    }),
                );
                Thread::Simulated(Arc::clone(scheduler), simulated)
            }
        };
        Ok(RunningThread { name, thread })
    }

    /// Runs blocking work on another thread. Returns `None` if it panics or the server stops.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.blocking_boxed(Box::new(move || WorkDone::new(work()))).await.map(WorkDone::value)
    }

    /// Like `blocking`, with one type for all work and all results: the runtime's code for a task,
    /// and that of a channel, is compiled once for each type.
    pub async fn blocking_boxed(
        &self,
        work: Box<dyn FnOnce() -> WorkDone + Send>,
    ) -> Option<WorkDone> {
        let (tell, told) = oneshot::channel();
        // The caller may have stopped waiting.
        let work: Work = Box::new(move || drop(tell.send(work())));
        match self {
            Self::System => drop(tokio::task::spawn_blocking(work)),
            Self::Simulated(scheduler) => scheduler.start("blocking", work),
        }
        told.await.ok()
    }

    /// Waits for a message; `None` once all senders are gone.
    pub fn receive<T>(&self, from: &Receiver<T>) -> Option<T> {
        let scheduler = match self {
            Self::System => return from.recv().ok(),
            Self::Simulated(scheduler) => scheduler,
        };
        loop {
            match from.try_recv() {
                Ok(message) => return Some(message),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) => scheduler.wait(),
            }
        }
    }

    /// Like [`Self::receive`], for at most this time.
    ///
    /// # Errors
    /// If no message came in that time, or all senders are gone.
    pub fn receive_within<T>(
        &self,
        from: &Receiver<T>,
        time: Duration,
    ) -> Result<T, RecvTimeoutError> {
        match self {
            Self::System => from.recv_timeout(time),
            Self::Simulated(scheduler) => match from.try_recv() {
                Err(TryRecvError::Empty) => {
                    scheduler.sleep(time);
                    from.try_recv().map_err(|error| match error {
                        TryRecvError::Empty => RecvTimeoutError::Timeout,
                        TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
                    })
                }
                Err(TryRecvError::Disconnected) => Err(RecvTimeoutError::Disconnected),
                Ok(message) => Ok(message),
            },
        }
    }

    /// Sends a message, and waits for room if the queue is full.
    ///
    /// # Errors
    /// If the receiver is gone.
    pub fn send<T>(&self, to: &SyncSender<T>, mut message: T) -> Result<(), SendError<T>> {
        let scheduler = match self {
            Self::System => return to.send(message),
            Self::Simulated(scheduler) => scheduler,
        };
        loop {
            match to.try_send(message) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(message)) => return Err(SendError(message)),
                Err(TrySendError::Full(returned)) => {
                    message = returned;
                    scheduler.wait();
                }
            }
        }
    }

    /// Sleeps for this time.
    pub fn sleep(&self, time: Duration) {
        match self {
            Self::System => thread::sleep(time),
            Self::Simulated(scheduler) => scheduler.sleep(time),
        }
    }

    /// The number of threads that can run at the same time: the cores. A simulation says two, so
    /// that it is the same on every machine.
    pub fn cores(&self) -> usize {
        match self {
            Self::System => thread::available_parallelism().map_or(2, std::num::NonZero::get),
            Self::Simulated(_) => 2,
        }
    }

    /// Sets the nice value of the calling thread, so that other threads of the machine go first.
    /// (On Linux each thread has its own priority.)
    pub fn give_way(&self, niceness: i32) {
        match self {
            Self::System => {
                let own = Some(rustix::thread::gettid());
                if let Err(error) = rustix::process::setpriority_process(own, niceness) {
                    tracing::debug!(%error, "changing the priority of a thread failed");
                }
            }
            Self::Simulated(_) => {}
        }
    }
}

impl RunningThread {
    /// Waits until the thread is over; returns at once if it is the calling thread.
    pub fn join(self) {
        let own = thread::current().id();
        match self.thread {
            Thread::System(thread) if thread.thread().id() == own => {}
            Thread::System(thread) => {
                if thread.join().is_err() {
                    tracing::error!(thread = self.name, "a thread panicked");
                }
            }
            Thread::Simulated(scheduler, thread) => {
                while thread.id.get() != Some(&own) && !thread.is_over.load(Ordering::SeqCst) {
                    scheduler.wait();
                }
            }
        }
    }
}

/// A value behind a lock, with a way to wait for its changes.
#[derive(Debug)]
pub struct Monitor<T> {
    value: Mutex<T>,
    changed: Condvar,
    threads: Threads,
}

impl<T> Monitor<T> {
    /// A monitor of this value, for threads of this kind.
    pub fn new(value: T, threads: Threads) -> Self {
        Self { value: Mutex::new(value), changed: Condvar::new(), threads }
    }

    /// Locks the value, which must not be held for long.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Releases the value, waits until it may have changed, and locks it again. It may return too
    /// early.
    pub fn wait<'a>(&'a self, value: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        match &self.threads {
            Threads::System => self.changed.wait(value).unwrap_or_else(PoisonError::into_inner),
            Threads::Simulated(scheduler) => {
                drop(value);
                scheduler.wait();
                self.lock()
            }
        }
    }

    /// Wakes one waiting thread.
    pub fn notify_one(&self) {
        self.changed.notify_one();
    }

    /// Wakes all waiting threads.
    pub fn notify_all(&self) {
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;

    /// A scheduler that runs a started thread when another one waits.
    #[derive(Default)]
    struct Lazy(Mutex<Vec<Work>>);

    impl fmt::Debug for Lazy {
        fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("Lazy")
        }
    }

    impl Scheduler for Lazy {
        fn start(&self, _: &'static str, work: Work) {
            self.0.lock().unwrap().push(work);
        }

        fn wait(&self) {
            let work = self.0.lock().unwrap().pop();
            if let Some(work) = work {
                thread::spawn(work).join().unwrap();
            }
        }

        fn sleep(&self, _: Duration) {
            self.wait();
        }
    }

    fn both() -> [Threads; 2] {
        [Threads::System, Threads::Simulated(Arc::new(Lazy::default()))]
    }

    #[test]
    fn join_waits_for_the_end_of_a_thread() {
        for threads in both() {
            let (send, receive) = sync_channel(1);
            threads.start("one", move || send.send(1).unwrap()).unwrap().join();
            assert_eq!(receive.try_recv(), Ok(1));
        }
    }

    #[test]
    fn a_thread_that_joins_itself_does_not_wait() {
        for threads in both() {
            let (give, take) = sync_channel::<RunningThread>(1);
            let (end, ended) = sync_channel(1);
            let own = threads.clone();
            let running = threads.start("one", move || {
                own.receive(&take).unwrap().join();
                end.send(()).unwrap();
            });
            give.send(running.unwrap()).unwrap();
            assert_eq!(threads.receive(&ended), Some(()));
        }
    }

    #[test]
    fn waiter_sees_the_change() {
        for threads in both() {
            let number = Arc::new(Monitor::new(0, threads.clone()));
            let other = Arc::clone(&number);
            let running = threads.start("one", move || {
                *other.lock() = 7;
                other.notify_all();
            });
            let mut seen = number.lock();
            while *seen == 0 {
                seen = number.wait(seen);
            }
            assert_eq!(*seen, 7);
            drop(seen);
            running.unwrap().join();
        }
    }

    #[test]
    fn a_message_waits_until_there_is_room() {
        for threads in both() {
            let (send, receive) = sync_channel(1);
            send.send(1).unwrap();
            let (kept, keeper) = sync_channel(1);
            let own = threads.clone();
            let taker = threads.start("one", move || {
                assert_eq!(own.receive(&receive), Some(1));
                kept.send(receive).unwrap();
            });
            threads.send(&send, 2).unwrap();
            taker.unwrap().join();
            assert_eq!(keeper.recv().unwrap().recv(), Ok(2));
        }
    }
}
