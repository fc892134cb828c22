//! Changes the password.

use actix_web::{HttpRequest, web};

use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::LoggedIn;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use crate::http::{fresh, recovery};
use ::wire::account::{self as wire, RemainingActors, RemainingBot};
use actors::ask::Failure;
use actors::group::protocol::RemoveBot;
use actors::user::protocol::{ChangePassword, RemoveApplication};
use domain::ids::UserId;

/// `POST /auth/password`
pub(super) async fn change(
    app: web::Data<AppState>,
    request: HttpRequest,
    LoggedIn(caller): LoggedIn,
    body: Body,
) -> Answer {
    let wanted = wire::read_password_change(&body.fields()?)?;
    let account = fresh::confirm_owner(&app, &caller, wanted.current).await?;
    let password = app.passwords.hash(wanted.new).await?;
    let note = recovery::note(&app, &request);
    let change =
        ChangePassword { checked_hash: account.password, password, keep: caller.token, note };
    app.directory.ask(caller.user, change).await?;
    if wanted.end_applications {
        end_applications(&app, caller.user).await?;
    }
    if wanted.end_bots {
        end_bots(&app, caller.user).await?;
    }
    Ok(reply::ok(&remaining(&app, caller.user).await?))
}

/// The bots and applications of a user: a thief of the old password may have made some.
async fn remaining(app: &AppState, user: UserId) -> Result<RemainingActors, ApiError> {
    let accounts = &app.directory.context().accounts;
    let bots = accounts.bots(user).await?.into_iter().map(|(row, group)| RemainingBot {
        bot_id: row.bot.id.as_str().to_owned(),
        name: row.bot.name.as_str().to_owned(),
        group_id: row.group.to_string(),
        group_name: group.as_str().to_owned(),
    });
    let applications = accounts.applications(user).await?;
    let applications = applications.iter().map(wire::application).collect();
    Ok(RemainingActors { bots: bots.collect(), applications })
}

async fn end_applications(app: &AppState, user: UserId) -> Result<(), ApiError> {
    for application in app.directory.context().accounts.applications(user).await? {
        let removal = RemoveApplication { client: application.client };
        match app.directory.ask(user, removal).await {
            // Another request may have removed it meanwhile.
            Ok(()) | Err(Failure::Refused(_)) => {}
            Err(failure) => return Err(failure.into()),
        }
    }
    Ok(())
}

async fn end_bots(app: &AppState, user: UserId) -> Result<(), ApiError> {
    for (row, _) in app.directory.context().accounts.bots(user).await? {
        let removal = RemoveBot { by: user, bot: row.bot.id.clone() };
        match app.directory.ask(row.group, removal).await {
            Ok(()) | Err(Failure::Refused(_)) => {}
            Err(failure) => return Err(failure.into()),
        }
    }
    Ok(())
}
