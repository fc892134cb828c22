//! Confirmation of email addresses with links in mails.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};

use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::LoggedIn;
use crate::http::error::ApiError;
use crate::http::recovery;
use crate::http::reply::{self, Answer};
use crate::http::waiting_accounts;
use actors::user::mail::{ConfirmAddress, RequestConfirmation};
use domain::group::Contact;
use wire::account::LinkedAccount;

/// `POST /auth/confirm`
pub(super) async fn request(
    app: web::Data<AppState>,
    request: HttpRequest,
    LoggedIn(caller): LoggedIn,
) -> Answer {
    let note = recovery::required_note(&app, &request).await?;
    app.directory.ask(caller.user, RequestConfirmation { note }).await?;
    reply::of(StatusCode::ACCEPTED, &())
}

/// `POST /auth/confirm/{secret}`
pub(super) async fn confirm(
    app: web::Data<AppState>,
    request: HttpRequest,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let (user, hash) = recovery::link(&path)?;
    let account = recovery::account(&app, user).await?;
    let address = account.confirmation_link(&hash, app.clock.now().wall)?;
    if account.waiting.is_some() {
        waiting_accounts::check_owner(&app, &request, &account, body).await?;
    }
    let note = recovery::note(&app, &request);
    let email = if address.key() == account.profile.email.key() {
        let confirm = ConfirmAddress { hash, claimed: None, note };
        app.directory.ask(user, confirm).await?
    } else {
        // The former address stays its owner's for a while, so it is claimed once more.
        let names = vec![Contact::from(&address), Contact::from(&account.profile.email)];
        let confirm = async |until| {
            app.directory.ask(user, ConfirmAddress { hash, claimed: Some(until), note }).await
        };
        let taken = ApiError::new(StatusCode::CONFLICT, "email belongs to another account");
        let confirmed = app.names.take(user, names, confirm).await;
        confirmed.map_err(|failure| ApiError::not_taken(failure, taken))?
    };
    Ok(reply::ok(&LinkedAccount { email }))
}
