//! The promise that a submitted commit becomes durable, as a future of its outcome.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::sync::oneshot;

use crate::journal::{JournalFault, Outcome};

/// The promise that a submitted commit becomes durable; resolves to the commit's [`Outcome`].
#[derive(Debug)]
pub struct Ticket(oneshot::Receiver<Outcome>);

impl Ticket {
    /// A ticket and the sender that resolves it.
    pub fn pair() -> (oneshot::Sender<Outcome>, Self) {
        let (resolve, wait) = oneshot::channel();
        (resolve, Self(wait))
    }

    /// Blocks this thread until the outcome is known; not for threads that run async tasks.
    pub fn wait(self) -> Outcome {
        self.0.blocking_recv().unwrap_or(Outcome::Unknown(JournalFault::Closed))
    }

    /// The outcome, if it is known already.
    pub fn settled(&mut self) -> Option<Outcome> {
        match self.0.try_recv() {
            Ok(outcome) => Some(outcome),
            Err(oneshot::error::TryRecvError::Empty) => None,
            Err(oneshot::error::TryRecvError::Closed) => {
                Some(Outcome::Unknown(JournalFault::Closed))
            }
        }
    }
}

impl Future for Ticket {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Outcome> {
        Pin::new(&mut self.0)
            .poll(cx)
            .map(|outcome| outcome.unwrap_or(Outcome::Unknown(JournalFault::Closed)))
    }
}
