//! Accounts: log-in and log-out. Registration is in `registering`.

use std::sync::Arc;

use actix_web::{HttpRequest, web};

use crate::http::app_state::AppState;
use crate::http::audit;
use crate::http::body::Body;
use crate::http::caller::Caller;
use crate::http::client_address::network_of;
use crate::http::device_name::device_name;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use crate::http::{password_login, tokens, verification};
use ::wire::account::LoggedInAccount;
use ::wire::user::{self as wire, LogIn};
use actors::user::protocol::{IssueToken, RevokeToken};
use auth::access_token::AccessToken;
use auth::accounts::LoginAccount;
use domain::user::User;

/// The purpose, as lists of tokens show it, of a token made by logging in.
pub(super) const LOG_IN: &str = "log-in";

/// `POST /auth/login`
pub(super) async fn login(app: web::Data<AppState>, request: HttpRequest, body: Body) -> Answer {
    let LogIn { email, password, device } = wire::read_login(&body.fields()?)?;
    let device = device.as_deref();
    let checked = app.log_ins.check(&email, password, device, network_of(&request)).await;
    audit::checked(&app, &request, &email, &checked).await;
    let account = checked?;
    password_login::permit(&app, &account).await?;
    if account.needs_factor {
        return verification::challenge(&app, &account).await;
    }
    let (user, token) = issue_token(&app, &request, account).await?;
    Ok(reply::ok(&welcome(&app, &user, &token)))
}

/// Issues a token to a user whose password was right, and whose second factor was if it is needed.
pub(super) async fn issue_token(
    app: &AppState,
    request: &HttpRequest,
    account: LoginAccount,
) -> Result<(Arc<User>, AccessToken), ApiError> {
    let id = app.directory.context().id_generator.token();
    let (token, mut record) = tokens::new_token(app, id, LOG_IN, None);
    record.device = device_name(request);
    let issued = record.id;
    let issue =
        IssueToken { token: record, password: account.password, code: None, identity: None };
    let user = app.directory.ask(account.user, issue).await?;
    audit::logged_in(app, request, user.id, Some(issued)).await;
    Ok((user, token))
}

/// `POST /auth/logout`
pub(super) async fn logout(app: web::Data<AppState>, caller: Caller) -> Answer {
    app.directory.ask(caller.user, RevokeToken { id: caller.token }).await?;
    Ok(reply::ok(&()))
}

/// The payload for somebody who is logged in now.
pub(super) fn welcome(app: &AppState, user: &User, token: &AccessToken) -> LoggedInAccount {
    let user = wire::resource(user, app.clock.now().wall, &app.instance);
    let access_token = token.reveal().to_owned();
    let expires_in = app.token_seconds;
    LoggedInAccount { user, access_token, expires_in, device: None, provider: None }
}
