//! Messages to the service manager (`sd_notify(3)` of systemd): ready, stopping, and the watchdog.
//!
//! Without `NOTIFY_SOCKET` in the environment, nothing is sent.

use std::time::Duration;

use sd_notify::NotifyState;

use crate::journal::Cursor;
use crate::journal::own::OwnJournal;

/// The number of watchdog messages that a service manager gets within its interval.
const FEEDS: u32 = 3;

/// The watchdog of a server that is between two runs of its program: the maximum, 71 minutes.
const RESTART_WATCHDOG: NotifyState<'_> = NotifyState::WatchdogUsec(u32::MAX);

/// Reports that the server listens, and keeps reporting that it lives.
///
/// The reports come from the main event loop, and stop when that loop or the journal hangs.
pub(crate) fn report_ready(journal: OwnJournal) {
    let interval = sd_notify::watchdog_enabled();
    // An earlier run of this process may have lengthened the interval, see `report_restart`.
    let micros = interval.and_then(|it| u32::try_from(it.as_micros()).ok());
    let mut states = vec![NotifyState::Ready];
    states.extend(micros.map(NotifyState::WatchdogUsec));
    notify(&states);
    if let Some(interval) = interval.filter(|it| !it.is_zero()) {
        actix::spawn(feed_watchdog(journal, interval / FEEDS));
    }
}

/// Reports that the server stops.
pub(crate) fn report_stopping() {
    notify(&[NotifyState::Stopping]);
}

/// Reports that the program starts once more in the same process, which may take minutes.
pub(crate) fn report_restart() {
    notify(&[RESTART_WATCHDOG, NotifyState::Watchdog]);
}

async fn feed_watchdog(journal: OwnJournal, every: Duration) {
    let mut progress = Progress::default();
    loop {
        let log = journal.journal();
        let has_waiting = journal.fullness().held.items > 0 && log.is_reachable();
        if progress.is_alive(has_waiting, log.end()) {
            notify(&[NotifyState::Watchdog]);
        } else {
            tracing::error!("the journal makes no progress; not feeding the watchdog");
        }
        drop(log);
        tokio::time::sleep(every).await;
    }
}

fn notify(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!(%error, ?states, "notifying the service manager failed");
    }
}

/// The state of the journal at the watchdog's last look.
#[derive(Debug, Default)]
struct Progress {
    had_waiting: bool,
    end: Option<Cursor>,
}

impl Progress {
    /// Whether the journal wrote something since the last look, or had nothing to write.
    fn is_alive(&mut self, has_waiting: bool, end: Cursor) -> bool {
        let had_waiting = std::mem::replace(&mut self.had_waiting, has_waiting);
        let moved = self.end.replace(end) != Some(end);
        moved || !had_waiting || !has_waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn journal_that_writes_nothing_between_two_looks_is_hung() {
        let mut progress = Progress::default();
        let looks = [
            (false, 1, true),
            (false, 1, true),
            (true, 1, true),
            (true, 1, false),
            (true, 1, false),
            (true, 2, true),
            (true, 2, false),
            (false, 2, true),
        ];
        for (number, (has_waiting, end, is_alive)) in looks.into_iter().enumerate() {
            let found = progress.is_alive(has_waiting, Cursor::new(end));
            assert_eq!(found, is_alive, "look {number}");
        }
    }
}
