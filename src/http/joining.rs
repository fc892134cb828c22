//! Joining groups, and rejoining them (specification, section 4, Groups).

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller;
use crate::http::caller::Caller;
use crate::http::dialect::Dialect;
use crate::http::groups::{group_id, newcomer, whole};
use crate::http::reply::{self, Answer};
use ::wire::fields::{Fields, Problems};
use ::wire::group::{self as wire, Members};
use ::wire::group_bodies;
use ::wire::invitation::Invitation;
use actors::group::protocol::{JoinShared, RejoinGroup, ViewShared};
use domain::group::JoinRefusal;
use domain::ids::{GroupId, UserId};

/// `GET /groups/:id/join/:share_token?from=USER`: shows the group behind a share link, to people
/// without an account too. Anybody with the token could join and see more.
pub(super) async fn invitation(
    app: web::Data<AppState>,
    request: HttpRequest,
    path: web::Path<(String, String)>,
    query: Query,
) -> Answer {
    let (group, token) = path.into_inner();
    let mut problems = Problems::default();
    let from = Fields::of(&query.0, &mut problems).id::<UserId>("from");
    problems.or(Some(()))?;
    let viewer = caller::viewer(&app, &request).await?;
    let id: GroupId = group.parse().map_err(|_| JoinRefusal::NoSuchGroup)?;
    let seen = app.directory.ask(id, ViewShared { token, viewer }).await?;
    let shown = Invitation::of(&seen.group, from, &app.instance);
    Ok(reply::ok(&shown.ok_or(JoinRefusal::NoSuchGroup)?))
}

/// `POST /groups/:id/join/:share_token`
pub(super) async fn join(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<(String, String)>,
) -> Answer {
    let (group, token) = path.into_inner();
    let id = group_id(&group)?;
    let user = newcomer(&app, caller.user).await?;
    let instance = Arc::clone(&app.instance);
    let done = act.ask(id, JoinShared { user, token }, move |view| {
        reply::rendered(StatusCode::OK, |body| {
            body.extend_from_slice(b"{\"group\":");
            let whole = dialect.whole(view, caller.user).shown_with(caller.scopes);
            wire::write_shown(body, whole, Members::Shown, &instance);
            body.push(b'}');
        })
    });
    Ok(done.await?)
}

/// `POST /groups/join`, with the group in the body (JSON or form) or the query.
pub(super) async fn rejoin(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    body: Body,
) -> Answer {
    let id = group_bodies::read_rejoin(&body.fields()?)?;
    back((&app, dialect), &act, &caller, id).await
}

/// `POST /groups/:id/rejoin`
pub(super) async fn rejoin_this(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
) -> Answer {
    let id = group_id(&path)?;
    back((&app, dialect), &act, &caller, id).await
}

async fn back(
    (app, dialect): (&AppState, Dialect),
    act: &Act,
    caller: &Caller,
    id: GroupId,
) -> Answer {
    let user = newcomer(app, caller.user).await?;
    let show = whole((app, dialect, *caller), StatusCode::OK);
    Ok(act.ask(id, RejoinGroup { user }, show).await?)
}
