//! The caller's notice settings: levels and mutes.

use std::sync::Arc;

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
use ::wire::conversation_list::conversation;
use ::wire::membership::{MutedMembership, OldMutedMembership};
use ::wire::notices::{self as wire, AllMuted, AskedNotices};
use actors::group::protocol::MuteGroup;
use actors::user::notices::{MuteAll, MuteChat, SetLevel};
use domain::ids::Conversation;
use domain::notices::{Muting, NoticeLevel, WantedNotices};
use domain::time::Timestamp;
use domain::user::ReadRefusal;

/// The conversation that a path names, if the caller is in it.
async fn own(app: &AppState, caller: &Caller, path: &str) -> Result<Conversation, ApiError> {
    let conv = conversation(path).ok_or(ReadRefusal::NotAMember)?;
    let accounts = &app.directory.context().accounts;
    let own = accounts.own_conversations(caller.user, [conv].into()).await?;
    if own.is_empty() { Err(ReadRefusal::NotAMember.into()) } else { Ok(conv) }
}

/// `GET /conversations/:conversation_id/notifications`
pub(super) async fn show(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    let conv = own(&app, &caller, &path).await?;
    Ok(reply::ok(&wire::settings(conv, wanted(&app, &caller, conv).await?)))
}

async fn wanted(
    app: &AppState,
    caller: &Caller,
    conv: Conversation,
) -> Result<WantedNotices, ApiError> {
    let known = app.directory.context().accounts.notices(caller.user, conv).await?;
    Ok(known.at(app.clock.now().wall))
}

/// `PUT /conversations/:conversation_id/notifications`
pub(super) async fn set(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let conv = own(&app, &caller, &path).await?;
    let asked = wire::read_notices(&body.fields()?, conv)?;
    let known = wanted(&app, &caller, conv).await?;
    let shown = move |known| reply::payload(StatusCode::OK, &wire::settings(conv, known));
    match asked {
        AskedNotices::Mute { chat, muting, level } => {
            let show = move |muted: &Option<Timestamp>| {
                let level = level.unwrap_or(known.level);
                shown(WantedNotices { level, muted: *muted, ..known })
            };
            Ok(act.ask(caller.user, MuteChat { chat, muting, level }, show).await?)
        }
        AskedNotices::Level(level) => {
            let show = move |level: &NoticeLevel| shown(WantedNotices { level: *level, ..known });
            Ok(act.ask(caller.user, SetLevel { conv, level }, show).await?)
        }
    }
}

/// `POST /memberships/mute_all`
pub(super) async fn mute_all(act: Act, caller: Caller, body: Body) -> Answer {
    all(&act, &caller, wire::read_muting(&body.fields()?)?).await
}

/// `POST /memberships/unmute_all`
pub(super) async fn unmute_all(act: Act, caller: Caller) -> Answer {
    all(&act, &caller, Muting::Over).await
}

async fn all(act: &Act, caller: &Caller, muting: Muting) -> Answer {
    let show = |until: &Option<Timestamp>| reply::payload(StatusCode::OK, &AllMuted::until(*until));
    Ok(act.ask(caller.user, MuteAll { muting }, show).await?)
}

/// `POST /groups/:group_id/memberships/mute`, and `mute_all`, which does the same: a group has no
/// parts that could be muted separately.
pub(super) async fn mute(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let muting = wire::read_muting(&body.fields()?)?;
    in_group(&app, &act, &caller, dialect, &path, muting).await
}

/// `POST /groups/:group_id/memberships/unmute`, and `unmute_all`
pub(super) async fn unmute(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
) -> Answer {
    in_group(&app, &act, &caller, dialect, &path, Muting::Over).await
}

async fn in_group(
    app: &AppState,
    act: &Act,
    caller: &Caller,
    dialect: Dialect,
    group: &str,
    muting: Muting,
) -> Answer {
    let id = group_id(group)?;
    let instance = Arc::clone(&app.instance);
    let asked = MuteGroup { by: caller.user, muting };
    let done = act.ask(id, asked, move |member| match dialect {
        Dialect::Specified => {
            reply::payload(StatusCode::OK, &MutedMembership::of(member, &instance))
        }
        Dialect::Compatible => {
            reply::payload(StatusCode::OK, &OldMutedMembership::of(member, &instance))
        }
    });
    Ok(done.await?)
}
