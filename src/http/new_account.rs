//! New accounts: how many may be made from one network, and what each begins with.

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::http::StatusCode;

use crate::http::app_state::AppState;
use crate::http::auth::LOG_IN;
use crate::http::client_address::network_of;
use crate::http::error::ApiError;
use crate::http::guests;
use crate::http::limits::too_many;
use crate::http::tokens;
use ::wire::user::{InviteUrl, Registration};
use actors::directory::rooms::InstanceId;
use actors::idempotency::AnswerToSave;
use actors::instance::UseInvitation;
use actors::names::TakeFailure;
use actors::user::protocol::{NamingRefusal, Register};
use auth::access_token::AccessToken;
use domain::mail::MailNote;
use domain::operators::OperatorRole;
use domain::registration::AccountWait;
use domain::user::{Profile, TokenRecord, User};

/// The record with a new account under a key.
pub(super) type AccountRecord = Option<Box<AnswerToSave<Arc<User>>>>;

/// 403: operators alone create accounts.
pub(super) fn closed() -> ApiError {
    ApiError::new(StatusCode::FORBIDDEN, "registration is closed on this server")
}

/// 403: one registers with an invitation.
pub(super) fn uninvited() -> ApiError {
    let reason = "one registers with an invitation on this server";
    ApiError::new(StatusCode::FORBIDDEN, reason).needs("invite")
}

/// What a new account gets beside its profile.
pub(super) struct FreshAccount {
    /// The mail that confirms the address; `None` if the server sends none.
    pub(super) note: Option<MailNote>,
    /// The record under an `Idempotency-Key`.
    pub(super) record: AccountRecord,
    /// The role of an operator.
    pub(super) operator: Option<OperatorRole>,
}

/// Counts a registration from the network of the client.
///
/// # Errors
/// If there were too many.
pub(super) fn limit(app: &AppState, request: &HttpRequest) -> Result<(), ApiError> {
    let (Some(buckets), Some(address)) = (&app.registrations, network_of(request)) else {
        return Ok(());
    };
    let allowance = buckets.take(&address, app.clock.now().mono);
    if allowance.passes {
        return Ok(());
    }
    Err(too_many("too many registrations from this address")
        .retry_after_millis(allowance.wait_millis))
}

/// Creates an account with a token.
///
/// # Errors
/// If another account has the email address or the phone number, or a room fails.
pub(super) async fn make_account(
    app: &AppState,
    wanted: Registration,
    account: FreshAccount,
) -> Result<(Arc<User>, AccessToken), ApiError> {
    let context = app.directory.context();
    // Checked before the password is hashed, which costs more than a look-up.
    if context.accounts.is_contact_taken(&wanted.profile).await? {
        return Err(taken());
    }
    let password = app.passwords.hash(wanted.password).await?;
    if let Some(InviteUrl::Account(token)) = &wanted.invite {
        let address = wanted.profile.email.clone();
        let token = token.clone();
        app.directory.ask(InstanceId, UseInvitation { token, address }).await?;
    }
    let (token, mut token_record) =
        tokens::new_token(app, context.id_generator.token(), LOG_IN, None);
    token_record.device = wanted.device;
    let invite = wanted.invite;
    let made = create(app, wanted.profile, password, Some(token_record), None, account).await;
    let user = made.map_err(|failure| ApiError::not_taken(failure, taken()))?;
    // Groups that invited this email or phone number earlier get their new member before the client
    // is answered.
    app.reconciler.settled(user.id).await;
    if let Some(InviteUrl::Group(link)) = invite {
        guests::let_in(app, &user, link).await;
    }
    Ok((user, token))
}

/// Creates an account, with its first token if it can be used at once.
///
/// # Errors
/// If another account has the email address or the phone number, or a room fails.
pub(super) async fn create(
    app: &AppState,
    profile: Profile,
    password: String,
    token: Option<TokenRecord>,
    waiting: Option<AccountWait>,
    account: FreshAccount,
) -> Result<Arc<User>, TakeFailure<NamingRefusal>> {
    let FreshAccount { note, record, operator } = account;
    let id = app.directory.context().id_generator.user();
    let names = profile.contacts().collect();
    let register = async |until| {
        let register = Register {
            until,
            profile,
            password,
            token,
            note,
            operator,
            identity: None,
            provisioning: None,
            waiting,
        };
        app.directory.ask_with_record(id, register, record).await
    };
    app.names.take(id, names, register).await
}

/// 409: another account has the address or the number.
pub(super) fn taken() -> ApiError {
    ApiError::new(StatusCode::CONFLICT, "email or phone_number belongs to another account")
}
