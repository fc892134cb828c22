//! Polls: creates, lists and ends them, and takes votes.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::Caller;
use crate::http::dialect::Dialect;
use crate::http::error::ApiError;
use crate::http::reply;
use crate::http::reply::Answer;
use ::wire::poll::{self as wire, OnePoll};
use actors::group::polls::{EndPoll, MakePoll, Vote};
use domain::ids::{GroupId, PollId, StreamId, UserId};
use domain::limits::LISTED_POLLS;
use domain::polls::{Poll, PollRefusal};

fn group_of(path: &str) -> Result<GroupId, ApiError> {
    path.parse().map_err(|_| PollRefusal::NotAMember.into())
}

/// Finds a poll of a group that the caller is in.
async fn known(
    app: &AppState,
    caller: UserId,
    path: &(String, String),
) -> Result<(GroupId, Poll), ApiError> {
    let group = group_of(&path.0)?;
    let poll: Option<PollId> = path.1.parse().ok();
    let archive = &app.directory.context().archive;
    let found = archive.read_current(caller, move |archive| {
        if !archive.index.is_in(caller, group.into())? {
            return Ok(Err(PollRefusal::NotAMember));
        }
        let stream = StreamId::Group(group);
        let found = poll.map(|id| archive.index.poll(stream, id, None)).transpose()?.flatten();
        Ok(found.filter(|poll| !poll.is_deleted).ok_or(PollRefusal::NoPoll))
    });
    let poll = found.await??;
    Ok((group, poll))
}

/// `POST /poll/:group_id`
pub(super) async fn create(
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let new = wire::read_new(&body.fields()?)?;
    let group = group_of(&path)?;
    let by = caller.user;
    let done = act.ask(group, MakePoll { by, new }, move |asked| {
        let message = dialect.put(&asked.message.json);
        let shown = wire::made(group, &asked.poll, by, &message);
        dialect.polls(StatusCode::CREATED, &shown)
    });
    Ok(done.await?)
}

/// `GET /poll/:group_id`
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
) -> Answer {
    let group = group_of(&path)?;
    let reader = caller.user;
    let archive = &app.directory.context().archive;
    let found = archive.read_current(reader, move |archive| {
        if !archive.index.is_in(reader, group.into())? {
            return Ok(Err(PollRefusal::NotAMember));
        }
        archive.index.polls(StreamId::Group(group), LISTED_POLLS).map(Ok)
    });
    let found = found.await??;
    Ok(reply::of_rendered(dialect.polls(StatusCode::OK, &wire::listed(group, &found, reader))))
}

/// `GET /poll/:group_id/:poll_id`
pub(super) async fn show(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<(String, String)>,
) -> Answer {
    let (group, poll) = known(&app, caller.user, &path).await?;
    let shown = OnePoll { poll: wire::resource(group, &poll, caller.user) };
    Ok(reply::of_rendered(dialect.polls(StatusCode::OK, &shown)))
}

/// `POST /poll/:group_id/:poll_id`
pub(super) async fn vote(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<(String, String)>,
    body: Body,
) -> Answer {
    let options = wire::read_votes(&body.fields()?)?;
    voted((&app, dialect), &act, caller.user, &path, options).await
}

/// `POST /poll/:group_id/:poll_id/:option_id`
pub(super) async fn vote_for(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<(String, String, String)>,
) -> Answer {
    let (group, poll, option) = path.into_inner();
    // A text that is no option's id becomes a number that no poll has.
    let option = option.parse().unwrap_or(u8::MAX);
    voted((&app, dialect), &act, caller.user, &(group, poll), vec![option]).await
}

async fn voted(
    (app, dialect): (&AppState, Dialect),
    act: &Act,
    by: UserId,
    path: &(String, String),
    options: Vec<u8>,
) -> Answer {
    let (group, known) = known(app, by, path).await?;
    let asked = Vote { by, poll: known.made.id, options };
    let show = move |poll: &Arc<Poll>| {
        dialect.polls(StatusCode::OK, &OnePoll { poll: wire::resource(group, poll, by) })
    };
    Ok(act.ask(group, asked, show).await?)
}

/// `POST /poll/:group_id/:poll_id/end`
pub(super) async fn end(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<(String, String)>,
) -> Answer {
    let by = caller.user;
    let (group, known) = known(&app, by, &path).await?;
    let show = move |poll: &Arc<Poll>| {
        dialect.polls(StatusCode::OK, &OnePoll { poll: wire::resource(group, poll, by) })
    };
    Ok(act.ask(group, EndPoll { by, poll: known.made.id }, show).await?)
}
