//! A log that refuses take-overs again and again, and tells its newest messages late or never.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use coterie::clock::Deadline;
use coterie::journal::replicated::log::{LogEvent, LogListener, Publication, SharedLog, Subject};
use coterie::journal::{Journal, Outcome, StreamHead};

use crate::paper_log::{PaperHandle, PaperLog};
use crate::replicated::Places;
use crate::sample::{commit, group, said, until};

/// So many messages of shards are refused with an answer; later ones get none.
const REFUSED: usize = 30;

/// A connection to the log that refuses to be led: it lets through only what founds it and what
/// closes shards.
struct Refusing {
    log: Arc<PaperHandle>,
    listener: Mutex<Option<Arc<dyn LogListener>>>,
    refused: AtomicUsize,
    /// How often the newest message was asked for.
    asked: AtomicUsize,
    /// How many of these questions are answered.
    answers: usize,
}

impl Refusing {
    /// A connection that answers so many questions.
    fn that_answers(answers: usize) -> Arc<Self> {
        let (log, listener) = (PaperLog::default().handle(), Mutex::default());
        let (refused, asked) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self { log, listener, refused, asked, answers })
    }

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
        if subject != Subject::LEADER {
            return self.log.publish(message);
        }
        if self.refused.fetch_add(1, Ordering::SeqCst) < REFUSED {
            self.tells(LogEvent::Doubtful { subject, number });
        }
    }

    fn ask_last(&self, subject: Subject) {
        if subject != Subject::LEADER || self.asked.fetch_add(1, Ordering::SeqCst) < self.answers {
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
fn refused_node_requests_newest_message_once() {
    let places = Places::new();
    let log = Refusing::that_answers(1);
    let ana = places.opens("a", Arc::<Refusing>::clone(&log));
    let _claim = ana.journal.take_over();
    until("it is refused", || log.refused.load(Ordering::SeqCst) > REFUSED);
    assert_eq!(log.asked.load(Ordering::SeqCst), 2, "before it sends, and when it is refused");
}

#[test]
fn commits_of_a_claim_that_was_given_up_are_not_written() {
    let (places, log) = (Places::new(), Refusing::that_answers(0));
    let ana = places.opens("a", Arc::<Refusing>::clone(&log));
    let claim = ana.journal.take_over();
    until("it asks for the newest message", || log.asked.load(Ordering::SeqCst) > 0);
    let next = commit(group(1), StreamHead::default(), vec![said("hello")]);
    let waiting = ana.journal.submit(next).unwrap();
    drop(claim);
    let patience = Deadline::after(Duration::from_secs(60));
    // Whatever the node does next, it finds that the claim was given up.
    let (told, tells) = mpsc::channel();
    thread::spawn(move || told.send(waiting.wait()));
    let outcome = loop {
        ana.journal.keep_up();
        match tells.recv_timeout(Duration::from_millis(100)) {
            Ok(outcome) => break outcome,
            Err(_) => assert!(!patience.left().is_zero(), "who waits is told nothing"),
        }
    };
    assert!(matches!(outcome, Outcome::Conflict));
}
