//! Pinned messages: pins and unpins them, and lists them.

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::Query;
use crate::http::caller::Caller;
use crate::http::dialect::Dialect;
use crate::http::groups::group_id;
use crate::http::messages::{page_answer, page_answer_as};
use crate::http::reply::{self, Answer};
use ::wire::conversation_list::conversation;
use actors::ask::Failure;
use actors::conversation::pins::{ListPinned, PinMessage};
use domain::chat::WriteRefusal;
use domain::ids::{Conversation, MessageId, Pair, UserId};
use domain::message::MessageJson;
use domain::pins::{PinAction, PinRefusal};
use wire::fields::{Fields, Problems};

/// The conversation and the message that a path names.
type Place = web::Path<(String, String)>;

/// `POST /conversations/:conversation_id/messages/:message_id/pin`
pub(super) async fn pin(act: Act, caller: Caller, dialect: Dialect, path: Place) -> Answer {
    action((&act, dialect), caller, path, PinAction::Pin).await
}

/// `POST /conversations/:conversation_id/messages/:message_id/unpin`
pub(super) async fn unpin(act: Act, caller: Caller, dialect: Dialect, path: Place) -> Answer {
    action((&act, dialect), caller, path, PinAction::Unpin).await
}

async fn action(
    (act, dialect): (&Act, Dialect),
    caller: Caller,
    path: Place,
    action: PinAction,
) -> Answer {
    let (conv, message) = path.into_inner();
    let conv = conversation(&conv).ok_or(PinRefusal::NotAMember)?;
    let message: MessageId = message.parse().map_err(|_| PinRefusal::NoMessage)?;
    let asked = PinMessage { by: caller.user, message, action };
    let show = move |json: &MessageJson| match dialect {
        Dialect::Specified => reply::message(StatusCode::OK, json),
        Dialect::Compatible => reply::done(json),
    };
    match conv {
        Conversation::Group(group) => Ok(act.ask(group, asked, show).await?),
        Conversation::Chat(pair) => Ok(act.ask(pair, asked, show).await?),
    }
}

/// `GET /pinned/groups/:group_id/messages`
pub(super) async fn of_group(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
) -> Answer {
    let id = group_id(&path)?;
    let found = app.directory.ask(id, ListPinned { reader: caller.user }).await?;
    Ok(page_answer(&app, dialect, (id.into(), "messages"), &found))
}

/// `GET /pinned/direct_messages?other_user_id=`
pub(super) async fn of_chat(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    query: Query,
) -> Answer {
    let mut problems = Problems::default();
    let other: Option<UserId> = Fields::of(&query.0, &mut problems).required_id("other_user_id");
    let other = problems.or(other)?;
    let pair = Pair::of(caller.user, other).ok_or(WriteRefusal::Oneself)?;
    let found: Result<_, Failure<PinRefusal>> =
        app.directory.ask(pair, ListPinned { reader: caller.user }).await;
    let found = found?;
    if found.messages.is_empty() && app.directory.context().accounts.account(other).await?.is_none()
    {
        return Err(WriteRefusal::Unknown.into());
    }
    // Existing clients read a chat's list under the second name.
    let names = ["messages", "direct_messages"];
    Ok(page_answer_as(&app, dialect, (pair.into(), &names), &found, None))
}
