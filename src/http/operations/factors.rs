//! The second factor, trusted devices, and fresh proof.

use crate::http::operation::Operation;
use wire::account::LoggedInAccount;
use wire::factor::{FactorState, RecoveryCodes, TotpSecret, TrustedDeviceResource};
use wire::schema::{bodies, nothing, of};

const TAG: &str = "Accounts";
const APPLICATION: &str = "The token belongs to an application.";
const WRONG: &str = "The password or the code is wrong, or the token belongs to an application.";
const TOO_MANY: &str = "Too many requests, or too many wrong passwords and codes.";

fn own(summary: &'static str) -> Operation {
    Operation::of(TAG, summary).refuses(403, APPLICATION)
}

pub(in crate::http) fn verify() -> Operation {
    Operation::of(TAG, "Finishes a log-in with the second factor")
        .detail(
            "`code` is that of the 202 of a log-in. `totp` is a one-time code; `recovery` is a \
             recovery code, which works once. A log-in takes five codes within five minutes. With \
             `trust`, the response has a secret: a log-in that sends it as `device` needs no second \
             factor for 30 days. Takes no `Idempotency-Key`: a code works once.",
        )
        .open()
        .body(bodies::verification())
        .gives(200, of::<LoggedInAccount>())
        .refuses(401, "The code is wrong or was used, or the log-in has expired.")
        .refuses(403, "The account is disabled.")
        .refuses(429, "Too many wrong passwords and codes for this account, or from this address.")
}

pub(in crate::http) fn fresh() -> Operation {
    own("Proves again who you are, with your password or a code")
        .detail(
            "For ten minutes, this token may then do what needs a fresh proof: a request without one \
             is refused with 403 and `details {\"needs\": \"fresh\"}`. A log-in counts as a proof. \
             Takes no `Idempotency-Key`: a repeated request proves it again.",
        )
        .body(bodies::proof())
        .gives(200, nothing())
        .refuses(403, WRONG)
        .refuses(429, TOO_MANY)
}

pub(in crate::http) fn show() -> Operation {
    own("Shows whether your log-ins need a one-time code").gives(200, of::<FactorState>())
}

pub(in crate::http) fn begin() -> Operation {
    own("Makes a secret for one-time codes")
        .detail(
            "Log-ins need codes once `POST /auth/totp/confirm` brought the first one. Codes are those \
             of RFC 6238: SHA-1, six digits, 30 seconds. Takes no `Idempotency-Key`: a repeated \
             request makes another secret, and the former one ends.",
        )
        .gives(201, of::<TotpSecret>())
        .refuses(403, "The token belongs to an application, or there is no fresh proof.")
        .refuses(409, "One-time codes are set up already.")
}

pub(in crate::http) fn confirm() -> Operation {
    own("Turns the second factor on with a first code, and returns ten recovery codes")
        .detail(
            "A mail tells you. Takes no `Idempotency-Key`, since only hashes of recovery codes are \
             stored: a repeated request is refused (409).",
        )
        .body(bodies::first_code())
        .gives(200, of::<RecoveryCodes>())
        .refuses(403, "The code is wrong, or the token belongs to an application.")
        .refuses(409, "One-time codes are set up already, or no secret was made before.")
        .refuses(429, TOO_MANY)
}

pub(in crate::http) fn remove() -> Operation {
    own("Turns the second factor off")
        .detail(
            "Recovery codes and trusted devices end too. A mail tells you. Needs the password and a \
             code.",
        )
        .body(bodies::factor_removal())
        .gives(200, nothing())
        .refuses(403, WRONG)
        .refuses(404, "No one-time codes are set up.")
        .refuses(429, TOO_MANY)
}

pub(in crate::http) fn renew() -> Operation {
    own("Replaces your recovery codes")
        .detail(
            "The former codes end. Needs the password and a code. Takes no `Idempotency-Key`: a \
             repeated request makes other codes.",
        )
        .body(bodies::factor_removal())
        .gives(200, of::<RecoveryCodes>())
        .refuses(403, WRONG)
        .refuses(404, "No one-time codes are set up.")
        .refuses(429, TOO_MANY)
}

pub(in crate::http) fn devices() -> Operation {
    own("Lists the devices on which your log-ins need no second factor")
        .gives(200, of::<Vec<TrustedDeviceResource>>())
}

pub(in crate::http) fn forget() -> Operation {
    own("Ends the trust in a device")
        .detail("Its session stays; `DELETE /auth/tokens/{token_id}` ends that.")
        .gives(200, nothing())
        .refuses(404, "You trust no such device.")
}
