//! A log that refuses a take-over again and again, and tells its newest message late.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use coterie::journal::replicated::log::{LogEvent, LogListener, Publication, SharedLog, Subject};
use coterie::journal::replicated::shard::Shard;

use crate::paper_log::{PaperHandle, PaperLog};
use crate::replicated::Places;
use crate::sample::until;

/// So many messages of shards are refused with an answer; later ones get none.
const REFUSED: usize = 30;

/// A connection to the log that lets through what founds it.
struct Refusing {
    log: Arc<PaperHandle>,
    listener: Mutex<Option<Arc<dyn LogListener>>>,
    refused: AtomicUsize,
    /// How often the newest message was asked for. Only the first question is answered.
    asked: AtomicUsize,
}

impl Refusing {
    fn tells(&self, event: LogEvent) {
        if let Some(listener) = &*self.listener.lock().unwrap() {
            listener.hear(event);
        }
    }
}

impl fmt::Debug for Refusing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Refusing")
    }
}

impl SharedLog for Refusing {
    fn begin(&self, listener: Arc<dyn LogListener>, from: u64) {
        *self.listener.lock().unwrap() = Some(Arc::clone(&listener));
        self.log.begin(listener, from);
    }

    fn read_again(&self, from: u64) {
        self.log.read_again(from);
    }

    fn publish(&self, message: Publication) {
        let Publication { subject, number, .. } = message;
        if subject == Subject::Installation {
            return self.log.publish(message);
        }
        if self.refused.fetch_add(1, Ordering::SeqCst) < REFUSED {
            self.tells(LogEvent::Doubtful { subject, number });
        }
    }

    fn ask_last(&self, subject: Subject) {
        if self.asked.fetch_add(1, Ordering::SeqCst) == 0 {
            self.log.ask_last(subject);
        }
    }

    fn end(&self, _grace: Duration) {
        // The take-over never comes back.
        self.tells(LogEvent::Over);
    }

    fn is_reachable(&self) -> bool {
        true
    }

    fn longest(&self) -> usize {
        self.log.longest()
    }
}

#[test]
fn a_node_that_is_refused_asks_for_the_newest_message_once_until_it_is_told() {
    let places = Places::new();
    let log = Arc::new(Refusing {
        log: PaperLog::default().handle(),
        listener: Mutex::default(),
        refused: AtomicUsize::new(0),
        asked: AtomicUsize::new(0),
    });
    let ana = places.opens("a", Arc::<Refusing>::clone(&log));
    let _claim = ana.journal.take_over(Shard::all().next().unwrap());
    until("it is refused", || log.refused.load(Ordering::SeqCst) > REFUSED);
    assert_eq!(log.asked.load(Ordering::SeqCst), 2, "before it sends, and when it is refused");
}
