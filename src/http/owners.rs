//! Transfers ownership of groups (specification, section 4, `POST /groups/change_owners`).
//!
//! Each request of the list is a step of its own: after a crash in the middle, a repeat under the
//! same `Idempotency-Key` continues after the last finished step.

use crate::http::act::Act;
use crate::http::body::Body;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use ::wire::owners::{self as wire, OwnerRequest, OwnerResults};
use actors::ask::Failure;
use actors::group::protocol::HandOver;

/// `POST /groups/change_owners`
pub(super) async fn change(act: Act, caller: Caller, body: Body) -> Answer {
    let requests = wire::read_requests(&body.fields()?)?;
    let mut results = Vec::with_capacity(requests.len());
    // One after another, since a later request may depend on an earlier one.
    for (request, number) in requests.into_iter().zip(0..) {
        let status = settle(&act.step(number), &caller, &request).await?;
        results.push(wire::result(&request, status));
    }
    Ok(reply::ok(&OwnerResults { results }))
}

/// Carries out one request of the list; returns its status.
async fn settle(
    step: &Act,
    caller: &Caller,
    request: &OwnerRequest,
) -> Result<&'static str, ApiError> {
    let Some((group, to)) = request.parsed() else { return Ok(wire::MALFORMED) };
    if step.recall().await?.is_some() {
        return Ok(wire::DONE);
    }
    let asked = HandOver { by: caller.user, to };
    match step.ask(group, asked, reply::done).await {
        Ok(_) => Ok(wire::DONE),
        Err(Failure::Refused(refusal)) => Ok(wire::status(refusal)),
        Err(Failure::Fault(fault)) => Err(fault.into()),
    }
}
