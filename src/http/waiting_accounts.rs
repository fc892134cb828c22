//! New accounts that wait for the confirmation of their address, or for the approval of operators.
//!
//! The response does not depend on whether the address has an account, and neither does its time: the
//! address is looked up after the response, and only a mail to it tells more. Who opens the link in
//! the mail shows the password too: else the owner of an address could confirm an account whose
//! password a stranger chose.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, rt, web};

use crate::http::app_state::AppState;
use crate::http::audit;
use crate::http::body::Body;
use crate::http::client_address::network_of;
use crate::http::error::ApiError;
use crate::http::new_account::{FreshAccount, closed, create, uninvited};
use crate::http::recovery;
use crate::http::reply::{self, Answer};
use ::wire::account::{self as wire, AwaitedAccount};
use ::wire::user::Registration;
use actors::ask::Failure;
use actors::names::TakeFailure;
use actors::user::protocol::UserRefusal;
use actors::user::registration::RegisterAgain;
use domain::instance::{SettingsInEffect, SignUp};
use domain::mail::MailNote;
use domain::registration::{AccountWait, RegistrationDomains, WaitingReason};
use domain::text::Email;
use domain::user::{Profile, RepeatedRegistration, User};

/// Takes a registration whose address is to be confirmed.
///
/// # Errors
/// If the address is of another domain, or the server sends no mail.
pub(super) async fn request(
    app: web::Data<AppState>,
    request: &HttpRequest,
    domains: &RegistrationDomains,
    wanted: Registration,
) -> Answer {
    if !domains.allow(&wanted.profile.email) {
        return Err(other_domain(domains));
    }
    let note = recovery::required_note(&app, request).await?;
    let wait = AccountWait::for_confirmation(app.clock.now().wall);
    wait_for(app, wanted, Some(note), wait).await
}

/// Takes a registration that operators are to approve.
///
/// # Errors
/// If it does not say who asks.
pub(super) async fn ask(
    app: web::Data<AppState>,
    request: &HttpRequest,
    mut wanted: Registration,
) -> Answer {
    let Some(about) = wanted.about.take() else {
        let reason = "about is required: operators read who you are, and why you want an account";
        return Err(ApiError::new(StatusCode::BAD_REQUEST, reason));
    };
    let wait = AccountWait::for_approval(Some(about), recovery::language_of(request));
    let note = recovery::note(&app, request);
    wait_for(app, wanted, note, wait).await
}

/// Answers, and then creates the account or tells the one that has the address.
async fn wait_for(
    app: web::Data<AppState>,
    wanted: Registration,
    note: Option<MailNote>,
    wait: AccountWait,
) -> Answer {
    // Hashed for every address: this is what takes time.
    let password = app.passwords.hash(wanted.password).await?;
    let drain = app.directory.context().drain.guard().ok_or_else(ApiError::unavailable)?;
    let profile = wanted.profile;
    let waiting = wait.reason.as_str();
    rt::spawn(async move {
        if let Err(error) = begin(&app, profile, password, note, wait).await {
            tracing::error!(%error, "a registration was not recorded");
        }
        drop(drain);
    });
    reply::of(StatusCode::ACCEPTED, &AwaitedAccount { waiting })
}

fn other_domain(domains: &RegistrationDomains) -> ApiError {
    let names = domains.names().join(", ");
    let shown = if domains.are_shown { format!(": {names}") } else { String::new() };
    let reason = format!("only addresses of certain domains may register on this server{shown}");
    ApiError::new(StatusCode::FORBIDDEN, reason).needs("domain")
}

/// Creates the account, or tells the one that has the address.
async fn begin(
    app: &AppState,
    mut profile: Profile,
    password: String,
    note: Option<MailNote>,
    wait: AccountWait,
) -> Result<(), ApiError> {
    let accounts = &app.directory.context().accounts;
    if let Some((user, _)) = accounts.by_typed_email(profile.email.as_str()).await? {
        let again = RepeatedRegistration { name: profile.name, password, note, wait };
        return match app.directory.ask(user, RegisterAgain(again)).await {
            // The account was deleted meanwhile.
            Ok(()) | Err(Failure::Refused(UserRefusal::Unknown)) => Ok(()),
            Err(failure) => Err(failure.into()),
        };
    }
    if accounts.is_contact_taken(&profile).await? {
        // Another account has the number. The account begins without it: an error would tell that.
        profile.phone = None;
    }
    // Whom operators are to approve hears from them first.
    let note = note.filter(|_| wait.reason == WaitingReason::Confirmation);
    let account = FreshAccount { note, record: None, operator: None };
    match create(app, profile, password, None, Some(wait), account).await {
        Ok(user) => {
            app.reconciler.settled(user.id).await;
            Ok(())
        }
        // Another registration was faster.
        Err(TakeFailure::Taken) => Ok(()),
        Err(TakeFailure::Act(failure)) => Err(failure.into()),
        Err(TakeFailure::Fault(fault)) => Err(fault.into()),
    }
}

/// Checks that an account that waits may be confirmed now, by somebody who knows its password.
///
/// # Errors
/// 403 if nobody with the address may register any more, or the body has no password; if the password
/// is wrong.
pub(super) async fn check_owner(
    app: &AppState,
    request: &HttpRequest,
    account: &User,
    body: Body,
) -> Result<(), ApiError> {
    permit(&app.settings().await?, &account.profile.email)?;
    let Some(password) = wire::read_optional_password(&body.fields()?)? else {
        let reason = "password is required: the one with which the account was registered";
        return Err(ApiError::new(StatusCode::FORBIDDEN, reason).needs("password"));
    };
    let email = account.profile.email.as_str();
    let checked = app.log_ins.check(email, password, None, network_of(request)).await;
    audit::checked(app, request, email, &checked).await;
    checked?;
    Ok(())
}

/// Checks whether an address may still register.
fn permit(settings: &SettingsInEffect, email: &Email) -> Result<(), ApiError> {
    match settings.sign_up.value {
        SignUp::Open => Ok(()),
        SignUp::Closed => Err(closed()),
        SignUp::Domain if settings.domains.allow(email) => Ok(()),
        SignUp::Domain => Err(other_domain(&settings.domains)),
        SignUp::Invite => Err(uninvited()),
        SignUp::Approval => {
            let reason = "operators approve new accounts on this server now; register once more";
            Err(ApiError::new(StatusCode::FORBIDDEN, reason).needs("approval"))
        }
    }
}
