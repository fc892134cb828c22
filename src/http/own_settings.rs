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
use ::wire::own_settings::{self as wire, Defaults, OwnSettings};
use actors::user::mail::Unsubscribe;
use actors::user::own_settings::ChangeOwnSettings;
use actors::user::protocol::ViewUser;
use auth::unsubscribe::Unsubscription;
use domain::email_notices::EmailNotices;
use domain::ids::UserId;
use domain::user::{LinkRefusal, OwnChoices};

/// `GET /users/me/settings`
pub(super) async fn show(app: web::Data<AppState>, caller: Caller) -> Answer {
    let user = app.directory.ask(caller.user, ViewUser).await?;
    let defaults = defaults(&app, caller.user).await?;
    Ok(reply::ok(&OwnSettings::of(user.choices(), defaults)))
}

/// `PUT /users/me/settings`
pub(super) async fn set(
    app: web::Data<AppState>,
    request: HttpRequest,
    act: Act,
    caller: Caller,
    body: Body,
) -> Answer {
    let change = wire::read(&body.fields()?)?;
    let defaults = defaults(&app, caller.user).await?;
    let names_language = request.headers().contains_key(ACCEPT_LANGUAGE);
    let language = names_language.then(|| recovery::language_of(&request));
    let show = move |choices: &OwnChoices| {
        reply::payload(StatusCode::OK, &OwnSettings::of(*choices, defaults))
    };
    Ok(act.ask(caller.user, ChangeOwnSettings { change, language }, show).await?)
}

/// What holds for a user who made no choice.
async fn defaults(app: &AppState, user: UserId) -> Result<Defaults, ApiError> {
    let devices = app.directory.context().accounts.devices(user).await?;
    let email_notices = EmailNotices::default_with(!devices.is_empty());
    let dm_from = app.settings().await?.dm_from.value;
    Ok(Defaults { email_notices, dm_from })
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
