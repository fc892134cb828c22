//! Members (specification, section 4, Members).

use std::collections::BTreeSet;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::access;
use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller::Caller;
use crate::http::dialect::Dialect;
use crate::http::groups::{group_id, permit_adding};
use crate::http::reply::{self, Answer};
use ::wire::group_bodies;
use ::wire::membership::{self as wire, AddRequested};
use ::wire::permissions::{self, Permissions};
use actors::group::protocol::{
    ChangeRole, FindMembership, RemoveMember, RenameMember, RequestAdd, ShowAddResults, ViewGroup,
    ViewRefusal,
};
use domain::group::{GroupAct, RemoveRefusal, ResultsRefusal, RoleRefusal};
use domain::ids::GroupId;
use domain::scopes::Scope;

/// `POST /groups/:group_id/members/add`
pub(super) async fn add(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = group_id(&path)?;
    let id_generator = &app.directory.context().id_generator;
    let items =
        group_bodies::read_add(&body.fields()?, || format!("{:016x}", id_generator.add().get()))?;
    let by = permit_adding(&app, &caller, id, &items).await?;
    let done = act.ask(id, RequestAdd { by, items }, |request| {
        reply::payload(StatusCode::ACCEPTED, &AddRequested::from(*request))
    });
    Ok(done.await?)
}

/// `GET /groups/:group_id/members?filter=active|inactive`
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
    query: Query,
) -> Answer {
    let id = group_id(&path)?;
    let is_inactive = group_bodies::read_filter(&query.0)?;
    let view = app.directory.ask(id, ViewGroup { reader: caller.user }).await?;
    let member = view.group.member(caller.user).ok_or(ViewRefusal::NotAMember)?;
    let now = app.directory.context().clock.now().wall;
    view.group.permit(member, GroupAct::ListMembers, now)?;
    let former = match is_inactive {
        true => app.directory.context().accounts.former_members(id).await?,
        false => Vec::new(),
    };
    Ok(reply::ok(&match is_inactive {
        true => wire::former(&former, &app.instance),
        false => wire::active(view.group.all_members(), &app.instance),
    }))
}

/// `GET /memberships/states`
pub(super) async fn states(app: web::Data<AppState>, caller: Caller) -> Answer {
    let seats = app.directory.context().accounts.seats(caller.user).await?;
    let was_in = seats.into_iter().filter(|(_, it)| !it.disbanded && !it.stays.is_empty());
    let now = app.clock.now().wall;
    let user = caller.user;
    let archive = &app.directory.context().archive;
    let sent = archive.read_current(user, move |it| it.index.sent_requests(user, now)).await?;
    let open = sent.iter().filter(|request| !request.is_denied);
    let asked: BTreeSet<GroupId> = open.map(|request| request.group).collect();
    let was_in = was_in.filter(|(group, _)| !asked.contains(group));
    let shown = was_in.map(|(group, seat)| wire::state(group, seat.is_active(), seat.left));
    reply::list(shown.chain(asked.iter().map(|group| wire::pending(*group))))
}

/// `GET /groups/:group_id/members/results/:results_id`
pub(super) async fn results(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Answer {
    let (group, request) = path.into_inner();
    let id = group_id(&group)?;
    let request = request.parse().map_err(|_| ResultsRefusal::Gone)?;
    let asked = ShowAddResults { asker: caller.user, request };
    let results = app.directory.ask(id, asked).await?;
    Ok(reply::ok(&wire::add_results(&results, &app.instance)))
}

/// `POST /groups/:group_id/members/:membership_id/remove`
pub(super) async fn remove(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Answer {
    let (group, membership) = path.into_inner();
    let id = group_id(&group)?;
    let membership = membership.parse().map_err(|_| RemoveRefusal::NoSuchMembership)?;
    if !caller.scopes.has(Scope::GroupsManage) {
        let asked = FindMembership { reader: caller.user, membership };
        let (user, _) = app.directory.ask(id, asked).await?;
        access::permit_membership(&caller, user)?;
    }
    Ok(act.ask(id, RemoveMember { by: caller.user, membership }, reply::done).await?)
}

/// `POST /groups/:group_id/members/:membership_id/update`
pub(super) async fn change_role(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<(String, String)>,
    body: Body,
) -> Answer {
    let (group, membership) = path.into_inner();
    let id = group_id(&group)?;
    let role = permissions::read_role(&body.fields()?)?;
    let membership = membership.parse().map_err(|_| RoleRefusal::NoSuchMembership)?;
    let instance = Arc::clone(&app.instance);
    let asked = ChangeRole { by: caller.user, membership, role };
    let done = act.ask(id, asked, move |member| {
        let shown = wire::MemberWithRole::of(member, dialect.messages(), &instance);
        reply::payload(StatusCode::OK, &shown)
    });
    Ok(done.await?)
}

/// `GET /groups/:group_id/permissions`
pub(super) async fn show_permissions(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    let view = app.directory.ask(group_id(&path)?, ViewGroup { reader: caller.user }).await?;
    let member = view.group.member(caller.user).ok_or(ViewRefusal::NotAMember)?;
    let now = app.directory.context().clock.now().wall;
    Ok(reply::ok(&Permissions::of(&view.group, member, now)))
}

/// `POST /groups/:group_id/memberships/update`
pub(super) async fn rename(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = group_id(&path)?;
    let nickname = group_bodies::read_rename(&body.fields()?)?;
    let instance = Arc::clone(&app.instance);
    let done = act.ask(id, RenameMember { by: caller.user, nickname }, move |member| {
        reply::payload(StatusCode::OK, &wire::membership(member, &instance))
    });
    Ok(done.await?)
}
