//! Applications, and how they get tokens.

use serde_json::{Value, json};

use crate::http::operation::Operation;
use crate::wire::account::ApplicationResource;
use crate::wire::schema::{always, bodies, list, nothing, object, of, text, with_optional};

const TAG: &str = "Applications";

/// An operation that requires a log-in.
fn own(summary: &'static str) -> Operation {
    Operation::of(TAG, summary).refuses(403, "The token is an application's.")
}

pub(in crate::http) fn applications() -> Operation {
    own("Lists your applications").gives(200, of::<Vec<ApplicationResource>>())
}

pub(in crate::http) fn register() -> Operation {
    own("Registers an application")
        .body(bodies::application())
        .gives(201, of::<ApplicationResource>())
        .refuses(404, "The account was deleted meanwhile.")
}

pub(in crate::http) fn remove() -> Operation {
    own("Removes an application; the tokens that it was given are dead at once")
        .gives(200, nothing())
        .refuses(404, "No such application of yours.")
}

/// The parameters of the OAuth page.
fn asked(told: Operation) -> Operation {
    let page = |told: Operation, status, what: &str| {
        told.typed(status, what, "text/html", json!({"type": "string"}))
    };
    let told = told
        .needs("client_id", text("The application."))
        .query("response_type", text("`token` (also when it is absent), or `code`."))
        .query("redirect_uri", text("Exactly the callback URL that was registered."))
        .query("state", text("Comes back as it is."))
        .query("code_challenge", text("For `code`: SHA-256 of the verifier, in base64url."))
        .query("code_challenge_method", text("For `code`: `S256`."));
    let told = page(told, 400, "What is wrong with the request. It leads nowhere by itself.");
    page(told, 503, "Not now.")
}

pub(in crate::http) fn authorize() -> Operation {
    asked(Operation::bare(TAG, "The page on which people log in and let an application in"))
        .detail(
            "Send people here. They come back to the callback URL with `access_token` in its \
             query, or with `code` where `response_type=code` was asked for; with `error` \
             when they refuse.",
        )
        .typed(200, "The page.", "text/html", json!({"type": "string"}))
}

pub(in crate::http) fn decide() -> Operation {
    let form = with_optional(
        object([
            ("seal", text("From the page.")),
            ("act", text("`log-in`, `allow`, `deny` or `leave`.")),
        ]),
        [("email", text("To log in.")), ("password", text("To log in."))],
    );
    asked(Operation::bare(TAG, "What somebody decided on that page"))
        .detail("Only the page's own form can be sent here. Takes no `Idempotency-Key`.")
        .form(form)
        .silent(302, "Back to the callback URL.")
        .silent(303, "To the page, after logging in or out.")
        .typed(401, "Email or password is wrong.", "text/html", json!({"type": "string"}))
        .typed(429, "Too many failed log-ins.", "text/html", json!({"type": "string"}))
}

pub(in crate::http) fn token() -> Operation {
    let body = with_optional(
        object([
            ("grant_type", always("authorization_code")),
            ("client_id", text("The application.")),
            ("code", text("From the callback URL.")),
            ("code_verifier", text("What the challenge was made of.")),
        ]),
        [("redirect_uri", text("As it was named to the page, if it was."))],
    );
    let given = with_optional(
        object([("access_token", text("Shown this once.")), ("token_type", always("Bearer"))]),
        [("expires_in", json!({"type": "integer", "description": "Seconds, where tokens end."}))],
    );
    Operation::bare(TAG, "Gives a token for a code")
        .detail(
            "RFC 6749, section 4.1.3, with PKCE (RFC 7636). A code is spent once, within two \
             minutes; spending it again ends the token that it gave. Takes no `Idempotency-Key`.",
        )
        .form(body)
        .plain(200, "The token.", given)
        .plain(400, "RFC 6749, section 5.2.", refusal())
        .plain(401, "Applications have no secret here.", refusal())
        .plain(503, "Not now.", refusal())
}

fn refusal() -> Value {
    object([("error", text("As RFC 6749 names it.")), ("error_description", text("In words."))])
}

pub(in crate::http) fn metadata() -> Operation {
    let told = object([
        ("issuer", text("This server.")),
        ("authorization_endpoint", text("The page.")),
        ("token_endpoint", text("Where codes are spent.")),
        ("response_types_supported", list(text("`code` or `token`."))),
        ("response_modes_supported", list(always("query"))),
        ("grant_types_supported", list(text("`authorization_code` or `implicit`."))),
        ("token_endpoint_auth_methods_supported", list(always("none"))),
        ("code_challenge_methods_supported", list(always("S256"))),
        ("authorization_response_iss_parameter_supported", always_true()),
        ("service_documentation", text("For people.")),
    ]);
    Operation::bare(TAG, "How programs find the authorization server (RFC 8414)").plain(
        200,
        "Where it is and what it can do.",
        told,
    )
}

fn always_true() -> Value {
    json!({"const": true})
}
