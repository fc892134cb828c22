//! Devices that take push notices.

use serde_json::json;

use crate::http::operation::Operation;
use crate::wire::device::{AddedDevice, DeviceResource, PushKey};
use crate::wire::schema::{bodies, nothing, of};

const TAG: &str = "Notices";

pub(in crate::http) fn key() -> Operation {
    Operation::of(TAG, "Shows the key with which this server signs push notices")
        .gives(200, of::<PushKey>())
}

pub(in crate::http) fn list_all() -> Operation {
    Operation::of(TAG, "Lists your devices that take push notices, oldest first")
        .gives(200, of::<Vec<DeviceResource>>())
}

pub(in crate::http) fn add() -> Operation {
    let mut body = bodies::device();
    body["description"] = json!("A `PushSubscription` as browsers write it.");
    Operation::of(TAG, "Sends you push notices on a device")
        .detail(
            "A device belongs to the log-in that adds it and ends with it. The newest ten are \
             kept. The same one again is the same device.",
        )
        .body(body)
        .gives(201, of::<AddedDevice>())
}

pub(in crate::http) fn remove() -> Operation {
    Operation::of(TAG, "Sends no more push notices to a device")
        .gives(200, nothing())
        .refuses(404, "No such device of yours.")
}
