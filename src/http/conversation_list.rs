//! How a user's list of conversations is arranged, the same on all devices: which are pinned at its
//! top, and the folders.

use std::collections::BTreeSet;

use actix_web::http::StatusCode;
use actix_web::web;
use serde::Serialize;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use ::wire::conversation_list::{self as wire, ConversationListResource, PinnedConversations};
use actors::user::protocol::{ArrangeList, ViewUser};
use domain::ids::Conversation;
use domain::user::{ConversationList, ConversationListChange, ReadRefusal};

/// `GET /conversation_list`: leaves out conversations that the caller is no longer in.
pub(super) async fn show(app: web::Data<AppState>, caller: Caller) -> Answer {
    let list = present(&app, &caller).await?;
    Ok(reply::ok(&ConversationListResource::of(&list)))
}

/// `PUT /conversation_list`
pub(super) async fn change(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    body: Body,
) -> Answer {
    let change = wire::read(&body.fields()?)?;
    arrange(&app, act, &caller, change, ConversationListResource::of).await
}

/// `GET /pinned_conversations`: leaves out conversations that the caller is no longer in.
pub(super) async fn pinned(app: web::Data<AppState>, caller: Caller) -> Answer {
    let list = present(&app, &caller).await?;
    Ok(reply::ok(&PinnedConversations::of(&list)))
}

/// `PUT /pinned_conversations`
pub(super) async fn pin(app: web::Data<AppState>, act: Act, caller: Caller, body: Body) -> Answer {
    let change = wire::read_pins(&body.fields()?)?;
    arrange(&app, act, &caller, change, PinnedConversations::of).await
}

/// The list without conversations that the caller is no longer in.
async fn present(app: &AppState, caller: &Caller) -> Result<ConversationList, ApiError> {
    let kept = kept(app, caller).await?;
    let own = own(app, caller, &kept).await?;
    Ok(kept.among(&own))
}

async fn kept(app: &AppState, caller: &Caller) -> Result<ConversationList, ApiError> {
    Ok(app.directory.ask(caller.user, ViewUser).await?.conversation_list())
}

/// Those of a list's conversations that the caller is in.
async fn own(
    app: &AppState,
    caller: &Caller,
    list: &ConversationList,
) -> Result<BTreeSet<Conversation>, ApiError> {
    let accounts = &app.directory.context().accounts;
    Ok(accounts.own_conversations(caller.user, list.conversations()).await?)
}

/// Changes the list. A conversation that the caller is not in is refused if it is new in the list,
/// and left out if the caller left it meanwhile, since a device may not know that yet.
async fn arrange<R: Serialize + 'static>(
    app: &AppState,
    act: Act,
    caller: &Caller,
    change: ConversationListChange,
    resource: fn(&ConversationList) -> R,
) -> Answer {
    let kept = kept(app, caller).await?;
    let known = kept.conversations();
    let wanted = kept.changed(change);
    let own = own(app, caller, &wanted).await?;
    if wanted.conversations().iter().any(|it| !own.contains(it) && !known.contains(it)) {
        return Err(ApiError::from(ReadRefusal::NotAMember));
    }
    let ConversationList { pinned, folders } = wanted.among(&own);
    let change = ConversationListChange { pinned: Some(pinned), folders: Some(folders) };
    let show = move |list: &ConversationList| reply::payload(StatusCode::OK, &resource(list));
    Ok(act.ask(caller.user, ArrangeList { change }, show).await?)
}
