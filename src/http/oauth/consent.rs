//! The page on which people log in and let an application in, or not.
//!
//! Nothing is decided by a link: every act is a form with a seal. Consent is asked for
//! each time, also of an application that was let in before.

use std::collections::BTreeMap;

use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, LOCATION, REFERRER_POLICY, RETRY_AFTER,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, ResponseError, web};

use crate::actors::ask::Failure;
use crate::actors::user::protocol::IssueToken;
use crate::auth::codes::{Challenge, Consent};
use crate::auth::logging_in::{Account, LogInFailure, LogInRefusal};
use crate::auth::visits::Browser;
use crate::http::audit;
use crate::http::client_address::address_of;
use crate::http::door::Door;
use crate::http::error::ApiError;
use crate::http::incoming::WholeBody;
use crate::http::oauth::request::{self, Misfit, Way, Wish, back};
use crate::http::oauth::{cookie, page, parameters};
use crate::http::tokens;

const EXPIRED: &str = "This page was open for too long. Please try again.";

/// `GET /oauth/authorize`
pub(in crate::http) async fn show(door: web::Data<Door>, request: HttpRequest) -> HttpResponse {
    told(shown(&door, &request).await)
}

/// `POST /oauth/authorize`
pub(in crate::http) async fn decide(
    door: web::Data<Door>,
    request: HttpRequest,
    body: Result<WholeBody, ApiError>,
) -> HttpResponse {
    // A form that cannot be read has no seal.
    told(decided(&door, &request, &body.unwrap_or_default().0).await)
}

async fn shown(door: &Door, request: &HttpRequest) -> Result<HttpResponse, ApiError> {
    match request::read(door, request.query_string()).await? {
        Ok(wish) => {
            let visitor = Visitor::of(door, request).await?;
            Ok(visitor.sees(door, &wish, StatusCode::OK, None))
        }
        Err(misfit) => Ok(refused(&misfit)),
    }
}

async fn decided(
    door: &Door,
    request: &HttpRequest,
    body: &[u8],
) -> Result<HttpResponse, ApiError> {
    let wish = match request::read(door, request.query_string()).await? {
        Ok(wish) => wish,
        Err(misfit) => return Ok(refused(&misfit)),
    };
    let visitor = Visitor::of(door, request).await?;
    let given = parameters(body).unwrap_or_default();
    let text = |name: &str| given.get(name).map_or("", String::as_str);
    if !door.visits.accepts(text("seal"), &visitor.browser, &visitor.subject(&wish)) {
        return Ok(visitor.sees(door, &wish, StatusCode::BAD_REQUEST, Some(EXPIRED)));
    }
    match (text("act"), &visitor.account) {
        ("log-in", None) => log_in(door, request, &visitor, &wish, &given).await,
        ("allow", Some(account)) => allow(door, &visitor, &wish, account).await,
        ("deny", Some(_)) => {
            let told = [("error", "access_denied")];
            Ok(sent_back(&wish, &told, issuer(door, &wish)))
        }
        ("leave", Some(_)) => {
            door.visits.end(&visitor.browser);
            Ok(again(&wish).finish())
        }
        _ => Ok(visitor.sees(door, &wish, StatusCode::BAD_REQUEST, Some(EXPIRED))),
    }
}

async fn log_in(
    door: &Door,
    request: &HttpRequest,
    visitor: &Visitor,
    wish: &Wish,
    given: &BTreeMap<String, String>,
) -> Result<HttpResponse, ApiError> {
    let text = |name: &str| given.get(name).cloned().unwrap_or_default();
    let email = text("email");
    let checked = door.log_ins.check(&email, text("password"), address_of(request)).await;
    audit::checked(door, request, &email, &checked).await;
    match checked {
        Ok(account) => {
            // A name from before the log-in may be known to somebody else.
            let browser = Browser::fresh();
            door.visits.begin(&browser, account);
            let named = (SET_COOKIE, cookie::write(door, &browser));
            Ok(again(wish).insert_header(named).finish())
        }
        Err(LogInFailure::Refused(refusal)) => {
            let (problem, wait_millis) = in_words(refusal);
            let seal = visitor.seal(door, wish);
            let shown = page::log_in(wish, &seal, &email, Some(&problem));
            let mut answer = visitor.answers(door, ApiError::from(refusal).status_code(), "'self'");
            if let Some(millis) = wait_millis {
                answer.insert_header((RETRY_AFTER, millis.div_ceil(1000).max(1)));
            }
            Ok(answer.body(shown))
        }
        Err(failure) => Err(failure.into()),
    }
}

/// What a refusal means on this page, and how long it lasts.
fn in_words(refusal: LogInRefusal) -> (String, Option<u64>) {
    match refusal {
        LogInRefusal::Wrong => ("That email and password do not belong together.".to_owned(), None),
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

async fn allow(
    door: &Door,
    visitor: &Visitor,
    wish: &Wish,
    account: &Account,
) -> Result<HttpResponse, ApiError> {
    match &wish.way {
        Way::Token => give_token(door, visitor, wish, account).await,
        Way::Code(challenge) => Ok(give_code(door, wish, account, challenge.clone())),
    }
}

/// The implicit way: exactly as the specification has it, section 5.
async fn give_token(
    door: &Door,
    visitor: &Visitor,
    wish: &Wish,
    account: &Account,
) -> Result<HttpResponse, ApiError> {
    let application = &wish.application;
    let id = door.directory.ground().mint.token();
    let (token, record) =
        tokens::fresh(door, id, application.name.as_str(), Some(application.client));
    let issue = IssueToken { token: record, password: account.password.clone() };
    match door.directory.user(account.user, issue).await {
        Ok(_) => Ok(sent_back(wish, &[("access_token", token.reveal())], None)),
        Err(Failure::Refused(_)) => {
            door.visits.end(&visitor.browser);
            Ok(again(wish).finish())
        }
        Err(failure) => Err(failure.into()),
    }
}

fn give_code(door: &Door, wish: &Wish, account: &Account, challenge: Challenge) -> HttpResponse {
    let consent = Consent {
        user: account.user,
        password: account.password.clone(),
        client: wish.application.client,
        application: wish.application.name.as_str().to_owned(),
        callback_url: wish.application.callback_url.as_str().to_owned(),
        names_callback: wish.names_callback,
        challenge,
    };
    match door.codes.issue(consent) {
        Some(code) => sent_back(wish, &[("code", &code)], issuer(door, wish)),
        None => sent_back(wish, &[("error", "temporarily_unavailable")], issuer(door, wish)),
    }
}

/// The browser of a request, and who is logged in there.
struct Visitor {
    browser: Browser,
    is_new: bool,
    account: Option<Account>,
}

impl Visitor {
    async fn of(door: &Door, request: &HttpRequest) -> Result<Self, ApiError> {
        let Some(browser) = cookie::read(door, request) else {
            return Ok(Self { browser: Browser::fresh(), is_new: true, account: None });
        };
        let account = match door.visits.of(&browser) {
            Some(visit) => {
                // Another password, or no account any more: whoever came with the old one goes.
                let now = door.directory.ground().people.own_account(visit.user).await?;
                now.filter(|now| now.password == visit.password)
            }
            None => None,
        };
        Ok(Self { browser, is_new: false, account })
    }

    /// What a form on this visitor's page is about: nobody consents to what they did not
    /// see, nor as somebody else.
    fn subject(&self, wish: &Wish) -> String {
        let user = self.account.as_ref().map_or(0, |account| account.user.get());
        format!("{user} {}", wish.query)
    }

    fn seal(&self, door: &Door, wish: &Wish) -> String {
        door.visits.seal(&self.browser, &self.subject(wish))
    }

    /// The page that fits: to log in, or to consent.
    fn sees(
        &self,
        door: &Door,
        wish: &Wish,
        status: StatusCode,
        problem: Option<&str>,
    ) -> HttpResponse {
        let seal = self.seal(door, wish);
        match &self.account {
            None => {
                let shown = page::log_in(wish, &seal, "", problem);
                self.answers(door, status, "'self'").body(shown)
            }
            Some(account) => {
                let shown = page::consent(wish, account, &seal, problem);
                self.answers(door, status, forms_of(wish)).body(shown)
            }
        }
    }

    fn answers(&self, door: &Door, status: StatusCode, forms: &str) -> HttpResponseBuilder {
        let mut answer = html(status, forms);
        if self.is_new {
            answer.insert_header((SET_COOKIE, cookie::write(door, &self.browser)));
        }
        answer
    }
}

/// Where the form on the consent page may lead. Browsers hold every address against it
/// that follows on a form, also those to which the application itself redirects: so the
/// scheme and not the one host.
fn forms_of(wish: &Wish) -> &'static str {
    match wish.application.callback_url.is_loopback() {
        true => "'self' http: https:",
        false => "'self' https:",
    }
}

/// Only answers of the newer flow say who gave them: the specification's has no such field.
fn issuer<'door>(door: &'door Door, wish: &Wish) -> Option<&'door str> {
    match wish.way {
        Way::Token => None,
        Way::Code(_) => Some(door.site.public_url()),
    }
}

fn refused(misfit: &Misfit) -> HttpResponse {
    html(StatusCode::BAD_REQUEST, "'none'").body(page::misfit(misfit))
}

fn told(answer: Result<HttpResponse, ApiError>) -> HttpResponse {
    answer.unwrap_or_else(|error| {
        html(error.status_code(), "'none'").insert_header((RETRY_AFTER, 1)).body(page::trouble())
    })
}

/// A page in nobody's frame, of which nothing is kept and nothing told to others.
fn html(status: StatusCode, forms: &str) -> HttpResponseBuilder {
    let policy = format!(
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; \
         form-action {forms}; frame-ancestors 'none'"
    );
    let mut answer = private(status);
    answer
        .content_type("text/html; charset=utf-8")
        .insert_header((CONTENT_SECURITY_POLICY, policy))
        .insert_header((X_FRAME_OPTIONS, "DENY"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"));
    answer
}

fn private(status: StatusCode) -> HttpResponseBuilder {
    let mut answer = HttpResponse::build(status);
    answer
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .insert_header((HeaderName::from_static("cross-origin-opener-policy"), "same-origin"));
    answer
}

/// Leads to the same address by GET, so that a reload sends no form again.
fn again(wish: &Wish) -> HttpResponseBuilder {
    let mut answer = private(StatusCode::SEE_OTHER);
    answer.insert_header((LOCATION, format!("?{}", wish.query)));
    answer
}

fn sent_back(wish: &Wish, told: &[(&str, &str)], issuer: Option<&str>) -> HttpResponse {
    let url = back(&wish.application.callback_url, told, wish.state.as_deref(), issuer);
    private(StatusCode::FOUND).insert_header((LOCATION, url)).finish()
}
