//! Members (specification, section 4, Members).

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web;
use serde_json::json;

use crate::actors::group::protocol::{
    MuteGroup, RemoveMember, RenameMember, RequestAdd, ShowAddResults,
};
use crate::auth::keyring::Caller;
use crate::domain::group::{RemoveRefusal, ResultsRefusal};
use crate::http::act::Act;
use crate::http::body::Body;
use crate::http::door::Door;
use crate::http::groups::group_id;
use crate::http::reply::{self, Answer};
use crate::wire::group as wire;

/// `POST /groups/:group_id/members/add`
pub(super) async fn add(
    door: web::Data<Door>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = group_id(&path)?;
    let mint = &door.directory.ground().mint;
    let items = wire::read_add(&body.fields()?, || format!("{:016x}", mint.add().get()))?;
    let done = act.group(id, RequestAdd { by: caller.user, items }, |request| {
        reply::payload(StatusCode::ACCEPTED, &json!({"results_id": request.to_string()}))
    });
    Ok(done.await?)
}

/// `GET /groups/:group_id/members/results/:results_id`
pub(super) async fn results(
    door: web::Data<Door>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Answer {
    let (group, request) = path.into_inner();
    let id = group_id(&group)?;
    let request = request.parse().map_err(|_| ResultsRefusal::Gone)?;
    let asked = ShowAddResults { asker: caller.user, request };
    let results = door.directory.group(id, asked).await?;
    Ok(reply::ok(&wire::add_results(&results, &door.site)))
}

/// `POST /groups/:group_id/members/:membership_id/remove`
pub(super) async fn remove(act: Act, caller: Caller, path: web::Path<(String, String)>) -> Answer {
    let (group, membership) = path.into_inner();
    let id = group_id(&group)?;
    let membership = membership.parse().map_err(|_| RemoveRefusal::NoSuchMembership)?;
    Ok(act.group(id, RemoveMember { by: caller.user, membership }, reply::done).await?)
}

/// `POST /groups/:group_id/memberships/update`
pub(super) async fn rename(
    door: web::Data<Door>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = group_id(&path)?;
    let nickname = wire::read_rename(&body.fields()?)?;
    let site = Arc::clone(&door.site);
    let done = act.group(id, RenameMember { by: caller.user, nickname }, move |member| {
        reply::payload(StatusCode::OK, &wire::membership(member, &site))
    });
    Ok(done.await?)
}

/// `POST /groups/:group_id/memberships/mute`
pub(super) async fn mute(
    door: web::Data<Door>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    set_muted(&door, &act, &caller, &path, true).await
}

/// `POST /groups/:group_id/memberships/unmute`
pub(super) async fn unmute(
    door: web::Data<Door>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    set_muted(&door, &act, &caller, &path, false).await
}

async fn set_muted(door: &Door, act: &Act, caller: &Caller, group: &str, muted: bool) -> Answer {
    let (id, site) = (group_id(group)?, Arc::clone(&door.site));
    let asked = MuteGroup { by: caller.user, muted };
    let done = act.group(id, asked, move |member| {
        reply::payload(StatusCode::OK, &wire::membership(member, &site))
    });
    Ok(done.await?)
}
