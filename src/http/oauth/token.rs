//! `POST /oauth/token`: exchanges a code for a token (RFC 6749, section 4.1.3; RFC 7636).
//!
//! Responses have no envelope, since OAuth libraries read them.

use std::collections::BTreeMap;

use actix_web::http::StatusCode;
use actix_web::http::header::{AUTHORIZATION, CONTENT_TYPE, PRAGMA, WWW_AUTHENTICATE};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, web};
use serde_json::{Value, json};

use crate::http::app_state::AppState;
use crate::http::body::WholeBody;
use crate::http::error::ApiError;
use crate::http::oauth::{GrantedScopes, parameters};
use crate::http::tokens;
use actors::ask::Failure;
use actors::user::protocol::{IssueToken, RevokeToken};
use actors::user::tokens::given_for;
use auth::access_token::AccessToken;
use auth::codes::{CodeExchange, CodeShown};
use domain::ids::{TokenId, UserId};
use domain::user::{Application, IssueRefusal, LogoutRefusal};

/// Why no token is given or ended (RFC 6749, section 5.2).
#[derive(Debug, thiserror::Error)]
pub(super) enum OAuthRefusal {
    #[error("{0}")]
    Request(String),
    #[error("there is no such application")]
    Client,
    #[error("applications have no secret here; send client_id in the body")]
    Secret,
    #[error("the code is unknown, expired, already used, or was issued for another request")]
    Grant,
    #[error("the token was issued to another application or to no application")]
    Foreign,
    #[error("grant_type must be authorization_code")]
    GrantType,
    #[error("the server cannot do this now; try again")]
    Trouble,
}

impl OAuthRefusal {
    pub(super) fn missing(name: &str) -> Self {
        Self::Request(format!("{name} is required"))
    }

    /// The status, and the error code of RFC 6749.
    const fn told(&self) -> (StatusCode, &'static str) {
        match self {
            Self::Request(_) => (StatusCode::BAD_REQUEST, "invalid_request"),
            Self::Client => (StatusCode::BAD_REQUEST, "invalid_client"),
            Self::Secret => (StatusCode::UNAUTHORIZED, "invalid_client"),
            Self::Grant | Self::Foreign => (StatusCode::BAD_REQUEST, "invalid_grant"),
            Self::GrantType => (StatusCode::BAD_REQUEST, "unsupported_grant_type"),
            Self::Trouble => (StatusCode::SERVICE_UNAVAILABLE, "server_error"),
        }
    }
}

impl From<ApiError> for OAuthRefusal {
    fn from(_: ApiError) -> Self {
        // The fault was logged when it became an `ApiError`.
        Self::Trouble
    }
}

/// A token that an application gets for a code.
struct GivenToken {
    token: AccessToken,
    scopes: GrantedScopes,
}

/// `POST /oauth/token`
pub(in crate::http) async fn exchange(
    app: web::Data<AppState>,
    request: HttpRequest,
    body: Result<WholeBody, ApiError>,
) -> HttpResponse {
    let exchanged = match read(&request, body) {
        Ok(given) => exchanged(&app, &request, &given).await,
        Err(refusal) => Err(refusal),
    };
    let mut answer = HttpResponse::Ok();
    answer.insert_header((PRAGMA, "no-cache"));
    match exchanged {
        Ok(token) => {
            let scope = token.scopes.text();
            let token = token.token.reveal();
            let mut told = json!({"access_token": token, "token_type": "Bearer", "scope": scope});
            if let Some(seconds) = app.token_seconds {
                told["expires_in"] = json!(seconds);
            }
            answer.json(told)
        }
        Err(refusal) => refused(answer, &refusal),
    }
}

pub(super) fn refused(mut answer: HttpResponseBuilder, refusal: &OAuthRefusal) -> HttpResponse {
    let (status, error) = refusal.told();
    if status == StatusCode::UNAUTHORIZED {
        answer.insert_header((WWW_AUTHENTICATE, "Basic realm=\"coterie\""));
    }
    let told = json!({"error": error, "error_description": refusal.to_string()});
    answer.status(status).json(told)
}

/// Reads the fields of a request that names its application.
pub(super) fn read(
    request: &HttpRequest,
    body: Result<WholeBody, ApiError>,
) -> Result<BTreeMap<String, String>, OAuthRefusal> {
    let WholeBody(body) =
        body.map_err(|_| OAuthRefusal::Request("the body cannot be read".to_owned()))?;
    fields(request, &body)
}

/// The fields of a form or of JSON. The query is not read, since a code in a URL ends up in logs.
fn fields(request: &HttpRequest, body: &[u8]) -> Result<BTreeMap<String, String>, OAuthRefusal> {
    let kind = request.headers().get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let is_json = kind.is_some_and(|it| it.trim_start().starts_with("application/json"));
    if !is_json {
        return parameters(body).map_err(|twice| OAuthRefusal::Request(twice.to_string()));
    }
    let Ok(Value::Object(read)) = serde_json::from_slice(body) else {
        return Err(OAuthRefusal::Request("the body must be a JSON object".to_owned()));
    };
    let texts = read.into_iter().filter_map(|(name, value)| match value {
        Value::String(text) if !text.is_empty() => Some((name, text)),
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => None,
    });
    Ok(texts.collect())
}

async fn exchanged(
    app: &AppState,
    request: &HttpRequest,
    given: &BTreeMap<String, String>,
) -> Result<GivenToken, OAuthRefusal> {
    let text = |name: &str| given.get(name).map(String::as_str);
    let required = |name: &str| text(name).ok_or_else(|| OAuthRefusal::missing(name));
    if required("grant_type")? != "authorization_code" {
        return Err(OAuthRefusal::GrantType);
    }
    let application = application(app, request, given).await?;
    let claim = CodeExchange {
        code: required("code")?,
        client: application.client,
        redirect_uri: text("redirect_uri"),
        verifier: required("code_verifier")?,
    };
    let code = app.codes.read(&claim).ok_or(OAuthRefusal::Grant)?;
    if code.is_good {
        return issued(app, &code, application).await;
    }
    // If a token was given for this code, somebody else has the code too, so the token is revoked.
    let first = app.first_answers.kept_by_now(code.key).await.map_err(ApiError::from)?;
    if let Some(token) = first.and_then(|first| given_for(&first)) {
        revoke(app, code.user, token).await?;
    }
    Err(OAuthRefusal::Grant)
}

/// The application that a request names.
pub(super) async fn application(
    app: &AppState,
    request: &HttpRequest,
    given: &BTreeMap<String, String>,
) -> Result<Application, OAuthRefusal> {
    let Some(text) = given.get("client_id") else {
        let has_secret = request.headers().contains_key(AUTHORIZATION);
        return Err(if has_secret {
            OAuthRefusal::Secret
        } else {
            OAuthRefusal::missing("client_id")
        });
    };
    let client = text.parse().map_err(|_| OAuthRefusal::Client)?;
    let known = app.directory.context().accounts.application(client).await;
    known.map_err(ApiError::from)?.map(|it| it.application).ok_or(OAuthRefusal::Client)
}

async fn issued(
    app: &AppState,
    code: &CodeShown,
    application: Application,
) -> Result<GivenToken, OAuthRefusal> {
    let accounts = &app.directory.context().accounts;
    let account = accounts.own_account(code.user).await.map_err(ApiError::from)?;
    let account = account.filter(|it| app.codes.was_made_with_password(code, &it.password));
    let password = account.ok_or(OAuthRefusal::Grant)?.password;
    let id = app.directory.context().id_generator.token();
    let Application { name, client, .. } = application;
    let (token, mut record) = tokens::new_token(app, id, name.as_str(), Some(client));
    record.scopes = code.scopes;
    let issue = IssueToken { token: record, password, code: Some(code.key), identity: None };
    match app.directory.ask(code.user, issue).await {
        Ok(_) => Ok(GivenToken { token, scopes: GrantedScopes(code.scopes) }),
        Err(Failure::Refused(IssueRefusal::CodeSpent(token))) => {
            revoke(app, code.user, token).await?;
            Err(OAuthRefusal::Grant)
        }
        Err(Failure::Refused(_)) => Err(OAuthRefusal::Grant),
        Err(failure) => Err(ApiError::from(failure).into()),
    }
}

/// Revokes a token whose code was shown a second time.
async fn revoke(app: &AppState, user: UserId, id: TokenId) -> Result<(), OAuthRefusal> {
    match app.directory.ask(user, RevokeToken { id }).await {
        Ok(()) => {
            tracing::warn!(
                user.id = %user,
                "an authorization code was used twice; its token is revoked"
            );
            Ok(())
        }
        Err(Failure::Refused(LogoutRefusal::Unknown)) => Ok(()),
        Err(failure) => Err(ApiError::from(failure).into()),
    }
}
