//! Registers the applications that ask users for tokens.

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::LoggedIn;
use crate::http::reply::{self, Answer};
use ::wire::account::{self as wire, NewApplication};
use actors::user::protocol::{RegisterApplication, RemoveApplication};
use base::random::random;
use domain::ids::ClientId;
use domain::user::ApplicationRefusal;

/// `POST /oauth/applications`
pub(super) async fn create(
    app: web::Data<AppState>,
    act: Act,
    LoggedIn(caller): LoggedIn,
    body: Body,
) -> Answer {
    let application = NewApplication { client: ClientId::new(random()), at: app.clock.now().wall };
    let application = wire::read_application(&body.fields()?, application)?;
    let shown = wire::application(&application);
    let done = act.ask(caller.user, RegisterApplication { application }, move |()| {
        reply::payload(StatusCode::CREATED, &shown)
    });
    Ok(done.await?)
}

/// `GET /oauth/applications`
pub(super) async fn list(app: web::Data<AppState>, LoggedIn(caller): LoggedIn) -> Answer {
    let own = app.directory.context().accounts.applications(caller.user).await?;
    reply::list(own.iter().map(wire::application))
}

/// `DELETE /oauth/applications/:client_id`
pub(super) async fn delete(
    app: web::Data<AppState>,
    LoggedIn(caller): LoggedIn,
    path: web::Path<String>,
) -> Answer {
    let client = path.parse().map_err(|_| ApplicationRefusal::Unknown)?;
    app.directory.ask(caller.user, RemoveApplication { client }).await?;
    Ok(reply::ok(&()))
}
