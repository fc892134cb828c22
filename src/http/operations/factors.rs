//! The second factor, trusted devices, and fresh proof.

use crate::http::operation::Operation;
use wire::account::LoggedInAccount;
use wire::factor::{FactorState, RecoveryCodes, TotpSecret, TrustedDeviceResource};
use wire::passkey::{PasskeyCeremony, PasskeyResource};
use wire::schema::{factor_bodies, nothing, of};

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
             recovery code, which works once; `passkey` is the response to \
             `POST /auth/passkeys/login/start`. A log-in takes five codes within five minutes. With \
             `trust`, the response has a secret: a log-in that sends it as `device` needs no second \
             factor for 30 days. Takes no `Idempotency-Key`: a code works once.",
        )
        .open()
        .body(factor_bodies::verification())
        .gives(200, of::<LoggedInAccount>())
        .refuses(401, "The code is wrong or was used, or the log-in has expired.")
        .refuses(403, "The account is disabled.")
        .refuses(429, "Too many wrong passwords and codes for this account, or from this address.")
}

pub(in crate::http) fn fresh() -> Operation {
    own("Proves again who you are, with your password, a code or a passkey")
        .detail(
            "For ten minutes, this token may then do what needs a fresh proof: a request without one \
             is refused with 403 and `details {\"needs\": \"fresh\"}`. A log-in counts as a proof. \
             Takes no `Idempotency-Key`: a repeated request proves it again.",
        )
        .body(factor_bodies::proof())
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
        .body(factor_bodies::first_code())
        .gives(200, of::<RecoveryCodes>())
        .refuses(403, "The code is wrong, or the token belongs to an application.")
        .refuses(409, "One-time codes are set up already, or no secret was made before.")
        .refuses(429, TOO_MANY)
}

pub(in crate::http) fn remove() -> Operation {
    own("Turns the second factor off")
        .detail(
            "Recovery codes and trusted devices end too. A mail tells you. Needs the password and a \
             code, or a passkey that verified you.",
        )
        .body(factor_bodies::factor_removal())
        .gives(200, nothing())
        .refuses(403, WRONG)
        .refuses(404, "No one-time codes are set up.")
        .refuses(429, TOO_MANY)
}

pub(in crate::http) fn renew() -> Operation {
    own("Replaces your recovery codes")
        .detail(
            "The former codes end. Needs the password and a code, or a passkey that verified you. Takes no `Idempotency-Key`: a \
             repeated request makes other codes.",
        )
        .body(factor_bodies::factor_removal())
        .gives(200, of::<RecoveryCodes>())
        .refuses(403, WRONG)
        .refuses(404, "No one-time codes are set up.")
        .refuses(429, TOO_MANY)
}

const OFF: &str = "This server has no passkeys: its public URL needs https and a name.";
const NO_PASSKEY: &str = "You have no such passkey.";
const UNPROVED: &str = "A proof is missing or wrong, or the token belongs to an application.";

pub(in crate::http) fn begin_passkey() -> Operation {
    own("Begins to add a passkey")
        .detail(
            "Needs a fresh proof; with two-factor log-in, the password and a code in the body, or a \
             passkey that verified you. `options` is for `navigator.credentials.create`. Takes no \
             `Idempotency-Key`: a repeated request begins another ceremony.",
        )
        .body(factor_bodies::factor_change())
        .gives(200, of::<PasskeyCeremony>())
        .refuses(403, UNPROVED)
        .refuses(404, OFF)
        .refuses(429, TOO_MANY)
}

pub(in crate::http) fn finish_passkey() -> Operation {
    own("Adds a passkey")
        .detail(
            "An account has at most 20. A mail tells you. Takes no `Idempotency-Key`: a repeated \
             request is refused (409).",
        )
        .body(factor_bodies::new_passkey())
        .gives(201, of::<PasskeyResource>())
        .refuses(403, "The response does not fit, or the token belongs to an application.")
        .refuses(404, OFF)
        .refuses(409, "The account has this passkey, or 20 passkeys.")
}

pub(in crate::http) fn begin_log_in() -> Operation {
    Operation::of(TAG, "Begins a log-in with a passkey")
        .detail(
            "`options` is for `navigator.credentials.get` and names no account. The response also \
             serves as `passkey` in `POST /auth/login/verify` and `POST /auth/fresh`. Takes no \
             `Idempotency-Key`: a repeated request begins another ceremony.",
        )
        .open()
        .gives(200, of::<PasskeyCeremony>())
        .refuses(404, OFF)
}

pub(in crate::http) fn finish_log_in() -> Operation {
    Operation::of(TAG, "Logs in with a passkey")
        .detail(
            "The passkey names the account. It counts as both factors if the authenticator verified \
             its user. Takes no `Idempotency-Key`: a response works once.",
        )
        .open()
        .body(factor_bodies::passkey_log_in())
        .gives(200, of::<LoggedInAccount>())
        .refuses(401, "The passkey is unknown, or the response does not fit or was used.")
        .refuses(403, "The account is disabled, or needs two factors and the passkey is only one.")
        .refuses(404, OFF)
        .refuses(429, "Too many wrong responses of this passkey, or from this address.")
}

pub(in crate::http) fn passkeys() -> Operation {
    own("Lists your passkeys, oldest first").gives(200, of::<Vec<PasskeyResource>>())
}

pub(in crate::http) fn passkey() -> Operation {
    own("Shows a passkey").gives(200, of::<PasskeyResource>()).refuses(404, NO_PASSKEY)
}

pub(in crate::http) fn rename_passkey() -> Operation {
    own("Renames a passkey")
        .body(factor_bodies::passkey_rename())
        .gives(200, nothing())
        .refuses(404, NO_PASSKEY)
}

pub(in crate::http) fn remove_passkey() -> Operation {
    own("Removes a passkey")
        .detail(
            "A mail tells you. Needs a fresh proof; with two-factor log-in, the password and a code \
             in the body, or a passkey that verified you.",
        )
        .body(factor_bodies::factor_change())
        .gives(200, nothing())
        .refuses(400, "The passkey is the only way to log in.")
        .refuses(403, UNPROVED)
        .refuses(404, NO_PASSKEY)
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
