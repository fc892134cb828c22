//! The loop of alarms, mails and accounts that wait: a pass over all work that is due, then a wait
//! for the next time or commit.

use std::future::Future;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::watch;

use actors::directory::Directory;
use base::clock::Clock;
use domain::time::Timestamp;
use index::IndexFault;
use journal::{Committed, Cursor, Follower};

/// How often the clock is read while work is to come: work begins at most this much too late.
const TICK: Duration = Duration::from_millis(250);
/// Delay before failed work is retried.
const AGAIN: Duration = Duration::from_secs(1);

/// The next wait after a pass over all work that is due.
pub(super) enum NextPass {
    /// For a commit or a take-over only: no work waits.
    Silence,
    /// For this time, at which the next work is due.
    At(Timestamp),
    /// For nothing: work may be due at another time now.
    Now,
    /// For [`AGAIN`]: some work failed.
    Again,
}

impl NextPass {
    /// The wait after a pass in which work failed or moved to another time; `otherwise` if neither
    /// did.
    pub(super) fn after(has_failed: bool, has_moved: bool, otherwise: Self) -> Self {
        match (has_failed, has_moved) {
            (true, _) => Self::Again,
            (false, true) => Self::Now,
            (false, false) => otherwise,
        }
    }

    async fn wait(&self, clock: &dyn Clock) {
        match self {
            Self::Silence => std::future::pending().await,
            Self::Now => {}
            Self::Again => tokio::time::sleep(AGAIN).await,
            Self::At(at) => {
                // By the clock that decides when work is due: it may jump, and is another one in
                // tests.
                while clock.now().wall < *at {
                    tokio::time::sleep(TICK).await;
                }
            }
        }
    }
}

/// Work that falls due at set times, which facts set. What is due is found again after a crash, and by
/// the next node that leads.
pub(super) trait TimedWork: Send + Sync + 'static {
    /// What the work is about, for the log.
    const NAME: &'static str;

    /// Where the rooms are that are asked.
    fn directory(&self) -> &Directory;

    /// Whether a commit may make work due earlier. Called on the journal's thread, once per commit.
    fn hears(&self, commit: &Committed) -> bool;

    /// Does all work that is due, once. The index shows every commit that was heard, and this node
    /// leads.
    fn pass(&self) -> impl Future<Output = Result<NextPass, IndexFault>>;

    /// Called in place of a pass while another node leads.
    fn rests(&self) {}
}

/// Starts to follow the journal and to do the work, what was left undone before included. Called once,
/// on a thread with an actix system.
pub(super) fn start<W: TimedWork>(work: Arc<W>) {
    let heard = watch::Sender::new(Cursor::START);
    let newest = heard.subscribe();
    let follower = DueFollower { work: Arc::downgrade(&work), heard };
    work.directory().context().archive.journal.follow(Box::new(follower));
    actix::spawn(async move { run(&*work, newest).await });
}

/// Runs passes until the journal is closed.
async fn run<W: TimedWork>(work: &W, mut newest: watch::Receiver<Cursor>) {
    loop {
        let upto = *newest.borrow_and_update();
        let next = pass(work, upto).await.unwrap_or_else(|fault| {
            tracing::warn!(%fault, work = W::NAME, "looking up due work failed; retrying");
            NextPass::Again
        });
        tokio::select! {
            changed = newest.changed() => if changed.is_err() { return },
            () = next.wait(&*work.directory().context().clock) => {}
        }
    }
}

/// Does all work that is due as of this commit, once.
async fn pass<W: TimedWork>(work: &W, upto: Cursor) -> Result<NextPass, IndexFault> {
    let archive = &work.directory().context().archive;
    if !archive.journal.leads() {
        work.rests();
        return Ok(NextPass::Silence);
    }
    archive.index.reached(upto).await?;
    archive.index.current().await?;
    work.pass().await
}

/// The follower on the journal's thread. It holds a weak reference, because the work holds the
/// journal.
struct DueFollower<W> {
    work: Weak<W>,
    /// The newest commit that may have made work due.
    heard: watch::Sender<Cursor>,
}

impl<W: TimedWork> Follower for DueFollower<W> {
    fn durable(&mut self, batch: &Arc<[Arc<Committed>]>) {
        let Some(work) = self.work.upgrade() else { return };
        let mut newest = None;
        // The work hears every commit: it may note what it needs of each.
        for commit in batch.iter() {
            if work.hears(commit) {
                newest = Some(commit.cursor);
            }
        }
        if let Some(cursor) = newest {
            self.heard.send_replace(cursor);
        }
    }

    /// Starts a pass: what the previous leader left undone is due here.
    fn leader_changed(&mut self, _: bool) {
        self.heard.send_modify(|_| {});
    }
}
