//! Recovery of an account whose password is lost: the mail with a link, and the new password.
//!
//! The response to a request for a mail does not depend on the account, and neither does its time:
//! the account is looked up after the response.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::ACCEPT_LANGUAGE;
use actix_web::{HttpRequest, rt, web};

use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::client_address::network_of;
use crate::http::error::ApiError;
use crate::http::limits::too_many;
use crate::http::password_login;
use crate::http::reply::{self, Answer};
use ::wire::account::{self as wire, LinkedAccount};
use actors::ask::Failure;
use actors::names::TakeFailure;
use actors::user::mail::{Protest, Recover, RequestRecovery};
use actors::user::protocol::{UserRefusal, ViewUser};
use auth::access_token::{self, AccessToken};
use auth::throttle::Rate;
use base::random::random;
use domain::group::Contact;
use domain::ids::{MailId, UserId};
use domain::mail::{LinkHash, MailLanguage, MailNote};
use domain::user::{LinkRefusal, User};

/// Requests for recovery from one network address: twenty an hour.
pub const RECOVERIES: Rate = Rate { per_second: 20.0 / 3600.0, burst: 20.0 };

/// `POST /auth/recover`
pub(super) async fn request(app: web::Data<AppState>, request: HttpRequest, body: Body) -> Answer {
    let email = wire::read_email(&body.fields()?)?;
    let note = required_note(&app, &request).await?;
    if let Some(address) = network_of(&request) {
        let allowance = app.recoveries.take(&address, app.clock.now().mono);
        if !allowance.passes {
            return Err(too_many("too many recoveries from this address")
                .retry_after_millis(allowance.wait_millis));
        }
    }
    let drain = app.directory.context().drain.guard().ok_or_else(ApiError::unavailable)?;
    rt::spawn(async move {
        if let Err(error) = begin(&app, &email, note).await {
            tracing::error!(%error, "a recovery mail was not queued");
        }
        drop(drain);
    });
    reply::of(StatusCode::ACCEPTED, &())
}

/// 403: a server without mail names somebody who can help.
async fn no_mail(app: &AppState) -> ApiError {
    let settings = match app.settings().await {
        Ok(settings) => settings,
        Err(fault) => return fault.into(),
    };
    let contact = settings.contact.value.map(|it| format!(": {it}")).unwrap_or_default();
    let reason = format!("this server sends no mail; ask those who run it{contact}");
    ApiError::new(StatusCode::FORBIDDEN, reason)
}

/// Queues the mail, if there is such an account.
async fn begin(app: &AppState, email: &str, note: MailNote) -> Result<(), ApiError> {
    let found = app.directory.context().accounts.account_by_typed_email(email).await?;
    let Some(account) = found else { return Ok(()) };
    if password_login::permit(app, &account).await.is_err() {
        // A new password would open nothing.
        return Ok(());
    }
    match app.directory.ask(account.user, RequestRecovery { note }).await {
        // The account was deleted meanwhile.
        Ok(()) | Err(Failure::Refused(UserRefusal::Unknown)) => Ok(()),
        Err(failure) => Err(failure.into()),
    }
}

/// `POST /auth/recover/{secret}`
pub(super) async fn finish(
    app: web::Data<AppState>,
    request: HttpRequest,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let password = wire::read_fresh_password(&body.fields()?)?;
    let (user, hash) = link(&path)?;
    // Checked before the password is hashed, which costs more than a look-up.
    let known = account(&app, user).await?;
    known.recovery_link(&hash, app.clock.now().wall)?;
    let password = app.passwords.hash(password).await?;
    let note = note(&app, &request);
    let email = app.directory.ask(user, Recover { hash, password, note }).await?;
    // Wrong codes go on counting, or each link would allow more guesses at the second factor.
    if !known.factors.is_on() {
        app.log_ins.unlock(&email);
    }
    Ok(reply::ok(&LinkedAccount { email }))
}

/// `POST /auth/protest/{secret}`
pub(super) async fn protest(
    app: web::Data<AppState>,
    request: HttpRequest,
    path: web::Path<String>,
) -> Answer {
    let (user, hash) = link(&path)?;
    let known = account(&app, user).await?;
    let mailed_to = known.protest_link(&hash, app.clock.now().wall)?;
    // Without a recovery link the owner would be locked out.
    let note = required_note(&app, &request).await?;
    let password = app.passwords.hash(AccessToken::fresh().reveal().to_owned()).await?;
    let protest = |claimed| {
        let password = password.clone();
        app.directory.ask(user, Protest { hash, password, note, claimed })
    };
    if mailed_to.key() != known.profile.email.key() {
        // The address that got the link becomes the account's again, unless it is another's by now.
        let names = vec![Contact::from(&mailed_to), Contact::from(&known.profile.email)];
        let claimed = async |until| protest(Some(until)).await;
        match app.names.take(user, names, claimed).await {
            Ok(()) => return Ok(reply::ok(&())),
            Err(TakeFailure::Taken) => {}
            Err(TakeFailure::Act(failure)) => return Err(failure.into()),
            Err(TakeFailure::Fault(fault)) => return Err(fault.into()),
        }
    }
    protest(None).await?;
    Ok(reply::ok(&()))
}

/// The account of a link.
pub(super) async fn account(app: &AppState, user: UserId) -> Result<Arc<User>, ApiError> {
    match app.directory.ask(user, ViewUser).await {
        Err(Failure::Refused(UserRefusal::Unknown)) => Err(LinkRefusal::Unknown.into()),
        account => Ok(account?),
    }
}

/// Reads the user and the hash of the secret from the last part of a link.
///
/// # Errors
/// If it is not the last part of a link.
pub(super) fn link(text: &str) -> Result<(UserId, LinkHash), ApiError> {
    let parts = text.split_once('-');
    let user = parts.and_then(|(user, _)| user.parse().ok());
    let hash = parts.map(|(_, secret)| access_token::link_hash(secret));
    user.zip(hash).ok_or_else(|| LinkRefusal::Unknown.into())
}

/// The mail that a request asks for.
///
/// # Errors
/// If the server sends no mail.
pub(super) async fn required_note(
    app: &AppState,
    request: &HttpRequest,
) -> Result<MailNote, ApiError> {
    match note(app, request) {
        Some(note) => Ok(note),
        None => Err(no_mail(app).await),
    }
}

/// The mail that an act causes, in the language of the browser; `None` if the server sends no mail.
pub(super) fn note(app: &AppState, request: &HttpRequest) -> Option<MailNote> {
    app.sends_mail().then(|| new_note(language_of(request)))
}

/// The language of the browser.
pub(super) fn language_of(request: &HttpRequest) -> MailLanguage {
    let header = request.headers().get(ACCEPT_LANGUAGE).and_then(|it| it.to_str().ok());
    MailLanguage::preferred(header.unwrap_or_default())
}

/// A new mail in this language.
pub(super) fn new_note(language: MailLanguage) -> MailNote {
    MailNote { id: MailId::new(u64::from_be_bytes(random())), language }
}
