//! Writes log-ins, and their addresses, to the audit log.
//!
//! A response never fails because of it: an entry that cannot be written is logged, and the journal
//! that refused it refuses everything else too.

use actix_web::HttpRequest;

use crate::http::app_state::AppState;
use crate::http::client_address::address_of;
use actors::ask::Failure;
use actors::audit::protocol::{Note, NoteFailure};
use auth::accounts::LoginAccount;
use auth::logging_in::{LogInFailure, LogInRefusal};
use domain::audit::{Address, AuditFact};
use domain::ids::{TokenId, UserId};
use domain::text::Email;

/// Notes a log-in, and the token that it led to; on the page that asks for consent, to none.
pub(super) async fn logged_in(
    app: &AppState,
    request: &HttpRequest,
    user: UserId,
    token: Option<TokenId>,
) {
    let from = address(request);
    say(app.directory.audit(Note(AuditFact::LoggedIn { user, token, from })).await);
}

/// Counts and notes a log-in whose email and password did not match.
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
    // Text that is no email address is not noted: it may be a password typed into the wrong field.
    let email = Email::parse(typed).ok();
    let from = address(request);
    let user = match email {
        Some(_) => {
            let accounts = &app.directory.context().accounts;
            accounts.by_typed_email(typed).await.unwrap_or_default()
        }
        None => None,
    };
    let user = user.map(|(id, _)| id);
    say(app.directory.audit(NoteFailure { user, email, from }).await);
}

/// Counts and notes a passkey that was refused at a log-in.
pub(super) async fn refused_passkey(app: &AppState, request: &HttpRequest, user: UserId) {
    app.counts.login_failed();
    let accounts = &app.directory.context().accounts;
    let known = accounts.account(user).await.unwrap_or_default();
    let user = known.map(|_| user);
    let from = address(request);
    say(app.directory.audit(NoteFailure { user, email: None, from }).await);
}

/// The client's address as the audit log writes it.
pub(super) fn address(request: &HttpRequest) -> Option<Address> {
    address_of(request).map(|address| Address::new(address.to_string()))
}

fn say(noted: Result<(), Failure<std::convert::Infallible>>) {
    if let Err(Failure::Fault(fault)) = noted {
        tracing::error!(%fault, "writing a log-in to the audit log failed; the entry is lost");
    }
}
