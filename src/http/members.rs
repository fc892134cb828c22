//! Members (specification, section 4, Members).

use actix_web::web;
use serde_json::{Value, json};

use crate::actors::group::protocol::{RemoveMember, RenameMember, RequestAdd, ShowAddResults};
use crate::auth::keyring::Caller;
use crate::domain::group::{RemoveRefusal, ResultsRefusal};
use crate::http::body::Body;
use crate::http::door::Door;
use crate::http::groups::group_id;
use crate::http::reply::{self, Answer};
use crate::wire::group as wire;

/// `POST /groups/:group_id/members/add`
pub(super) async fn add(
    door: web::Data<Door>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = group_id(&path)?;
    let mint = &door.directory.ground().mint;
    let items = wire::read_add(&body.fields()?, || format!("{:016x}", mint.add().get()))?;
    let request = door.directory.group(id, RequestAdd { by: caller.user, items }).await?;
    Ok(reply::accepted(&json!({"results_id": request.to_string()})))
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
pub(super) async fn remove(
    door: web::Data<Door>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Answer {
    let (group, membership) = path.into_inner();
    let id = group_id(&group)?;
    let membership = membership.parse().map_err(|_| RemoveRefusal::NoSuchMembership)?;
    door.directory.group(id, RemoveMember { by: caller.user, membership }).await?;
    Ok(reply::ok(&Value::Null))
}

/// `POST /groups/:group_id/memberships/update`
pub(super) async fn rename(
    door: web::Data<Door>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = group_id(&path)?;
    let nickname = wire::read_rename(&body.fields()?)?;
    let member = door.directory.group(id, RenameMember { by: caller.user, nickname }).await?;
    Ok(reply::ok(&wire::membership(&member, &door.site)))
}
