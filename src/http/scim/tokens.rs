//! `/v3/admin/scim_tokens`: the tokens of directories, which admins make and end.

use std::sync::Arc;

use actix_web::web;

use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::LoggedIn;
use crate::http::fresh;
use crate::http::operators::OperatorCaller;
use crate::http::reply::{self, Answer};
use crate::http::tokens::new_token;
use ::wire::scim_tokens::{self as wire, MadeScimToken};
use actors::user::protocol::{IssueToken, RevokeToken};
use auth::scim::{DIRECTORY_SCOPES, DirectoryToken};
use domain::audit::AdminAct;
use domain::ids::TokenId;
use domain::operators::OperatorAct;
use domain::operators::lists::NamedAccount;
use domain::user::{LogoutRefusal, User};

use crate::http::error::ApiError;

/// `GET /v3/admin/scim_tokens`
pub(in crate::http) async fn list(app: web::Data<AppState>, operator: OperatorCaller) -> Answer {
    operator.may(OperatorAct::ReadSettings)?;
    let tokens = app.directory.context().accounts.directory_tokens().await?;
    let now = app.clock.now().wall;
    let living = tokens.iter().filter(|it| it.token.expires_at.is_none_or(|end| now < end));
    let shown = living.map(|it| {
        let used = app.keyring.last_used(&it.token.hash).max(it.token.last_used_at);
        wire::token(&it.token, &it.by, used)
    });
    reply::named_list("tokens", shown)
}

/// `POST /v3/admin/scim_tokens`
pub(in crate::http) async fn create(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    LoggedIn(caller): LoggedIn,
    body: Body,
) -> Answer {
    operator.may(OperatorAct::Provision)?;
    let wanted = wire::read(&body.fields()?, app.token_seconds)?;
    fresh::require(&app, &caller).await?;
    let context = app.directory.context();
    let account = context.accounts.own_account(caller.user).await?;
    let account = account.ok_or_else(ApiError::invalid_token)?;
    let (token, mut record) =
        new_token(&app, context.id_generator.token(), wanted.name.as_str(), None);
    record.scopes = Some(DIRECTORY_SCOPES);
    if let Some(seconds) = wanted.expires_in {
        record.expires_at = Some(record.created_at.plus_millis(seconds.saturating_mul(1000)));
    }
    let by = NamedAccount { id: account.user, name: Some(account.name) };
    let shown = wire::token(&record, &by, None);
    let password = account.password;
    let issue = IssueToken { token: record, password, code: None, identity: None };
    let name = wanted.name.as_str().to_owned();
    let change = move |_: &Arc<User>| Some((String::new(), name.clone()));
    let audit = operator.audits_change(AdminAct::ScimTokenMade, wanted.reason, change);
    app.directory.ask_audited(caller.user, issue, audit).await?;
    let access_token = token.reveal().to_owned();
    Ok(reply::created(&MadeScimToken { access_token, token: shown }))
}

/// `DELETE /v3/admin/scim_tokens/:id`
pub(in crate::http) async fn end(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    path: web::Path<String>,
) -> Answer {
    operator.may(OperatorAct::Provision)?;
    let id: TokenId = path.parse().map_err(|_| LogoutRefusal::Unknown)?;
    let tokens = app.directory.context().accounts.directory_tokens().await?;
    let found = tokens.into_iter().find(|it| it.token.id == id);
    let DirectoryToken { token, by } = found.ok_or(LogoutRefusal::Unknown)?;
    let name = token.application.unwrap_or_default();
    let change = move |(): &()| Some((name.clone(), String::new()));
    let audit = operator.audits_change(AdminAct::ScimTokenEnded, String::new(), change);
    app.directory.ask_audited(by.id, RevokeToken { id }, audit).await?;
    Ok(reply::ok(&()))
}
