//! Users.

use crate::http::operation::Operation;
use crate::wire::schema::{bodies, flag, nothing, of};
use crate::wire::user::{SeenProfile, UserResource};

const TAG: &str = "Users";

pub(in crate::http) fn me() -> Operation {
    Operation::of(TAG, "Shows your own account").gives(200, of::<UserResource>())
}

pub(in crate::http) fn show() -> Operation {
    Operation::of(TAG, "Shows a user with whom you share a group or a chat")
        .query("include_shared_groups", flag("If false, `shared_groups` is null."))
        .gives(200, of::<SeenProfile>())
        .refuses(404, "No such user, or you share no group or chat with them.")
}

pub(in crate::http) fn update() -> Operation {
    Operation::of(TAG, "Changes your profile")
        .body(bodies::profile_change())
        .gives(200, of::<UserResource>())
        .refuses(403, "An application may not change the email or the phone number.")
        .refuses(409, "The email or the phone number belongs to another account.")
}

pub(in crate::http) fn sms_on() -> Operation {
    Operation::of(TAG, "Turns SMS mode on for some hours")
        .body(bodies::sms_mode())
        .gives(201, nothing())
}

pub(in crate::http) fn sms_off() -> Operation {
    Operation::of(TAG, "Turns SMS mode off").gives(200, nothing())
}
