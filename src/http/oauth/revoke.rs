//! `POST /oauth/revoke`: an application ends a token that it was given (RFC 7009).

use actix_web::{HttpRequest, HttpResponse, web};

use crate::http::app_state::AppState;
use crate::http::body::WholeBody;
use crate::http::error::ApiError;
use crate::http::oauth::token::{OAuthRefusal, application, read, refused};
use actors::ask::Failure;
use actors::user::protocol::RevokeToken;
use domain::user::LogoutRefusal;

/// `POST /oauth/revoke`. A token that does not work any more is no error.
pub(in crate::http) async fn end(
    app: web::Data<AppState>,
    request: HttpRequest,
    body: Result<WholeBody, ApiError>,
) -> HttpResponse {
    let mut answer = HttpResponse::Ok();
    match ended(&app, &request, body).await {
        Ok(()) => answer.finish(),
        Err(refusal) => refused(answer, &refusal),
    }
}

async fn ended(
    app: &AppState,
    request: &HttpRequest,
    body: Result<WholeBody, ApiError>,
) -> Result<(), OAuthRefusal> {
    let given = read(request, body)?;
    let application = application(app, request, &given).await?;
    let token = given.get("token").ok_or_else(|| OAuthRefusal::missing("token"))?;
    let caller = app.keyring.caller(token).await.map_err(ApiError::from)?;
    let Some(caller) = caller else { return Ok(()) };
    if caller.client != Some(application.client) {
        return Err(OAuthRefusal::Foreign);
    }
    match app.directory.ask(caller.user, RevokeToken { id: caller.token }).await {
        Ok(()) | Err(Failure::Refused(LogoutRefusal::Unknown)) => Ok(()),
        Err(failure) => Err(ApiError::from(failure).into()),
    }
}
