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
use crate::http::error::ApiError;
use crate::http::groups::{group_id, newcomer, whole};
use crate::http::reply::{self, Answer};
use ::wire::fields::{Fields, Problems};
use ::wire::group::{self as wire, Members};
use ::wire::group_bodies;
use ::wire::instance::Instance;
use ::wire::invitation::Invitation;
use ::wire::join_request::read_answer;
use ::wire::original::RequestedJoin;
use actors::ask::Failure;
use actors::group::protocol::{GroupView, JoinShared, JoinedView, RejoinGroup, ViewShared};
use actors::idempotency::Rendered;
use base::bounds::Full;
use domain::group::{JoinAttempt, JoinRefusal, Joining};
use domain::ids::{GroupId, UserId};

/// The codes in `meta` by which clients of the original service tell the results of a join apart.
const ALREADY_CODE: u32 = 20_000;
const JOINED_CODE: u32 = 20_100;
const REQUESTED_CODE: u32 = 20_101;
const ANSWER_CODE: u16 = 40_016;

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
    let mut shown = shown.ok_or(JoinRefusal::NoSuchGroup)?;
    shown.guest = seen.guest.is_some() && app.settings().await?.guests.value;
    Ok(reply::ok(&shown))
}

/// `POST /groups/:id/join/:share_token`
pub(super) async fn join(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<(String, String)>,
    body: Body,
) -> Answer {
    let (group, token) = path.into_inner();
    let id = group_id(&group)?;
    let fields = body.fields()?;
    let mut problems = Problems::default();
    let answer = read_answer(&mut Fields::of(&fields, &mut problems));
    let answer = problems.or(Some(answer))?;
    attempt(&app, dialect, caller, &act, id, JoinAttempt::new(token, answer)).await
}

/// Joins a group, or asks to.
pub(super) async fn attempt(
    app: &AppState,
    dialect: Dialect,
    caller: Caller,
    act: &Act,
    id: GroupId,
    mut attempt: JoinAttempt,
) -> Answer {
    let asker = caller.user;
    // Two requests at once would both be counted as the last one.
    let turn = app.joins.acquire(asker.into()).await;
    let _turn = turn.map_err(|Full| ApiError::unavailable())?;
    let user = newcomer(app, asker).await?;
    let now = app.clock.now().wall;
    let archive = &app.directory.context().archive;
    let open = archive.read_current(asker, move |it| it.index.requests_elsewhere(asker, id, now));
    attempt.open_elsewhere = open.await?;
    let asked = act.ask(id, JoinShared { user, attempt }, joined((app, dialect, caller))).await;
    asked.map_err(|failure| {
        let is_unanswered = matches!(failure, Failure::Refused(JoinRefusal::AnswerRequired));
        let refused = ApiError::from(failure);
        match dialect {
            Dialect::Compatible if is_unanswered => refused.with_code(ANSWER_CODE),
            Dialect::Compatible | Dialect::Specified => refused,
        }
    })
}

/// Renders what became of a user who wanted to join: the group with its members, or a
/// preview of it for who asks.
fn joined(
    (app, dialect, caller): (&AppState, Dialect, Caller),
) -> impl Fn(&JoinedView) -> Rendered + Send + Sync + 'static {
    let instance = Arc::clone(&app.instance);
    let shown_with = move |view: &GroupView, instance: &Instance, body: &mut Vec<u8>| {
        body.extend_from_slice(b"{\"group\":");
        let whole = dialect.whole(view, caller.user).shown_with(caller.scopes);
        wire::write_shown(body, whole, Members::Shown, instance);
        body.push(b'}');
    };
    move |JoinedView { view, joining }: &JoinedView| match joining {
        Joining::In | Joining::Already => {
            let (status, code) = match (dialect, joining) {
                (Dialect::Specified, _) => (StatusCode::OK, StatusCode::OK.as_u16().into()),
                (Dialect::Compatible, Joining::Already) => (StatusCode::OK, ALREADY_CODE),
                (Dialect::Compatible, _) => (StatusCode::CREATED, JOINED_CODE),
            };
            reply::rendered_with_code(status, code, |body| shown_with(view, &instance, body))
        }
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
