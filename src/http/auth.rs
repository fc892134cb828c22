//! Accounts: registering, logging in and out.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};
use serde_json::json;

use crate::actors::user::protocol::{IssueToken, Register, RevokeToken};
use crate::auth::keyring::{AccessToken, Caller};
use crate::domain::text::Email;
use crate::domain::time::Timestamp;
use crate::domain::user::{Profile, TokenRecord, User};
use crate::http::body::Body;
use crate::http::door::Door;
use crate::http::error::ApiError;
use crate::http::invitations;
use crate::http::limits::too_many;
use crate::http::reply::{self, Answer};
use crate::wire::user as wire;

/// What a token made by logging in is for, as lists of tokens show it.
const LOG_IN: &str = "log-in";

/// `POST /auth/register`
pub(super) async fn register(door: web::Data<Door>, request: HttpRequest, body: Body) -> Answer {
    if !door.registration_is_open {
        return Err(ApiError::new(StatusCode::FORBIDDEN, "registration is closed on this server"));
    }
    let wanted = wire::read_registration(&body.fields()?)?;
    let now = door.clock.now();
    if let (Some(buckets), Some(peer)) = (&door.registrations, request.peer_addr()) {
        let allowance = buckets.take(&peer.ip(), now.mono);
        if !allowance.passes {
            return Err(too_many("too many registrations from this address")
                .retry_after_millis(allowance.wait_millis));
        }
    }
    let held = door.names.hold(names_of(&wanted.profile)).ok_or_else(taken)?;
    refuse_taken(&door, &wanted.profile).await?;
    let password = door.passwords.hash(wanted.password).await?;
    let (token, record) = fresh_token(&door, now.wall);
    let id = door.directory.ground().mint.user();
    let registered = Register { profile: wanted.profile, password, token: record.clone() };
    let user = door.directory.user(id, registered).await?;
    drop(held);
    door.keyring.learn(user.id, &record);
    if let Err(fault) = invitations::follow_up(&door, user.id).await {
        // The account exists; the invites are followed up when it lists its groups.
        tracing::warn!(user.id = %user.id, %fault, "invites wait for the next list");
    }
    Ok(reply::created(&welcome(&door, &user, &token)))
}

/// The names that only one account may have.
fn names_of(profile: &Profile) -> Vec<String> {
    let phone = profile.phone.as_ref().map(|phone| format!("phone:{}", phone.key()));
    std::iter::once(format!("email:{}", profile.email.key())).chain(phone).collect()
}

async fn refuse_taken(door: &Door, profile: &Profile) -> Result<(), ApiError> {
    let people = &door.directory.ground().people;
    if people.by_email(profile.email.clone()).await?.is_some() {
        return Err(taken());
    }
    if let Some(phone) = &profile.phone
        && people.has_phone(phone.clone()).await?
    {
        return Err(taken());
    }
    Ok(())
}

fn taken() -> ApiError {
    ApiError::new(StatusCode::CONFLICT, "email or phone_number belongs to another account")
}

/// `POST /auth/login`
pub(super) async fn login(door: web::Data<Door>, body: Body) -> Answer {
    let (email, password) = wire::read_login(&body.fields()?)?;
    let account = email.trim().to_lowercase();
    let turn = door.failures.turn(&account).await;
    let now = door.clock.now();
    if let Some(wait) = door.failures.locked_for(&account, now.mono) {
        return Err(too_many("too many failed log-ins for this account").retry_after_millis(wait));
    }
    let found = match Email::parse(&email) {
        Ok(email) => door.directory.ground().people.by_email(email).await?,
        Err(_) => None,
    };
    // An unknown address costs the same work as a wrong password.
    let hash = found.as_ref().map(|(_, row)| row.password.clone());
    let fits = door.passwords.fits(password, hash).await?;
    let Some((id, _)) = found.filter(|_| fits) else {
        door.failures.note(&account, now.mono);
        return Err(ApiError::new(StatusCode::UNAUTHORIZED, "email or password is wrong"));
    };
    door.failures.clear(&account);
    drop(turn);
    let (token, record) = fresh_token(&door, now.wall);
    let user = door.directory.user(id, IssueToken { token: record.clone() }).await?;
    door.keyring.learn(id, &record);
    Ok(reply::ok(&welcome(&door, &user, &token)))
}

/// `POST /auth/logout`
pub(super) async fn logout(door: web::Data<Door>, caller: Caller) -> Answer {
    let hash = door.directory.user(caller.user, RevokeToken { id: caller.token }).await?;
    door.keyring.forget(&hash);
    Ok(reply::ok(&serde_json::Value::Null))
}

fn fresh_token(door: &Door, now: Timestamp) -> (AccessToken, TokenRecord) {
    let token = AccessToken::fresh();
    let end = |seconds: u64| Timestamp::from_millis(now.millis() + seconds.saturating_mul(1000));
    let record = TokenRecord {
        id: door.directory.ground().mint.token(),
        hash: token.hash(),
        application: Some(LOG_IN.to_owned()),
        created_at: now,
        expires_at: door.token_seconds.map(end),
    };
    (token, record)
}

fn welcome(door: &Door, user: &User, token: &AccessToken) -> serde_json::Value {
    let shown = wire::shown(user, door.clock.now().wall, &door.site);
    json!({"user": shown, "access_token": token.reveal()})
}
