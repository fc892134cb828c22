//! The page on which users log in, and allow or deny access to an application.
//!
//! A link alone decides nothing: every act is a form with a CSRF token. Consent is asked for each
//! time, also for an application that was allowed before.

use std::collections::BTreeMap;

use actix_web::http::StatusCode;
use actix_web::http::header::{
    CONTENT_SECURITY_POLICY, HeaderName, LOCATION, RETRY_AFTER, SET_COOKIE, WWW_AUTHENTICATE,
    X_FRAME_OPTIONS,
};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, ResponseError, web};
use serde_json::{Map, Value};

use crate::http::app_state::AppState;
use crate::http::audit;
use crate::http::body::WholeBody;
use crate::http::client_address::network_of;
use crate::http::error::{ApiError, CHALLENGE};
use crate::http::oauth::page::OtherWays;
use crate::http::oauth::request::{
    self, AuthorizationRequest, GrantFlow, RequestError, WantedScopes, back,
};
use crate::http::oauth::{GrantedScopes, cookie, page, parameters};
use crate::http::passkeys;
use crate::http::password_login;
use crate::http::tokens;
use crate::http::verification::{self, CheckedFactor};
use ::wire::factor::ShownSecret;
use actors::ask::Failure;
use actors::user::protocol::IssueToken;
use auth::accounts::LoginAccount;
use auth::browser_sessions::BrowserId;
use auth::codes::Consent;
use auth::logging_in::{LogInFailure, LogInRefusal};
use domain::scopes::{Scope, ScopeSet};
use domain::user::VerificationUse;

const ENDED: &str = "This log-in has expired. Please log in again.";
const NOTHING_CHOSEN: &str = "Choose at least one thing to allow, or deny.";
const EXPIRED: &str = "This page has expired. Please try again.";

/// `GET /oauth/authorize`
pub(in crate::http) async fn show(app: web::Data<AppState>, request: HttpRequest) -> HttpResponse {
    told(shown(&app, &request).await)
}

/// `POST /oauth/authorize`
pub(in crate::http) async fn decide(
    app: web::Data<AppState>,
    request: HttpRequest,
    body: Result<WholeBody, ApiError>,
) -> HttpResponse {
    // An unreadable body counts as empty, so it has no CSRF token and is refused.
    told(decided(&app, &request, &body.unwrap_or_default().0).await)
}

async fn shown(app: &AppState, request: &HttpRequest) -> Result<HttpResponse, ApiError> {
    match request::read(app, request.query_string()).await? {
        Ok(authorization) => {
            let visitor = Visitor::of(app, request).await?;
            Ok(visitor.sees(app, &authorization, StatusCode::OK, None))
        }
        Err(invalid_request) => Ok(refused(&invalid_request)),
    }
}

async fn decided(
    app: &AppState,
    request: &HttpRequest,
    body: &[u8],
) -> Result<HttpResponse, ApiError> {
    let authorization = match request::read(app, request.query_string()).await? {
        Ok(authorization) => authorization,
        Err(invalid_request) => return Ok(refused(&invalid_request)),
    };
    let visitor = Visitor::of(app, request).await?;
    let given = parameters(body).unwrap_or_default();
    let text = |name: &str| given.get(name).map_or("", String::as_str);
    if !app.browser_sessions.accepts(
        text("seal"),
        &visitor.browser,
        &visitor.subject(&authorization),
    ) {
        return Ok(visitor.sees(app, &authorization, StatusCode::BAD_REQUEST, Some(EXPIRED)));
    }
    match (text("act"), &visitor.account) {
        ("log-in", None) => log_in(app, request, &visitor, &authorization, &given).await,
        ("passkey", None) => {
            log_in_by_passkey(app, request, &visitor, &authorization, text("passkey")).await
        }
        ("verify", None) => verify(app, request, &visitor, &authorization, &given).await,
        ("allow", Some(account)) => match granted(&authorization, &given) {
            Some(granted) => allow(app, &authorization, account, granted).await,
            None => {
                let status = StatusCode::BAD_REQUEST;
                Ok(visitor.sees(app, &authorization, status, Some(NOTHING_CHOSEN)))
            }
        },
        ("deny", Some(_)) => {
            let told = [("error", "access_denied")];
            Ok(sent_back(&authorization, &told, issuer(app, &authorization)))
        }
        ("leave", Some(_)) => {
            app.browser_sessions.end(&visitor.browser);
            Ok(out(app, &authorization))
        }
        _ => Ok(visitor.sees(app, &authorization, StatusCode::BAD_REQUEST, Some(EXPIRED))),
    }
}

async fn log_in(
    app: &AppState,
    request: &HttpRequest,
    visitor: &Visitor,
    authorization: &AuthorizationRequest,
    given: &BTreeMap<String, String>,
) -> Result<HttpResponse, ApiError> {
    let text = |name: &str| given.get(name).cloned().unwrap_or_default();
    let email = text("email");
    let checked = app.log_ins.check(&email, text("password"), None, network_of(request)).await;
    audit::checked(app, request, &email, &checked).await;
    if let Ok(account) = &checked
        && let Err(error) = password_login::permit(app, account).await
    {
        let csrf_token = visitor.csrf_token(app, authorization);
        let problem = error.reasons();
        let shown =
            page::log_in(authorization, &csrf_token, &email, Some(&problem), other_ways(app));
        return Ok(visitor.asks_to_log_in(app, error.status_code()).body(shown));
    }
    match checked {
        Ok(account) if account.needs_factor => {
            let (code, _) = verification::begin(app, &account).await?;
            Ok(visitor.asks_for_code(app, authorization, StatusCode::OK, &code, None))
        }
        Ok(account) => Ok(admit(app, request, authorization, &account).await),
        Err(LogInFailure::Refused(refusal)) => {
            let (problem, wait_millis) = in_words(refusal);
            let csrf_token = visitor.csrf_token(app, authorization);
            let ways = other_ways(app);
            let shown = page::log_in(authorization, &csrf_token, &email, Some(&problem), ways);
            let status = ApiError::from(refusal).status_code();
            let mut answer = visitor.asks_to_log_in(app, status);
            if status == StatusCode::UNAUTHORIZED {
                answer.insert_header((WWW_AUTHENTICATE, CHALLENGE));
            }
            if let Some(millis) = wait_millis {
                answer.insert_header((RETRY_AFTER, millis.div_ceil(1000).max(1)));
            }
            Ok(answer.body(shown))
        }
        Err(failure) => Err(failure.into()),
    }
}

/// Logs in with a passkey, which the script of the page shows.
async fn log_in_by_passkey(
    app: &AppState,
    request: &HttpRequest,
    visitor: &Visitor,
    authorization: &AuthorizationRequest,
    passkey: &str,
) -> Result<HttpResponse, ApiError> {
    let fields: Map<String, Value> = serde_json::from_str(passkey).unwrap_or_default();
    let error = match passkeys::log_in(app, request, &fields).await {
        Ok(account) => return Ok(admit(app, request, authorization, &account).await),
        Err(error) if error.status_code().is_server_error() => return Err(error),
        Err(error) => error,
    };
    let status = error.status_code();
    let problem = match status {
        StatusCode::TOO_MANY_REQUESTS => "Too many attempts. Try again later.".to_owned(),
        StatusCode::FORBIDDEN => error.reasons(),
        _ => "This passkey is not accepted.".to_owned(),
    };
    let csrf_token = visitor.csrf_token(app, authorization);
    let shown = page::log_in(authorization, &csrf_token, "", Some(&problem), other_ways(app));
    let mut answer = visitor.asks_to_log_in(app, status);
    if status == StatusCode::UNAUTHORIZED {
        answer.insert_header((WWW_AUTHENTICATE, CHALLENGE));
    }
    Ok(answer.body(shown))
}

/// Logs the browser in.
async fn admit(
    app: &AppState,
    request: &HttpRequest,
    authorization: &AuthorizationRequest,
    account: &LoginAccount,
) -> HttpResponse {
    audit::logged_in(app, request, account.user, None).await;
    // A new id for the browser: somebody else may know the one from before the log-in.
    let browser = app.browser_sessions.begin(account);
    let named = (SET_COOKIE, cookie::write(app, &browser));
    again(authorization).insert_header(named).finish()
}

/// Logs the browser in after a log-in through a provider, and leads it to the page at this address.
pub(in crate::http) async fn logged_in(
    app: &AppState,
    request: &HttpRequest,
    account: &LoginAccount,
    path: &str,
) -> HttpResponse {
    audit::logged_in(app, request, account.user, None).await;
    let browser = app.browser_sessions.begin(account);
    let url = format!("{}{path}", app.instance.public_url());
    private(StatusCode::FOUND)
        .insert_header((SET_COOKIE, cookie::write(app, &browser)))
        .insert_header((LOCATION, url))
        .finish()
}

/// The page for a log-in through a provider that failed.
pub(in crate::http) fn failed_log_in(status: StatusCode, reason: &str) -> HttpResponse {
    html(status, "'none'").body(page::failed_log_in(reason))
}

/// Checks the one-time code of a log-in that waits.
async fn verify(
    app: &AppState,
    request: &HttpRequest,
    visitor: &Visitor,
    authorization: &AuthorizationRequest,
    given: &BTreeMap<String, String>,
) -> Result<HttpResponse, ApiError> {
    let text = |name: &str| given.get(name).map_or("", String::as_str);
    let code = text("verification");
    let then = VerificationUse::Finish(None);
    let shown = ShownSecret::Typed(text("code").to_owned());
    let failed = match verification::check(app, request, code, &shown, then).await {
        Ok(CheckedFactor::Passed(account)) => {
            return Ok(admit(app, request, authorization, &account).await);
        }
        Ok(CheckedFactor::Wrong(0)) => None,
        Ok(CheckedFactor::Wrong(_)) => {
            Some((StatusCode::UNAUTHORIZED, "This code is wrong or was used already."))
        }
        Err(error) if error.status_code() == StatusCode::TOO_MANY_REQUESTS => {
            Some((StatusCode::TOO_MANY_REQUESTS, "Too many attempts. Try again later."))
        }
        Err(error) if error.status_code().is_server_error() => return Err(error),
        Err(_) => None,
    };
    Ok(match failed {
        Some((status, problem)) => {
            visitor.asks_for_code(app, authorization, status, code, Some(problem))
        }
        None => visitor.sees(app, authorization, StatusCode::UNAUTHORIZED, Some(ENDED)),
    })
}

/// The message for a refused log-in, and how long the refusal lasts.
fn in_words(refusal: LogInRefusal) -> (String, Option<u64>) {
    match refusal {
        LogInRefusal::Wrong => ("Wrong email or password.".to_owned(), None),
        LogInRefusal::AccountLocked { wait_millis }
        | LogInRefusal::AddressLocked { wait_millis } => {
            let wait = match wait_millis.div_ceil(60_000) {
                0 | 1 => "a minute".to_owned(),
                minutes => format!("{minutes} minutes"),
            };
            (format!("Too many attempts. Try again in {wait}."), Some(wait_millis))
        }
    }
}

/// The scopes that a user grants with the form; `None` if none is left.
fn granted(
    authorization: &AuthorizationRequest,
    form: &BTreeMap<String, String>,
) -> Option<GrantedScopes> {
    match authorization.scopes {
        WantedScopes::All { .. } => Some(GrantedScopes(authorization.application.scopes)),
        WantedScopes::Named { required, optional } => {
            let is_ticked = |scope: &Scope| form.contains_key(&page::box_name(*scope));
            let ticked = optional.iter().filter(is_ticked);
            let granted = ticked.fold(required, ScopeSet::with);
            (!granted.is_empty()).then_some(GrantedScopes(Some(granted)))
        }
    }
}

async fn allow(
    app: &AppState,
    authorization: &AuthorizationRequest,
    account: &LoginAccount,
    granted: GrantedScopes,
) -> Result<HttpResponse, ApiError> {
    match &authorization.way {
        GrantFlow::Token => give_token(app, authorization, account, granted).await,
        GrantFlow::Code(challenge) => {
            let consent = Consent {
                user: account.user,
                password: account.password.clone(),
                client: authorization.application.client,
                callback_url: authorization.application.callback_url.as_str().to_owned(),
                names_callback: authorization.names_callback,
                challenge: challenge.clone(),
                scopes: granted.0,
            };
            let code = app.codes.issue(&consent);
            Ok(sent_back(authorization, &[("code", &code)], issuer(app, authorization)))
        }
    }
}

/// The implicit grant, as in the specification, section 5.
async fn give_token(
    app: &AppState,
    authorization: &AuthorizationRequest,
    account: &LoginAccount,
    granted: GrantedScopes,
) -> Result<HttpResponse, ApiError> {
    let application = &authorization.application;
    let id = app.directory.context().id_generator.token();
    let (token, mut record) =
        tokens::new_token(app, id, application.name.as_str(), Some(application.client));
    record.scopes = granted.0;
    let issue = IssueToken {
        token: record,
        password: account.password.clone(),
        code: None,
        identity: None,
    };
    match app.directory.ask(account.user, issue).await {
        Ok(_) => {
            let scope = granted.text();
            let mut told = vec![("access_token", token.reveal())];
            let is_as_asked = authorization.scopes == WantedScopes::All { names_others: false };
            told.extend((!is_as_asked).then_some(("scope", scope.as_str())));
            Ok(sent_back(authorization, &told, None))
        }
        Err(Failure::Refused(_)) => Ok(out(app, authorization)),
        Err(failure) => Err(failure.into()),
    }
}

/// The browser that sent a request, and the account that is logged in there.
struct Visitor {
    browser: BrowserId,
    is_new: bool,
    account: Option<LoginAccount>,
}

impl Visitor {
    async fn of(app: &AppState, request: &HttpRequest) -> Result<Self, ApiError> {
        let Some(browser) = cookie::read(app, request) else {
            return Ok(Self { browser: BrowserId::fresh(), is_new: true, account: None });
        };
        let account = match app.browser_sessions.of(&browser) {
            Some(browser_session) => {
                // A session ends when the password was changed or the account deleted.
                let now =
                    app.directory.context().accounts.own_account(browser_session.user).await?;
                let is_same = |password: &str| {
                    app.browser_sessions.was_made_with_password(&browser_session, password)
                };
                now.filter(|now| is_same(&now.password))
            }
            None => None,
        };
        Ok(Self { browser, is_new: false, account })
    }

    /// The subject of a CSRF token: the user and the request that they see. Nobody can consent to a
    /// request that was not shown to them, or as another user.
    fn subject(&self, authorization: &AuthorizationRequest) -> String {
        let user = self.account.as_ref().map_or(0, |account| account.user.get());
        format!("{user} {}", authorization.query)
    }

    fn csrf_token(&self, app: &AppState, authorization: &AuthorizationRequest) -> String {
        app.browser_sessions.csrf_token(&self.browser, &self.subject(authorization))
    }

    /// The page that asks for the one-time code of a log-in that waits.
    fn asks_for_code(
        &self,
        app: &AppState,
        authorization: &AuthorizationRequest,
        status: StatusCode,
        code: &str,
        problem: Option<&str>,
    ) -> HttpResponse {
        let csrf_token = self.csrf_token(app, authorization);
        let shown = page::verify(authorization, &csrf_token, code, problem);
        let mut answer = self.answers(app, status, "'self'");
        if status == StatusCode::UNAUTHORIZED {
            answer.insert_header((WWW_AUTHENTICATE, CHALLENGE));
        }
        answer.body(shown)
    }

    /// The page for this visitor: to log in, or to consent.
    fn sees(
        &self,
        app: &AppState,
        authorization: &AuthorizationRequest,
        status: StatusCode,
        problem: Option<&str>,
    ) -> HttpResponse {
        let csrf_token = self.csrf_token(app, authorization);
        match &self.account {
            None => {
                let ways = other_ways(app);
                let shown = page::log_in(authorization, &csrf_token, "", problem, ways);
                self.asks_to_log_in(app, status).body(shown)
            }
            Some(account) => {
                let shown = page::consent(authorization, account, &csrf_token, problem);
                self.answers(app, status, &forms_of(authorization)).body(shown)
            }
        }
    }

    /// The beginning of the page to log in, which has a script where there are passkeys.
    fn asks_to_log_in(&self, app: &AppState, status: StatusCode) -> HttpResponseBuilder {
        let mut answer = self.answers(app, status, "'self'");
        if app.passkeys.is_on() {
            let policy = format!("{}; script-src 'self'; connect-src 'self'", policy("'self'"));
            answer.insert_header((CONTENT_SECURITY_POLICY, policy));
        }
        answer
    }

    fn answers(&self, app: &AppState, status: StatusCode, forms: &str) -> HttpResponseBuilder {
        let mut answer = html(status, forms);
        if self.is_new {
            answer.insert_header((SET_COOKIE, cookie::write(app, &self.browser)));
        }
        answer
    }
}

/// The ways in which people log in beside email and password.
fn other_ways(app: &AppState) -> OtherWays<'_> {
    let provider = app.oidc.provider.as_ref().map(|provider| &provider.settings);
    OtherWays { provider, passkeys: app.passkeys.is_on() }
}

/// The targets to which the form on the consent page may lead. Browsers apply `form-action` to
/// every redirect that follows on a form, also to the application's own, so only the scheme is
/// limited and not the host.
fn forms_of(authorization: &AuthorizationRequest) -> String {
    let callback = &authorization.application.callback_url;
    if callback.is_private() {
        return format!("'self' https: {}:", callback.scheme());
    }
    (if callback.is_http() { "'self' http: https:" } else { "'self' https:" }).to_owned()
}

/// The issuer, which only responses of the code flow name; those of the specification's flow have
/// no such field.
fn issuer<'app>(app: &'app AppState, authorization: &AuthorizationRequest) -> Option<&'app str> {
    match authorization.way {
        GrantFlow::Token => None,
        GrantFlow::Code(_) => Some(app.instance.public_url()),
    }
}

fn refused(invalid_request: &RequestError) -> HttpResponse {
    html(StatusCode::BAD_REQUEST, "'none'").body(page::invalid_request(invalid_request))
}

fn told(answer: Result<HttpResponse, ApiError>) -> HttpResponse {
    answer.unwrap_or_else(|error| {
        html(error.status_code(), "'none'").insert_header((RETRY_AFTER, 1)).body(page::trouble())
    })
}

/// What a page may load, and where its forms lead.
fn policy(forms: &str) -> String {
    format!(
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; \
         form-action {forms}; frame-ancestors 'none'"
    )
}

/// A page that cannot be framed or cached and sends no referrer.
fn html(status: StatusCode, forms: &str) -> HttpResponseBuilder {
    let policy = policy(forms);
    let mut answer = private(status);
    answer
        .content_type("text/html; charset=utf-8")
        .insert_header((CONTENT_SECURITY_POLICY, policy))
        .insert_header((X_FRAME_OPTIONS, "DENY"));
    answer
}

fn private(status: StatusCode) -> HttpResponseBuilder {
    let mut answer = HttpResponse::build(status);
    answer.insert_header((HeaderName::from_static("cross-origin-opener-policy"), "same-origin"));
    answer
}

/// Redirects to the same address by GET, so that a reload does not send the form again.
fn again(authorization: &AuthorizationRequest) -> HttpResponseBuilder {
    let mut answer = private(StatusCode::SEE_OTHER);
    answer.insert_header((LOCATION, format!("?{}", authorization.query)));
    answer
}

/// Like [`again`], and logs the browser out by giving it a new id.
fn out(app: &AppState, authorization: &AuthorizationRequest) -> HttpResponse {
    let named = (SET_COOKIE, cookie::write(app, &BrowserId::fresh()));
    again(authorization).insert_header(named).finish()
}

fn sent_back(
    authorization: &AuthorizationRequest,
    told: &[(&str, &str)],
    issuer: Option<&str>,
) -> HttpResponse {
    let url =
        back(&authorization.application.callback_url, told, authorization.state.as_deref(), issuer);
    private(StatusCode::FOUND).insert_header((LOCATION, url)).finish()
}
