//! What the HTTP layer tells the audit log: log-ins, and from where.
//!
//! An answer never fails because of it: what cannot be written down is logged, and the
//! journal that refused it refuses everything else too.

use actix_web::HttpRequest;

use crate::actors::ask::Failure;
use crate::actors::audit::protocol::{Note, NoteFailure};
use crate::auth::accounts::LoginAccount;
use crate::auth::logging_in::{LogInFailure, LogInRefusal};
use crate::domain::audit::{Address, AuditFact};
use crate::domain::ids::{TokenId, UserId};
use crate::domain::text::Email;
use crate::http::app_state::AppState;
use crate::http::client_address::address_of;

/// A log-in led to this token.
pub(super) async fn logged_in(app: &AppState, request: &HttpRequest, user: UserId, token: TokenId) {
    let from = address(request);
    say(app.directory.audit(Note(AuditFact::LoggedIn { user, token, from })).await);
}

/// An email and a password were shown: notes it where they did not fit.
pub(super) async fn checked(
    app: &AppState,
    request: &HttpRequest,
    typed: &str,
    outcome: &Result<LoginAccount, LogInFailure>,
) {
    if !matches!(outcome, Err(LogInFailure::Refused(LogInRefusal::Wrong))) {
        return;
    }
    app.counts.login_failed();
    // What has not the form of an address may be a password in the wrong field.
    let (email, from) = (Email::parse(typed).ok(), address(request));
    let user = match email.clone() {
        Some(email) => app.directory.context().accounts.by_email(email).await.unwrap_or_default(),
        None => None,
    };
    let user = user.map(|(id, _)| id);
    say(app.directory.audit(NoteFailure { user, email, from }).await);
}

fn address(request: &HttpRequest) -> Option<Address> {
    address_of(request).map(|address| Address::new(address.to_string()))
}

fn say(noted: Result<(), Failure<std::convert::Infallible>>) {
    if let Err(Failure::Fault(fault)) = noted {
        tracing::error!(%fault, "the audit log misses a log-in");
    }
}
