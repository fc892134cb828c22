//! Read marks: marks messages as read and as unread, and tells who has read a message.

use actix_web::web;
use serde_json::json;

use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::groups::group_id;
use crate::http::reply::{self, Answer};
use ::wire::conversation_list::conversation;
use actors::user::protocol::{MarkRead, MarkUnread, MarkedRead};
use domain::ids::{Conversation, MessageId, UserId};
use domain::user::{ReadByRefusal, ReadRefusal, UpTo};
use wire::fields::{Fields, Problems};
use wire::read_receipts::ReadBy;

/// `POST /conversations/:conversation_id/read`
pub(super) async fn mark(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let conv = conversation(&path).ok_or(ReadRefusal::NotAMember)?;
    let upto = UpTo::Message(message_id(body)?);
    let marked = read_up_to(&app, caller.user, conv, upto).await?;
    shown(&app, caller.user, marked).await
}

/// `POST /conversations/:conversation_id/unread`
pub(super) async fn mark_unread(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let conv = conversation(&path).ok_or(ReadRefusal::NotAMember)?;
    let message = message_id(body)?;
    let marked = app.directory.ask(caller.user, MarkUnread { conv, message }).await?;
    shown(&app, caller.user, marked).await
}

/// The `message_id` of a body.
fn message_id(body: Body) -> Result<MessageId, ApiError> {
    let fields = body.fields()?;
    let mut problems = Problems::default();
    let message = Fields::of(&fields, &mut problems).required_id("message_id");
    Ok(problems.or(message)?)
}

async fn shown(app: &AppState, user: UserId, marked: MarkedRead) -> Answer {
    let MarkedRead { mark, unread } = marked;
    let unread = match unread {
        Some(unread) => unread,
        None => {
            let accounts = &app.directory.context().accounts;
            accounts.unread(user, vec![mark.conv]).await?.first().copied().unwrap_or_default()
        }
    };
    Ok(reply::ok(&json!({
        "read_n": mark.n,
        "unread_count": unread.unread,
        "unread_mentions": unread.mentions,
    })))
}

/// Marks a conversation as read, and returns the mark that is then there. Every later read
/// shows it.
///
/// # Errors
/// The refusals of [`MarkRead`].
pub(super) async fn read_up_to(
    app: &AppState,
    user: UserId,
    conv: Conversation,
    upto: UpTo,
) -> Result<MarkedRead, ApiError> {
    Ok(app.directory.ask(user, MarkRead { conv, upto }).await?)
}

/// `GET /groups/:group_id/messages/:message_id/read_by`
pub(super) async fn read_by(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Answer {
    let (group, message) = path.into_inner();
    let id = group_id(&group)?;
    let message: MessageId = message.parse().map_err(|_| ReadByRefusal::NoMessage)?;
    let archive = &app.directory.context().archive;
    let reader = caller.user;
    let found = archive.read_current(reader, move |it| it.read_by(reader, id, message)).await?;
    Ok(reply::ok(&ReadBy::of(&found?)))
}
