//! Drafts: messages that the caller has written but not sent.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller::Caller;
use crate::http::carried;
use crate::http::reply::{self, Answer};
use crate::http::upload_right::own_conversation;
use ::wire::conversation_list::conversation;
use ::wire::draft::{self as wire, KeptDraft};
use ::wire::fields::{Fields, Problems};
use actors::user::drafts::KeepDraft;
use domain::user::Draft;

/// `GET /drafts?after=CONVERSATION_ID`: by their conversations.
pub(super) async fn list(app: web::Data<AppState>, caller: Caller, query: Query) -> Answer {
    let mut problems = Problems::default();
    let after = Fields::of(&query.0, &mut problems)
        .parsed("after", |named| conversation(&named).ok_or("is not the id of a conversation"));
    let after = problems.or(Some(after))?;
    let now = app.clock.now().wall;
    let mut found = app.directory.context().accounts.drafts(caller.user).await?;
    found.retain(|(conv, draft)| {
        caller.scopes.reads(*conv) && draft.is_kept(now) && after.is_none_or(|after| *conv > after)
    });
    found.sort_by_key(|(conv, _)| *conv);
    let drafts = found.iter().map(|(conv, draft)| wire::resource(*conv, draft, &app.instance));
    let list = reply::list_json(drafts)?;
    Ok(reply::raw(StatusCode::OK, |body| {
        body.extend_from_slice(b"{\"drafts\":");
        body.extend_from_slice(&list.json);
        body.extend_from_slice(format!(",\"more\":{}}}", list.is_cut).as_bytes());
    }))
}

/// `GET /drafts/:conversation_id`
pub(super) async fn show(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    let conv = own_conversation(&app, caller.user, &path).await?;
    let now = app.clock.now().wall;
    let found = app.directory.context().accounts.draft(caller.user, conv).await?;
    let kept = found.filter(|draft| draft.is_kept(now));
    let draft = kept.as_ref().map(|draft| wire::resource(conv, draft, &app.instance));
    Ok(reply::ok(&KeptDraft { draft }))
}

/// `PUT /drafts/:conversation_id`
pub(super) async fn keep(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let (text, mut attachments) = wire::read(&body.fields()?, &app.instance)?;
    let conv = own_conversation(&app, caller.user, &path).await?;
    carried::resolve_attachments(&app, Some(caller.user), conv, ("", &mut attachments)).await?;
    let instance = Arc::clone(&app.instance);
    let show = move |draft: &Draft| {
        let kept = Some(draft).filter(|draft| !draft.is_empty());
        let draft = kept.map(|draft| wire::resource(conv, draft, &instance));
        reply::payload(StatusCode::OK, &KeptDraft { draft })
    };
    Ok(act.ask(caller.user, KeepDraft { conv, text, attachments }, show).await?)
}
