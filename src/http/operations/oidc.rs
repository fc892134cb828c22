//! Log-in with OpenID Connect.

use serde_json::json;

use crate::http::operation::Operation;
use crate::http::response_headers::LOCATION;
use wire::account::LoggedInAccount;
use wire::factor::FactorRequired;
use wire::identity::{IdentityResource, LinkNeeded, ProviderAddress};
use wire::schema::{bodies, factor_bodies, nothing, of, text};

const TAG: &str = "Accounts";
const NO_PROVIDER: &str = "There is no such provider.";
const SILENT: &str = "The provider does not answer.";

fn own(summary: &'static str) -> Operation {
    Operation::of(TAG, summary)
}

/// An operation for browsers, which shows errors as pages.
fn with_pages(operation: Operation, errors: &[(u16, &str)]) -> Operation {
    errors.iter().fold(operation, |operation, (status, what)| {
        operation.with_media_type(*status, what, "text/html", json!({"type": "string"}))
    })
}

pub(in crate::http) fn start() -> Operation {
    let errors = [
        (400, "`return` is no path of this server."),
        (404, NO_PROVIDER),
        (502, SILENT),
        (503, "The server cannot do this now."),
    ];
    let operation = Operation::bare(TAG, "Leads a browser to a provider, to log in there")
        .open()
        .detail(
            "Sets a cookie that only the way back reads. Errors are HTML pages. The provider must \
             know `/auth/oidc/{provider}/callback` of the public URL as a redirect URI.",
        )
        .query("return", text("A path of this server to come back to; `/` if absent."));
    with_pages(operation, &errors)
        .without_body(302, "The way to the provider.")
        .with_headers(302, &[LOCATION])
}

pub(in crate::http) fn leave() -> Operation {
    let summary = "Leads a browser that logged out here to the provider, which logs it out, too";
    let operation = Operation::bare(TAG, summary).open().detail(
        "For browsers that logged in with an account of the provider. Leads to its \
         `end_session_endpoint` with `client_id`, `post_logout_redirect_uri` (the public URL) and \
         the `id_token_hint` of the log-in, which a cookie of this path keeps encrypted, or to the public URL if the provider has none or does not answer.",
    );
    with_pages(operation, &[(404, NO_PROVIDER)])
        .without_body(302, "The way to the provider, or to this server.")
        .with_headers(302, &[LOCATION])
}

pub(in crate::http) fn callback() -> Operation {
    let errors = [
        (400, "The log-in expired, belongs to another browser, or its token is not valid."),
        (403, "The provider or this server refuses the user."),
        (404, NO_PROVIDER),
        (409, "The identity or the email address belongs to another account."),
        (429, "Too many registrations from this address."),
        (502, SILENT),
        (503, "The server cannot do this now."),
    ];
    let operation = Operation::bare(TAG, "Takes a browser back from a provider")
        .open()
        .detail(
            "Leads to `return` of the start with a code in the fragment, as `#/sso/{code}`, with \
             which `POST /auth/oidc/finish` ends the log-in.",
        )
        .query("state", text("The state that the request to the provider had."))
        .query("code", text("The code of the provider."))
        .query("iss", text("The issuer (RFC 9207)."))
        .query("error", text("Why the provider refuses the log-in."));
    with_pages(operation, &errors)
        .without_body(302, "The page that ends the log-in.")
        .with_headers(302, &[LOCATION])
}

pub(in crate::http) fn finish() -> Operation {
    Operation::of(TAG, "Ends a log-in through a provider and issues an access token")
        .detail(
            "Must come from the browser that began the log-in, with its cookie, within ten minutes. \
             A first log-in makes an account. If an account has the same address, the provider \
             verified it and the operator trusts that, the response is 202 with `link`: the request \
             again, with the password of that account and its one-time code if it needs one, links \
             the identity. A 202 with `verification` waits for the second factor. Takes no \
             `Idempotency-Key`: a code gives one token.",
        )
        .open()
        .body(factor_bodies::arrival())
        .gives(200, of::<LoggedInAccount>())
        .gives(202, json!({"anyOf": [of::<LinkNeeded>(), of::<FactorRequired>()]}))
        .refuses(401, "The code was used or expired, or the password or one-time code is wrong.")
        .refuses(
            403,
            "The account is disabled, registration is closed, the provider named no address, or a \
             one-time code is missing (`details {\"needs\": \"factor\"}`).",
        )
        .refuses(404, NO_PROVIDER)
        .refuses(409, "The address or the identity belongs to another account.")
        .refuses(429, "Too many registrations or wrong passwords.")
}

pub(in crate::http) fn link() -> Operation {
    own("Begins to link an account at a provider to yours")
        .detail(
            "Needs a fresh proof. Open the URL in the browser that sent this request. An account \
             has at most one identity of each provider. Takes no `Idempotency-Key`: a repeated \
             request begins again.",
        )
        .body(bodies::way_back())
        .gives(201, of::<ProviderAddress>())
        .refuses(400, "`return` is no path of this server.")
        .refuses(403, "The token belongs to an application, or there is no fresh proof.")
        .refuses(404, NO_PROVIDER)
        .refuses(502, SILENT)
}

pub(in crate::http) fn proof() -> Operation {
    own("Begins to prove again who you are, at a provider")
        .detail(
            "The provider asks for a log-in. Open the URL in the browser that sent this request; \
             once it came back, the token has a fresh proof, as with `POST /auth/fresh`. Takes no \
             `Idempotency-Key`: a repeated request begins again.",
        )
        .body(bodies::way_back())
        .gives(201, of::<ProviderAddress>())
        .refuses(400, "`return` is no path of this server.")
        .refuses(403, "The token belongs to an application.")
        .refuses(404, NO_PROVIDER)
        .refuses(502, SILENT)
}

pub(in crate::http) fn logout() -> Operation {
    Operation::of(TAG, "Ends log-ins that a provider ended (back-channel log-out)")
        .detail(
            "OpenID Connect Back-Channel Logout 1.0. Ends the tokens of the session that `sid` \
             names, or of all log-ins of `sub` through this provider. Takes no `Idempotency-Key`: \
             a log-out token counts once.",
        )
        .open()
        .form(bodies::logout_token())
        .gives(200, nothing())
        .refuses(400, "The log-out token is not valid, or was used already.")
        .refuses(404, NO_PROVIDER)
        .refuses(502, SILENT)
}

pub(in crate::http) fn identities() -> Operation {
    own("Lists the accounts at providers with which you log in")
        .gives(200, of::<Vec<IdentityResource>>())
        .refuses(403, "The token belongs to an application.")
}

pub(in crate::http) fn unlink() -> Operation {
    own("Unlinks an account at a provider")
        .detail("Needs a fresh proof. Your other log-ins through this provider end.")
        .gives(200, nothing())
        .refuses(400, "It is the only way to log in.")
        .refuses(403, "The token belongs to an application, or there is no fresh proof.")
        .refuses(404, "You have no such identity.")
}
