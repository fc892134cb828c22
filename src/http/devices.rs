//! Devices, to which push notices are sent (an addition to the specification, whose SMS mode names
//! a `registration_id`).

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::Caller;
use crate::http::reply::{self, Answer};
use ::wire::device::{self as wire, AddedDevice, PushKey};
use ::wire::fields::Problems;
use actors::user::protocol::{AddDevice, RemoveDevice, ViewUser};
use domain::user::Device;

/// `GET /push/key`
pub(super) async fn key(app: web::Data<AppState>, _: Caller) -> Answer {
    Ok(reply::ok(&PushKey { key: &app.push_key }))
}

/// `GET /push/devices`
pub(super) async fn list(app: web::Data<AppState>, caller: Caller) -> Answer {
    let user = app.directory.ask(caller.user, ViewUser).await?;
    let mut devices: Vec<&Device> = user.devices.values().collect();
    devices.sort_by_key(|device| device.since);
    reply::list(devices.into_iter().map(wire::resource))
}

/// `POST /push/devices`
pub(super) async fn add(app: web::Data<AppState>, act: Act, caller: Caller, body: Body) -> Answer {
    let device = wire::read(&body.fields()?, caller.token, caller.scopes, app.clock.now().wall)?;
    let checked = app.outgoing.check_host(caller.user.into(), &device.endpoint).await;
    checked.map_err(|refusal| Problems::one(format!("endpoint {refusal}")))?;
    let added = AddedDevice { registration_id: device.id.clone() };
    let done = act.ask(caller.user, AddDevice { device }, move |()| {
        reply::payload(StatusCode::CREATED, &added)
    });
    Ok(done.await?)
}

/// `DELETE /push/devices/:registration_id`
pub(super) async fn remove(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    app.directory.ask(caller.user, RemoveDevice { id: path.into_inner() }).await?;
    Ok(reply::ok(&()))
}
