//! Permission to upload files, and drafts, to a conversation: checked when a request begins, and
//! again while its body arrives.

use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_LENGTH;
use actix_web::{HttpRequest, web};
use futures_util::StreamExt;

use crate::http::app_state::AppState;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use ::wire::conversation_list::conversation;
use domain::file::AttachedFile;
use domain::ids::{Conversation, UserId};
use domain::user::ReadRefusal;
use media::files::intake::PIECE;

/// The conversation that a path names, if this user may send files to it: a group that they are in,
/// or a chat with an existing user, whether it has begun or not.
pub(super) async fn own_conversation(
    app: &AppState,
    user: UserId,
    path: &str,
) -> Result<Conversation, ApiError> {
    let conv = conversation(path).ok_or(ReadRefusal::NotAMember)?;
    may_send(app, user, conv).await?;
    Ok(conv)
}

async fn may_send(app: &AppState, user: UserId, conv: Conversation) -> Result<(), ApiError> {
    let accounts = &app.directory.context().accounts;
    let is_own = match conv {
        Conversation::Group(_) => {
            !accounts.own_conversations(user, [conv].into()).await?.is_empty()
        }
        Conversation::Chat(pair) => match pair.other(user) {
            Some(other) => accounts.account(other).await?.is_some(),
            None => false,
        },
    };
    if is_own { Ok(()) } else { Err(ReadRefusal::NotAMember.into()) }
}

/// The size of a body in bytes, if the request announces it.
pub(super) fn announced_size(request: &HttpRequest) -> Option<u64> {
    let announced = request.headers().get(CONTENT_LENGTH)?;
    announced.to_str().ok()?.parse().ok()
}

/// The right of a caller to bring a file into a conversation.
pub(super) struct UploadRight<'a> {
    pub(super) app: &'a AppState,
    pub(super) caller: Caller,
    pub(super) conv: Conversation,
}

impl UploadRight<'_> {
    /// Checks the right again: a body may take hours, and the token or the membership may end
    /// meanwhile.
    ///
    /// # Errors
    /// 401 if the token ended, 404 if the caller is no longer in the conversation.
    pub(super) async fn check(&self) -> Result<(), ApiError> {
        if !self.app.keyring.still_opens(&self.caller).await? {
            return Err(ApiError::invalid_token());
        }
        may_send(self.app, self.caller.user, self.conv).await
    }

    /// Stores the file in a body. Each piece and the end check the right again.
    pub(super) async fn take_in(
        &self,
        request: &HttpRequest,
        name: String,
        mut payload: web::Payload,
    ) -> Result<AttachedFile, ApiError> {
        let mut intake = self.app.files.intake(self.caller.user, announced_size(request)).await?;
        let mut unchecked = 0;
        while let Some(read) = payload.next().await {
            let broken = |_| ApiError::new(StatusCode::BAD_REQUEST, "the body could not be read");
            let bytes = read.map_err(broken)?;
            unchecked += bytes.len();
            if unchecked >= PIECE {
                self.check().await?;
                unchecked = 0;
            }
            intake.add(&bytes).await?;
        }
        self.check().await?;
        Ok(intake.finish(self.conv.into(), name).await?)
    }
}
