//! Members (specification, section 4, Members).

use actix_web::web;
use serde_json::json;

use crate::actors::group::protocol::{RequestAdd, ShowAddResults};
use crate::auth::keyring::Caller;
use crate::domain::group::ResultsRefusal;
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
