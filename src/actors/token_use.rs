//! Records which tokens are in use, so that this is known after a restart.

use std::sync::Arc;
use std::time::Duration;

use crate::ask::Failure;
use crate::directory::Directory;
use crate::errand::Errand;
use auth::keyring::Keyring;

/// Has rooms record the token uses that are due, one after another; there is no hurry. Each token
/// is due at most once a day. Runs until the actix system stops.
pub async fn note_tokens(keyring: Arc<Keyring>, directory: Directory, every: Duration) {
    loop {
        tokio::time::sleep(every).await;
        for (id, user) in keyring.take_due() {
            match directory.run(Errand::NoteTokenUse { user, id }).await {
                Ok(()) | Err(Failure::Refused(_)) => {}
                // The use is recorded tomorrow instead.
                Err(Failure::Fault(fault)) => {
                    tracing::debug!(
                        %fault,
                        "recording the use of a token failed; retrying tomorrow"
                    );
                }
            }
        }
    }
}
