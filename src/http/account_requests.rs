//! `/v3/admin/requests`: people who ask for an account, and what operators decide.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};

use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::error::ApiError;
use crate::http::operators::OperatorCaller;
use crate::http::recovery;
use crate::http::reply::{self, Answer};
use ::wire::account_requests as wire;
use actors::user::registration::DecideAccountRequest;
use domain::audit::AdminAct;
use domain::ids::UserId;
use domain::operators::OperatorAct;
use domain::user::{AccountDecision, AccountDecisionRefusal};

/// Requests on one page.
const PAGE: usize = 100;

/// `GET /admin/requests`
pub(super) async fn list(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    query: Query,
) -> Answer {
    operator.may(OperatorAct::SeePeople)?;
    let after = wire::read_after(&query.0)?;
    let (accounts, more) = app.directory.context().accounts.account_requests(after, PAGE).await?;
    Ok(reply::ok(&wire::AccountRequests::of(&accounts, more, &app.instance)))
}

/// `POST /admin/requests/:user`
pub(super) async fn decide(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    request: HttpRequest,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    operator.may(OperatorAct::ManagePeople)?;
    let user: UserId = path.parse().map_err(|_| AccountDecisionRefusal::Unknown)?;
    let (decided, reason) = wire::read_decision(&body.fields()?)?;
    let act = match decided {
        AccountDecision::Approved => AdminAct::RequestApproved { user },
        AccountDecision::Refused => AdminAct::RequestRefused { user },
    };
    let note = recovery::note(&app, &request);
    let audit = operator.audits(act, reason);
    app.directory.ask_audited(user, DecideAccountRequest { decided, note }, audit).await?;
    app.reconciler.settled(user).await;
    Ok(reply::of_rendered(reply::done(&())))
}

impl From<AccountDecisionRefusal> for ApiError {
    fn from(refusal: AccountDecisionRefusal) -> Self {
        Self::new(StatusCode::NOT_FOUND, refusal)
    }
}
