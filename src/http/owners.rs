//! Handing groups over (specification, section 4, `POST /groups/change_owners`).

use actix_web::web;

use crate::actors::ask::Failure;
use crate::actors::group::protocol::HandOver;
use crate::auth::keyring::Caller;
use crate::http::body::Body;
use crate::http::door::Door;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use crate::wire::owners::{self as wire, OwnerRequest};

/// `POST /groups/change_owners`
pub(super) async fn change(door: web::Data<Door>, caller: Caller, body: Body) -> Answer {
    let requests = wire::read_requests(&body.fields()?)?;
    let mut results = Vec::with_capacity(requests.len());
    // One after another: a later request may rest on an earlier one.
    for request in requests {
        let status = match settle(&door, &caller, &request).await {
            Ok(()) => wire::DONE,
            Err(Failure::Refused(status)) => status,
            Err(Failure::Fault(fault)) => return Err(ApiError::fault(&fault)),
        };
        results.push(wire::result(&request, status));
    }
    Ok(reply::ok(&wire::results(results)))
}

/// What comes of one request; refused with its status.
async fn settle(
    door: &Door,
    caller: &Caller,
    request: &OwnerRequest,
) -> Result<(), Failure<&'static str>> {
    let (group, to) = request.ids().ok_or(Failure::Refused(wire::MALFORMED))?;
    let asked = HandOver { by: caller.user, to };
    door.directory.group(group, asked).await.map_err(|failure| match failure {
        Failure::Refused(refusal) => Failure::Refused(wire::status(refusal)),
        Failure::Fault(fault) => Failure::Fault(fault),
    })
}
