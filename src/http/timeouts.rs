//! Timeouts: members who may only read until a time.

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::act::Act;
use crate::http::body::Body;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::groups::group_id;
use crate::http::reply::{self, Answer};
use ::wire::timeouts as wire;
use actors::group::protocol::{EndTimeout, TimeOutMember};
use domain::group::TimeoutRefusal;
use domain::ids::{GroupId, MembershipId};

/// `PUT /groups/:group_id/members/:membership_id/timeout`
pub(super) async fn begin(
    act: Act,
    caller: Caller,
    path: web::Path<(String, String)>,
    body: Body,
) -> Answer {
    let (id, membership) = membership_of(path)?;
    let timeout = wire::read_timeout(&body.fields()?)?;
    let asked = TimeOutMember { by: caller.user, membership, timeout };
    let done = act
        .ask(id, asked, |timeout| reply::payload(StatusCode::OK, &wire::MadeTimeout::of(timeout)));
    Ok(done.await?)
}

/// `DELETE /groups/:group_id/members/:membership_id/timeout`
pub(super) async fn end(act: Act, caller: Caller, path: web::Path<(String, String)>) -> Answer {
    let (id, membership) = membership_of(path)?;
    Ok(act.ask(id, EndTimeout { by: caller.user, membership }, reply::done).await?)
}

fn membership_of(path: web::Path<(String, String)>) -> Result<(GroupId, MembershipId), ApiError> {
    let (group, membership) = path.into_inner();
    let id = group_id(&group)?;
    Ok((id, membership.parse().map_err(|_| TimeoutRefusal::NoSuchMembership)?))
}
