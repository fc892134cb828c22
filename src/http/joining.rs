//! Coming into groups, and coming back (specification, section 4, Groups).

use actix_web::web;
use serde_json::json;

use crate::actors::group::protocol::{JoinShared, RejoinGroup};
use crate::auth::keyring::Caller;
use crate::domain::ids::GroupId;
use crate::http::body::Body;
use crate::http::door::Door;
use crate::http::groups::{group_id, shown, starter};
use crate::http::reply::{self, Answer};
use crate::wire::group::{self as wire, Members};

/// `POST /groups/:id/join/:share_token`
pub(super) async fn join(
    door: web::Data<Door>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Answer {
    let (group, token) = path.into_inner();
    let id = group_id(&group)?;
    let user = starter(&door, caller.user).await?;
    let view = door.directory.group(id, JoinShared { user, token }).await?;
    Ok(reply::ok(&json!({"group": shown(&door, &view, Members::Shown)})))
}

/// `POST /groups/join`, with the group in body, form or query.
pub(super) async fn rejoin(door: web::Data<Door>, caller: Caller, body: Body) -> Answer {
    let id = wire::read_rejoin(&body.fields()?)?;
    back(&door, &caller, id).await
}

/// `POST /groups/:id/rejoin`
pub(super) async fn rejoin_this(
    door: web::Data<Door>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    let id = group_id(&path)?;
    back(&door, &caller, id).await
}

async fn back(door: &Door, caller: &Caller, id: GroupId) -> Answer {
    let user = starter(door, caller.user).await?;
    let view = door.directory.group(id, RejoinGroup { user }).await?;
    Ok(reply::ok(&shown(door, &view, Members::Shown)))
}
