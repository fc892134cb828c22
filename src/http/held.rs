//! Held messages: posts that wait for the approval of the owner or an admin.

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller::Caller;
use crate::http::dialect::Dialect;
use crate::http::groups::group_id;
use crate::http::reply::{self, Answer};
use ::wire::held as wire;
use actors::group::protocol::{ListHeld, SettleHeld};
use domain::group::{BrokenRule, HeldRefusal};
use domain::ids::HeldId;

/// Held messages on a page, at most.
const PAGE: usize = 20;

/// `GET /groups/:group_id/held?before=`
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
    query: Query,
) -> Answer {
    let id = group_id(&path)?;
    let before = wire::read_query(&query.0)?;
    let held = app.directory.ask(id, ListHeld { reader: caller.user }).await?;
    let page = held.iter().filter(|held| before.is_none_or(|before| held.id() < before));
    let shown = page.take(PAGE).map(|held| wire::resource(id, held, &app.instance));
    reply::named_list("held", shown)
}

/// `POST /groups/:group_id/held/:held_id`
pub(super) async fn settle(
    act: Act,
    caller: Caller,
    path: web::Path<(String, String)>,
    body: Body,
) -> Answer {
    let (group, held) = path.into_inner();
    let id = group_id(&group)?;
    let held: HeldId = held.parse().map_err(|_| HeldRefusal::NoHeld)?;
    let verdict = wire::read_verdict(&body.fields()?)?;
    let is_approved = verdict.is_approved;
    let asked = SettleHeld { by: caller.user, held, verdict };
    let show =
        move |(): &()| reply::payload(StatusCode::OK, &wire::SettledHeld::of(held, is_approved));
    Ok(act.ask(id, asked, show).await?)
}

/// The answer to a post that breaks a rule: 202 if it waits for approval. Clients of the original
/// service get a refusal.
pub(super) fn broken(broken: BrokenRule, dialect: Dialect) -> Answer {
    match (broken.held, dialect) {
        (Some(held), Dialect::Specified) => {
            let post = wire::HeldPost::of(held, broken.rule);
            Ok(reply::of_rendered(reply::payload(StatusCode::ACCEPTED, &post)))
        }
        _ => Err(broken.into()),
    }
}
