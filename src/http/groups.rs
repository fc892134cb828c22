//! Groups (specification, section 4, Groups).

use std::convert::Infallible;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web;
use serde_json::Value;

use crate::actors::ask::Failure;
use crate::actors::group::protocol::{
    ChangeSettings, CreateGroup, DisbandGroup, GroupView, ViewGroup,
};
use crate::actors::keeping::Rendered;
use crate::auth::keyring::Caller;
use crate::domain::group::{Starter, Who};
use crate::domain::ids::{GroupId, UserId};
use crate::domain::user::Unread;
use crate::http::act::Act;
use crate::http::body::{Body, Query};
use crate::http::door::Door;
use crate::http::error::ApiError;
use crate::http::fitting::{Fitted, PAGE_BYTES};
use crate::http::pictures;
use crate::http::reply::{self, Answer};
use crate::wire::fields::{Fields, Problems};
use crate::wire::group::{self as wire, Members, Preview};
use crate::wire::site::Site;

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
    let first = (page - 1).saturating_mul(per_page);
    let views = views_of(&door, caller.user, first, per_page).await?;
    let ids = views.iter().map(|view| view.group.id.into()).collect();
    let unread = door.directory.ground().people.unread(caller.user, ids).await?;
    let listed: Vec<_> = views.iter().zip(&unread).collect();
    let shown = |members: Members, preview: Preview| {
        let site = &door.site;
        move |_, (view, unread): &(&GroupView, &Unread)| {
            let mut json = Vec::with_capacity(1024);
            wire::write_listed(&mut json, view.whole(), (members, preview), unread.unread, site);
            Ok(json)
        }
    };
    let (whole, short) = (shown(members, Preview::Whole), shown(Members::Omitted, Preview::Words));
    let fitted = Fitted::of(&listed, PAGE_BYTES, whole, short)?;
    Ok(reply::raw(StatusCode::OK, |body| fitted.write(body)))
}

/// A user's groups, last activity first: at most `most` after the first `skip`. Only
/// those are looked at, since hundreds to show ten would be felt.
///
/// # Errors
/// On our own trouble.
async fn views_of(
    door: &Door,
    user: UserId,
    skip: usize,
    most: usize,
) -> Result<Vec<GroupView>, ApiError> {
    door.reconciler.settled_soon(user).await;
    let groups = door.directory.ground().people.groups_of(user).await?;
    let mut rest = groups.into_iter().skip(skip);
    let mut views = Vec::new();
    // A group that the user has left since the list was read leaves a place to fill:
    // clients take an empty page for the last one.
    loop {
        let next: Vec<GroupId> = rest.by_ref().take(most - views.len()).collect();
        if next.is_empty() {
            break;
        }
        let found = door.directory.views(user, &next).await;
        views.extend(found.map_err(Failure::<Infallible>::Fault)?.into_iter().flatten());
    }
    Ok(views)
}

/// `GET /groups/former`
pub(super) async fn former(door: web::Data<Door>, caller: Caller) -> Answer {
    let left = door.directory.ground().people.left_groups(caller.user).await?;
    // Nothing that was said is theirs any more, so paging can reach no message.
    let shown = left.iter().map(|group| wire::shown(group, 0, None, &door.site));
    Ok(reply::ok(&Value::Array(shown.collect())))
}

/// A group in JSON.
pub(super) fn write_shown(body: &mut Vec<u8>, view: &GroupView, site: &Site) {
    wire::write_shown(body, view.whole(), Members::Shown, site);
}

/// How acts show the whole group.
pub(super) fn whole(
    door: &Door,
    status: StatusCode,
) -> impl Fn(&GroupView) -> Rendered + Send + Sync + 'static {
    let site = Arc::clone(&door.site);
    move |view| reply::rendered(status, |body| write_shown(body, view, &site))
}

/// `GET /groups/:id`
pub(super) async fn show(door: web::Data<Door>, caller: Caller, path: web::Path<String>) -> Answer {
    let id = group_id(&path)?;
    let view = door.directory.group(id, ViewGroup { reader: caller.user }).await?;
    Ok(reply::raw(StatusCode::OK, |body| write_shown(body, &view, &door.site)))
}

/// `POST /groups`
pub(super) async fn create(door: web::Data<Door>, act: Act, caller: Caller, body: Body) -> Answer {
    let new = wire::read_new(&body.fields()?, &door.site)?;
    let image = new.image.iter().map(|image| ("image_url".to_owned(), image));
    pictures::must_exist(&door, image).await?;
    let owner = starter(&door, caller.user).await?;
    let id = door.directory.ground().mint.group();
    Ok(act.group(id, CreateGroup { new, owner }, whole(&door, StatusCode::CREATED)).await?)
}

/// `POST /groups/:id/update`
pub(super) async fn update(
    door: web::Data<Door>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = group_id(&path)?;
    let change = wire::read_change(&body.fields()?, &door.site)?;
    let image = change.image.iter().flatten().map(|image| ("image_url".to_owned(), image));
    pictures::must_exist(&door, image).await?;
    let asked = ChangeSettings { by: caller.user, change };
    Ok(act.group(id, asked, whole(&door, StatusCode::OK)).await?)
}

/// `POST /groups/:id/destroy`
pub(super) async fn destroy(act: Act, caller: Caller, path: web::Path<String>) -> Answer {
    let id = group_id(&path)?;
    Ok(act.group(id, DisbandGroup { by: caller.user }, reply::done).await?)
}

/// The caller, as a group has to know them.
///
/// # Errors
/// 401 when the account is gone.
pub(super) async fn starter(door: &Door, user: UserId) -> Result<Starter, ApiError> {
    let found = door.directory.ground().people.starter(Who::User(user)).await?;
    found.ok_or_else(ApiError::unauthorized)
}
