//! Waits for what comes by itself, with an end. Shared by the tests of whole servers.

use std::time::Duration;

/// How long anything may take, however slow the machine is.
const PATIENCE: Duration = Duration::from_secs(120);
/// The pause between two looks.
const AGAIN: Duration = Duration::from_millis(10);

/// Looks again and again until `is_so` returns true; fails after two minutes, with the sentence of
/// what was waited for.
pub(crate) async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    until_some(what, async || is_so().await.then_some(())).await;
}

/// Looks again and again until `look` returns something, and returns it; fails as `until` does.
pub(crate) async fn until_some<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let looks = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(AGAIN).await;
        }
    };
    let found = tokio::time::timeout(PATIENCE, looks).await;
    found.unwrap_or_else(|_| panic!("two minutes were not enough until {what}"))
}
