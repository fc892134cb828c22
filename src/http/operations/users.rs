//! Users.

use crate::http::operation::Operation;
use wire::own_settings::{self, OwnSettings};
use wire::schema::{bodies, flag, nothing, of};
use wire::user::{SeenProfile, UserResource};

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
        .detail(
            "A change of the email or the phone number needs `password`, unless you logged in \
             within the last 10 minutes, and is possible 5 times a day. A former email stays \
             reserved for you for 30 days.",
        )
        .refuses(
            403,
            "The password is missing or wrong, or an application wants to change the email or the \
             phone number.",
        )
        .refuses(409, "The email or the phone number belongs to another account.")
        .refuses(429, "The email and the phone number changed too often.")
}

pub(in crate::http) fn settings() -> Operation {
    Operation::of(TAG, "Shows your settings").gives(200, of::<OwnSettings>())
}

pub(in crate::http) fn set_settings() -> Operation {
    Operation::of(TAG, "Changes your settings")
        .detail(
            "Mails about missed messages go only to a confirmed address, and only from a server that \
             sends mail. They are in the language of `Accept-Language` here. One mail lists all that \
             is unread and for you; muted conversations are left out.",
        )
        .body(own_settings::change_schema())
        .gives(200, of::<OwnSettings>())
}

pub(in crate::http) fn sms_on() -> Operation {
    Operation::of(TAG, "Turns SMS mode on for some hours")
        .body(bodies::sms_mode())
        .gives(201, nothing())
}

pub(in crate::http) fn sms_off() -> Operation {
    Operation::of(TAG, "Turns SMS mode off").gives(200, nothing())
}
