//! The directory of searchable groups.

use actix_web::web;

use crate::http::app_state::AppState;
use crate::http::body::Query;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use ::wire::group_directory as wire;
use domain::group::{DirectoryOrder, DirectoryQuery, FoundGroups};

/// `GET /directory`
pub(super) async fn list(app: web::Data<AppState>, caller: Caller, query: Query) -> Answer {
    let query = wire::read_query(&query.0, "q", caller.user, DirectoryOrder::Members)?;
    let FoundGroups { groups, count } = find(&app, query).await?;
    let groups = groups.iter().map(|it| wire::group(it, &app.instance)).collect();
    Ok(reply::ok(&wire::DirectoryGroups { groups, count }))
}

/// `GET /v1/search` and `/v1/search/popular`
pub(super) async fn popular(app: web::Data<AppState>, caller: Caller, query: Query) -> Answer {
    let query = wire::read_query(&query.0, "query", caller.user, DirectoryOrder::Members)?;
    let page = find(&app, query).await?;
    let popular = page.groups.iter().map(|it| wire::group(it, &app.instance)).collect();
    Ok(reply::ok(&wire::DirectoryLists { popular, ..wire::DirectoryLists::default() }))
}

/// `GET /v1/search/trending`
pub(super) async fn trending(app: web::Data<AppState>, caller: Caller, query: Query) -> Answer {
    let query = wire::read_query(&query.0, "query", caller.user, DirectoryOrder::Joined)?;
    let page = find(&app, query).await?;
    let trending = page.groups.iter().map(|it| wire::group(it, &app.instance)).collect();
    Ok(reply::ok(&wire::DirectoryLists { trending, ..wire::DirectoryLists::default() }))
}

/// `GET /v1/search/nearby`: groups have no locations.
pub(super) async fn nearby(app: web::Data<AppState>, _: Caller) -> Answer {
    require_directory(&app).await?;
    Ok(reply::ok(&wire::DirectoryLists::default()))
}

async fn find(app: &AppState, query: DirectoryQuery) -> Result<FoundGroups, ApiError> {
    require_directory(app).await?;
    let archive = &app.directory.context().archive;
    let now = app.clock.now().wall;
    let reader = query.reader;
    Ok(archive.read_current(reader, move |it| it.index.find_groups(&query, now)).await?)
}

async fn require_directory(app: &AppState) -> Result<(), ApiError> {
    let has_directory = app.settings().await?.directory.value;
    if has_directory { Ok(()) } else { Err(ApiError::no_such_path()) }
}
