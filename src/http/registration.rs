//! Registration, once under an `Idempotency-Key`.
//!
//! Who registers has no account yet, so a key belongs to the email address. Neither the token nor
//! anything quickly made of the password is kept: kept is which account was created, and from which
//! fields. A repeat shows the password again; it is checked as in a log-in, and the repeat gets a
//! token of its own. Refusals are not kept, since there is no account that could keep them.

use std::sync::{Arc, OnceLock};

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, ResponseError, rt, web};

use crate::http::account_invitations;
use crate::http::app_state::AppState;
use crate::http::audit;
use crate::http::auth::{issue_token, welcome};
use crate::http::body::Body;
use crate::http::client_address::network_of;
use crate::http::device_name::device_name;
use crate::http::error::ApiError;
use crate::http::guests;
use crate::http::new_account::{
    AccountRecord, FreshAccount, closed, limit, make_account, taken, uninvited,
};
use crate::http::once;
use crate::http::password_login;
use crate::http::recovery;
use crate::http::reply::{self, Answer};
use crate::http::verification;
use crate::http::waiting_accounts;
use ::wire::user::{self as wire, InviteUrl, Registration};
use actors::idempotency::{AnswerToSave, Rendered};
use auth::first_answers::{Hashing, KeyClaim, KeyGuard};
use auth::logging_in::{LogInFailure, LogInRefusal};
use domain::first_answer::{AskKey, Fingerprint, FirstAnswer, KeyRefusal};
use domain::instance::SignUp;
use domain::mail::MailNote;
use domain::user::{Profile, User};

/// `POST /auth/register`
pub(super) async fn register(app: web::Data<AppState>, request: HttpRequest, body: Body) -> Answer {
    let fields = body.fields()?;
    let settings = app.settings().await?;
    let mode = settings.sign_up.value;
    if !fields.contains_key("invite") {
        permit_uninvited(mode)?;
    }
    password_login::permit_new(&app).await?;
    let mut wanted = wire::read_registration(&fields)?;
    wanted.device = device_name(&request);
    limit(&app, &request)?;
    let is_admitted = match &wanted.invite {
        None => false,
        Some(InviteUrl::Account(token)) => {
            account_invitations::check(&app, token, &wanted.profile.email).await?;
            true
        }
        Some(InviteUrl::Group(link)) => {
            wanted.profile.guest = guests::by_link(&app, link).await?;
            wanted.profile.guest.is_some() || mode == SignUp::Invite
        }
    };
    if !is_admitted {
        permit_uninvited(mode)?;
        match mode {
            SignUp::Domain => {
                return waiting_accounts::request(app, &request, &settings.domains, wanted).await;
            }
            SignUp::Approval => return waiting_accounts::ask(app, &request, wanted).await,
            SignUp::Open | SignUp::Closed | SignUp::Invite => {}
        }
    }
    let note = recovery::note(&app, &request);
    let Some(key) = once::key_of(&request)? else {
        let account = FreshAccount { note, record: None, operator: None };
        let (user, token) = make_account(&app, wanted, account).await?;
        return Ok(reply::created(&welcome(&app, &user, &token)));
    };
    let (key, fingerprint) = claim(&wanted.profile, &key)?;
    match once::begin(&app, key, fingerprint).await? {
        KeyClaim::First(turn) => first(&app, (wanted, note), (key, fingerprint), turn).await,
        KeyClaim::Again(first) => again(&app, &request, wanted, &first).await,
        KeyClaim::Reused => Err(KeyRefusal::Reused.into()),
    }
}

/// Permits a registration without an invitation.
///
/// # Errors
/// If the mode needs one.
fn permit_uninvited(mode: SignUp) -> Result<(), ApiError> {
    match mode {
        SignUp::Open | SignUp::Domain | SignUp::Approval => Ok(()),
        SignUp::Closed => Err(closed()),
        SignUp::Invite => Err(uninvited()),
    }
}

/// The key under which the answer is kept, and the fields that a repeat must have.
fn claim(profile: &Profile, key: &[u8]) -> Result<(AskKey, Fingerprint), ApiError> {
    let email = profile.email.key();
    let name = Hashing::new().part(b"registration").part(email.as_bytes()).part(key);
    let fields = serde_json::to_vec(profile).map_err(|error| ApiError::fault(&error))?;
    let fields = Hashing::new().part(b"POST").part(b"/auth/register").part(&fields);
    Ok((AskKey::new(name.finish()), Fingerprint::new(fields.finish())))
}

/// Creates the account, and records under the key which one it is.
async fn first(
    app: &AppState,
    (wanted, note): (Registration, Option<MailNote>),
    (key, request): (AskKey, Fingerprint),
    turn: KeyGuard,
) -> Answer {
    let render = |user: &Arc<User>| Rendered {
        status: StatusCode::CREATED.as_u16(),
        body: user.id.to_string().into(),
    };
    let saved = Arc::new(OnceLock::new());
    let to_save = AnswerToSave {
        key,
        request,
        asker: None,
        render: Arc::new(render),
        saved: Arc::clone(&saved),
    };
    let record: AccountRecord = Some(Box::new(to_save));
    match make_account(app, wanted, FreshAccount { note, record, operator: None }).await {
        Ok((user, token)) => {
            // What was recorded is durable, since the account is.
            if let Some(saved) = saved.get() {
                turn.finish(Arc::clone(&saved.first));
            }
            Ok(reply::created(&welcome(app, &user, &token)))
        }
        Err(error) => {
            if error.status_code().is_server_error() {
                rt::spawn(turn.doubt());
            }
            Err(error)
        }
    }
}

/// Logs in to the account that the first request created.
async fn again(
    app: &AppState,
    request: &HttpRequest,
    wanted: Registration,
    first: &FirstAnswer,
) -> Answer {
    let email = wanted.profile.email.as_str().to_owned();
    let network = network_of(request);
    let checked = app.log_ins.check(&email, wanted.password, None, network).await;
    audit::checked(app, request, &email, &checked).await;
    let account = match checked {
        // With another password it is another request.
        Err(LogInFailure::Refused(LogInRefusal::Wrong)) => return Err(KeyRefusal::Reused.into()),
        checked => checked?,
    };
    if first.body.as_deref() != Some(account.user.to_string().as_str()) {
        return Err(taken());
    }
    if account.needs_factor {
        return verification::challenge(app, &account).await;
    }
    let (user, token) = issue_token(app, request, account).await?;
    let mut answer = reply::created(&welcome(app, &user, &token));
    once::mark_repeated(&mut answer);
    Ok(answer)
}
