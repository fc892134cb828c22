//! Groups as operators see them, and what they do to them.

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::error::ApiError;
use crate::http::operators::OperatorCaller;
use crate::http::reply::{self, Answer};
use ::wire::operators as wire;
use actors::group::protocol::OperateGroup;
use domain::audit::AdminAct;
use domain::group::{OperatorGroupAct, OperatorGroupRefusal};
use domain::ids::GroupId;
use domain::operators::OperatorAct;

/// `GET /admin/groups`
pub(super) async fn list(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    query: Query,
) -> Answer {
    operator.may(OperatorAct::SeeGroups)?;
    let query = wire::read_list(&query.0)?;
    let page = app.directory.context().accounts.groups(query).await?;
    let groups = page.entries.iter().map(|it| wire::group(it, &app.instance)).collect();
    let before = page.before.map(|before| before.to_string());
    Ok(reply::ok(&wire::AdminGroups { groups, before }))
}

/// `GET /admin/groups/:group`
pub(super) async fn show(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
) -> Answer {
    operator.may(OperatorAct::SeeGroups)?;
    answer_with(&app, group_of(&path)?).await
}

/// `POST /admin/groups/:group/freeze`
pub(super) async fn freeze(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    operator.may(OperatorAct::ManageGroups)?;
    let group =
        operate(&app, &operator, &path, body, |reason| OperatorGroupAct::Freeze { reason }).await?;
    answer_with(&app, group).await
}

/// `POST /admin/groups/:group/unfreeze`
pub(super) async fn unfreeze(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    operator.may(OperatorAct::ManageGroups)?;
    let group = operate(&app, &operator, &path, body, |_| OperatorGroupAct::Unfreeze).await?;
    answer_with(&app, group).await
}

/// `POST /admin/groups/:group/unlist`
pub(super) async fn unlist(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    operator.may(OperatorAct::ManageGroups)?;
    let group = operate(&app, &operator, &path, body, |_| OperatorGroupAct::Unlist).await?;
    answer_with(&app, group).await
}

/// `DELETE /admin/groups/:group`
pub(super) async fn disband(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    operator.may(OperatorAct::DisbandGroups)?;
    operate(&app, &operator, &path, body, |_| OperatorGroupAct::Disband).await?;
    Ok(reply::ok(&()))
}

/// Does to the group of a path what an operator asks for, with the entry in the audit log; returns the
/// group. `act_for` makes the act from the reason in the body.
async fn operate(
    app: &AppState,
    operator: &OperatorCaller,
    path: &str,
    body: Body,
    act_for: impl FnOnce(String) -> OperatorGroupAct,
) -> Result<GroupId, ApiError> {
    let reason = wire::read_reason(&body.fields()?)?;
    let group = group_of(path)?;
    let act = act_for(reason.clone());
    let audit = operator.audits(audited(&act, group), reason);
    app.directory.ask_audited(group, OperateGroup(act), audit).await?;
    Ok(group)
}

/// The act in the audit log.
const fn audited(act: &OperatorGroupAct, group: GroupId) -> AdminAct {
    match act {
        OperatorGroupAct::Freeze { .. } => AdminAct::GroupFrozen { group },
        OperatorGroupAct::Unfreeze => AdminAct::GroupUnfrozen { group },
        OperatorGroupAct::Unlist => AdminAct::GroupUnlisted { group },
        OperatorGroupAct::Disband => AdminAct::GroupDisbanded { group },
    }
}

fn no_such_group() -> ApiError {
    OperatorGroupRefusal::NoSuchGroup.into()
}

fn group_of(path: &str) -> Result<GroupId, ApiError> {
    path.parse().map_err(|_| no_such_group())
}

async fn answer_with(app: &AppState, group: GroupId) -> Answer {
    let found = app.directory.context().accounts.group(group).await?;
    Ok(reply::ok(&wire::group(&found.ok_or_else(no_such_group)?, &app.instance)))
}

impl From<OperatorGroupRefusal> for ApiError {
    fn from(refusal: OperatorGroupRefusal) -> Self {
        let status = match refusal {
            OperatorGroupRefusal::NoSuchGroup => StatusCode::NOT_FOUND,
            OperatorGroupRefusal::Frozen
            | OperatorGroupRefusal::NotFrozen
            | OperatorGroupRefusal::NotListed => StatusCode::CONFLICT,
        };
        Self::new(status, refusal)
    }
}
