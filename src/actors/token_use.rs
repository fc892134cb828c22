//! Writes down which tokens are in use, so that it is known after a restart.

use std::sync::Arc;
use std::time::Duration;

use crate::actors::ask::Failure;
use crate::actors::directory::Directory;
use crate::actors::user::protocol::{NoteTokenUse, UserRefusal};
use crate::auth::keyring::Keyring;

/// Asks the rooms to note what is due, one after another: it may take its time. Each token
/// is due once a day at most. Ends with the system that it runs on.
pub async fn note_tokens(keyring: Arc<Keyring>, directory: Directory, every: Duration) {
    loop {
        tokio::time::sleep(every).await;
        for (id, user) in keyring.take_due() {
            match directory.ask(user, NoteTokenUse { id }).await {
                Ok(()) | Err(Failure::Refused(UserRefusal::Unknown)) => {}
                // It is noted again tomorrow.
                Err(Failure::Fault(fault)) => {
                    tracing::debug!(%fault, "the use of a token was not noted");
                }
            }
        }
    }
}
