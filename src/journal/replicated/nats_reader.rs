//! Reading on while no message comes: either there is none, or the server that reads for this node
//! has lost its place. Its heartbeats continue either way.

use std::future::Future;
use std::time::Duration;

use futures_util::{Stream, StreamExt};

use crate::replicated::nats_refusals::ClientTrouble;

/// After so long without a message, the log is asked whether it has more: a server that was
/// restarted may lag behind the others for good.
const QUIET: Duration = Duration::from_secs(1);

/// Waits for the message of sequence `next`, however long it takes; None if the server ended
/// reading. `reach` asks the log for its newest sequence.
///
/// # Errors
/// If the log has the message and the server has not delivered it after another quiet second, or if
/// the log does not answer.
pub async fn next_or_behind<M, R: Future<Output = Result<u64, ClientTrouble>>>(
    messages: &mut (impl Stream<Item = M> + Unpin),
    next: u64,
    reach: impl Fn() -> R,
) -> Result<Option<M>, ClientTrouble> {
    let mut was_behind = false;
    loop {
        if let Ok(message) = tokio::time::timeout(QUIET, messages.next()).await {
            return Ok(message);
        }
        let is_behind = reach().await? >= next;
        if is_behind && was_behind {
            return Err("the server that reads has fallen behind the log".into());
        }
        was_behind = is_behind;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use futures_util::stream;

    use super::*;

    /// Yields 7 after so many seconds.
    fn telling_after(seconds: u64) -> impl Stream<Item = u64> + Unpin {
        Box::pin(stream::once(async move {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            7
        }))
    }

    #[tokio::test(start_paused = true)]
    async fn silent_reader_is_replaced_if_the_log_has_more() {
        let asked = Cell::new(0);
        let has_more = || {
            asked.set(asked.get() + 1);
            std::future::ready(Ok(7))
        };
        let told = next_or_behind(&mut stream::pending::<u64>(), 7, has_more).await;
        // Asked twice, since a message written just now may still be on its way.
        assert_eq!((told.is_err(), asked.get()), (true, 2));
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_of_a_log_that_ends_is_waited_for() {
        let told = next_or_behind(&mut telling_after(3600), 7, || std::future::ready(Ok(6))).await;
        assert_eq!(told.unwrap(), Some(7));
    }

    #[tokio::test(start_paused = true)]
    async fn slightly_late_message_is_accepted() {
        let reach = Cell::new(5);
        let grows = || {
            reach.set(reach.get() + 1);
            std::future::ready(Ok(reach.get()))
        };
        assert_eq!(next_or_behind(&mut telling_after(2), 7, grows).await.unwrap(), Some(7));
        assert_eq!(next_or_behind(&mut telling_after(0), 7, grows).await.unwrap(), Some(7));
        let no_answer = || std::future::ready(Err("no answer".into()));
        assert!(next_or_behind(&mut telling_after(9), 7, no_answer).await.is_err());
    }
}
