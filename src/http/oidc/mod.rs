//! Log-in with OpenID Connect: the way to the provider and back, and log-outs by the provider.
//!
//! The browser carries the sealed state and a cookie with a random name; both must belong together.
//! What the provider said waits, encrypted, in the fragment of the page that finishes the log-in
//! (`finish`), which no server and no log sees.

use actix_web::http::StatusCode;
use actix_web::http::header::{COOKIE, LOCATION, SET_COOKIE};
use actix_web::{HttpRequest, HttpResponse, ResponseError, web};
use serde_json::{Map, Value};

use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller::Caller;
use crate::http::caller::LoggedIn;
use crate::http::error::ApiError;
use crate::http::fresh;
use crate::http::oauth;
use crate::http::reply::{self, Answer};
use ::wire::identity as wire;
use actors::user::factors::Prove;
use actors::user::identities::LogOutByProvider;
use auth::oidc::claims::ProviderUser;
use auth::oidc::flow::{Arrival, Away, OwnToken, Purpose, Standing, browser_name, own_path};
use auth::oidc::{GivenCode, Provider, ProviderFault, ProviderSettings};
use domain::identities::Identity;
use domain::text::Email;
use domain::user::{IdentityRefusal, ProviderLogout};

pub(super) mod finish;
pub(super) mod identities;

/// The page whose log-ins end here.
const CONSENT: &str = "/oauth/authorize?";
/// How long a browser keeps the ID token of a log-in, in seconds.
const HINT_SECONDS: u64 = 30 * 24 * 60 * 60;

/// `GET /auth/oidc/:provider/start`
pub(super) async fn start(
    app: web::Data<AppState>,
    request: HttpRequest,
    path: web::Path<String>,
    query: Query,
) -> HttpResponse {
    let begun = async {
        let provider = provider(&app, &path)?;
        let back = back(&query.0)?;
        let (url, browser) = begin(&app, &request, provider, back, Purpose::LogIn).await?;
        Ok::<_, ApiError>(
            redirect(&url).insert_header((SET_COOKIE, cookie(&app, &browser))).finish(),
        )
    };
    begun.await.unwrap_or_else(|error| failed(&error))
}

/// `GET /auth/oidc/:provider/logout`: leads a browser that logged out here to the provider, so that it
/// ends its own session. A provider that does not answer keeps nobody from the page to log in.
pub(super) async fn leave(
    app: web::Data<AppState>,
    request: HttpRequest,
    path: web::Path<String>,
) -> HttpResponse {
    let home = format!("{}/", app.instance.public_url());
    let provider = match provider(&app, &path) {
        Ok(provider) => provider,
        Err(error) => return failed(&error),
    };
    let hint = cookie_named(&request, hint_name(&app));
    let hint = hint.and_then(|hint| app.oidc.flows.hinted_id_token(&provider.settings.id, &hint));
    let url = provider.end_session_url(&home, hint.as_deref()).await.unwrap_or_else(|fault| {
        tracing::warn!(
            provider = %provider.settings.issuer, %fault,
            "a request to the provider of log-ins failed; its session goes on"
        );
        None
    });
    let forgets = hint_cookie(&app, "", 0);
    redirect(&url.unwrap_or(home)).insert_header((SET_COOKIE, forgets)).finish()
}

/// `POST /auth/oidc/:provider/link`
pub(super) async fn link(
    app: web::Data<AppState>,
    request: HttpRequest,
    LoggedIn(caller): LoggedIn,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    fresh::require(&app, &caller).await?;
    send_off(&app, &request, &path, body, Purpose::Link(own(&caller))).await
}

/// `POST /auth/oidc/:provider/proof`
pub(super) async fn proof(
    app: web::Data<AppState>,
    request: HttpRequest,
    LoggedIn(caller): LoggedIn,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    send_off(&app, &request, &path, body, Purpose::Prove(own(&caller))).await
}

fn own(caller: &Caller) -> OwnToken {
    OwnToken { user: caller.user, token: caller.token }
}

/// Begins a log-in at the provider for somebody who is logged in, and answers with its address.
async fn send_off(
    app: &AppState,
    request: &HttpRequest,
    path: &str,
    body: Body,
    purpose: Purpose,
) -> Answer {
    let provider = provider(app, path)?;
    let back = back(&body.fields()?)?;
    let (url, browser) = begin(app, request, provider, back, purpose).await?;
    let mut answer = reply::created(&wire::ProviderAddress { url });
    let cookie = cookie(app, &browser).parse().map_err(|_| ApiError::unavailable())?;
    answer.headers_mut().insert(SET_COOKIE, cookie);
    Ok(answer)
}

/// The address of the provider, and the name of the browser.
async fn begin(
    app: &AppState,
    request: &HttpRequest,
    provider: &Provider,
    back: String,
    purpose: Purpose,
) -> Result<(String, String), ApiError> {
    let browser = browser_name(cookie_of(app, request).as_deref());
    let begun = app.oidc.flows.begin(&provider.settings.id, &browser, back, purpose);
    let url = provider.authorization_url(&begun, &callback_url(app, provider)).await;
    Ok((url.map_err(|fault| refused(provider, &fault))?, browser))
}

/// The path in this server to which the browser comes back.
fn back(fields: &Map<String, Value>) -> Result<String, ApiError> {
    match wire::read_return(fields) {
        None => Ok("/".to_owned()),
        Some(text) => own_path(&text).ok_or_else(|| {
            ApiError::new(StatusCode::BAD_REQUEST, "return must be a path of this server")
        }),
    }
}

fn provider<'app>(app: &'app AppState, id: &str) -> Result<&'app Provider, ApiError> {
    let known = app.oidc.provider.as_ref().filter(|provider| provider.settings.id == id);
    known.ok_or_else(|| ApiError::new(StatusCode::NOT_FOUND, "there is no such provider"))
}

fn callback_url(app: &AppState, provider: &Provider) -> String {
    format!("{}/auth/oidc/{}/callback", app.instance.public_url(), provider.settings.id)
}

/// The error for something that a provider did or did not do.
fn refused(provider: &Provider, fault: &ProviderFault) -> ApiError {
    let name = &provider.settings.name;
    if fault.is_unavailable() {
        tracing::warn!(
            provider = %provider.settings.issuer, %fault,
            "a request to the provider of log-ins failed; the log-in was refused"
        );
        let reason = format!("{name} does not answer; try again later");
        return ApiError::new(StatusCode::BAD_GATEWAY, reason);
    }
    tracing::info!(
        provider = %provider.settings.issuer, %fault,
        "the provider of log-ins gave a token that is not valid; the log-in was refused"
    );
    ApiError::new(StatusCode::BAD_REQUEST, format!("{name} sent an invalid log-in: {fault}"))
}

/// `GET /auth/oidc/:provider/callback`
pub(super) async fn callback(
    app: web::Data<AppState>,
    request: HttpRequest,
    path: web::Path<String>,
    query: Query,
) -> HttpResponse {
    match come_back(&app, &request, &path, &query.0).await {
        Ok(answer) => answer,
        Err(error) => failed(&error),
    }
}

async fn come_back(
    app: &AppState,
    request: &HttpRequest,
    path: &str,
    query: &Map<String, Value>,
) -> Result<HttpResponse, ApiError> {
    let provider = provider(app, path)?;
    let text = |name: &str| query.get(name).and_then(Value::as_str);
    let expired = || {
        let reason = "this log-in has expired or belongs to another browser; start again";
        ApiError::new(StatusCode::BAD_REQUEST, reason)
    };
    let browser = cookie_of(app, request).ok_or_else(expired)?;
    let away = app.oidc.flows.back(text("state").unwrap_or_default(), path, &browser);
    let away = away.ok_or_else(expired)?;
    let issuer = text("iss");
    if issuer.is_some_and(|issuer| issuer != provider.settings.issuer) {
        return Err(ApiError::new(StatusCode::BAD_REQUEST, "iss is another issuer"));
    }
    if text("error").is_some() {
        let reason = format!("{} did not log you in", provider.settings.name);
        return Err(ApiError::new(StatusCode::FORBIDDEN, reason));
    }
    let code = text("code").ok_or_else(expired)?;
    let user = provider_user(app, provider, &away, code, issuer.is_some()).await?;
    let standing = admitted(&provider.settings, &user)?;
    let hint = app.oidc.flows.logout_hint(&provider.settings.id, &user.id_token);
    let arrival = app.oidc.flows.arrival(&away, user, standing);
    match away.purpose {
        Purpose::LogIn if away.back.starts_with(CONSENT) => {
            let account = finish::enter(app, request, provider, &arrival).await?;
            let answer = oauth::consent::logged_in(app, request, &account, &away.back).await;
            Ok(answer)
        }
        Purpose::LogIn => Ok(handed_over(app, &away, &arrival, hint.as_deref())),
        Purpose::Link(own) => {
            must_live(app, own).await?;
            finish::link(app, own.user, &arrival).await?;
            Ok(redirect(&own_url(app, &away.back)).finish())
        }
        Purpose::Prove(own) => {
            must_live(app, own).await?;
            prove(app, own, &arrival.identity).await?;
            Ok(redirect(&own_url(app, &away.back)).finish())
        }
    }
}

async fn provider_user(
    app: &AppState,
    provider: &Provider,
    away: &Away,
    code: &str,
    is_issuer_named: bool,
) -> Result<ProviderUser, ApiError> {
    let refuse = |fault: ProviderFault| refused(provider, &fault);
    if !is_issuer_named && provider.description().await.map_err(refuse)?.names_issuer() {
        return Err(ApiError::new(StatusCode::BAD_REQUEST, "iss is missing"));
    }
    let given = GivenCode {
        code,
        redirect: &callback_url(app, provider),
        verifier: &app.oidc.flows.verifier(away),
        nonce: &app.oidc.flows.nonce(away),
        is_fresh: away.is_fresh(),
    };
    provider.user(given).await.map_err(refuse)
}

/// Whether a user of the provider may log in, and what their groups decide.
fn admitted(settings: &ProviderSettings, user: &ProviderUser) -> Result<Standing, ApiError> {
    let email = user.email.as_deref().filter(|_| user.is_email_verified);
    let domain = email.and_then(|email| email.rsplit_once('@')).map(|(_, domain)| domain);
    let domain = domain.map(str::to_ascii_lowercase);
    let is_of_domain = settings.domains.is_empty()
        || domain.is_some_and(|domain| settings.domains.contains(&domain));
    let is_in_group = settings.groups.is_empty()
        || user.groups.iter().any(|group| settings.groups.contains(group));
    if !is_of_domain || !is_in_group {
        let reason = format!("your account at {} may not log in here", settings.name);
        return Err(ApiError::new(StatusCode::FORBIDDEN, reason));
    }
    let is_in = |group: &String| user.groups.contains(group);
    Ok(Standing {
        is_operator: settings.operators_from.as_ref().map(is_in),
        is_insider: settings.guest_unless.as_ref().map(is_in),
    })
}

/// Refuses if the token with which somebody left has ended.
async fn must_live(app: &AppState, own: OwnToken) -> Result<(), ApiError> {
    let tokens = app.directory.context().accounts.tokens(own.user).await?;
    match tokens.iter().any(|token| token.id == own.token) {
        true => Ok(()),
        false => Err(ApiError::new(StatusCode::FORBIDDEN, "you have been logged out meanwhile")),
    }
}

/// Notes that the user of a token proved who they are, if the identity is theirs.
async fn prove(app: &AppState, own: OwnToken, identity: &Identity) -> Result<(), ApiError> {
    let account = app.directory.context().accounts.own_account(own.user).await?;
    if !account.is_some_and(|account| account.identities.has(identity)) {
        let reason = "this identity is not linked to your account";
        return Err(ApiError::new(StatusCode::FORBIDDEN, reason));
    }
    app.directory.ask(own.user, Prove { token: own.token }).await?;
    Ok(())
}

/// Leads the browser to the page of the web client that finishes the log-in. The browser keeps the ID
/// token, encrypted, for its log-out.
fn handed_over(app: &AppState, away: &Away, arrival: &Arrival, hint: Option<&str>) -> HttpResponse {
    let page = away.back.split('#').next().unwrap_or("/");
    let code = app.oidc.flows.hand_over(arrival);
    let mut answer = redirect(&own_url(app, &format!("{page}#/sso/{code}")));
    if let Some(hint) = hint {
        answer.insert_header((SET_COOKIE, hint_cookie(app, hint, HINT_SECONDS)));
    }
    answer.finish()
}

fn own_url(app: &AppState, path: &str) -> String {
    format!("{}{path}", app.instance.public_url())
}

fn redirect(url: &str) -> actix_web::HttpResponseBuilder {
    let mut answer = HttpResponse::build(StatusCode::FOUND);
    answer.insert_header((LOCATION, url));
    answer
}

/// The page for a log-in that failed.
fn failed(error: &ApiError) -> HttpResponse {
    oauth::consent::failed_log_in(error.status_code(), &error.reasons())
}

/// `POST /auth/oidc/:provider/logout`
pub(super) async fn logout(
    app: web::Data<AppState>,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let provider = provider(&app, &path)?;
    let token = wire::read_logout(&body.fields()?)?;
    let claims = provider.logout(&token).await.map_err(|fault| refused(provider, &fault))?;
    let issuer = provider.settings.issuer.clone();
    let accounts = &app.directory.context().accounts;
    let user = match (&claims.subject, &claims.session) {
        (Some(subject), _) => {
            let identity = Identity { issuer: issuer.clone(), subject: subject.clone() };
            accounts.user_by_identity(identity).await?
        }
        (None, Some(session)) => accounts.user_in_session(issuer.clone(), session.clone()).await?,
        (None, None) => None,
    };
    // Nobody is logged in then, so the log-out is done.
    if let Some(user) = user {
        let logout = ProviderLogout { issuer, session: claims.session, logout: claims.id };
        app.directory.ask(user, LogOutByProvider(logout)).await?;
    }
    Ok(reply::ok(&()))
}

impl From<IdentityRefusal> for ApiError {
    fn from(refusal: IdentityRefusal) -> Self {
        let status = match refusal {
            IdentityRefusal::Unknown | IdentityRefusal::NoIdentity => StatusCode::NOT_FOUND,
            IdentityRefusal::SecondOfProvider => StatusCode::CONFLICT,
            IdentityRefusal::LastWayIn | IdentityRefusal::Replayed => StatusCode::BAD_REQUEST,
            IdentityRefusal::Disabled => StatusCode::FORBIDDEN,
            IdentityRefusal::Late => return Self::unavailable(),
        };
        Self::new(status, refusal)
    }
}

/// An email address of a provider, if it has the form of one.
fn address(arrival: &Arrival) -> Option<Email> {
    Email::parse(arrival.email.as_deref()?).ok()
}

/// The name of the cookie. Over https it has the prefix that keeps other hosts of the domain from
/// setting it (RFC 6265bis, section 4.1.3).
fn cookie_name(app: &AppState) -> &'static str {
    if is_secure(app) { "__Host-coterie_sso" } else { "coterie_sso" }
}

fn is_secure(app: &AppState) -> bool {
    app.instance.public_url().starts_with("https://")
}

fn cookie_of(app: &AppState, request: &HttpRequest) -> Option<String> {
    cookie_named(request, cookie_name(app))
}

fn cookie_named(request: &HttpRequest, wanted: &str) -> Option<String> {
    let headers = request.headers().get_all(COOKIE).filter_map(|it| it.to_str().ok());
    let mut pairs = headers.flat_map(|it| it.split(';')).filter_map(|it| it.trim().split_once('='));
    pairs.find(|(name, _)| *name == wanted).map(|(_, value)| value.to_owned())
}

/// The name of the cookie with the encrypted ID token. It has a path, which `__Host-` forbids.
fn hint_name(app: &AppState) -> &'static str {
    if is_secure(app) { "__Secure-coterie_sso_hint" } else { "coterie_sso_hint" }
}

/// The `Set-Cookie` header of the encrypted ID token; without a lifetime the browser forgets it.
fn hint_cookie(app: &AppState, hint: &str, seconds: u64) -> String {
    let secure = if is_secure(app) { "; Secure" } else { "" };
    let name = hint_name(app);
    format!("{name}={hint}; Path=/auth/oidc/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
}

/// The value of the `Set-Cookie` header. `Lax`, so that it comes with the redirect from the
/// provider.
fn cookie(app: &AppState, browser: &str) -> String {
    let secure = if is_secure(app) { "; Secure" } else { "" };
    let name = cookie_name(app);
    format!("{name}={browser}; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax{secure}")
}
