//! Groups (specification, section 4, Groups).

use actix_web::web;
use futures_util::future::join_all;
use serde_json::Value;

use crate::actors::ask::Failure;
use crate::actors::group::protocol::{CreateGroup, GroupView, ViewGroup, ViewRefusal};
use crate::auth::keyring::Caller;
use crate::domain::group::{Starter, Who};
use crate::domain::ids::{GroupId, UserId};
use crate::http::body::{Body, Query};
use crate::http::door::Door;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use crate::wire::fields::{Fields, Problems};
use crate::wire::group::{self as wire, Members};

/// Groups on one page, unless asked otherwise (specification, section 8).
const PAGE: usize = 10;
/// Groups on one page at most.
const LARGEST_PAGE: usize = 500;

/// The group that a path names.
///
/// # Errors
/// 404 for what is no id.
pub(super) fn group_id(text: &str) -> Result<GroupId, ApiError> {
    text.parse().map_err(|_| ApiError::no_such_group())
}

/// `GET /groups`
pub(super) async fn list(door: web::Data<Door>, caller: Caller, query: Query) -> Answer {
    let mut problems = Problems::default();
    let mut fields = Fields::of(&query.0, &mut problems);
    let page = fields.page_size("page", 1, usize::MAX);
    let per_page = fields.page_size("per_page", PAGE, LARGEST_PAGE);
    let omit = fields.text("omit").unwrap_or_default();
    problems.or(Some(()))?;
    let members = match omit.split(',').any(|it| it.trim() == "memberships") {
        true => Members::Omitted,
        false => Members::Shown,
    };
    let views = views_of(&door, caller.user).await?;
    let first = (page - 1).saturating_mul(per_page);
    let shown: Vec<Value> =
        views.iter().skip(first).take(per_page).map(|view| shown(&door, view, members)).collect();
    Ok(reply::ok(&Value::Array(shown)))
}

/// Every group of a user, last activity first.
///
/// # Errors
/// On our own trouble.
pub(super) async fn views_of(door: &Door, user: UserId) -> Result<Vec<GroupView>, ApiError> {
    let seats = door.directory.ground().people.seats(user).await?;
    let active = seats.into_iter().filter(|(_, seat)| seat.is_active());
    let asks = active.map(|(id, _)| door.directory.group(id, ViewGroup { reader: user }));
    let mut views = Vec::new();
    for answer in join_all(asks).await {
        match answer {
            Ok(view) => views.push(view),
            // Left or removed since the list was read.
            Err(Failure::Refused(ViewRefusal::NotAMember)) => {}
            Err(Failure::Fault(fault)) => return Err(ApiError::fault(&fault)),
        }
    }
    views.sort_by_key(|view| std::cmp::Reverse((view.active_at(), view.group.id)));
    Ok(views)
}

/// A group in JSON.
pub(super) fn shown(door: &Door, view: &GroupView, members: Members) -> Value {
    wire::shown(&view.group, view.count, view.last.as_deref(), members, &door.site)
}

/// `GET /groups/:id`
pub(super) async fn show(door: web::Data<Door>, caller: Caller, path: web::Path<String>) -> Answer {
    let id = group_id(&path)?;
    let view = door.directory.group(id, ViewGroup { reader: caller.user }).await?;
    Ok(reply::ok(&shown(&door, &view, Members::Shown)))
}

/// `POST /groups`
pub(super) async fn create(door: web::Data<Door>, caller: Caller, body: Body) -> Answer {
    let new = wire::read_new(&body.fields()?, &door.site)?;
    let owner = starter(&door, caller.user).await?;
    let id = door.directory.ground().mint.group();
    let view = door.directory.group(id, CreateGroup { new, owner }).await?;
    Ok(reply::created(&shown(&door, &view, Members::Shown)))
}

/// The caller, as a group has to know them.
///
/// # Errors
/// 401 when the account is gone.
pub(super) async fn starter(door: &Door, user: UserId) -> Result<Starter, ApiError> {
    let found = door.directory.ground().people.starter(Who::User(user)).await?;
    found.ok_or_else(ApiError::unauthorized)
}
