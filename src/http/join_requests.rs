//! Requests to become a member of a group: who asks, and the answers.

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::Caller;
use crate::http::dialect::Dialect;
use crate::http::error::ApiError;
use crate::http::groups::group_id;
use crate::http::reply::{self, Answer};
use ::wire::join_request as wire;
use actors::ask::Failure;
use actors::group::protocol::{DecideJoinRequest, ListJoinRequests, WithdrawJoinRequest};
use domain::group::RequestRefusal;
use domain::ids::MembershipId;

/// `GET /groups/:group_id/pending_memberships`: those that the caller may decide.
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    let id = group_id(&path)?;
    let mut requests = app.directory.ask(id, ListJoinRequests { reader: caller.user }).await?;
    for index in (0..requests.len()).rev() {
        // The request of a deleted account can no longer be decided.
        if app.directory.context().accounts.account(requests[index].user.id).await?.is_none() {
            requests.remove(index);
        }
    }
    reply::list(requests.iter().map(|request| wire::pending(request, &app.instance)))
}

/// `POST /groups/:group_id/members/:membership_id/approval`
pub(super) async fn decide(
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<(String, String)>,
    body: Body,
) -> Answer {
    let (group, membership) = path.into_inner();
    let id = group_id(&group)?;
    let is_approved = wire::read_approval(&body.fields()?)?;
    let membership: MembershipId = membership.parse().map_err(|_| RequestRefusal::NoRequest)?;
    let asked = DecideJoinRequest { by: caller.user, membership, is_approved };
    let render =
        move |_: &()| reply::payload(StatusCode::OK, &wire::decided(membership, is_approved));
    act.ask(id, asked, render).await.map_err(|failure| refused(failure, dialect))
}

/// `DELETE /groups/:group_id/revoke_join`: the caller's own request, if there is one.
pub(super) async fn withdraw(act: Act, caller: Caller, path: web::Path<String>) -> Answer {
    let id = group_id(&path)?;
    Ok(act.ask(id, WithdrawJoinRequest { user: caller.user }, reply::done).await?)
}

/// `POST /groups/:group_id/members/approvals`
pub(super) async fn decide_several(
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = group_id(&path)?;
    let (is_approved, memberships) = wire::read_approvals(&body.fields()?)?;
    let mut results = Vec::new();
    for (membership, number) in memberships.into_iter().zip(0..) {
        let step = act.step(number);
        if step.recall().await?.is_none() {
            let asked = DecideJoinRequest { by: caller.user, membership, is_approved };
            let done = step.ask(id, asked, reply::done).await;
            done.map_err(|failure| refused(failure, dialect))?;
        }
        results.push(wire::decided(membership, is_approved));
    }
    Ok(reply::ok(&wire::DecidedRequests { results }))
}

fn refused(failure: Failure<RequestRefusal>, dialect: Dialect) -> ApiError {
    let refusal = match failure {
        Failure::Refused(refusal) => refusal,
        Failure::Fault(fault) => return fault.into(),
    };
    match refusal {
        RequestRefusal::NotAllowed => ApiError::new(dialect.not_allowed(), refusal),
        RequestRefusal::NotAMember
        | RequestRefusal::NoRequest
        | RequestRefusal::Denied(_)
        | RequestRefusal::Full => refusal.into(),
    }
}
