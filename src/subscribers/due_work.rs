//! The loop of alarms, mails and accounts that wait: a pass over all work that is due, then a wait
//! for the next time or commit.

use std::time::Duration;

use tokio::sync::watch;

use base::clock::Clock;
use domain::time::Timestamp;
use journal::Cursor;

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

/// Runs passes for ever. A pass gets the newest commit that may have made work due, which `heard`
/// publishes.
pub(super) async fn run(
    heard: &watch::Sender<Cursor>,
    clock: &dyn Clock,
    pass: impl AsyncFn(Cursor) -> NextPass,
) {
    let mut newest = heard.subscribe();
    loop {
        let upto = *newest.borrow_and_update();
        let next = pass(upto).await;
        tokio::select! {
            // The caller holds the sender, so this never fails.
            changed = newest.changed() => if changed.is_err() { return },
            () = next.wait(clock) => {}
        }
    }
}
