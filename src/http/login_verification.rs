//! The end of a log-in that waits for the second factor, and devices that are trusted from then on.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};

use crate::http::app_state::AppState;
use crate::http::auth::{issue_token, welcome};
use crate::http::body::Body;
use crate::http::device_name::device_name;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use crate::http::verification::{CheckedFactor, check};
use ::wire::factor as wire;
use auth::access_token::AccessToken;
use auth::totp;
use base::random::random;
use domain::factors::TrustedDevice;
use domain::user::VerificationUse;

/// `POST /auth/login/verify`
pub(super) async fn finish(app: web::Data<AppState>, request: HttpRequest, body: Body) -> Answer {
    let shown = wire::read_verification(&body.fields()?)?;
    let trusted = shown.trust.then(|| new_device(&app, &request));
    let (secret, device) = trusted.unzip();
    let then = VerificationUse::Finish(device);
    match check(&app, &request, &shown.code, &shown.secret, then).await? {
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
        name: device_name(request).unwrap_or_default(),
        since: app.clock.now().wall,
    };
    (secret, device)
}
