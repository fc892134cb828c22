//! Finds the caller by the token of the request, in any of the places where clients put it.

use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};

use crate::http::access;
use crate::http::app_state::AppState;
use crate::http::error::ApiError;
use crate::http::limits;
use auth::keyring::TokenOwner;
use domain::ids::UserId;
use domain::scopes::Scope;

/// Names of the token in a query: `token` as specified, and `access_token`, since some clients keep
/// the name under which they received it.
pub(super) const QUERY_NAMES: [&str; 2] = ["token", "access_token"];

/// The token of a request: `X-Access-Token`, `Authorization: Bearer`, or in the query, under
/// one of [`QUERY_NAMES`].
pub(super) fn token_of(request: &HttpRequest) -> Option<String> {
    let header = |name: &str| request.headers().get(name).and_then(|it| it.to_str().ok());
    let bearer = || {
        let value = header(AUTHORIZATION.as_str())?;
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    };
    if let Some(token) = header("x-access-token").or_else(bearer) {
        return Some(token.to_owned());
    }
    let query = request.query_string().as_bytes();
    let named = |wanted: &str| form_urlencoded::parse(query).find(|(name, _)| name == wanted);
    QUERY_NAMES.into_iter().find_map(named).map(|(_, token)| token.into_owned())
}

/// The user whose token a request carries, where none is needed; counts against no limit. A token
/// that does not show groups counts as none.
///
/// # Errors
/// If the tokens cannot be read.
pub(super) async fn viewer(
    app: &AppState,
    request: &HttpRequest,
) -> Result<Option<UserId>, ApiError> {
    let Some(token) = token_of(request) else { return Ok(None) };
    let caller = app.keyring.caller(&token).await?;
    Ok(caller.filter(|it| it.scopes.has(Scope::GroupsRead)).map(|caller| caller.user))
}

/// The caller of a request, found by its token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller(pub(super) TokenOwner);

impl Deref for Caller {
    type Target = TokenOwner;

    fn deref(&self) -> &TokenOwner {
        &self.0
    }
}

impl FromRequest for Caller {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        // Found already if the request has an `Idempotency-Key`.
        if let Some(caller) = request.extensions().get::<Self>().copied() {
            return Box::pin(std::future::ready(Ok(caller)));
        }
        let app = request.app_data::<web::Data<AppState>>().cloned();
        let token = token_of(request);
        let request = request.clone();
        Box::pin(async move {
            let (Some(app), Some(token)) = (app, token) else {
                return Err(ApiError::unauthorized());
            };
            let caller = app.keyring.caller(&token).await?;
            let caller = caller.ok_or_else(ApiError::invalid_token)?;
            limits::admit(&app, &caller, &request)?;
            access::permit(&app, &caller, &request).await?;
            Ok(Self(caller))
        })
    }
}

/// A caller who logged in themselves. Applications act for people in conversations, but may neither
/// see nor change passwords, tokens and other things that open an account.
pub(super) struct LoggedIn(pub(super) Caller);

impl FromRequest for LoggedIn {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let caller = Caller::from_request(request, payload);
        Box::pin(async move {
            let caller = caller.await?;
            match caller.client {
                None => Ok(Self(caller)),
                Some(_) => Err(ApiError::needs_log_in()),
            }
        })
    }
}
