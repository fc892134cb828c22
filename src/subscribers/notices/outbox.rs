//! The queue of notices to be sent: in order for each phone and device, a bounded number at once
//! over all, each tried a few times before it is dropped.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Semaphore;

use actors::directory::Directory;
use actors::errand::Errand;
use base::bounds::places::Places;
use base::bounds::{Bound, Budget, Permit};
use domain::ids::{MessageId, UserId};
use domain::text::Phone;
use domain::user::Device;
use notify::Undelivered;
use notify::sms::Gateway;
use notify::web_push::WebPush;

/// Notices that may wait, over all recipients; past that further ones are dropped.
const HELD: Bound = Bound { items: 16 << 10, bytes: 32 << 20 };
/// Notices that may wait for one phone or device; past that the oldest are dropped.
const WAITING: usize = 100;
/// Requests under way at once.
const AT_ONCE: usize = 32;
/// Pauses before further attempts, unless the other side asks for another pause.
const AGAIN: [Duration; 3] =
    [Duration::from_secs(1), Duration::from_secs(10), Duration::from_secs(60)];
/// The longest pause that the other side may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// Makes the budget for notices.
pub(super) fn budget(places: &Places) -> Budget {
    Budget::new(places, "notices", HELD)
}

/// All notices that wait. Clones share them.
#[derive(Clone)]
pub(super) struct Outbox(Rc<Inner>);

struct Inner {
    gateway: Gateway,
    web_push: WebPush,
    directory: Directory,
    /// By phone number or device id; a queue exists as long as a task works it off.
    queues: RefCell<HashMap<String, VecDeque<QueuedNotice>>>,
    places: Semaphore,
    budget: Budget,
}

/// A notice, and its share of the budget.
struct QueuedNotice {
    job: Job,
    /// The message that the notice is about.
    message: MessageId,
    _held: Permit,
}

/// One notice to be sent.
enum Job {
    Sms { to: Phone, text: String },
    Push { user: UserId, device: Box<Device>, notice: Bytes },
}

impl Job {
    /// About how many bytes of memory the notice takes.
    fn bytes(&self) -> usize {
        1024 + match self {
            Self::Sms { text, .. } => text.len(),
            Self::Push { notice, .. } => notice.len(),
        }
    }
}

impl Outbox {
    /// An empty outbox.
    pub(super) fn new(
        gateway: Gateway,
        web_push: WebPush,
        directory: Directory,
        budget: Budget,
    ) -> Self {
        let queues = RefCell::default();
        let places = Semaphore::new(AT_ONCE);
        Self(Rc::new(Inner { gateway, web_push, directory, queues, places, budget }))
    }

    /// Queues an SMS about a message.
    pub(super) fn sms(&self, message: MessageId, to: &Phone, text: String) {
        self.put(to.dialled(), message, Job::Sms { to: to.clone(), text });
    }

    /// Queues a notice about a message for a device.
    pub(super) fn push(&self, message: MessageId, user: UserId, device: &Device, notice: Bytes) {
        let name = device.id.clone();
        self.put(name, message, Job::Push { user, device: Box::new(device.clone()), notice });
    }

    fn put(&self, name: String, message: MessageId, job: Job) {
        // The budget counts what it refuses.
        let Ok(held) = self.0.budget.try_hold(job.bytes()) else { return };
        let job = QueuedNotice { job, message, _held: held };
        let mut queues = self.0.queues.borrow_mut();
        if let Some(queue) = queues.get_mut(&name) {
            if queue.len() >= WAITING {
                drop(queue.pop_front());
            }
            queue.push_back(job);
            return;
        }
        queues.insert(name.clone(), VecDeque::from([job]));
        let outbox = self.clone();
        actix::spawn(async move { outbox.work_off(&name).await });
    }

    async fn work_off(&self, name: &str) {
        while let Some(waiting) = self.next(name) {
            self.send(&waiting).await;
        }
    }

    /// Takes the next notice of a queue, and removes the queue when it is empty.
    fn next(&self, name: &str) -> Option<QueuedNotice> {
        let mut queues = self.0.queues.borrow_mut();
        let job = queues.get_mut(name).and_then(VecDeque::pop_front);
        if job.is_none() {
            queues.remove(name);
        }
        job
    }

    /// Sends one notice, retrying a few times.
    async fn send(&self, QueuedNotice { job, message, .. }: &QueuedNotice) {
        let mut pauses = AGAIN.into_iter();
        loop {
            match self.attempt(job, *message).await {
                Ok(()) => return,
                Err(Undelivered::Later { why, after }) => match pauses.next() {
                    Some(pause) => {
                        tokio::time::sleep(after.unwrap_or(pause).min(LONGEST_PAUSE)).await;
                    }
                    None => return tracing::warn!(why, "dropped a notice after the last retry"),
                },
                Err(Undelivered::Gone) => return self.forget(job).await,
                Err(Undelivered::Never(why)) => {
                    return tracing::warn!(why, "dropped a notice that cannot be delivered");
                }
            }
        }
    }

    /// Sends a notice, unless its message was deleted.
    async fn attempt(&self, job: &Job, message: MessageId) -> Result<(), Undelivered> {
        // The semaphore is never closed.
        let _place = self.0.places.acquire().await;
        if self.0.directory.context().archive.deletions.have(message) {
            return Ok(());
        }
        match job {
            Job::Sms { to, text } => self.0.gateway.send(to, text).await,
            Job::Push { user, device, notice } => {
                self.0.web_push.send((*user).into(), device, notice).await
            }
        }
    }

    /// Removes a device that its push service no longer knows.
    async fn forget(&self, job: &Job) {
        let Job::Push { user, device, .. } = job else { return };
        let errand = Errand::RemoveDevice { user: *user, id: device.id.clone() };
        if let Err(failure) = self.0.directory.run(errand).await {
            tracing::debug!(
                user.id = %user, ?failure,
                "removing a device that its push service does not know failed"
            );
        }
    }
}
