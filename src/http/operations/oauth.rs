//! Applications, and how they get tokens.

use serde_json::{Value, json};

use crate::http::operation::Operation;
use crate::http::response_headers::LOCATION;
use wire::account::ApplicationResource;
use wire::schema::bodies::{self, required};
use wire::schema::{always, list, named, nothing, object, of, text, with_optional};

const TAG: &str = "Applications";

/// An operation that requires a log-in.
fn own(summary: &'static str) -> Operation {
    Operation::of(TAG, summary).refuses(403, "The token belongs to an application.")
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
    own("Removes an application and revokes its tokens at once")
        .gives(200, nothing())
        .refuses(404, "You have no such application.")
}

/// The parameters of the OAuth page.
fn asked(told: Operation) -> Operation {
    let page = |told: Operation, status, what: &str| {
        told.with_media_type(status, what, "text/html", json!({"type": "string"}))
    };
    let told = told
        .needs("client_id", text("The application's id."))
        .query("response_type", text("`token` (the default) or `code`."))
        .query(
            "redirect_uri",
            text(
                "Exactly the registered callback URL; one on a loopback address may have another \
                 port.",
            ),
        )
        .query(
            "scope",
            text(
                "Names of scopes, with spaces between them. Without it, the application gets all \
                 that it may ask for.",
            ),
        )
        .query("optional_scope", text("Further scopes, which the user may leave out."))
        .query("state", text("Returned unchanged."))
        .query("code_challenge", text("For `code`: SHA-256 of the verifier, in base64url."))
        .query("code_challenge_method", text("For `code`: `S256`."));
    let told =
        page(told, 400, "A page that says what is wrong with the request. It does not redirect.");
    page(told, 503, "The server cannot do this now.")
}

pub(in crate::http) fn authorize() -> Operation {
    asked(Operation::bare(TAG, "The page on which users log in and authorize an application"))
        .detail(
            "Send users here. They are redirected to the callback URL with `access_token` in its \
             query, with `code` if `response_type=code` was requested, or with `error` if they \
             refuse.",
        )
        .with_media_type(200, "The page.", "text/html", json!({"type": "string"}))
}

pub(in crate::http) fn decide() -> Operation {
    let form = with_optional(
        required([
            ("seal", text("CSRF token from the page.")),
            ("act", text("The decision: `log-in`, `verify`, `allow`, `deny` or `leave`.")),
        ]),
        [
            ("email", text("For `log-in`.")),
            ("password", text("For `log-in`.")),
            ("verification", text("For `verify`: the log-in that waits.")),
            ("code", text("For `verify`: a one-time code or a recovery code.")),
        ],
    );
    let form = named("Decision", form);
    asked(Operation::bare(TAG, "Submits a user's decision on that page"))
        .detail(
            "Accepts only the page's own form, which has a box `grant:…` for each optional scope. \
             Takes no `Idempotency-Key`.",
        )
        .form(form)
        .without_body(302, "Redirects to the callback URL.")
        .with_headers(302, &[LOCATION])
        .without_body(303, "Redirects to the page, after logging in or out.")
        .with_headers(303, &[LOCATION])
        .with_media_type(
            200,
            "The page that asks for a one-time code.",
            "text/html",
            json!({"type": "string"}),
        )
        .with_media_type(401, "Wrong email or password.", "text/html", json!({"type": "string"}))
        .with_media_type(
            403,
            "The account may not log in with a password.",
            "text/html",
            json!({"type": "string"}),
        )
        .with_media_type(429, "Too many failed log-ins.", "text/html", json!({"type": "string"}))
}

pub(in crate::http) fn token() -> Operation {
    let body = with_optional(
        required([
            ("grant_type", always("authorization_code")),
            ("client_id", text("The application's id.")),
            ("code", text("The code from the callback URL.")),
            ("code_verifier", text("The PKCE verifier of the `code_challenge`.")),
        ]),
        [("redirect_uri", text("The one given to the page; absent if none was."))],
    );
    let body = named("CodeExchange", body);
    let given = with_optional(
        object([
            ("access_token", text("Only this response shows it.")),
            ("token_type", always("Bearer")),
            (
                "scope",
                text(
                    "The scopes of the token, with spaces between them; `conversations` if the \
                     request named none.",
                ),
            ),
        ]),
        [(
            "expires_in",
            json!({"type": "integer", "description": "Lifetime in seconds; absent: unlimited."}),
        )],
    );
    let given = named("GrantedToken", given);
    with_refusals(Operation::bare(TAG, "Exchanges a code for an access token"))
        .detail(
            "RFC 6749, section 4.1.3, with PKCE (RFC 7636). A code can be used once, within two \
             minutes; using it again revokes the token that it gave. Takes no `Idempotency-Key`.",
        )
        .form(body)
        .without_envelope(200, "The token.", given)
}

pub(in crate::http) fn revoke() -> Operation {
    let body = with_optional(
        required([
            ("client_id", text("The application's id.")),
            ("token", text("A token that the application was given.")),
        ]),
        [("token_type_hint", text("Ignored: there are access tokens only."))],
    );
    let body = named("Revocation", body);
    with_refusals(Operation::bare(TAG, "Revokes an application's own token"))
        .detail(
            "RFC 7009. Also closes the sockets that use the token. A token that is not valid any \
             more is no error. Takes no `Idempotency-Key`: a repeated request changes nothing.",
        )
        .form(body)
        .without_body(200, "The token is not valid any more.")
}

/// Adds the errors of requests for tokens, which have the form of OAuth.
fn with_refusals(operation: Operation) -> Operation {
    operation
        .without_envelope(400, "The request is refused (RFC 6749, section 5.2).", refusal())
        .without_envelope(
            401,
            "The request has a client secret; applications have none here.",
            refusal(),
        )
        .without_envelope(503, "The server cannot do this now.", refusal())
}

fn refusal() -> Value {
    let refusal = object([
        ("error", text("Error code of RFC 6749.")),
        ("error_description", text("Text for people.")),
    ]);
    named("OauthRefusal", refusal)
}

pub(in crate::http) fn metadata() -> Operation {
    let told = object([
        ("issuer", text("URL of this server.")),
        ("authorization_endpoint", text("URL of the authorization page.")),
        ("token_endpoint", text("URL at which codes are exchanged for tokens.")),
        ("revocation_endpoint", text("URL at which an application revokes its tokens.")),
        ("scopes_supported", list(text("The name of a scope."))),
        ("response_types_supported", list(text("`code` or `token`."))),
        ("response_modes_supported", list(always("query"))),
        ("grant_types_supported", list(text("`authorization_code` or `implicit`."))),
        ("token_endpoint_auth_methods_supported", list(always("none"))),
        ("revocation_endpoint_auth_methods_supported", list(always("none"))),
        ("code_challenge_methods_supported", list(always("S256"))),
        ("authorization_response_iss_parameter_supported", always_true()),
        ("service_documentation", text("URL of the documentation.")),
    ]);
    Operation::bare(TAG, "Shows the metadata of the authorization server (RFC 8414)")
        .without_envelope(200, "URLs and capabilities of the authorization server.", told)
}

fn always_true() -> Value {
    json!({"const": true})
}
