//! Blocks (specification, section 4, Blocks).
//!
//! The room of a user knows whom that user has blocked. Where blocks in both directions count, both
//! rooms are asked.

use actix_web::http::StatusCode;
use actix_web::web;
use futures_util::future::try_join;
use serde_json::{Map, Value};

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use ::wire::block::{self as wire, BlockBetween, BlockList, CreatedBlock};
use ::wire::fields::{Fields, Problems};
use actors::ask::Failure;
use actors::user::protocol::{BlockUser, HasBlocked, ShowBlocks, UnblockUser, UserRefusal};
use domain::ids::UserId;
use domain::user::BlockRefusal;

/// The two users of a request; `other` is `None` if the request names nobody else.
struct Sides {
    user: UserId,
    other: Option<UserId>,
}

/// `GET /blocks`
pub(super) async fn list(app: web::Data<AppState>, caller: Caller, body: Body) -> Answer {
    let sides = read(&body.fields()?, &caller)?;
    let blocks = app.directory.ask(sides.user, ShowBlocks).await?;
    let blocks = blocks.iter().map(wire::resource).collect();
    let between = match sides.other {
        Some(other) => Some(is_between(&app, sides.user, other).await?),
        None => None,
    };
    Ok(reply::ok(&BlockList { blocks, between }))
}

/// `GET /blocks/between`
pub(super) async fn between(app: web::Data<AppState>, caller: Caller, body: Body) -> Answer {
    let (user, other) = read_both(&body.fields()?, &caller)?;
    let between = is_between(&app, user, other).await?;
    Ok(reply::ok(&BlockBetween { between }))
}

/// `POST /blocks`
pub(super) async fn create(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    body: Body,
) -> Answer {
    let (user, other) = read_both(&body.fields()?, &caller)?;
    if app.directory.context().accounts.account(other).await?.is_none() {
        return Err(BlockRefusal::Unknown.into());
    }
    let done = act.ask(user, BlockUser { other }, |block| {
        reply::payload(StatusCode::CREATED, &CreatedBlock { block: wire::resource(block) })
    });
    Ok(done.await?)
}

/// `DELETE /blocks` and `POST /blocks/delete`
pub(super) async fn delete(act: Act, caller: Caller, body: Body) -> Answer {
    let (user, other) = read_both(&body.fields()?, &caller)?;
    Ok(act.ask(user, UnblockUser { other }, reply::done).await?)
}

/// Whether one of the two users has blocked the other.
async fn is_between(app: &AppState, user: UserId, other: UserId) -> Result<bool, ApiError> {
    let ours = app.directory.ask(user, HasBlocked { other });
    let theirs = app.directory.ask(other, HasBlocked { other: user });
    match try_join(ours, theirs).await {
        Ok((ours, theirs)) => Ok(ours || theirs),
        // An account that does not exist is in no block.
        Err(Failure::Refused(UserRefusal::Unknown)) => Ok(false),
        Err(Failure::Fault(fault)) => Err(Failure::<UserRefusal>::Fault(fault).into()),
    }
}

/// Reads `user`, which must be the caller, and `otherUser`.
fn read(given: &Map<String, Value>, caller: &Caller) -> Result<Sides, ApiError> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(given, &mut problems);
    let user = fields.required_id("user");
    let other = fields.id("otherUser");
    let user: UserId = problems.or(user)?;
    if user != caller.user {
        return Err(ApiError::new(StatusCode::FORBIDDEN, "user must be your own id"));
    }
    if other == Some(user) {
        return Err(BlockRefusal::Oneself.into());
    }
    Ok(Sides { user, other })
}

fn read_both(given: &Map<String, Value>, caller: &Caller) -> Result<(UserId, UserId), ApiError> {
    let sides = read(given, caller)?;
    let other = sides.other.ok_or_else(|| Problems::one("otherUser is required"))?;
    Ok((sides.user, other))
}
