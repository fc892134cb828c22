//! Accounts: registration, log-in and log-out.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::actors::user::protocol::{IssueToken, Register, RevokeToken};
use crate::auth::access_token::AccessToken;
use crate::auth::keyring::Caller;
use crate::domain::user::User;
use crate::http::app_state::AppState;
use crate::http::audit;
use crate::http::body::Body;
use crate::http::client_address::network_of;
use crate::http::error::ApiError;
use crate::http::limits::too_many;
use crate::http::reply::{self, Answer};
use crate::http::tokens;
use crate::wire::account::{AuthOptions, LoggedInAccount, RegistrationMode};
use crate::wire::user::{self as wire, Registration};

/// The purpose, as lists of tokens show it, of a token made by logging in.
const LOG_IN: &str = "log-in";

/// `POST /auth/register`
pub(super) async fn register(app: web::Data<AppState>, request: HttpRequest, body: Body) -> Answer {
    if !app.registration_is_open {
        return Err(ApiError::new(StatusCode::FORBIDDEN, "registration is closed on this server"));
    }
    let wanted = wire::read_registration(&body.fields()?)?;
    let now = app.clock.now();
    if let (Some(buckets), Some(address)) = (&app.registrations, network_of(&request)) {
        let allowance = buckets.take(&address, now.mono);
        if !allowance.passes {
            return Err(too_many("too many registrations from this address")
                .retry_after_millis(allowance.wait_millis));
        }
    }
    make_account(app, wanted).await
}

async fn make_account(app: web::Data<AppState>, wanted: Registration) -> Answer {
    let context = app.directory.context();
    // Checked before the password is hashed, which costs more than a look-up.
    if context.accounts.is_contact_taken(&wanted.profile).await? {
        return Err(taken());
    }
    let password = app.passwords.hash(wanted.password).await?;
    let (token, record) = tokens::fresh(&app, context.fresh_token(), LOG_IN, None);
    let (id, profile, token_record) = (context.fresh_user(), wanted.profile, Some(record));
    let names = profile.contacts().collect();
    let register = async |until| {
        let register = Register { until, profile, password, token: token_record };
        app.directory.ask(id, register).await
    };
    let made = app.names.take(id, names, register).await;
    let user = made.map_err(|failure| ApiError::not_taken(failure, taken()))?;
    // Groups that invited this email or phone number earlier get their new member before the client
    // is answered.
    app.reconciler.settled(user.id).await;
    Ok(reply::created(&welcome(&app, &user, &token)))
}

fn taken() -> ApiError {
    ApiError::new(StatusCode::CONFLICT, "email or phone_number belongs to another account")
}

/// `GET /auth/options`
pub(super) async fn options(app: web::Data<AppState>) -> HttpResponse {
    let registration =
        if app.registration_is_open { RegistrationMode::Open } else { RegistrationMode::Closed };
    reply::ok(&AuthOptions { registration })
}

/// `POST /auth/login`
pub(super) async fn login(app: web::Data<AppState>, request: HttpRequest, body: Body) -> Answer {
    let (email, password) = wire::read_login(&body.fields()?)?;
    let checked = app.log_ins.check(&email, password, network_of(&request)).await;
    audit::checked(&app, &request, &email, &checked).await;
    let account = checked?;
    let (token, record) = tokens::fresh(&app, app.directory.context().fresh_token(), LOG_IN, None);
    let issued = record.id;
    let issue = IssueToken { token: record, password: account.password, code: None };
    let user = app.directory.ask(account.user, issue).await?;
    audit::logged_in(&app, &request, user.id, Some(issued)).await;
    Ok(reply::ok(&welcome(&app, &user, &token)))
}

/// `POST /auth/logout`
pub(super) async fn logout(app: web::Data<AppState>, caller: Caller) -> Answer {
    app.directory.ask(caller.user, RevokeToken { id: caller.token }).await?;
    Ok(reply::ok(&()))
}

fn welcome(app: &AppState, user: &User, token: &AccessToken) -> LoggedInAccount {
    let user = wire::resource(user, app.clock.now().wall, &app.instance);
    let access_token = token.reveal().to_owned();
    LoggedInAccount { user, access_token, expires_in: app.token_seconds }
}
