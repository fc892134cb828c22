//! Users (specification, section 4, Users).

use actix_web::web;

use crate::actors::user::protocol::ViewUser;
use crate::auth::keyring::Caller;
use crate::http::door::Door;
use crate::http::reply::{self, Answer};
use crate::wire::user as wire;

/// `GET /users/me`
pub(super) async fn me(door: web::Data<Door>, caller: Caller) -> Answer {
    let user = door.directory.user(caller.user, ViewUser).await?;
    let shown = wire::shown(user.id, &user.profile, user.created_at, user.updated_at, &door.site);
    Ok(reply::ok(&shown))
}
