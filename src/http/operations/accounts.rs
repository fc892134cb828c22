//! Accounts.

use crate::http::operation::Operation;
use crate::wire::account::{AuthOptions, LoggedInAccount, TokenResource};
use crate::wire::schema::{bodies, nothing, of};

const TAG: &str = "Accounts";
const WRONG: &str = "The password is wrong, or the token is an application's.";
const CHANGED: &str = "The password was changed meanwhile.";

/// An operation that requires a log-in.
fn own(summary: &'static str) -> Operation {
    Operation::of(TAG, summary).refuses(403, "The token is an application's.")
}

pub(in crate::http) fn register() -> Operation {
    Operation::of(TAG, "Registers an account and logs it in")
        .detail(
            "Takes no `Idempotency-Key`, since nobody is logged in yet: a repeat finds the email \
             taken (409), and can log in.",
        )
        .open()
        .body(bodies::registration())
        .gives(201, of::<LoggedInAccount>())
        .refuses(403, "Registration is closed on this server.")
        .refuses(409, "The email or phone number belongs to another account.")
        .refuses(429, "Too many registrations from this address.")
}

pub(in crate::http) fn options() -> Operation {
    Operation::of(TAG, "Whether strangers may register").open().gives(200, of::<AuthOptions>())
}

pub(in crate::http) fn login() -> Operation {
    Operation::of(TAG, "Logs in: a new token")
        .detail("Takes no `Idempotency-Key`: each log-in makes a token, and unused ones can end.")
        .open()
        .body(bodies::login())
        .gives(200, of::<LoggedInAccount>())
        .refuses(401, "Email or password is wrong.")
        .refuses(403, "The account is disabled.")
        .refuses(429, "Too many failed log-ins for this account, or from this address.")
}

pub(in crate::http) fn logout() -> Operation {
    Operation::of(TAG, "Ends the token of this request")
        .detail("Takes no `Idempotency-Key`: a repeat has no token any more, and is told so (401).")
        .gives(200, nothing())
        .refuses(404, "The token has ended meanwhile.")
}

pub(in crate::http) fn tokens() -> Operation {
    own("Lists what opens your account: log-ins, and applications that you let in")
        .gives(200, of::<Vec<TokenResource>>())
}

pub(in crate::http) fn end_token() -> Operation {
    own("Ends a token, also on open sockets")
        .gives(200, nothing())
        .refuses(404, "No such token of yours.")
}

pub(in crate::http) fn change_password() -> Operation {
    own("Changes the password and ends every other token")
        .detail(
            "Takes no `Idempotency-Key`, since nothing of a password is kept but its slow hash: \
             a repeat is told that the password is wrong (403).",
        )
        .body(bodies::password_change())
        .gives(200, nothing())
        .refuses(403, WRONG)
        .refuses(404, "The account was deleted meanwhile.")
        .refuses(409, CHANGED)
        .refuses(429, "Too many requests, or too many wrong passwords.")
}

pub(in crate::http) fn delete() -> Operation {
    own("Deletes your account")
        .detail(
            "You leave your groups; your bots and applications are removed; email and phone \
             number are free again. What you wrote stays, under the name that you had.",
        )
        .body(bodies::password())
        .gives(200, nothing())
        .refuses(403, WRONG)
        .refuses(404, "The account was deleted meanwhile.")
        .refuses(
            409,
            "You own groups, which `errors` names; or the password was changed meanwhile.",
        )
        .refuses(429, "Too many requests, or too many wrong passwords.")
}
