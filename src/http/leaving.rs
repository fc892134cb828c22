//! Deleting an account: what the user owns, the groups they are in, then the account
//! itself, in this order, so that nobody is left as a member who is not there.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};
use serde_json::Value;

use crate::actors::ask::Failure;
use crate::actors::group::protocol::{RemoveBot, RemoveMember, ViewGroup, ViewRefusal};
use crate::actors::user::protocol::DeleteUser;
use crate::domain::group::{BotRefusal, RemoveRefusal};
use crate::domain::ids::{GroupId, UserId};
use crate::http::body::Body;
use crate::http::caller::LoggedIn;
use crate::http::door::Door;
use crate::http::error::ApiError;
use crate::http::password;
use crate::http::reply::{self, Answer};
use crate::wire::account as wire;

/// `DELETE /auth/account`
pub(super) async fn delete(
    door: web::Data<Door>,
    request: HttpRequest,
    LoggedIn(caller): LoggedIn,
    body: Body,
) -> Answer {
    let shown = wire::read_password(&body.fields()?)?;
    let account = password::confirm(&door, &request, &caller, shown).await?;
    refuse_owner(&door, caller.user).await?;
    remove_bots(&door, caller.user).await?;
    leave_groups(&door, caller.user).await?;
    let gone = DeleteUser { shown: account.password };
    door.directory.user(caller.user, gone).await?;
    // Who was adding them while they left did so before the account was gone.
    if let Err(failure) = leave_groups(&door, caller.user).await {
        tracing::warn!(user.id = %caller.user, %failure, "somebody who is gone is still a member");
    }
    Ok(reply::ok(&Value::Null))
}

/// A group must not be left without its owner.
async fn refuse_owner(door: &Door, user: UserId) -> Result<(), ApiError> {
    let owned = door.directory.ground().people.owned_groups(user).await?;
    if owned.is_empty() {
        return Ok(());
    }
    let reason = |(id, name): &(GroupId, String)| {
        format!("you own the group {name} ({id}): hand it over or destroy it first")
    };
    Err(ApiError::listing(StatusCode::CONFLICT, owned.iter().map(reason).collect()))
}

/// Nobody else could remove them.
async fn remove_bots(door: &Door, user: UserId) -> Result<(), ApiError> {
    for row in door.directory.ground().people.bots(user).await? {
        let remove = RemoveBot { by: user, bot: row.bot.id };
        match door.directory.group(row.group, remove).await {
            Ok(()) | Err(Failure::Refused(BotRefusal::NoBot)) => {}
            Err(failure) => return Err(failure.into()),
        }
    }
    Ok(())
}

async fn leave_groups(door: &Door, user: UserId) -> Result<(), ApiError> {
    let seats = door.directory.ground().people.seats(user).await?;
    for (group, _) in seats.into_iter().filter(|(_, seat)| seat.is_active()) {
        leave(door, user, group).await?;
    }
    Ok(())
}

async fn leave(door: &Door, user: UserId, group: GroupId) -> Result<(), ApiError> {
    let view = match door.directory.group(group, ViewGroup { reader: user }).await {
        Ok(view) => view,
        Err(Failure::Refused(ViewRefusal::NotAMember)) => return Ok(()),
        Err(failure) => return Err(failure.into()),
    };
    let Some(member) = view.group.member(user) else { return Ok(()) };
    let out = RemoveMember { by: user, membership: member.membership_id };
    match door.directory.group(group, out).await {
        Ok(())
        | Err(Failure::Refused(RemoveRefusal::NotAMember | RemoveRefusal::NoSuchMembership)) => {
            Ok(())
        }
        Err(failure) => Err(failure.into()),
    }
}
