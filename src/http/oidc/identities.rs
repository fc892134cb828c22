//! The identities of an account: the list, and unlinking one.

use actix_web::web;

use crate::http::app_state::AppState;
use crate::http::caller::LoggedIn;
use crate::http::factors::account;
use crate::http::fresh;
use crate::http::reply::{self, Answer};
use ::wire::identity as wire;
use actors::user::identities::UnlinkIdentity;

/// `GET /auth/identities`
pub(in crate::http) async fn list(app: web::Data<AppState>, LoggedIn(caller): LoggedIn) -> Answer {
    let identities = account(&app, &caller).await?.identities;
    let provider = app.oidc.provider.as_ref().map(|provider| &provider.settings);
    let shown = identities.linked.iter().map(|linked| {
        let used = provider.filter(|used| used.issuer == linked.identity.issuer);
        wire::identity(linked, used.map(|used| used.name.as_str()))
    });
    reply::list(shown)
}

/// `DELETE /auth/identities/:id`
pub(in crate::http) async fn unlink(
    app: web::Data<AppState>,
    LoggedIn(caller): LoggedIn,
    path: web::Path<String>,
) -> Answer {
    fresh::require(&app, &caller).await?;
    let unlink = UnlinkIdentity { id: path.into_inner(), keep: caller.token };
    let identity = app.directory.ask(caller.user, unlink).await?;
    app.names.give_up_identity(caller.user, &identity).await;
    Ok(reply::ok(&()))
}
