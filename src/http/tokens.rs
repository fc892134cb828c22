//! Tokens: makes them, and lists and revokes those of an account.

use actix_web::web;

use crate::actors::user::protocol::RevokeToken;
use crate::auth::access_token::AccessToken;
use crate::domain::ids::{ClientId, TokenId};
use crate::domain::time::Timestamp;
use crate::domain::user::{LogoutRefusal, TokenRecord};
use crate::http::app_state::AppState;
use crate::http::caller::LoggedIn;
use crate::http::reply::{self, Answer};
use crate::wire::account as wire;

/// Makes a token, for a log-in or an application, and its record. The token works once the record
/// is stored.
pub(super) fn fresh(
    app: &AppState,
    id: TokenId,
    application: &str,
    client: Option<ClientId>,
) -> (AccessToken, TokenRecord) {
    let token = AccessToken::fresh();
    let now = app.clock.now().wall;
    let end = |seconds: u64| Timestamp::from_millis(now.millis() + seconds.saturating_mul(1000));
    let record = TokenRecord {
        id,
        hash: token.hash(),
        application: Some(application.to_owned()),
        created_at: now,
        expires_at: app.token_seconds.map(end),
        client,
        last_used_at: None,
        device: None,
    };
    (token, record)
}

/// `GET /auth/tokens`
pub(super) async fn list(app: web::Data<AppState>, LoggedIn(caller): LoggedIn) -> Answer {
    let tokens = app.directory.context().accounts.tokens(caller.user).await?;
    let now = app.clock.now().wall;
    let living = tokens.iter().filter(|token| token.expires_at.is_none_or(|end| now < end));
    let shown = living.map(|token| {
        let last_used_at = app.keyring.last_used(&token.hash).max(token.last_used_at);
        wire::token(token, last_used_at, token.id == caller.token)
    });
    reply::list(shown)
}

/// `DELETE /auth/tokens/:id`
pub(super) async fn end(
    app: web::Data<AppState>,
    LoggedIn(caller): LoggedIn,
    path: web::Path<String>,
) -> Answer {
    let id = path.parse().map_err(|_| LogoutRefusal::Unknown)?;
    app.directory.ask(caller.user, RevokeToken { id }).await?;
    Ok(reply::ok(&()))
}
