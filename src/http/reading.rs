//! What is read and what is not: marking a conversation, and the numbers in lists.

use actix_web::web;
use serde_json::json;

use crate::actors::user::protocol::{Haste, MarkRead};
use crate::auth::keyring::Caller;
use crate::domain::user::ReadRefusal;
use crate::domain::user::UpTo;
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::pinned_conversations::conversation;
use crate::http::reply::{self, Answer};
use crate::wire::fields::{Fields, Problems};

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
