//! Bans: who is kept out of a group. Also the ends and returns of memberships in the form of
//! clients of the original service, whose `destroy` bans a former member.

use actix_web::http::StatusCode;
use actix_web::web;
use futures_util::{StreamExt, stream};

use crate::http::access;
use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller::Caller;
use crate::http::dialect::Dialect;
use crate::http::error::ApiError;
use crate::http::groups::{group_id, newcomer, whole};
use crate::http::reply::{self, Answer};
use ::wire::bans as wire;
use ::wire::fields::{Fields, Problems};
use actors::ask::Failure;
use actors::conversation::revisions::DeleteMessage;
use actors::group::protocol::{
    BanUser, FindMembership, ListBans, RejoinGroup, RemoveMember, UnbanUser,
};
use domain::group::{BanRefusal, NewBan, RemoveRefusal, Who};
use domain::ids::{GroupId, MembershipId, MessageId, StreamId, UserId};
use domain::limits::BAN_DELETES;
use domain::message::Author;
use domain::revision::{ReviserId, RevisionRefusal};
use domain::time::Timestamp;

/// Messages that are deleted at the same time; they share commits.
const DELETED_AT_ONCE: usize = 16;

/// `PUT /groups/:group_id/bans/:user_id`
pub(super) async fn ban(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<(String, String)>,
    body: Body,
) -> Answer {
    let (group, user) = path.into_inner();
    let id = group_id(&group)?;
    let user = user_id(&user)?;
    let wire::BanBody { reason, until, delete_since } = wire::read_ban(&body.fields()?)?;
    let banned = app.directory.context().accounts.newcomer(Who::User(user)).await?;
    let banned = banned.ok_or(BanRefusal::NoUser)?;
    let new = NewBan { user: banned, reason, until, deletes: delete_since.is_some() };
    // A repeat of the request bans again and deletes what is left.
    let ban = app.directory.ask(id, BanUser { by: caller.user, ban: new }).await?;
    let deleting = match delete_since {
        Some(seconds) => delete_since_of(&app, id, user, caller.user, seconds).await?,
        None => 0,
    };
    Ok(reply::ok(&wire::MadeBan { ban: (&ban).into(), deleting }))
}

/// Deletes the messages that a user wrote in the last so many seconds, the newest thousand at most.
async fn delete_since_of(
    app: &AppState,
    id: GroupId,
    user: UserId,
    by: UserId,
    seconds: u64,
) -> Result<usize, ApiError> {
    let context = app.directory.context();
    let from = context.clock.now().wall.millis().saturating_sub(seconds * 1000);
    let from = Timestamp::from_millis(from);
    let stream = StreamId::Group(id);
    let find = context.archive.read_current(by, move |archive| {
        let mut found: Vec<MessageId> = Vec::new();
        archive.decided_since(stream, from, &mut |_, message| {
            if message.author == Author::Member(user) && found.len() < BAN_DELETES {
                // The visited message is as it was posted; it may be deleted since.
                let now = archive.message(stream, message.id)?;
                found.extend(now.filter(|it| !it.message.is_deleted()).map(|it| it.message.id));
            }
            Ok(())
        })?;
        Ok(found)
    });
    let found = find.await?;
    let deletions = found
        .into_iter()
        .map(|message| app.directory.ask(id, DeleteMessage { by: ReviserId::User(by), message }));
    let mut deletions = stream::iter(deletions).buffered(DELETED_AT_ONCE);
    let mut deleted = 0;
    while let Some(done) = deletions.next().await {
        match done {
            Ok(_) => deleted += 1,
            // It was deleted meanwhile.
            Err(Failure::Refused(RevisionRefusal::NoMessage)) => {}
            Err(failure) => return Err(failure.into()),
        }
    }
    Ok(deleted)
}

/// `DELETE /groups/:group_id/bans/:user_id`
pub(super) async fn unban(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Answer {
    let (group, user) = path.into_inner();
    let id = group_id(&group)?;
    let user = user_id(&user)?;
    app.directory.ask(id, UnbanUser { by: caller.user, user }).await?;
    Ok(reply::of_rendered(reply::done(&())))
}

/// `GET /groups/:group_id/bans`
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    let bans = app.directory.ask(group_id(&path)?, ListBans { reader: caller.user }).await?;
    Ok(reply::ok(&wire::Bans::of(&bans)))
}

fn user_id(text: &str) -> Result<UserId, BanRefusal> {
    text.parse().map_err(|_| BanRefusal::NoUser)
}

/// `POST /groups/:group_id/memberships/:membership_id/destroy?force=`: the caller leaves, removes a
/// member, or bans a former one.
pub(super) async fn destroy(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<(String, String)>,
    query: Query,
) -> Answer {
    let mut problems = Problems::default();
    let force = Fields::of(&query.0, &mut problems).flag("force");
    let bans = problems.or(Some(force))?.unwrap_or(false);
    let (id, membership) = membership_of(path)?;
    let asked = FindMembership { reader: caller.user, membership };
    let (user, is_member) = app.directory.ask(id, asked).await?;
    access::permit_membership(&caller, user)?;
    if user == caller.user && !is_member {
        return Err(RemoveRefusal::NoSuchMembership.into());
    }
    if user == caller.user || (is_member && !bans) {
        return Ok(act.ask(id, RemoveMember { by: caller.user, membership }, reply::done).await?);
    }
    let banned = app.directory.context().accounts.newcomer(Who::User(user)).await?;
    let user = banned.ok_or(BanRefusal::NoUser)?;
    let ban = NewBan { user, reason: None, until: None, deletes: false };
    Ok(act.ask(id, BanUser { by: caller.user, ban }, reply::done).await?)
}

/// `POST /groups/:group_id/memberships/:membership_id/activate`: the caller rejoins, or lifts the
/// ban of a former member.
pub(super) async fn activate(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<(String, String)>,
) -> Answer {
    let (id, membership) = membership_of(path)?;
    let asked = FindMembership { reader: caller.user, membership };
    let (user, _) = app.directory.ask(id, asked).await?;
    access::permit_membership(&caller, user)?;
    if user != caller.user {
        return Ok(act.ask(id, UnbanUser { by: caller.user, user }, reply::done).await?);
    }
    let user = newcomer(&app, caller.user).await?;
    let show = whole((&app, dialect, caller), StatusCode::OK);
    Ok(act.ask(id, RejoinGroup { user }, show).await?)
}

fn membership_of(path: web::Path<(String, String)>) -> Result<(GroupId, MembershipId), ApiError> {
    let (group, membership) = path.into_inner();
    let id = group_id(&group)?;
    Ok((id, membership.parse().map_err(|_| BanRefusal::NoSuchMembership)?))
}
