//! Invitations of the operators, called invites in the API: links with which people register.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::error::ApiError;
use crate::http::operators::OperatorCaller;
use crate::http::reply::{self, Answer};
use ::wire::account_invitations as wire;
use ::wire::operators::read_reason;
use actors::directory::rooms::InstanceId;
use actors::instance::{EndInvitation, MakeInvitation};
use domain::audit::AdminAct;
use domain::ids::InvitationId;
use domain::operators::OperatorAct;
use domain::operators::invitations::{
    AccountInvitation, AddressMark, InvitationRefusal, with_token,
};
use domain::text::Email;

/// `GET /admin/invites`
pub(super) async fn list(app: web::Data<AppState>, operator: OperatorCaller) -> Answer {
    operator.may(OperatorAct::SeePeople)?;
    let context = app.directory.context();
    let invitations = context.accounts.invitations_with_makers().await?;
    let now = context.clock.now().wall;
    Ok(reply::ok(&wire::AccountInvites::of(&invitations, now, &app.instance)))
}

/// `POST /admin/invites`
pub(super) async fn create(
    app: web::Data<AppState>,
    act: Act,
    operator: OperatorCaller,
    body: Body,
) -> Answer {
    operator.may(OperatorAct::ManagePeople)?;
    let (new, reason) = wire::read_new(&body.fields()?)?;
    let by = app.directory.context().accounts.named(operator.user()).await?;
    let instance = Arc::clone(&app.instance);
    let audit = operator.audits_each(reason, |made: &Arc<AccountInvitation>| {
        let act = AdminAct::InvitationMade { invitation: made.id };
        Some((act, String::new(), wire::summary(made)))
    });
    let show = move |made: &Arc<AccountInvitation>| {
        reply::payload(StatusCode::CREATED, &wire::MadeAccountInvite::of(made, &by, &instance))
    };
    let make = MakeInvitation { by: operator.user(), new };
    Ok(act.ask_audited(InstanceId, make, audit, show).await?)
}

/// `DELETE /admin/invites/:invite_id`
pub(super) async fn end(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    operator.may(OperatorAct::ManagePeople)?;
    let invitation: InvitationId = path.parse().map_err(|_| InvitationRefusal::Unknown)?;
    let reason = read_reason(&body.fields()?)?;
    let audit = operator.audits_each(reason, |ended: &Arc<AccountInvitation>| {
        let act = AdminAct::InvitationEnded { invitation: ended.id };
        Some((act, wire::summary(ended), String::new()))
    });
    app.directory.ask_audited(InstanceId, EndInvitation { invitation }, audit).await?;
    Ok(reply::of_rendered(reply::done(&())))
}

/// `GET /auth/invites/:secret`
pub(super) async fn view(app: web::Data<AppState>, path: web::Path<String>) -> Answer {
    let context = app.directory.context();
    let invitations = context.accounts.invitations().await?;
    let invitation = with_token(&invitations, &path).ok_or(InvitationRefusal::Unknown)?;
    invitation.check_open(context.clock.now().wall)?;
    Ok(reply::ok(&wire::OpenAccountInvite::of(invitation)))
}

/// Checks that an address may register with an invitation. The room of the installation decides it
/// again, when the use is counted.
///
/// # Errors
/// If there is no such invitation, or it cannot be used.
pub(super) async fn check(app: &AppState, token: &str, address: &Email) -> Result<(), ApiError> {
    let context = app.directory.context();
    let invitations = context.accounts.invitations().await?;
    let invitation = with_token(&invitations, token).ok_or(InvitationRefusal::Unknown)?;
    Ok(invitation.permit(AddressMark::of(token, address), context.clock.now().wall)?)
}

impl From<InvitationRefusal> for ApiError {
    fn from(refusal: InvitationRefusal) -> Self {
        let status = match refusal {
            InvitationRefusal::Unknown => StatusCode::NOT_FOUND,
            InvitationRefusal::Full => StatusCode::CONFLICT,
            InvitationRefusal::Expired | InvitationRefusal::UsedUp | InvitationRefusal::Ended => {
                StatusCode::GONE
            }
        };
        Self::new(status, refusal)
    }
}
