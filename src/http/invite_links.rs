//! Invites of a group: links with a name, an end and a number of uses.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::Caller;
use crate::http::groups::group_id;
use crate::http::reply::{self, Answer};
use ::wire::invite_links as wire;
use actors::group::invite_links::{EndInviteLink, ListInviteLinks, MakeInviteLink};
use domain::group::{InviteLink, InviteLinkRefusal};
use domain::guests::GuestsOff;
use domain::ids::InviteLinkId;

/// `GET /groups/:group_id/invites`
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    let id = group_id(&path)?;
    let links = app.directory.ask(id, ListInviteLinks { reader: caller.user }).await?;
    let now = app.directory.context().clock.now().wall;
    Ok(reply::ok(&wire::InviteList::of(id, &links, now, &app.instance)))
}

/// `POST /groups/:group_id/invites`
pub(super) async fn create(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = group_id(&path)?;
    let new = wire::read_new(&body.fields()?)?;
    if new.is_for_guests && !app.settings().await?.guests.value {
        return Err(GuestsOff.into());
    }
    let instance = Arc::clone(&app.instance);
    let show = move |link: &Arc<InviteLink>| {
        reply::payload(StatusCode::CREATED, &wire::MadeInvite::of(id, link, &instance))
    };
    Ok(act.ask(id, MakeInviteLink { by: caller.user, new }, show).await?)
}

/// `DELETE /groups/:group_id/invites/:invite_id`
pub(super) async fn end(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Answer {
    let (group, link) = path.into_inner();
    let id = group_id(&group)?;
    let link: InviteLinkId = link.parse().map_err(|_| InviteLinkRefusal::NoLink)?;
    app.directory.ask(id, EndInviteLink { by: caller.user, link }).await?;
    Ok(reply::of_rendered(reply::done(&())))
}
