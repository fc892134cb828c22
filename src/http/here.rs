//! Who is here, for messages that mention whoever is.

use actix_web::web;

use crate::domain::addressing::mentions_whoever_is_here;
use crate::domain::attachment::Attachment;
use crate::domain::ids::{Conversation, UserId};
use crate::http::app_state::AppState;
use crate::http::error::ApiError;

/// Who is here besides the author, if attachments mention whoever is. Nobody in a group that
/// is so large that presence is not told there.
///
/// # Errors
/// On our own trouble.
pub(super) async fn mentioned(
    app: &AppState,
    author: UserId,
    conversation: Conversation,
    attachments: &[Attachment],
) -> Result<Vec<UserId>, ApiError> {
    if !mentions_whoever_is_here(attachments) {
        return Ok(Vec::new());
    }
    let presence = app.subscribers.presence.clone();
    let look = move || presence.others(author, conversation);
    let found = web::block(look).await.map_err(|error| ApiError::fault(&error))?;
    Ok(found?)
}
