//! `/v3/admin/mail`: mails that wait or were given up, and the test of the mail server.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::error::ApiError;
use crate::http::limits::too_many;
use crate::http::operators::OperatorCaller;
use crate::http::recovery;
use crate::http::reply::{self, Answer};
use ::wire::mails as wire;
use ::wire::operators::read_reason;
use actors::user::mail::RetryMail;
use domain::audit::AdminAct;
use domain::ids::MailId;
use domain::mail::{MailAttempt, RetryRefusal};
use domain::operators::OperatorAct;
use subscribers::mail::{Mails, TestMail};

/// `GET /admin/mail`
pub(super) async fn list(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    query: Query,
) -> Answer {
    operator.may(OperatorAct::SeeMail)?;
    let query = wire::read_list(&query.0)?;
    let now = app.clock.now().wall;
    let page = app.directory.context().accounts.mails(query, now).await?;
    let sender = app.mails.as_ref().map(|it| it.server().sender());
    Ok(reply::ok(&wire::AdminMails::of(&page, sender)))
}

/// The service that sends mails.
///
/// # Errors
/// 409 if the server sends no mail.
fn sending(app: &AppState) -> Result<&Mails, ApiError> {
    let reason = "this server sends no mail; set --smtp-url and --mail-from";
    app.mails.as_ref().ok_or_else(|| ApiError::new(StatusCode::CONFLICT, reason))
}

/// `POST /admin/mail/test`
pub(super) async fn test(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    request: HttpRequest,
    body: Body,
) -> Answer {
    operator.may(OperatorAct::SendMail)?;
    let (to, reason) = wire::read_test(&body.fields()?)?;
    let mails = sending(&app)?;
    let allowance = mails.take_test(operator.user());
    if !allowance.passes {
        return Err(too_many("too many test mails: ten an hour are allowed")
            .retry_after_millis(allowance.wait_millis));
    }
    let account = app.directory.context().accounts.person(operator.user()).await?;
    let profile = account.ok_or_else(ApiError::invalid_token)?.profile;
    let to = to.unwrap_or(profile.email);
    let note = recovery::new_note(recovery::language_of(&request));
    let attempt = mails.test(TestMail { to: to.clone(), name: profile.name, note }).await;
    let outcome = match &attempt {
        MailAttempt::Failed { reason, .. } => reason.as_str(),
        MailAttempt::Sent | MailAttempt::Unneeded => "accepted",
    };
    let change = Some((String::new(), format!("to: {}\noutcome: {outcome}", to.as_str())));
    operator.note(&app, AdminAct::MailTested, reason, change).await?;
    match attempt {
        MailAttempt::Failed { reason, .. } => {
            let server = mails.server().server();
            let reason = format!("the mail server {server} did not accept the mail: {reason}");
            Err(ApiError::new(StatusCode::BAD_GATEWAY, reason))
        }
        MailAttempt::Sent | MailAttempt::Unneeded => {
            Ok(reply::ok(&wire::SentTestMail { to, sender: mails.server().sender() }))
        }
    }
}

/// `POST /admin/mail/:mail_id/retry`
pub(super) async fn retry(
    app: web::Data<AppState>,
    act: Act,
    operator: OperatorCaller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    operator.may(OperatorAct::SendMail)?;
    let id: MailId = path.parse().map_err(|_| RetryRefusal::Unknown)?;
    let reason = read_reason(&body.fields()?)?;
    let mails = sending(&app)?;
    let now = app.clock.now().wall;
    let listed = app.directory.context().accounts.mail(id, now).await?;
    let listed = listed.ok_or(RetryRefusal::Unknown)?;
    if let Some(invite) = &listed.invite
        && !mails.is_open(invite).await?
    {
        return Err(RetryRefusal::InviteEnded.into());
    }
    let user = listed.user.id;
    let audit = operator.audits(AdminAct::MailRetried { user, mail: id }, reason);
    Ok(act.ask_audited(user, RetryMail { id }, audit, |()| reply::done(&())).await?)
}

impl From<RetryRefusal> for ApiError {
    fn from(refusal: RetryRefusal) -> Self {
        let status = match refusal {
            RetryRefusal::Unknown => StatusCode::NOT_FOUND,
            RetryRefusal::Disabled => StatusCode::CONFLICT,
            RetryRefusal::Ended | RetryRefusal::Unneeded | RetryRefusal::InviteEnded => {
                StatusCode::GONE
            }
        };
        Self::new(status, refusal)
    }
}
