//! Every route on one page, in the order of the specification, each with its description for
//! `/openapi.json`; a route without one does not compile.

use actix_web::http::Method;
use actix_web::middleware::from_fn;
use actix_web::web::{self, ServiceConfig};
use actix_web::{FromRequest, Handler, HttpResponse, Responder, Route};

use crate::http::body::Limit;
use crate::http::compressed::Compress;
use crate::http::counts::Numbers;
use crate::http::error::ApiError;
use crate::http::oauth::{self, consent};
use crate::http::once::{IdempotencyKeys, Keys};
use crate::http::operation::Operation;
use crate::http::operations as tell;
use crate::http::origins::{self, AnyOrigin};
use crate::http::to_the_end::ToTheEnd;
use crate::http::without_body::without_body;
use crate::http::{
    applications, assets, asyncapi, auth, blocks, bots, calendar, chats, deliveries, devices,
    direct_messages, drafts, events, faye, file_service, files, gallery, group_bots, groups,
    health, images, joining, leaving, likes, members, messages, metrics, notices, openapi, owners,
    password, pictures, pinned_conversations, pinning, polls, push, reading, revising, search,
    sync, threads, tokens, uploads, users,
};

/// Routes outside `/v3`.
fn root() -> Vec<Row> {
    vec![
        post("/auth/register", auth::register, tell::accounts::register).unkeyed(),
        get("/auth/options", auth::options, tell::accounts::options),
        // The file service of existing clients
        post("/v1/{conversation}/files", file_service::create, tell::files::service_create)
            .unkeyed(),
        get("/v1/{conversation}/uploadStatus", file_service::status, tell::files::service_status),
        post("/v1/{conversation}/fileData", file_service::data, tell::files::service_data)
            .unkeyed(),
        get("/v1/{conversation}/files/{file}", file_service::show, tell::files::service_show),
        post(
            "/v1/{conversation}/files/{file}",
            file_service::show,
            tell::files::service_show_posted,
        )
        .unkeyed(),
        post("/auth/login", auth::login, tell::accounts::login).unkeyed(),
        post("/auth/logout", auth::logout, tell::accounts::logout).unkeyed(),
        post("/pictures", pictures::create, tell::pictures::create).unkeyed(),
        get("/images/{name}", images::show, tell::pictures::show),
        head("/images/{name}", images::show, tell::pictures::show_head),
        get("/auth/tokens", tokens::list, tell::accounts::tokens),
        delete("/auth/tokens/{token_id}", tokens::end, tell::accounts::end_token),
        post("/auth/password", password::change, tell::accounts::change_password).unkeyed(),
        delete("/auth/account", leaving::delete, tell::accounts::delete),
        get("/oauth/authorize", consent::show, tell::oauth::authorize),
        post("/oauth/authorize", consent::decide, tell::oauth::decide).unkeyed(),
        post("/oauth/token", oauth::token::exchange, tell::oauth::token).unkeyed(),
        post("/oauth/revoke", oauth::revoke::end, tell::oauth::revoke).unkeyed(),
        get("/.well-known/oauth-authorization-server", oauth::metadata, tell::oauth::metadata),
        get("/oauth/applications", applications::list, tell::oauth::applications),
        post("/oauth/applications", applications::create, tell::oauth::register),
        delete("/oauth/applications/{client_id}", applications::delete, tell::oauth::remove),
        get("/faye", faye::get, tell::bayeux::get),
        held_post("/faye", faye::post, tell::bayeux::post).unkeyed(),
        get("/faye/{step}", faye::get, tell::bayeux::get),
        held_post("/faye/{step}", faye::post, tell::bayeux::post).unkeyed(),
        get("/health/live", health::live, tell::instance::live),
        get("/health/ready", health::ready, tell::instance::ready),
        get("/metrics", metrics::show, tell::instance::metrics),
        get("/openapi.json", openapi::show, tell::instance::openapi),
        get("/asyncapi.json", asyncapi::show, tell::instance::asyncapi),
        get("/docs", assets::docs, tell::instance::docs),
        get("/", assets::index, tell::instance::client),
        head("/", assets::index, tell::instance::client_head),
        get("/join_group/{id}/{token}", assets::index, tell::instance::invitation),
    ]
}

/// Routes below `/v3`, and below `/compat/v3`.
fn v3() -> Vec<Row> {
    let mut rows = of_groups();
    rows.extend(of_conversations());
    rows.extend(of_plans());
    rows.extend(of_people());
    rows
}

/// Routes about groups and their members.
#[rustfmt::skip]
fn of_groups() -> Vec<Row> {
    vec![
        // Groups
        get("/groups", groups::list, tell::groups::list),
        post("/groups", groups::create, tell::groups::create),
        get("/groups/former", groups::former, tell::groups::former),
        post("/groups/join", joining::rejoin, tell::groups::rejoin),
        post("/groups/change_owners", owners::change, tell::groups::change_owners),
        get("/groups/{id}", groups::show, tell::groups::show),
        post("/groups/{id}/update", groups::update, tell::groups::update),
        post("/groups/{id}/destroy", groups::destroy, tell::groups::destroy),
        get("/groups/{id}/join/{token}", joining::invitation, tell::groups::invitation),
        post("/groups/{id}/join/{token}", joining::join, tell::groups::join),
        post("/groups/{id}/rejoin", joining::rejoin_this, tell::groups::rejoin_this),
        // Members
        get("/groups/{id}/members", members::list, tell::members::list),
        get("/memberships/states", members::states, tell::members::states),
        post("/groups/{id}/members/add", members::add, tell::members::add),
        get("/groups/{id}/members/results/{request}", members::results, tell::members::results),
        post("/groups/{id}/members/{membership}/remove", members::remove, tell::members::remove),
        post("/groups/{id}/memberships/update", members::rename, tell::members::rename),
        post("/groups/{id}/memberships/mute", notices::mute, tell::members::mute),
        post("/groups/{id}/memberships/unmute", notices::unmute, tell::members::unmute),
        post("/groups/{id}/memberships/mute_all", notices::mute, tell::members::mute_whole),
        post("/groups/{id}/memberships/unmute_all", notices::unmute, tell::members::unmute_whole),
        post("/memberships/mute_all", notices::mute_all, tell::members::mute_all),
        post("/memberships/unmute_all", notices::unmute_all, tell::members::unmute_all),
        get("/conversations/{conversation}/notifications", notices::show, tell::members::notices),
        put("/conversations/{conversation}/notifications", notices::set, tell::members::set_notices),
    ]
}

/// Routes about polls and calendars of groups and chats.
#[rustfmt::skip]
fn of_plans() -> Vec<Row> {
    vec![
        // Polls
        get("/poll/{id}", polls::list, tell::polls::list),
        post("/poll/{id}", polls::create, tell::polls::create),
        get("/poll/{id}/{poll}", polls::show, tell::polls::show),
        post("/poll/{id}/{poll}", polls::vote, tell::polls::vote),
        post("/poll/{id}/{poll}/end", polls::end, tell::polls::end),
        // After `/end`: paths are tried one after another.
        post("/poll/{id}/{poll}/{option}", polls::vote_for, tell::polls::vote_for),
        // Calendars
        get("/conversations/{conversation}/events/list", calendar::list, tell::calendar::list),
        get("/conversations/{conversation}/events/show", calendar::show, tell::calendar::show),
        post("/conversations/{conversation}/events/create", calendar::create, tell::calendar::create),
        post("/conversations/{conversation}/events/update", calendar::update, tell::calendar::update),
        delete("/conversations/{conversation}/events/delete", calendar::cancel, tell::calendar::cancel),
        post("/conversations/{conversation}/events/rsvp", calendar::answer, tell::calendar::answer),
        delete("/conversations/{conversation}/events/rsvp/delete", calendar::take_back, tell::calendar::take_back),
        // After the paths with fixed names.
        get("/conversations/{conversation}/events/{ics}", calendar::file, tell::calendar::file),
    ]
}

/// Routes about what is in groups and chats: messages, files, likes, drafts, bots.
#[rustfmt::skip]
fn of_conversations() -> Vec<Row> {
    vec![
        // Messages
        get("/groups/{id}/messages", messages::list, tell::messages::list),
        post("/groups/{id}/messages", messages::create, tell::messages::create),
        get("/groups/{id}/messages/{message}", messages::show, tell::messages::show),
        put("/groups/{id}/messages/{message}", revising::edit_in_group, tell::messages::edit_in_group),
        put("/conversations/{conversation}/messages/{message}", revising::edit, tell::messages::edit),
        delete("/conversations/{conversation}/messages/{message}", revising::delete, tell::messages::delete),
        get("/conversations/{conversation}/messages/{message}/history", revising::history, tell::messages::history),
        get("/conversations/{conversation}/messages/{message}/replies", threads::list, tell::messages::replies),
        // Pinned messages
        post("/conversations/{conversation}/messages/{message}/pin", pinning::pin, tell::messages::pin),
        post("/conversations/{conversation}/messages/{message}/unpin", pinning::unpin, tell::messages::unpin),
        get("/pinned/groups/{id}/messages", pinning::of_group, tell::messages::pinned_in_group),
        get("/pinned/direct_messages", pinning::of_chat, tell::messages::pinned_in_chat),
        // Files
        post("/conversations/{conversation}/files", files::create, tell::files::create).unkeyed(),
        get("/uploads/{upload}", uploads::show, tell::files::upload),
        head("/uploads/{upload}", uploads::show, tell::files::upload_head),
        patch("/uploads/{upload}", uploads::go_on, tell::files::go_on),
        delete("/uploads/{upload}", uploads::end, tell::files::end_upload),
        get("/files/{conversation}/{file}", files::show, tell::files::show),
        head("/files/{conversation}/{file}", files::show, tell::files::show_head),
        post("/files/{conversation}/{file}/link", files::link, tell::files::link).unkeyed(),
        get("/conversations/{conversation}/gallery", gallery::list, tell::files::gallery),
        get("/limits", files::limits, tell::files::limits),
        get("/search/messages", search::messages, tell::search::messages),
        // Chats and direct messages
        get("/chats", chats::list, tell::chats::list),
        get("/chats/{chat}", chats::show, tell::chats::show),
        get("/pinned_conversations", pinned_conversations::list, tell::chats::pinned),
        put("/pinned_conversations", pinned_conversations::replace, tell::chats::pin),
        get("/direct_messages", direct_messages::list, tell::chats::messages),
        post("/direct_messages", direct_messages::create, tell::chats::write),
        // Likes
        post("/messages/{conversation}/{message}/like", likes::like, tell::likes::like),
        post("/messages/{conversation}/{message}/unlike", likes::unlike, tell::likes::unlike),
        get("/groups/{id}/likes", likes::leaders, tell::likes::leaders),
        get("/groups/{id}/likes/mine", likes::mine, tell::likes::mine),
        get("/groups/{id}/likes/for_me", likes::for_me, tell::likes::for_me),
        get("/groups/{id}/messages/{message}/read_by", reading::read_by, tell::reading::read_by),
        // Drafts
        get("/drafts", drafts::list, tell::reading::drafts),
        get("/drafts/{conversation}", drafts::show, tell::reading::draft),
        put("/drafts/{conversation}", drafts::keep, tell::reading::keep_draft),
        // Read marks
        post("/conversations/{conversation}/read", reading::mark, tell::reading::mark),
        // Bots
        get("/groups/{id}/bots", group_bots::list, tell::bots::of_group),
        delete("/groups/{id}/bots/{sender}", group_bots::remove, tell::bots::remove),
        get("/groups/{id}/commands", bots::commands, tell::bots::commands),
        get("/bots", bots::list, tell::bots::list),
        post("/bots", bots::create, tell::bots::create),
        post("/bots/post", bots::post, tell::bots::post).keyed_by_bot(),
        post("/bots/destroy", bots::destroy, tell::bots::destroy),
        post("/bots/update", bots::update_named, tell::bots::update_named),
        post("/bots/{bot}/update", bots::update, tell::bots::update),
        put("/bots/{bot}/messages/{message}", revising::edit_as_bot, tell::messages::edit_as_bot).unkeyed(),
        delete("/bots/{bot}/messages/{message}", revising::delete_as_bot, tell::messages::delete_as_bot),
        post("/bots/{bot}/secret", deliveries::rotate, tell::bots::rotate),
        post("/bots/{bot}/test", deliveries::test, tell::bots::test),
        post("/bots/{bot}/replay", deliveries::replay_many, tell::bots::replay_many),
        get("/bots/{bot}/events", deliveries::events, tell::bots::events),
        get("/bots/{bot}/deliveries", deliveries::list, tell::bots::deliveries),
        get("/bots/{bot}/deliveries/{delivery}", deliveries::show, tell::bots::delivery),
        post("/bots/{bot}/deliveries/{delivery}/replay", deliveries::replay_one, tell::bots::replay_one),
    ]
}

/// Routes about users, and about push and notices.
#[rustfmt::skip]
fn of_people() -> Vec<Row> {
    vec![
        // Users
        get("/users/me", users::me, tell::users::me),
        post("/users/update", users::update, tell::users::update),
        post("/users/sms_mode", users::sms_on, tell::users::sms_on),
        post("/users/sms_mode/delete", users::sms_off, tell::users::sms_off),
        // After the paths with fixed names: paths are tried one after another.
        get("/users/{user}", users::show, tell::users::show),
        // Blocks
        get("/blocks", blocks::list, tell::blocks::list),
        post("/blocks", blocks::create, tell::blocks::create),
        delete("/blocks", blocks::delete, tell::blocks::delete),
        get("/blocks/between", blocks::between, tell::blocks::between),
        post("/blocks/delete", blocks::delete, tell::blocks::delete),
        // Push
        get_alone("/push", push::socket, tell::push::socket),
        get("/sync", sync::snapshot, tell::push::snapshot),
        get("/events", events::poll, tell::push::poll),
        get("/events/stream", events::stream, tell::push::stream),
        // Notices
        get("/push/key", devices::key, tell::devices::key),
        get("/push/devices", devices::list, tell::devices::list_all),
        post("/push/devices", devices::add, tell::devices::add),
        delete("/push/devices/{device}", devices::remove, tell::devices::remove),
    ]
}

/// A route: a method on a path. Routes of one path stand next to each other.
pub(super) struct Row {
    /// The method that the route serves.
    pub(super) method: Method,
    /// The path, with its variables in braces.
    pub(super) path: String,
    /// Whose `Idempotency-Key` the route takes.
    pub(super) keys: Keys,
    /// Makes the route's description for `/openapi.json`. A function, since building the schemas
    /// takes time.
    pub(super) operation: fn() -> Operation,
    route: Route,
    /// Serves HEAD where the path has no row for it.
    head: Option<Route>,
    /// The route's number in the table, by which requests are counted.
    number: usize,
}

impl Row {
    /// The route takes no `Idempotency-Key`: its answer may not be kept, such as a fresh token, or
    /// it needs none, or it has no caller to whom the key could belong.
    fn unkeyed(self) -> Self {
        Self { keys: Keys::Unused, ..self }
    }

    /// The route takes the keys of the bot that the body names.
    fn keyed_by_bot(self) -> Self {
        Self { keys: Keys::Bot, ..self }
    }
}

/// All routes, in the form that `/openapi.json` describes.
pub(super) fn table() -> Vec<Row> {
    let below = v3().into_iter().map(|row| Row { path: format!("/v3{}", row.path), ..row });
    below.chain(root()).collect()
}

/// Method and path of every route, in the order of their numbers.
pub fn names() -> Vec<(Method, String)> {
    table().into_iter().map(|row| (row.method, row.path)).collect()
}

fn numbered(rows: Vec<Row>, first: usize) -> Vec<Row> {
    rows.into_iter().zip(first..).map(|(row, number)| Row { number, ..row }).collect()
}

/// Registers every route.
pub fn all(app: &mut ServiceConfig) {
    let below = v3().len();
    let scope = web::scope("/v3").configure(|app| place(app, numbered(v3(), 0)));
    app.service(scope.default_service(web::to(nothing_here)).wrap(AnyOrigin));
    place(app, numbered(root(), below));
    app.default_service(web::to(assets::any));
}

/// The path of most requests. Paths are tried one after another, so this one is registered first.
const BUSIEST: &str = "/groups/{id}/messages";

/// Registers one resource for each path. It answers HEAD where it answers GET, and methods that no
/// route serves with 405 and `Allow`.
fn place(app: &mut ServiceConfig, rows: Vec<Row>) {
    let (busiest, others): (Vec<Row>, _) = rows.into_iter().partition(|row| row.path == BUSIEST);
    let mut rows = busiest.into_iter().chain(others).peekable();
    while let Some(first) = rows.next() {
        let path = first.path.clone();
        let mut of_path = vec![first];
        of_path.extend(std::iter::from_fn(|| rows.next_if(|next| next.path == path)));
        let has_head = of_path.iter().any(|row| row.method == Method::HEAD);
        let (mut allowed, mut keyed) = (Vec::new(), Vec::new());
        let (mut resource, mut numbers) = (web::resource(&path), Numbers::default());
        if let Some(limit) = Limit::of(&path) {
            resource = resource.app_data(limit);
        }
        for Row { method, keys, route, head, number, .. } in of_path {
            resource = resource.route(route);
            allowed.push(method.to_string());
            keyed.push((method.clone(), keys));
            numbers.0.push((method, number));
            if let Some(head) = head.filter(|_| !has_head) {
                resource = resource.route(head);
                allowed.push(Method::HEAD.to_string());
                numbers.0.push((Method::HEAD, number));
            }
        }
        let allowed = allowed.join(", ");
        let refuse = move || {
            let refusal = ApiError::wrong_method(&allowed);
            async move { Err::<HttpResponse, ApiError>(refusal) }
        };
        keyed.retain(|(_, keys)| *keys != Keys::Unused);
        let resource = resource.app_data(numbers).default_service(web::to(refuse));
        match (keyed.is_empty(), origins::is_open(&path)) {
            (false, false) => app.service(resource.wrap(IdempotencyKeys::of(keyed))),
            (true, false) => app.service(resource),
            (false, true) => {
                app.service(resource.wrap(IdempotencyKeys::of(keyed)).wrap(origins::any()))
            }
            (true, true) => app.service(resource.wrap(origins::any())),
        };
    }
}

/// Defines the functions that name a method in the table, each with the owner of the keys that its
/// routes take unless the row says otherwise. Requests that act are carried out to the end even if
/// the client disconnects (`ToTheEnd`); other requests are dropped with their connection. Large
/// answers to GET are compressed. Answers to HEAD are made without reading what GET would send.
macro_rules! methods {
    ($($name:ident $method:ident $keys:ident $($whole:expr)?;)*) => { $(
        fn $name<F, Args>(path: &str, handler: F, operation: fn() -> Operation) -> Row
        where
            F: Handler<Args>,
            Args: FromRequest + 'static,
            F::Output: Responder + 'static,
        {
            let route = web::method(Method::$method).to(handler)$(.wrap($whole))?;
            let (method, path, keys) = (Method::$method, path.to_owned(), Keys::$keys);
            Row { method, path, keys, operation, route, head: None, number: 0 }
        }
    )* };
}
methods! {
    get_alone GET Unused Compress;
    head HEAD Unused from_fn(without_body);
    held_post POST Caller;
    post POST Caller ToTheEnd;
    put PUT Caller ToTheEnd;
    delete DELETE Unused ToTheEnd;
    patch PATCH Unused ToTheEnd;
}

/// A route for GET, and for HEAD too.
fn get<F, Args>(path: &str, handler: F, operation: fn() -> Operation) -> Row
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    let head = web::method(Method::HEAD).to(handler.clone());
    let head = Some(head.wrap(Compress).wrap(from_fn(without_body)));
    Row { head, ..get_alone(path, handler, operation) }
}

async fn nothing_here() -> Result<HttpResponse, ApiError> {
    Err(ApiError::no_such_path())
}
