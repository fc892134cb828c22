//! Users (specification, section 4, Users).

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web;
use futures_util::future::join_all;
use serde_json::Value;

use crate::actors::ask::Failure;
use crate::actors::group::protocol::{RedrawMember, ViewRefusal};
use crate::actors::user::protocol::{ChangeProfile, SetSmsMode, ViewUser};
use crate::auth::keyring::Caller;
use crate::auth::names::Held;
use crate::domain::ids::UserId;
use crate::domain::text::Email;
use crate::domain::user::{ProfileChange, User};
use crate::http::act::Act;
use crate::http::body::Body;
use crate::http::door::Door;
use crate::http::error::ApiError;
use crate::http::once;
use crate::http::pictures::{self, Formats};
use crate::http::reply::{self, Answer};
use crate::wire::user as wire;

/// `GET /users/me`
pub(super) async fn me(door: web::Data<Door>, caller: Caller) -> Answer {
    let user = door.directory.user(caller.user, ViewUser).await?;
    Ok(reply::ok(&shown(&door, &user)))
}

/// A user in JSON.
pub(super) fn shown(door: &Door, user: &User) -> Value {
    wire::shown(user, door.clock.now().wall, &door.site)
}

/// `POST /users/update`
pub(super) async fn update(door: web::Data<Door>, act: Act, caller: Caller, body: Body) -> Answer {
    let wanted = wire::read_change(&body.fields()?, &door.site)?;
    let change = with_picture(&door, wanted).await?;
    let is_seen_by_others = change.name.is_some() || change.image.is_some();
    // A step of its own: after a crash before the groups heard of it, a repeat under the
    // same key tells them, and does not change the profile back.
    let step = act.step(0);
    let answer = match step.recall().await? {
        Some(first) => once::again(&first)?,
        None => change_profile(&door, &step, caller.user, change).await?,
    };
    if is_seen_by_others {
        let user = door.directory.user(caller.user, ViewUser).await?;
        redraw(&door, &user).await?;
    }
    Ok(answer)
}

/// Changes the profile, while a new address is held.
async fn change_profile(
    door: &web::Data<Door>,
    step: &Act,
    user: UserId,
    change: ProfileChange,
) -> Answer {
    let held = match &change.email {
        Some(email) => Some(hold(door, user, email).await?),
        None => None,
    };
    let show = {
        let door = door.clone();
        move |user: &Arc<User>| reply::payload(StatusCode::OK, &shown(&door, user))
    };
    let answer = step.user(user, ChangeProfile { change }, show).await?;
    drop(held);
    Ok(answer)
}

/// The change with its picture: one of ours must exist, one from elsewhere is fetched and
/// kept. Comes before everything else that could be refused later or held meanwhile, since
/// it may take long.
async fn with_picture(door: &Door, wanted: wire::WantedChange) -> Result<ProfileChange, ApiError> {
    let wire::WantedChange { mut change, picture } = wanted;
    let image = change.image.iter().map(|image| ("avatar_url".to_owned(), image));
    pictures::must_exist(door, image).await?;
    if let Some(url) = picture {
        change.image = Some(pictures::fetched(door, "avatar_url", &url, Formats::Avatars).await?);
    }
    Ok(change)
}

/// Holds a new address while it is being taken.
async fn hold(door: &Door, user: UserId, email: &Email) -> Result<Held, ApiError> {
    let taken = || ApiError::new(StatusCode::CONFLICT, "email belongs to another account");
    let held = door.names.hold(vec![format!("email:{}", email.key())]).ok_or_else(taken)?;
    match door.directory.ground().people.by_email(email.clone()).await? {
        Some((owner, _)) if owner != user => Err(taken()),
        Some(_) | None => Ok(held),
    }
}

/// Shows the user's new name and picture in each of their groups.
async fn redraw(door: &Door, user: &User) -> Result<(), ApiError> {
    let seats = door.directory.ground().people.seats(user.id).await?;
    let asks = seats.into_iter().filter(|(_, seat)| seat.is_active()).map(|(group, _)| {
        let name = user.profile.name.as_str().to_owned();
        let image = user.profile.image.clone();
        door.directory.group(group, RedrawMember { user: user.id, name, image })
    });
    for answer in join_all(asks).await {
        match answer {
            Ok(()) | Err(Failure::Refused(ViewRefusal::NotAMember)) => {}
            Err(Failure::Fault(fault)) => return Err(ApiError::fault(&fault)),
        }
    }
    Ok(())
}

/// `POST /users/sms_mode`
pub(super) async fn sms_on(door: web::Data<Door>, act: Act, caller: Caller, body: Body) -> Answer {
    let mode = wire::read_sms_mode(&body.fields()?, door.clock.now().wall)?;
    let done = act.user(caller.user, SetSmsMode { mode: Some(mode) }, |()| {
        reply::payload(StatusCode::CREATED, &Value::Null)
    });
    Ok(done.await?)
}

/// `POST /users/sms_mode/delete`
pub(super) async fn sms_off(act: Act, caller: Caller) -> Answer {
    Ok(act.user(caller.user, SetSmsMode { mode: None }, reply::done).await?)
}
