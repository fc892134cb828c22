//! Accounts.

use crate::http::operation::Operation;
use crate::http::response_headers::LOCATION;
use serde_json::json;
use wire::account::{
    AuthOptions, AwaitedAccount, LinkedAccount, LoggedInAccount, MintedToken, RemainingActors,
    TokenResource,
};
use wire::account_invitations::OpenAccountInvite;
use wire::factor::FactorRequired;
use wire::schema::{bodies, nothing, of};

const TAG: &str = "Accounts";
const WRONG: &str = "The password is wrong, or the token belongs to an application.";
const CHANGED: &str = "The password was changed meanwhile.";

/// An operation that requires a log-in.
fn own(summary: &'static str) -> Operation {
    Operation::of(TAG, summary).refuses(403, "The token belongs to an application.")
}

pub(in crate::http) fn register() -> Operation {
    Operation::of(TAG, "Registers an account and logs it in")
        .detail(
            "An `Idempotency-Key` belongs to the email address. A repeated request gets a token of \
             its own, since tokens are not kept, and its password is checked as in a log-in; another \
             password is another request (422). Refusals are not kept. Without a key, a repeated \
             request finds the email taken (409), and the client can log in.\n\nIn the mode `domain` \
             the response is 202, the same for every address of the domains whether it has an account \
             or not, and a mail to the address tells more. Nobody can log in (403, `details {needs: \
             \"confirmation\"}`) before the link in the mail was opened (`POST \
             /auth/confirm/{secret}`), within 7 days. A later registration with the address replaces \
             one that waits. No key is needed there, and the account joins no group by `invite`; a link for guests makes \
             the account of a guest at once, as in every mode.\n\nIn the mode `approval` the response is 202 likewise, and \
             `about` is required. Nobody can log in (403, `details {needs: \"approval\"}`) before operators approve the \
             account. A later registration with the address changes nothing while it waits.\n\nIn the mode `invite` an \
             `invite` is required: an invitation of the operators (`/v3/admin/invites`), or any link to join a group. An \
             invitation of the operators makes an account at once in every mode.",
        )
        .open()
        .body(bodies::registration())
        .gives(201, of::<LoggedInAccount>())
        .gives(202, json!({"anyOf": [of::<FactorRequired>(), of::<AwaitedAccount>()]}))
        .refuses(
            403,
            "Registration is closed on this server, the address is of no domain that may register \
             (`details {needs: \"domain\"}`), an `invite` is required (`details {needs: \"invite\"}`), the server cannot send the mail that confirms it, nobody logs in with a password, the link of the \
             `invite` has ended, or it is for guests and the server takes none.",
        )
        .refuses(404, "The `invite` is no link of a group and no invitation.")
        .refuses(409, "The email or phone number belongs to another account.")
        .refuses(410, "The invitation has ended, or was used by as many people as it is for.")
        .refuses(429, "Too many registrations from this address.")
}

pub(in crate::http) fn setup() -> Operation {
    Operation::of(TAG, "Makes the first account that is an admin's, and logs it in")
        .detail(
            "Works while there is no admin. From the server's own machine no code is needed if the \
             server listens there alone; otherwise the code is in the log and in the file \
             `setup.code`, and `coterie setup` prints it. Takes no `Idempotency-Key`: a repeated \
             request finds an admin (403).",
        )
        .open()
        .body(bodies::setup())
        .gives(201, of::<LoggedInAccount>())
        .refuses(403, "There is an admin already, or the code is wrong or missing.")
        .refuses(409, "The email or phone number belongs to another account.")
        .refuses(429, "Too many registrations from this address.")
}

pub(in crate::http) fn invite() -> Operation {
    Operation::of(TAG, "Shows an invitation of the operators to its holder")
        .detail("The secret is the last part of the link.")
        .open()
        .gives(200, of::<OpenAccountInvite>())
        .refuses(404, "There is no such invitation.")
        .refuses(410, "It has ended, or was used by as many people as it is for.")
}

pub(in crate::http) fn options() -> Operation {
    Operation::of(TAG, "Shows how people get an account and a lost password back")
        .open()
        .gives(200, of::<AuthOptions>())
}

pub(in crate::http) fn login() -> Operation {
    Operation::of(TAG, "Logs in and issues an access token")
        .detail(
            "With a second factor, the response is 202, and `POST /auth/login/verify` finishes the \
             log-in. Takes no `Idempotency-Key`: each log-in issues a token, and unneeded ones can \
             be revoked.",
        )
        .open()
        .body(bodies::login())
        .gives(200, of::<LoggedInAccount>())
        .gives(202, of::<FactorRequired>())
        .refuses(401, "Wrong email or password.")
        .refuses(403, "The account is disabled, or may not log in with a password.")
        .refuses(429, "Too many failed log-ins for this account, or from this address.")
}

pub(in crate::http) fn recover() -> Operation {
    Operation::of(TAG, "Requests a mail with a link for a new password")
        .detail(
            "The response is the same for known and unknown addresses, and so is its time. An \
             account gets at most three such mails an hour. The link is valid for 30 minutes and \
             works once. Takes no `Idempotency-Key`: a repeated request sends another mail.",
        )
        .open()
        .body(bodies::recovery())
        .gives(202, nothing())
        .refuses(403, "The server sends no mail.")
        .refuses(429, "Too many recoveries from this address: 20 an hour are allowed.")
}

pub(in crate::http) fn finish_recovery() -> Operation {
    Operation::of(TAG, "Sets a new password with a link from a mail or an operator")
        .detail(
            "Every token of the account ends, every socket closes, and every other link of the \
             account ends. The response names the address to log in with. Takes no \
             `Idempotency-Key`: a repeated request finds the link used (404).",
        )
        .open()
        .body(bodies::recovered())
        .gives(200, of::<LinkedAccount>())
        .refuses(403, "The account is disabled.")
        .refuses(404, "The link is unknown, used or expired.")
}

pub(in crate::http) fn request_confirmation() -> Operation {
    own("Requests a mail that confirms your address, or the one that you entered")
        .detail(
            "Nothing is sent if no address is to be confirmed. Takes no `Idempotency-Key`: a \
             repeated request sends another mail.",
        )
        .gives(202, nothing())
        .refuses(403, "The token belongs to an application, or the server sends no mail.")
        .refuses(429, "Too many requests: three such mails an hour are allowed.")
}

pub(in crate::http) fn confirm() -> Operation {
    Operation::of(TAG, "Confirms an address with a link from a mail")
        .detail(
            "A new address becomes that of the account, and the former one gets a mail about it. \
             Takes no `Idempotency-Key`: a repeated request finds the link used (404).\n\nThe link of \
             a new account that waits for it needs the password of the registration too, and then \
             anybody with both can log in.",
        )
        .open()
        .body(bodies::confirmation())
        .gives(200, of::<LinkedAccount>())
        .refuses(401, "The password is wrong.")
        .refuses(
            403,
            "The account is disabled; the account waits and the body has no password (`details {needs: \
             \"password\"}`); or its address may not register any more.",
        )
        .refuses(429, "Too many wrong passwords.")
        .refuses(404, "The link is unknown, used or expired.")
        .refuses(409, "The address belongs to another account by now.")
}

pub(in crate::http) fn unsubscribe_page() -> Operation {
    Operation::of(TAG, "Leads a browser to the page that turns mails about missed messages off")
        .detail("The link is in these mails, and in their header `List-Unsubscribe`.")
        .open()
        .without_body(302, "The way to the page.")
        .with_headers(302, &[LOCATION])
        .refuses(404, "The link is unknown.")
}

pub(in crate::http) fn unsubscribe() -> Operation {
    Operation::of(TAG, "Turns mails about missed messages off, with a link from one of them")
        .detail(
            "One click of RFC 8058: the body is ignored, and nobody has to log in. The link works \
             while the account has the address that got the mail. Takes no `Idempotency-Key`: a \
             repeated request changes nothing.",
        )
        .open()
        .gives(200, nothing())
        .refuses(404, "The link is unknown, or the account has another address.")
}

pub(in crate::http) fn protest() -> Operation {
    Operation::of(TAG, "Ends every token after a change that the owner did not make")
        .detail(
            "The link is in mails about a new password or address. The account gets a password that \
             nobody knows, every socket closes, and every other link ends. A link for a new password \
             goes to the address that got this one. Takes no `Idempotency-Key`: a repeated request \
             finds the link used (404).",
        )
        .open()
        .gives(200, nothing())
        .refuses(403, "The account is disabled, or the server sends no mail.")
        .refuses(404, "The link is unknown, used or expired.")
}

pub(in crate::http) fn logout() -> Operation {
    Operation::of(TAG, "Logs out: revokes the token of this request")
        .detail("Takes no `Idempotency-Key`: a repeated request has no valid token any more (401).")
        .gives(200, nothing())
        .refuses(404, "The token was revoked meanwhile.")
}

pub(in crate::http) fn tokens() -> Operation {
    own("Lists your account's access tokens: those of log-ins and of applications")
        .gives(200, of::<Vec<TokenResource>>())
}

pub(in crate::http) fn make_token() -> Operation {
    own("Makes a token of your own, with the scopes that you choose")
        .detail(
            "Takes no `Idempotency-Key`: the token is shown in this response only. It needs a \
             log-in or a proof of the last ten minutes (`POST /auth/fresh`). Without `scopes` the \
             token has those of an application: all but `account` and `admin:…`. Only operators \
             may give the scopes `admin:…`, as far as their role allows.",
        )
        .body(bodies::minted_token())
        .gives(201, of::<MintedToken>())
        .refuses(403, "You did not prove who you are lately, or may not give one of the scopes.")
}

pub(in crate::http) fn end_token() -> Operation {
    own("Revokes a token and closes the sockets that use it")
        .gives(200, nothing())
        .refuses(404, "You have no such token.")
}

pub(in crate::http) fn change_password() -> Operation {
    own("Changes the password and revokes every other token")
        .detail(
            "Takes no `Idempotency-Key`, since only a slow hash of a password is stored: a \
             repeated request is refused because the current password is wrong (403). The response \
             lists your bots and applications, which still act for you; `end_bots` and \
             `end_applications` remove them.",
        )
        .body(bodies::password_change())
        .gives(200, of::<RemainingActors>())
        .refuses(403, WRONG)
        .refuses(409, CHANGED)
        .refuses(429, "Too many requests, or too many wrong passwords.")
}

pub(in crate::http) fn delete() -> Operation {
    own("Deletes your account")
        .detail(
            "You leave your groups, your bots and applications are removed, and your email and \
             phone number become free for other accounts. Your messages stay, under your former \
             name.",
        )
        .body(bodies::password())
        .gives(200, nothing())
        .refuses(403, WRONG)
        .refuses(
            409,
            "You own groups, which `errors` lists, you are the last admin, or the password was \
             changed meanwhile.",
        )
        .refuses(429, "Too many requests, or too many wrong passwords.")
}
