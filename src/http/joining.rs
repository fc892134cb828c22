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
use ::wire::original::RequestedJoin;
use actors::group::protocol::{JoinShared, JoinedView, RejoinGroup, ViewShared};
use actors::idempotency::Rendered;
use domain::group::{JoinRefusal, Joining};
use domain::ids::{GroupId, UserId};

/// The code in `meta` with which clients of the original service know a request to join.
const REQUESTED_CODE: u32 = 20_101;

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
    let by = [from, seen.maker];
    let shown = Invitation::of(&seen.view.group, &by, seen.asks, &app.instance);
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
    Ok(act.ask(id, JoinShared { user, token }, joined((&app, dialect, caller))).await?)
}

/// Renders what became of a user who wanted to join by a link: the group with its members, or a
/// preview of it for who asks.
pub(super) fn joined(
    (app, dialect, caller): (&AppState, Dialect, Caller),
) -> impl Fn(&JoinedView) -> Rendered + Send + Sync + 'static {
    let instance = Arc::clone(&app.instance);
    move |JoinedView { view, joining }: &JoinedView| match joining {
        Joining::In => reply::rendered(StatusCode::OK, |body| {
            body.extend_from_slice(b"{\"group\":");
            let whole = dialect.whole(view, caller.user).shown_with(caller.scopes);
            wire::write_shown(body, whole, Members::Shown, &instance);
            body.push(b'}');
        }),
        Joining::Requested(membership) => {
            let asked = RequestedJoin::of(&view.group, *membership, &instance);
            match dialect {
                Dialect::Specified => reply::payload(StatusCode::ACCEPTED, &asked),
                Dialect::Compatible => {
                    reply::payload_with_code(StatusCode::CREATED, REQUESTED_CODE, &asked)
                }
            }
        }
    }
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
