//! Tokens: makes them, and lists and revokes those of an account.

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::LoggedIn;
use crate::http::error::ApiError;
use crate::http::fresh;
use crate::http::reply::{self, Answer};
use ::wire::account::{self as wire, MintedToken};
use actors::user::protocol::{IssueToken, RevokeToken};
use auth::access_token::AccessToken;
use domain::ids::{ClientId, TokenId};
use domain::scopes::ScopeSet;
use domain::time::Timestamp;
use domain::user::{LogoutRefusal, TokenRecord};

/// Makes a token, for a log-in or an application, and its record. The token works once the record
/// is stored.
pub(super) fn new_token(
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
        scopes: None,
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

/// `POST /auth/tokens`: makes a token of the caller's own, with chosen scopes.
pub(super) async fn create(
    app: web::Data<AppState>,
    LoggedIn(caller): LoggedIn,
    body: Body,
) -> Answer {
    let wanted = wire::read_token(&body.fields()?, app.token_seconds)?;
    fresh::require(&app, &caller).await?;
    let role = app.operators.role_of(caller.user).await?;
    let refused = wanted.scopes.without(ScopeSet::of_role(role));
    if !refused.is_empty() {
        let reason =
            format!("your account may not make tokens with {}", refused.names().join(", "));
        return Err(ApiError::new(StatusCode::FORBIDDEN, reason));
    }
    let context = app.directory.context();
    let account = context.accounts.own_account(caller.user).await?;
    let account = account.ok_or_else(ApiError::invalid_token)?;
    let (token, mut record) =
        new_token(&app, context.id_generator.token(), wanted.name.as_str(), None);
    record.scopes = Some(wanted.scopes);
    if let Some(seconds) = wanted.expires_in {
        record.expires_at = Some(record.created_at.plus_millis(seconds.saturating_mul(1000)));
    }
    let shown = wire::token(&record, None, false);
    let issue =
        IssueToken { token: record, password: account.password, code: None, identity: None };
    app.directory.ask(caller.user, issue).await?;
    let access_token = token.reveal().to_owned();
    Ok(reply::created(&MintedToken { access_token, token: shown }))
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
