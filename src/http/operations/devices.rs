//! Devices that take push notices.

use crate::http::operation::Operation;
use wire::device::{AddedDevice, DeviceResource, PushKey};
use wire::schema::{bodies, nothing, of};

const TAG: &str = "Notices";

pub(in crate::http) fn key() -> Operation {
    Operation::of(TAG, "Shows the key with which this server signs push notices")
        .gives(200, of::<PushKey>())
}

pub(in crate::http) fn list_all() -> Operation {
    Operation::of(TAG, "Lists your devices that receive push notices, oldest first")
        .gives(200, of::<Vec<DeviceResource>>())
}

pub(in crate::http) fn add() -> Operation {
    Operation::of(TAG, "Registers a device for push notices")
        .detail(
            "A device belongs to the log-in whose token registers it, and is removed with that \
             token. Only the newest ten are kept. Registering an endpoint again gives the same \
             device.",
        )
        .body(bodies::device())
        .gives(201, of::<AddedDevice>())
}

pub(in crate::http) fn remove() -> Operation {
    Operation::of(TAG, "Removes a device, which receives no more push notices")
        .gives(200, nothing())
        .refuses(404, "You have no such device.")
}
