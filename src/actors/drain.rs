//! Shutdown: what was answered before it was durable has to become durable first, and so has what a
//! mail server answers.

use std::sync::Arc;

use tokio::sync::watch;

/// Whether the server is about to stop, and how many answers have to become durable until then.
#[derive(Debug, Clone)]
pub struct Drain(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    has_begun: watch::Sender<bool>,
    owed: watch::Sender<usize>,
}

/// Held for an answer that was given and is not durable yet, or a mail under way; dropped when it is
/// recorded.
#[derive(Debug)]
pub struct DrainGuard(Drain);

impl Default for Drain {
    fn default() -> Self {
        let has_begun = watch::Sender::new(false);
        let owed = watch::Sender::new(0);
        Self(Arc::new(Inner { has_begun, owed }))
    }
}

impl Drain {
    /// Announces an answer that is not durable yet; `None` if the server is about to stop, and it
    /// is too late for such an answer.
    pub fn guard(&self) -> Option<DrainGuard> {
        self.0.owed.send_modify(|count| *count += 1);
        // Counted before the flag is read: either `settle` waits for this answer, or the flag is
        // seen here.
        let owed = DrainGuard(self.clone());
        (!*self.0.has_begun.borrow()).then_some(owed)
    }

    /// Resolves when the server is about to stop.
    pub async fn wait_for_stop(&self) {
        // `self` keeps the sender, so the wait cannot fail.
        drop(self.0.has_begun.subscribe().wait_for(|has_begun| *has_begun).await);
    }

    /// Announces the stop, and waits until every answer is durable.
    pub async fn stop(&self) {
        self.0.has_begun.send_replace(true);
        drop(self.0.owed.subscribe().wait_for(|count| *count == 0).await);
    }
}

impl Drop for DrainGuard {
    fn drop(&mut self) {
        self.0.0.owed.send_modify(|count| *count -= 1);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn drain_waits_for_pending_and_admits_no_more() {
        let drain = Drain::default();
        let owed = drain.guard().unwrap();
        let mut settling = Box::pin(drain.stop());
        assert!(settling.as_mut().now_or_never().is_none());
        assert!(drain.wait_for_stop().now_or_never().is_some());
        assert!(drain.guard().is_none());
        drop(owed);
        assert!(settling.now_or_never().is_some());
    }
}
