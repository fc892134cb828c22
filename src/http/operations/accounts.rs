//! Accounts.

use crate::http::operation::Operation;
use crate::wire::schema::{bodies, named, nothing};

const TAG: &str = "Accounts";

pub(in crate::http) fn register() -> Operation {
    Operation::of(TAG, "Registers an account and logs it in")
        .detail(
            "Takes no `Idempotency-Key`, since nobody is logged in yet: a repeat finds the email \
             taken (409), and can log in.",
        )
        .open()
        .body(bodies::registration())
        .gives(201, named("Account"))
        .refuses(403, "Registration is closed on this server.")
        .refuses(409, "The email or phone number belongs to another account.")
        .refuses(429, "Too many registrations from this address.")
}

pub(in crate::http) fn login() -> Operation {
    Operation::of(TAG, "Logs in: a new token")
        .detail("Takes no `Idempotency-Key`: each log-in makes a token, and unused ones can end.")
        .open()
        .body(bodies::login())
        .gives(200, named("Account"))
        .refuses(401, "Email or password is wrong.")
        .refuses(429, "Too many failed log-ins for this account.")
}

pub(in crate::http) fn logout() -> Operation {
    Operation::of(TAG, "Ends the token of this request")
        .detail("Takes no `Idempotency-Key`: a repeat has no token any more, and is told so (401).")
        .unkeyed()
        .gives(200, nothing())
        .refuses(404, "The token has ended meanwhile.")
}
