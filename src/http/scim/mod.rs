//! `/scim/v2`: accounts and groups as a directory manages them (RFC 7644), with a token of an admin.

use actix_web::body::BoxBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, HttpResponse, ResponseError, web};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::error::ApiError;
use crate::http::operators::OperatorCaller;
use ::wire::scim::{
    self as wire, ListWanted, MEDIA_TYPE, Projection, ScimRefusal, ScimResource, ScimType,
    ScimUser, ShownUser,
};
use auth::scim::{DirectoryAccount, DirectoryFilter, DirectoryPage};
use domain::operators::OperatorAct;

mod changes;
pub(super) mod group_roles;
pub(super) mod groups;
pub(super) mod tokens;

pub(super) use changes::{create, delete, patch, replace};

/// The result of a handler.
type ScimAnswer = Result<HttpResponse, ScimFailure>;

/// An error response in the form of SCIM.
#[derive(Debug, thiserror::Error)]
pub(super) enum ScimFailure {
    /// An error that other parts of the API have, too.
    #[error("{0}")]
    Api(ApiError),
    /// A refusal that SCIM has a name for.
    #[error("{0}")]
    Refused(ScimRefusal),
}

impl ResponseError for ScimFailure {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Api(error) => error.status_code(),
            Self::Refused(refusal) if refusal.kind == ScimType::Uniqueness => StatusCode::CONFLICT,
            Self::Refused(_) => StatusCode::BAD_REQUEST,
        }
    }

    fn error_response(&self) -> HttpResponse {
        match self {
            Self::Api(error) => in_form(error.error_response(), None, error.reasons()),
            Self::Refused(refusal) => {
                let empty = HttpResponse::new(self.status_code());
                in_form(empty, Some(refusal.kind), refusal.detail.clone())
            }
        }
    }
}

impl<E: Into<ApiError>> From<E> for ScimFailure {
    fn from(error: E) -> Self {
        Self::Api(error.into())
    }
}

fn refused(kind: ScimType, detail: impl Into<String>) -> ScimFailure {
    ScimFailure::Refused(ScimRefusal::new(kind, detail))
}

/// Puts an error into the form of SCIM. Its status and headers stay.
fn in_form(response: HttpResponse, kind: Option<ScimType>, detail: String) -> HttpResponse {
    let error = wire::error(response.status().as_u16(), kind, detail);
    let body = serde_json::to_vec(&error).unwrap_or_default();
    let mut response = response.set_body(BoxBody::new(body));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    response
}

/// Puts the errors of the layers around the handlers into the form of SCIM.
///
/// # Errors
/// If the wrapped service fails.
pub(super) async fn errors_in_form(
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    let answer = next.call(request).await?;
    let error = answer.response().error().and_then(|error| error.as_error::<ApiError>());
    match error.map(|error| in_form(error.error_response(), None, error.reasons())) {
        Some(response) => Ok(answer.into_response(response)),
        None => Ok(answer),
    }
}

/// Every path that is none of SCIM here.
pub(super) async fn nothing_here() -> ScimAnswer {
    Err(ApiError::new(StatusCode::NOT_FOUND, "there is nothing at this path").into())
}

fn shown(status: StatusCode, resource: &impl Serialize) -> ScimAnswer {
    let body = serde_json::to_vec(resource).map_err(|error| ApiError::fault(&error))?;
    Ok(HttpResponse::build(status).content_type(MEDIA_TYPE).body(body))
}

/// `GET /scim/v2/ServiceProviderConfig`
pub(super) async fn configuration(
    app: web::Data<AppState>,
    operator: OperatorCaller,
) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    shown(StatusCode::OK, &wire::service_provider_config(&app.instance))
}

/// `GET /scim/v2/ResourceTypes`
pub(super) async fn resource_types(
    app: web::Data<AppState>,
    operator: OperatorCaller,
) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    let types = wire::resource_types(&app.instance);
    shown(StatusCode::OK, &wire::list(types.len(), 1, types))
}

/// `GET /scim/v2/ResourceTypes/:name`
pub(super) async fn resource_type(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    let found = wire::resource_types(&app.instance).into_iter().find(|it| it["id"] == **path);
    shown(StatusCode::OK, &found.ok_or_else(|| unknown("resource type"))?)
}

/// `GET /scim/v2/Schemas`
pub(super) async fn schemas(app: web::Data<AppState>, operator: OperatorCaller) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    let schemas = wire::schemas(&app.instance);
    shown(StatusCode::OK, &wire::list(schemas.len(), 1, schemas))
}

/// `GET /scim/v2/Schemas/:id`
pub(super) async fn schema(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    let found = wire::schemas(&app.instance).into_iter().find(|it| it["id"] == **path);
    shown(StatusCode::OK, &found.ok_or_else(|| unknown("schema"))?)
}

fn unknown(what: &str) -> ScimFailure {
    ApiError::new(StatusCode::NOT_FOUND, format!("there is no such {what}")).into()
}

/// `GET /scim/v2/Users`
pub(super) async fn users(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    query: Query,
) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    list(&app, &query.0).await
}

/// `POST /scim/v2/.search`: a list of accounts, then groups, whose query is in the body.
pub(super) async fn search(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    body: Body,
) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    let query = wire::read_search(changes::fields(body)?);
    let projection = wire::read_projection(&query).map_err(ScimFailure::Refused)?;
    let page = wire::read_list(&query).map_err(ScimFailure::Refused)?;
    // A filter may compare attributes that only one of both has.
    let users = wire::read_filter(&query);
    let groups = wire::read_group_filter(&query);
    let mut found = match (&users, &groups) {
        (Err(refusal), Err(_)) => return Err(ScimFailure::Refused(refusal.clone())),
        (Err(_), Ok(_)) => DirectoryPage::default(),
        (Ok(filter), _) => accounts_of(&app, filter.clone(), page).await?,
    };
    let skip = (page.start_index - 1).saturating_sub(found.total);
    let rest = page.count - found.accounts.len();
    let all = resources(&app, &std::mem::take(&mut found.accounts)).await?;
    let mut all: Vec<_> = all.into_iter().map(|it| ScimResource::User(Box::new(it))).collect();
    if let Ok(filter) = groups {
        let groups = groups::found(&app, filter, skip, rest).await?;
        found.total += groups.total;
        let resource = |it| ScimResource::Group(Box::new(wire::group(it, &app.instance)));
        all.extend(groups.groups.iter().map(resource));
    }
    let all: Vec<_> = all.iter().map(|it| projection.of(it)).collect();
    shown(StatusCode::OK, &wire::list(found.total, page.start_index, all))
}

async fn list(app: &AppState, query: &Map<String, Value>) -> ScimAnswer {
    let projection = wire::read_projection(query).map_err(ScimFailure::Refused)?;
    let page = wire::read_list(query).map_err(ScimFailure::Refused)?;
    let filter = wire::read_filter(query).map_err(ScimFailure::Refused)?;
    let found = accounts_of(app, filter, page).await?;
    let resources = resources(app, &found.accounts).await?;
    let resources: Vec<_> = resources.iter().map(|it| projection.of(it)).collect();
    shown(StatusCode::OK, &wire::list(found.total, page.start_index, resources))
}

/// A page of the accounts that match a filter.
async fn accounts_of(
    app: &AppState,
    filter: Option<(String, String)>,
    page: ListWanted,
) -> Result<DirectoryPage, ScimFailure> {
    let accounts = &app.directory.context().accounts;
    let skip = page.start_index - 1;
    let Some((attribute, value)) = filter else {
        return Ok(accounts.directory_page(skip, page.count).await?);
    };
    let found = accounts.by_directory_name(named(&attribute, value)).await?;
    let found = found.filter(|it| !it.provisioning.is_removed);
    let total = usize::from(found.is_some());
    let accounts = found.into_iter().skip(skip).take(page.count).collect();
    Ok(DirectoryPage { total, accounts })
}

fn named(attribute: &str, value: String) -> DirectoryFilter {
    match attribute {
        "username" => DirectoryFilter::UserName(value),
        "externalid" => DirectoryFilter::ExternalId(value),
        _ => DirectoryFilter::Id(value),
    }
}

/// The resources of accounts, with the groups that they are in.
async fn resources(app: &AppState, all: &[DirectoryAccount]) -> Result<Vec<ScimUser>, ScimFailure> {
    let accounts = &app.directory.context().accounts;
    let ids = all.iter().map(|account| account.id).collect();
    let mut joined = accounts.joined_directory_groups(ids).await?;
    let resource = |account: &DirectoryAccount| {
        let DirectoryAccount { id, profile, provisioning, created_at, updated_at } = account;
        let groups = joined.remove(id).unwrap_or_default().into_iter();
        let groups: Vec<_> = groups.map(|group| (group.id, group.name)).collect();
        let shown = ShownUser {
            id: *id,
            profile,
            provisioning,
            created_at: *created_at,
            updated_at: *updated_at,
            groups: &groups,
        };
        wire::user(&shown, &app.instance)
    };
    Ok(all.iter().map(resource).collect())
}

async fn shown_account(
    app: &AppState,
    status: StatusCode,
    projection: &Projection,
    account: DirectoryAccount,
) -> ScimAnswer {
    let resources = resources(app, &[account]).await?;
    let resource = resources.first().map(|resource| projection.of(resource));
    shown(status, &resource.ok_or_else(|| unknown("user"))?)
}

/// `GET /scim/v2/Users/:user`
pub(super) async fn user(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    query: Query,
) -> ScimAnswer {
    operator.may(OperatorAct::Provision)?;
    let projection = wire::read_projection(&query.0).map_err(ScimFailure::Refused)?;
    let account = account(&app, &path).await?;
    shown_account(&app, StatusCode::OK, &projection, account).await
}

/// The account of a path, unless the directory deleted it.
async fn account(app: &AppState, path: &str) -> Result<DirectoryAccount, ScimFailure> {
    let accounts = &app.directory.context().accounts;
    let found = accounts.by_directory_name(DirectoryFilter::Id(path.to_owned())).await?;
    let found = found.filter(|it| !it.provisioning.is_removed);
    found.ok_or_else(|| unknown("user"))
}
