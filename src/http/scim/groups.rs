//! `/scim/v2/Groups`: groups as a directory reads and writes them.

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, LOCATION};
use actix_web::{HttpResponse, web};
use serde_json::{Map, Value};

use super::changes::{directory, fields};
use super::group_roles::DirectoryWriter;
use super::{ScimAnswer, ScimFailure, refused, shown, unknown};
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::operators::OperatorCaller;
use ::wire::scim::{self as wire, Projection, ScimType, WantedGroup, WantedMembers};
use auth::scim::{GroupFilter, GroupPage};
use domain::directory_groups::ProvisionedGroup;
use domain::directory_groups::changes::{DirectoryGroupAct, MemberStep, WantedDirectoryGroup};
use domain::ids::{DirectoryGroupId, UserId};
use domain::operators::OperatorAct;

/// `GET /scim/v2/Groups`
pub(in crate::http) async fn list(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    query: Query,
) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    listed(&app, &query.0).await
}

/// `POST /scim/v2/Groups/.search`: a list whose query is in the body.
pub(in crate::http) async fn search(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    body: Body,
) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    listed(&app, &wire::read_search(fields(body)?)).await
}

async fn listed(app: &AppState, query: &Map<String, Value>) -> ScimAnswer {
    let projection = wire::read_projection(query).map_err(ScimFailure::Refused)?;
    let page = wire::read_list(query).map_err(ScimFailure::Refused)?;
    let filter = wire::read_group_filter(query).map_err(ScimFailure::Refused)?;
    let found = found(app, filter, page.start_index - 1, page.count).await?;
    let resource = |it| projection.of(&wire::group(it, &app.instance));
    let resources: Vec<_> = found.groups.iter().map(resource).collect();
    shown(StatusCode::OK, &wire::list(found.total, page.start_index, resources))
}

/// The groups that match comparisons: at most `most` after the first `skip`.
pub(super) async fn found(
    app: &AppState,
    compared: Vec<(String, String)>,
    skip: usize,
    most: usize,
) -> Result<GroupPage, ScimFailure> {
    let mut filter = GroupFilter::default();
    for (attribute, text) in compared {
        match attribute.as_str() {
            "id" => filter.id = Some(text),
            "displayname" => filter.name = Some(text),
            "externalid" => filter.external_id = Some(text),
            _ => filter.member = Some(text),
        }
    }
    Ok(app.directory.context().accounts.directory_groups(filter, skip, most).await?)
}

/// `GET /scim/v2/Groups/:group`
pub(in crate::http) async fn show(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    query: Query,
) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    let projection = wire::read_projection(&query.0).map_err(ScimFailure::Refused)?;
    let group = find(&app, &path).await?;
    shown(StatusCode::OK, &projection.of(&wire::group(&group, &app.instance)))
}

async fn find(app: &AppState, path: &str) -> Result<ProvisionedGroup, ScimFailure> {
    let id: DirectoryGroupId = path.parse().map_err(|_| unknown("group"))?;
    let found = app.directory.context().accounts.directory_group(id).await?;
    found.ok_or_else(|| unknown("group"))
}

/// `POST /scim/v2/Groups`
pub(in crate::http) async fn create(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    query: Query,
    body: Body,
) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    let projection = wire::read_projection(&query.0).map_err(ScimFailure::Refused)?;
    let wanted = wire::read_group(&fields(body)?).map_err(ScimFailure::Refused)?;
    let _turn = app.operators.directory_turn().await;
    let act = DirectoryGroupAct::Create(checked(&app, wanted).await?);
    let made = directory(&app, &operator).write(act, None).await?;
    let mut answer = shown_group(&app, StatusCode::CREATED, &projection, made.as_ref())?;
    let location = made.map(|it| wire::group_location(it.id, &app.instance)).unwrap_or_default();
    if let Ok(location) = HeaderValue::from_str(&location) {
        answer.headers_mut().insert(LOCATION, location);
    }
    Ok(answer)
}

/// `PUT /scim/v2/Groups/:group`. Attributes that the body does not have stay as they are.
pub(in crate::http) async fn replace(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    query: Query,
    body: Body,
) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    let wanted = wire::read_group(&fields(body)?).map_err(ScimFailure::Refused)?;
    change(&directory(&app, &operator), &path, &query, wanted).await
}

/// `PATCH /scim/v2/Groups/:group`
pub(in crate::http) async fn patch(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    query: Query,
    body: Body,
) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    let wanted = wire::read_group_patch(&fields(body)?).map_err(ScimFailure::Refused)?;
    change(&directory(&app, &operator), &path, &query, wanted).await
}

async fn change(
    writer: &DirectoryWriter<'_>,
    path: &str,
    query: &Query,
    wanted: WantedGroup,
) -> ScimAnswer {
    let app = writer.app;
    let projection = wire::read_projection(&query.0).map_err(ScimFailure::Refused)?;
    let _turn = app.operators.directory_turn().await;
    let group = find(app, path).await?;
    let act = DirectoryGroupAct::Change(group.id, checked(app, wanted).await?);
    let changed = writer.write(act, Some(group)).await?;
    shown_group(app, StatusCode::OK, &projection, changed.as_ref())
}

/// `DELETE /scim/v2/Groups/:group`
pub(in crate::http) async fn delete(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    let _turn = app.operators.directory_turn().await;
    let group = find(&app, &path).await?;
    let act = DirectoryGroupAct::Delete(group.id);
    directory(&app, &operator).write(act, Some(group)).await?;
    Ok(HttpResponse::NoContent().finish())
}

fn shown_group(
    app: &AppState,
    status: StatusCode,
    projection: &Projection,
    group: Option<&ProvisionedGroup>,
) -> ScimAnswer {
    let group = group.ok_or_else(|| unknown("group"))?;
    shown(status, &projection.of(&wire::group(group, &app.instance)))
}

/// Reads the ids of members.
///
/// # Errors
/// If one who comes is no account that the directory sees.
async fn checked(app: &AppState, wanted: WantedGroup) -> Result<WantedDirectoryGroup, ScimFailure> {
    let WantedGroup { name, external_id, members } = wanted;
    let no_user = |id: &str| refused(ScimType::InvalidValue, format!("members: no user {id}"));
    let coming = |ids: Vec<String>| -> Result<Vec<UserId>, ScimFailure> {
        ids.iter().map(|id| id.parse().map_err(|_| no_user(id))).collect()
    };
    let mut steps = Vec::with_capacity(members.len());
    let mut new = Vec::new();
    for step in members {
        steps.push(match step {
            WantedMembers::Add(ids) => MemberStep::Add(coming(ids)?),
            WantedMembers::Replace(ids) => MemberStep::Replace(coming(ids)?),
            // Who is no member is gone already.
            WantedMembers::Remove(ids) => {
                MemberStep::Remove(ids.iter().filter_map(|id| id.parse().ok()).collect())
            }
        });
        if let Some(step @ (MemberStep::Add(_) | MemberStep::Replace(_))) = steps.last() {
            new.extend_from_slice(step.users());
        }
    }
    let unseen = app.directory.context().accounts.unseen_by_directory(new).await?;
    if let Some(user) = unseen {
        return Err(no_user(&user.to_string()));
    }
    Ok(WantedDirectoryGroup { name, external_id, members: steps })
}
