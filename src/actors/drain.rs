//! The end of a server: what was answered before it was durable has to become so.

use std::sync::Arc;

use tokio::sync::watch;

/// Whether the server is about to stop, and how much is owed to people until then.
#[derive(Debug, Clone)]
pub struct Drain(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    has_begun: watch::Sender<bool>,
    owed: watch::Sender<usize>,
}

/// Something that was answered and is not durable yet; this is dropped when it is.
#[derive(Debug)]
pub struct Owed(Drain);

impl Default for Drain {
    fn default() -> Self {
        let (has_begun, owed) = (watch::Sender::new(false), watch::Sender::new(0));
        Self(Arc::new(Inner { has_begun, owed }))
    }
}

impl Drain {
    /// About to answer something that is not durable yet; `None` when the server is about
    /// to stop, and it is too late for that.
    pub fn owe(&self) -> Option<Owed> {
        self.0.owed.send_modify(|count| *count += 1);
        // Counted before it is looked, so that whoever settles waits for this one or this
        // one knows.
        let owed = Owed(self.clone());
        (!*self.0.has_begun.borrow()).then_some(owed)
    }

    /// Resolves when the server is about to stop.
    pub async fn begun(&self) {
        // The sender lives as long as this does.
        drop(self.0.has_begun.subscribe().wait_for(|has_begun| *has_begun).await);
    }

    /// Begins, and waits until nothing is owed.
    pub async fn settle(&self) {
        self.0.has_begun.send_replace(true);
        drop(self.0.owed.subscribe().wait_for(|count| *count == 0).await);
    }
}

impl Drop for Owed {
    fn drop(&mut self) {
        self.0.0.owed.send_modify(|count| *count -= 1);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn who_settles_waits_for_what_is_owed_and_nothing_more_is() {
        let drain = Drain::default();
        let owed = drain.owe().unwrap();
        let mut settling = Box::pin(drain.settle());
        assert!(settling.as_mut().now_or_never().is_none());
        assert!(drain.begun().now_or_never().is_some());
        assert!(drain.owe().is_none());
        drop(owed);
        assert!(settling.now_or_never().is_some());
    }
}
