//! Groups (specification, section 4, Groups).

use std::convert::Infallible;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller::Caller;
use crate::http::dialect::Dialect;
use crate::http::error::ApiError;
use crate::http::page_bytes::{Fitted, PAGE_BYTES};
use crate::http::pictures;
use crate::http::reply::{self, Answer};
use ::wire::fields::{Fields, Problems};
use ::wire::group::{self as wire, Members, Preview};
use ::wire::group_bodies;
use actors::ask::Failure;
use actors::group::protocol::{
    ArchiveGroup, ChangeSettings, CreateCopy, CreateGroup, DisbandGroup, GroupView, ViewGroup,
};
use actors::idempotency::Rendered;
use actors::user::protocol::PermitAdding;
use domain::group::{AddItem, Newcomer, Who};
use domain::ids::{GroupId, UserId};
use domain::user::{Adder, Unread};

/// Default number of groups on a page (specification, section 8).
const PAGE: usize = 10;
/// Maximum number of groups on a page.
const LARGEST_PAGE: usize = 500;

/// The id of the group that a path names.
///
/// # Errors
/// 404 if the text is no id.
pub(super) fn group_id(text: &str) -> Result<GroupId, ApiError> {
    text.parse().map_err(|_| ApiError::no_such_group())
}

/// `GET /groups`
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    query: Query,
) -> Answer {
    let mut problems = Problems::default();
    let mut fields = Fields::of(&query.0, &mut problems);
    let page = fields.page("page");
    let per_page = fields.page_size("per_page", PAGE, LARGEST_PAGE);
    let omit = fields.text("omit").unwrap_or_default();
    let are_archived = fields.flag("archived").unwrap_or(false);
    problems.or(Some(()))?;
    let members = match omit.split(',').any(|it| it.trim() == "memberships") {
        true => Members::Omitted,
        false => Members::Shown,
    };
    let first = (page - 1).saturating_mul(per_page);
    app.reconciler.settled_soon(caller.user).await;
    let own = app.directory.context().accounts.listed_groups(caller.user, are_archived).await?;
    let views = views_of(&app, caller.user, own.into_iter().skip(first), per_page).await?;
    let ids = views.iter().map(|view| view.group.id.into()).collect();
    let unread = app.directory.context().accounts.unread(caller.user, ids).await?;
    let listed: Vec<_> = views.iter().zip(&unread).collect();
    let shown = |members: Members, preview: Preview| {
        let instance = &app.instance;
        move |_, (view, unread): &(&GroupView, &Unread)| {
            let mut json = Vec::with_capacity(1024);
            let whole = dialect.whole(view, caller.user).shown_with(caller.scopes);
            wire::write_listed(&mut json, whole, members, preview, unread, instance);
            Ok(json)
        }
    };
    let whole = shown(members, Preview::Whole);
    let short = shown(Members::Omitted, Preview::Words);
    let fitted = Fitted::of(&listed, PAGE_BYTES, whole, short)?;
    Ok(reply::raw(StatusCode::OK, |body| fitted.write(body)))
}

/// The first `most` of these groups of a user that the user is still in. Only the rooms of these are asked; asking hundreds in order to show ten would be slow.
///
/// # Errors
/// If the index or a room cannot be read.
async fn views_of(
    app: &AppState,
    user: UserId,
    mut rest: impl Iterator<Item = GroupId>,
    most: usize,
) -> Result<Vec<GroupView>, ApiError> {
    let mut views = Vec::new();
    // A group that the user has left since the list was read is replaced by the next one: clients
    // take an empty page for the last one.
    loop {
        let next: Vec<GroupId> = rest.by_ref().take(most - views.len()).collect();
        if next.is_empty() {
            break;
        }
        let found = app.directory.views(user, &next).await;
        views.extend(found.map_err(Failure::<Infallible>::Fault)?.into_iter().flatten());
    }
    Ok(views)
}

/// `GET /groups/former`
pub(super) async fn former(app: web::Data<AppState>, caller: Caller) -> Answer {
    let left = app.directory.context().accounts.left_groups(caller.user).await?;
    // The messages of former groups cannot be read any more, so the count is 0.
    let shown = left.iter().map(|group| wire::resource(group, 0, None, &app.instance));
    reply::list(shown)
}

/// Renders the whole group, as the answer to an act.
pub(super) fn whole(
    (app, dialect, caller): (&AppState, Dialect, Caller),
    status: StatusCode,
) -> impl Fn(&GroupView) -> Rendered + Send + Sync + 'static {
    let instance = Arc::clone(&app.instance);
    let write = move |body: &mut Vec<u8>, view: &GroupView| {
        let shown = dialect.whole(view, caller.user).shown_with(caller.scopes);
        wire::write_shown(body, shown, Members::Shown, &instance);
    };
    move |view| reply::rendered(status, |body| write(body, view))
}

/// `GET /groups/:id`
pub(super) async fn show(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
) -> Answer {
    let id = group_id(&path)?;
    let view = app.directory.ask(id, ViewGroup { reader: caller.user }).await?;
    let whole = dialect.whole(&view, caller.user).shown_with(caller.scopes);
    let now = app.directory.context().clock.now().wall;
    Ok(reply::parts(
        StatusCode::OK,
        wire::shown_to_member(whole, (caller.user, now), &app.instance),
    ))
}

/// `POST /groups`
pub(super) async fn create(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    body: Body,
) -> Answer {
    let mut new = group_bodies::read_new(&body.fields()?, &app.instance)?;
    let image = new.image.iter_mut().map(|image| ("image_url".to_owned(), image));
    pictures::look_up(&app, Some(caller.user), image).await?;
    let owner = newcomer(&app, caller.user).await?;
    let id = app.directory.context().id_generator.group();
    let show = whole((&app, dialect, caller), StatusCode::CREATED);
    Ok(act.ask(id, CreateGroup { new, owner }, show).await?)
}

/// `POST /groups/:id/copy`
pub(super) async fn copy(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let source = group_id(&path)?;
    let wanted = group_bodies::read_copy(&body.fields()?)?;
    let context = app.directory.context();
    let view = app.directory.ask(source, ViewGroup { reader: caller.user }).await?;
    let copy = view.group.copied(caller.user, wanted, context.clock.now().wall)?;
    let id = context.id_generator.group();
    permit_adding(&app, &caller, id, &copy.people).await?;
    let owner = newcomer(&app, caller.user).await?;
    let show = whole((&app, dialect, caller), StatusCode::CREATED);
    Ok(act.ask(id, CreateCopy { copy, owner }, show).await?)
}

/// Lets the caller add these people to a group, as far as their limits allow.
pub(super) async fn permit_adding(
    app: &AppState,
    caller: &Caller,
    group: GroupId,
    items: &[AddItem],
) -> Result<Adder, ApiError> {
    let who = items.iter().map(|item| item.who.clone()).collect();
    let context = app.directory.context();
    let most = context.flood_limits.strangers.most;
    let people = context.accounts.people_to_add(caller.user, group, who, most).await?;
    Ok(app.directory.ask(caller.user, PermitAdding { people }).await?)
}

/// `POST /groups/:id/update`
pub(super) async fn update(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = group_id(&path)?;
    let mut change = group_bodies::read_change(&body.fields()?, &app.instance)?;
    let image = change.image.iter_mut().flatten().map(|image| ("image_url".to_owned(), image));
    pictures::look_up(&app, Some(caller.user), image).await?;
    let asked = ChangeSettings { by: caller.user, change };
    let show = whole((&app, dialect, caller), StatusCode::OK);
    Ok(act.ask(id, asked, show).await?)
}

/// `POST /groups/:id/destroy`
pub(super) async fn destroy(act: Act, caller: Caller, path: web::Path<String>) -> Answer {
    let id = group_id(&path)?;
    Ok(act.ask(id, DisbandGroup { by: caller.user }, reply::done).await?)
}

/// `POST /groups/:id/archive`
pub(super) async fn archive(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
) -> Answer {
    set_archived(&app, &act, caller, dialect, &path, true).await
}

/// `POST /groups/:id/unarchive`
pub(super) async fn unarchive(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
) -> Answer {
    set_archived(&app, &act, caller, dialect, &path, false).await
}

async fn set_archived(
    app: &web::Data<AppState>,
    act: &Act,
    caller: Caller,
    dialect: Dialect,
    path: &str,
    is_archived: bool,
) -> Answer {
    let asked = ArchiveGroup { by: caller.user, is_archived };
    let show = whole((app, dialect, caller), StatusCode::OK);
    Ok(act.ask(group_id(path)?, asked, show).await?)
}

/// The caller, with the name and image that a group keeps of its members.
///
/// # Errors
/// 401 if the account was deleted.
pub(super) async fn newcomer(app: &AppState, user: UserId) -> Result<Newcomer, ApiError> {
    let found = app.directory.context().accounts.newcomer(Who::User(user)).await?;
    found.ok_or_else(ApiError::invalid_token)
}
