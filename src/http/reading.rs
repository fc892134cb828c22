//! Read marks: marks a conversation as read, and tells who has read a message.

use actix_web::web;
use serde_json::json;

use crate::actors::user::protocol::{Haste, MarkRead};
use crate::auth::keyring::Caller;
use crate::domain::ids::MessageId;
use crate::domain::user::UpTo;
use crate::domain::user::{ReadByRefusal, ReadRefusal};
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::groups::group_id;
use crate::http::pinned_conversations::conversation;
use crate::http::reply::{self, Answer};
use crate::wire::fields::{Fields, Problems};
use crate::wire::reading::ReadBy;

/// `POST /conversations/:conversation_id/read`
pub(super) async fn mark(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let conv = conversation(&path).ok_or(ReadRefusal::NotAMember)?;
    let fields = body.fields()?;
    let mut problems = Problems::default();
    let message = Fields::of(&fields, &mut problems).required_id("message_id");
    let upto = UpTo::Message(problems.or(message)?);
    let asked = MarkRead { conv, upto, haste: Haste::Now };
    let mark = app.directory.ask(caller.user, asked).await?;
    let unread = app.directory.context().accounts.unread(caller.user, vec![conv]).await?;
    let unread = unread.first().copied().unwrap_or_default();
    Ok(reply::ok(&json!({
        "read_n": mark.n,
        "unread_count": unread.unread,
        "unread_mentions": unread.mentions,
    })))
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
