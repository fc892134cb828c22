//! Letting people in who were invited before they had an account.
//!
//! The invite is a fact of the group, the account one of the user's room, and no commit
//! holds both. So whoever sees the two together asks the group's room: registration,
//! right after the account is durable, and every list of the user's own groups. A crash
//! between account and membership therefore heals when the user looks, and needs no
//! record of what is still to be done: the two facts are that record.

use crate::actors::ask::Failure;
use crate::actors::group::protocol::AdmitInvited;
use crate::domain::ids::UserId;
use crate::http::door::Door;
use crate::http::error::ApiError;

/// Asks every group that this user was invited to, to let them in.
///
/// # Errors
/// When the index cannot be read. A group that cannot answer now is asked again at the
/// next list.
pub(super) async fn follow_up(door: &Door, user: UserId) -> Result<(), ApiError> {
    let found = door.directory.ground().people.invitations(user).await?;
    let Some(invited) = found else { return Ok(()) };
    for group in invited.groups {
        let (user, names) = (invited.user.clone(), invited.names.clone());
        match door.directory.group(group, AdmitInvited { user, names }).await {
            Ok(()) => {}
            Err(Failure::Refused(refusal)) => {
                tracing::debug!(group.id = %group, %refusal, "an invite cannot be settled");
            }
            Err(Failure::Fault(fault)) => {
                tracing::warn!(group.id = %group, %fault, "an invite waits for the next list");
            }
        }
    }
    Ok(())
}
