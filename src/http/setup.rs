//! What people without an account may do here, and the first admin of an installation.
//!
//! A request is local if the server can be reached from its own machine alone, and nothing in the
//! request says that it came from elsewhere: no header of a proxy, no name of another host, and no
//! page of another site.

use std::net::{Ipv4Addr, Ipv6Addr};

use actix_web::http::StatusCode;
use actix_web::http::header::{FORWARDED, HOST, ORIGIN, VIA};
use actix_web::{HttpRequest, web};

use crate::http::app_state::AppState;
use crate::http::auth::welcome;
use crate::http::body::Body;
use crate::http::error::ApiError;
use crate::http::new_account::{self, FreshAccount};
use crate::http::recovery;
use crate::http::reply::{self, Answer};
use ::wire::account::{self as wire, AuthOptions, SetupNeed};
use ::wire::identity::{self, ProviderResource};
use auth::setup::SetupState;
use domain::instance::SignUp;
use domain::operators::OperatorRole;
use domain::registration::RegistrationDomains;

/// Headers by which a proxy says that it passes a request on.
const OF_PROXIES: [&str; 6] = [
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-forwarded-server",
    "x-real-ip",
    "cf-connecting-ip",
];

/// `POST /auth/setup`
pub(super) async fn begin(app: web::Data<AppState>, request: HttpRequest, body: Body) -> Answer {
    let (wanted, code) = wire::read_setup(&body.fields()?)?;
    new_account::limit(&app, &request)?;
    let _turn = app.first_start.turn().await;
    if app.first_start.state().await? == SetupState::Over {
        return Err(ApiError::new(StatusCode::FORBIDDEN, "this server has an admin already"));
    }
    let is_allowed = match code {
        Some(code) => app.first_start.is_code(&code),
        None => is_local(&app, &request),
    };
    if !is_allowed {
        let reason = "code is wrong or missing: it is in the log of the server, and coterie setup \
                      prints it";
        return Err(ApiError::new(StatusCode::FORBIDDEN, reason));
    }
    let note = recovery::note(&app, &request);
    let account = FreshAccount { note, record: None, operator: Some(OperatorRole::Admin) };
    let (user, token) = new_account::make_account(&app, wanted, account).await?;
    app.first_start.end();
    Ok(reply::created(&welcome(&app, &user, &token)))
}

/// `GET /auth/options`
pub(super) async fn options(app: web::Data<AppState>, request: HttpRequest) -> Answer {
    let settings = app.settings().await?;
    let setup = need(&app, &request).await?;
    Ok(reply::ok(&AuthOptions {
        registration: settings.sign_up.value.into(),
        domains: shown_domains(settings.sign_up.value, settings.domains),
        password: settings.password_login.value.as_str(),
        mail: app.sends_mail(),
        contact: settings.contact.value,
        name: settings.name.value,
        greeting: settings.greeting.value,
        providers: providers(&app),
        passkeys: app.passkeys.is_on(),
        guests: settings.guests.value,
        setup,
    }))
}

/// The domains whose addresses may register, if operators show them.
fn shown_domains(mode: SignUp, domains: RegistrationDomains) -> Option<Vec<String>> {
    let is_shown = mode == SignUp::Domain && domains.are_shown;
    is_shown.then(|| domains.names().to_vec())
}

/// The providers with whose accounts people log in.
fn providers(app: &AppState) -> Vec<ProviderResource> {
    let settings = app.oidc.provider.iter().map(|provider| &provider.settings);
    settings.map(|it| identity::provider(&it.id, &it.name)).collect()
}

/// What a browser needs for the first admin; `None` if there is one.
///
/// # Errors
/// If the index cannot be read.
async fn need(app: &AppState, request: &HttpRequest) -> Result<Option<SetupNeed>, ApiError> {
    let state = app.first_start.state().await?;
    Ok((state != SetupState::Over)
        .then(|| SetupNeed { code: !is_local(app, request), empty: state == SetupState::Empty }))
}

fn is_local(app: &AppState, request: &HttpRequest) -> bool {
    let headers = request.headers();
    let is_direct = !OF_PROXIES.iter().any(|name| headers.contains_key(*name))
        && !headers.contains_key(FORWARDED)
        && !headers.contains_key(VIA);
    let text = |name| headers.get(name).and_then(|it| it.to_str().ok());
    let host = text(&HOST).or_else(|| request.uri().authority().map(|it| it.as_str()));
    let is_own_page = text(&ORIGIN)
        .is_none_or(|origin| origin.split_once("://").is_some_and(|(_, from)| host == Some(from)));
    let is_near = request.peer_addr().is_some_and(|peer| peer.ip().to_canonical().is_loopback());
    app.first_start.is_local
        && is_direct
        && is_own_page
        && is_near
        && host.is_some_and(is_loopback_name)
}

/// Whether a `Host` header names this machine.
fn is_loopback_name(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|it| it.is_ascii_digit()) => name,
        Some(_) | None => host,
    };
    // An IPv6 address is in brackets (RFC 3986, section 3.2.2).
    match name.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
        Some(address) => address.parse().is_ok_and(|it: Ipv6Addr| it.is_loopback()),
        None => {
            name.eq_ignore_ascii_case("localhost")
                || name.parse().is_ok_and(|it: Ipv4Addr| it.is_loopback())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_names_have_any_port_and_no_suffix() {
        for host in
            ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.9.9.9", "[::1]:8080", "[::1]"]
        {
            assert!(is_loopback_name(host), "{host}");
        }
        for host in
            ["", "localhost.example.org", "127.0.0.1.nip.io", "192.168.0.1:8080", "::1:8080"]
        {
            assert!(!is_loopback_name(host), "{host}");
        }
    }
}
