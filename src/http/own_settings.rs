//! The caller's own settings, and the links in mails that change one of them without a log-in.

use actix_web::http::StatusCode;
use actix_web::http::header::{ACCEPT_LANGUAGE, LOCATION};
use actix_web::{HttpRequest, HttpResponse, web};

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::recovery;
use crate::http::reply::{self, Answer};
use ::wire::own_settings::{self as wire, OwnSettings};
use actors::user::mail::{ChooseEmailNotices, Unsubscribe};
use actors::user::protocol::ViewUser;
use auth::unsubscribe::Unsubscription;
use domain::email_notices::EmailNotices;
use domain::ids::UserId;
use domain::user::LinkRefusal;

/// `GET /users/me/settings`
pub(super) async fn show(app: web::Data<AppState>, caller: Caller) -> Answer {
    let user = app.directory.ask(caller.user, ViewUser).await?;
    let default = default_notices(&app, caller.user).await?;
    Ok(reply::ok(&OwnSettings::of(user.mailbox.notices.choice, default)))
}

/// `PUT /users/me/settings`
pub(super) async fn set(
    app: web::Data<AppState>,
    request: HttpRequest,
    act: Act,
    caller: Caller,
    body: Body,
) -> Answer {
    let choice = wire::read(&body.fields()?)?;
    let default = default_notices(&app, caller.user).await?;
    let names_language = request.headers().contains_key(ACCEPT_LANGUAGE);
    let language = names_language.then(|| recovery::language_of(&request));
    let show = move |choice: &Option<EmailNotices>| {
        reply::payload(StatusCode::OK, &OwnSettings::of(*choice, default))
    };
    Ok(act.ask(caller.user, ChooseEmailNotices { choice, language }, show).await?)
}

/// When a user who made no choice gets mails about missed messages.
async fn default_notices(app: &AppState, user: UserId) -> Result<EmailNotices, ApiError> {
    let devices = app.directory.context().accounts.devices(user).await?;
    Ok(EmailNotices::default_with(!devices.is_empty()))
}

/// `GET /auth/unsubscribe/{sealed}`: leads a browser to the page with the button. Programs that
/// look at the links of a mail change nothing.
pub(super) async fn page(app: web::Data<AppState>, path: web::Path<String>) -> Answer {
    let link = Unsubscription::open(&app.secrets, &path).ok_or(LinkRefusal::Unknown)?;
    let page = format!("{}/#/unsubscribe/{}", app.instance.public_url(), link.seal(&app.secrets));
    Ok(HttpResponse::Found().insert_header((LOCATION, page)).finish())
}

/// `POST /auth/unsubscribe/{sealed}` (RFC 8058)
pub(super) async fn unsubscribe(app: web::Data<AppState>, path: web::Path<String>) -> Answer {
    let link = Unsubscription::open(&app.secrets, &path).ok_or(LinkRefusal::Unknown)?;
    app.directory.ask(link.user, Unsubscribe(link)).await?;
    Ok(reply::ok(&()))
}
