//! The end of a log-in that waits for the second factor, and devices that are trusted from then on.

use actix_web::http::StatusCode;
use actix_web::http::header::USER_AGENT;
use actix_web::{HttpRequest, web};

use crate::auth::access_token::AccessToken;
use crate::auth::totp;
use crate::domain::factors::TrustedDevice;
use crate::domain::user::VerificationUse;
use crate::http::app_state::AppState;
use crate::http::auth::{issue_token, welcome};
use crate::http::body::Body;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use crate::http::verification::{CheckedFactor, check};
use crate::random::random;
use crate::wire::factor as wire;

/// Longest name of a device, in characters.
const DEVICE_CHARS: usize = 60;

/// `POST /auth/login/verify`
pub(super) async fn finish(app: web::Data<AppState>, request: HttpRequest, body: Body) -> Answer {
    let shown = wire::read_verification(&body.fields()?)?;
    let trusted = shown.trust.then(|| new_device(&app, &request));
    let (secret, device) = trusted.unzip();
    let then = VerificationUse::Finish(device);
    match check(&app, &request, &shown.code, &shown.typed, then).await? {
        CheckedFactor::Wrong(tries_left) => Err(wrong(tries_left)),
        CheckedFactor::Passed(account) => {
            let (user, token) = issue_token(&app, &request, *account).await?;
            let mut account = welcome(&app, &user, &token);
            account.device = secret;
            Ok(reply::ok(&account))
        }
    }
}

/// 401: the code is wrong.
fn wrong(tries_left: u32) -> ApiError {
    let reason = match tries_left {
        0 => "the code is wrong; log in again".to_owned(),
        left => format!("the code is wrong; tries left: {left}"),
    };
    ApiError::new(StatusCode::UNAUTHORIZED, reason)
}

/// A device that is trusted from now on, and its secret.
fn new_device(app: &AppState, request: &HttpRequest) -> (String, TrustedDevice) {
    let secret = AccessToken::fresh().reveal().to_owned();
    let device = TrustedDevice {
        // Ids stay exact in JavaScript.
        id: u64::from_be_bytes(random()) >> 11,
        hash: totp::device_hash(&secret),
        name: device_name(request),
        since: app.clock.now().wall,
    };
    (secret, device)
}

/// The browser and system that a request names, for people: `Firefox, Linux`.
fn device_name(request: &HttpRequest) -> String {
    let agent = request.headers().get(USER_AGENT).and_then(|it| it.to_str().ok());
    named(agent.unwrap_or_default())
}

fn named(agent: &str) -> String {
    // Browsers also name those that they are compatible with, so the order matters.
    let browsers = [
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ];
    let systems = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("CrOS", "ChromeOS"),
        ("Linux", "Linux"),
    ];
    let first = |names: &[(&str, &'static str)]| {
        names.iter().find(|(part, _)| agent.contains(part)).map(|(_, name)| *name)
    };
    match (first(&browsers), first(&systems)) {
        (Some(browser), Some(system)) => format!("{browser}, {system}"),
        (Some(name), None) => name.to_owned(),
        (None, _) => {
            let product = agent.split_whitespace().next().unwrap_or_default();
            let plain = product.chars().filter(|sign| sign.is_ascii_graphic()).take(DEVICE_CHARS);
            plain.collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_is_named_by_browser_and_system() {
        let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
        let edge = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like \
                    Gecko) Chrome/140.0 Safari/537.36 Edg/140.0";
        assert_eq!(named(firefox), "Firefox, Linux");
        assert_eq!(named(edge), "Edge, Windows");
        assert_eq!(named("curl/8.1"), "curl/8.1");
        assert_eq!(named(""), "");
    }
}
