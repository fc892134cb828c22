//! Parses the request with which an application sends a user to the OAuth page.

use std::collections::BTreeMap;

use crate::http::app_state::AppState;
use crate::http::error::ApiError;
use crate::http::oauth::{SCOPE, parameters};
use auth::codes::Challenge;
use domain::scopes::{self, Scope, ScopeSet};
use domain::user::{Application, RedirectUrl};

/// How an application gets its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GrantFlow {
    /// In the query of its callback URL (the implicit grant; specification, section 5).
    Token,
    /// By a code that is exchanged together with the verifier of this challenge.
    Code(Challenge),
}

/// A valid request, on which the user can decide.
#[derive(Debug, Clone)]
pub(super) struct AuthorizationRequest {
    /// The application that made the request, with the callback URL that the request names.
    pub(super) application: Application,
    /// The name of the user who registered the application.
    pub(super) owner: String,
    /// How the application gets its token.
    pub(super) way: GrantFlow,
    /// The `state` parameter, which is returned unchanged.
    pub(super) state: Option<String>,
    /// The scopes that the request asks for.
    pub(super) scopes: WantedScopes,
    /// Whether the request has a `redirect_uri`.
    pub(super) names_callback: bool,
    /// The request's query in a normal form, to which the forms on the page are bound.
    pub(super) query: String,
}

/// The scopes that a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WantedScopes {
    /// The request names no scope of ours: the application gets all that it may have.
    All {
        /// Whether it names others, which older servers ignored; the response tells it then.
        names_others: bool,
    },
    /// The request names scopes.
    Named {
        /// Those that the user grants or denies together.
        required: ScopeSet,
        /// Those that the user may leave out.
        optional: ScopeSet,
    },
}

impl WantedScopes {
    /// Parses the parameters `scope` and `optional_scope`.
    ///
    /// # Errors
    /// In words, if a name is unknown beside known ones, or the application may not ask for it.
    fn parse(
        scope: Option<&str>,
        optional_scope: Option<&str>,
        allowed: ScopeSet,
    ) -> Result<Self, String> {
        let named = |text: Option<&str>| -> Vec<String> {
            text.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
        };
        let must = named(scope);
        let may = named(optional_scope);
        if !must.iter().chain(&may).any(|name| Scope::named(name).is_some()) {
            // As before there were scopes: whatever a request named, it got all.
            let names_others = scope.is_some_and(|scope| scope != SCOPE);
            return Ok(Self::All { names_others });
        }
        let parsed = |field: &str, names: &[String]| {
            let names = names.iter().map(String::as_str);
            scopes::parse(names).map_err(|unknown| format!("{field}: {unknown}"))
        };
        let required = parsed("scope", &must)?;
        let optional = parsed("optional_scope", &may)?.without(required);
        let beyond = required.without(allowed);
        if !beyond.is_empty() {
            return Err(format!("the application may not ask for {}", beyond.names().join(", ")));
        }
        Ok(Self::Named { required, optional: optional.within(allowed) })
    }
}

/// An invalid request. The error is shown on the page: a server that redirects to an address
/// without asking the user could be used to send people anywhere (RFC 9700, section 4.11.2).
#[derive(Debug)]
pub(super) struct RequestError {
    /// The error in words.
    pub(super) why: String,
    /// A link on which the user may continue, if the application is known: the callback URL with
    /// the error in it, and the application's name.
    pub(super) back: Option<(String, String)>,
}

impl RequestError {
    fn alone(why: impl Into<String>) -> Self {
        Self { why: why.into(), back: None }
    }
}

/// Parses the query of the OAuth page.
///
/// # Errors
/// If the index cannot be read.
pub(super) async fn read(
    app: &AppState,
    query: &str,
) -> Result<Result<AuthorizationRequest, RequestError>, ApiError> {
    let given = match parameters(query.as_bytes()) {
        Ok(given) => given,
        Err(twice) => return Ok(Err(RequestError::alone(twice.to_string()))),
    };
    let Some(client) = given.get("client_id") else {
        return Ok(Err(RequestError::alone("client_id is required")));
    };
    let accounts = &app.directory.context().accounts;
    let found = match client.parse() {
        Ok(client) => accounts.application(client).await?,
        Err(_) => None,
    };
    let Some(row) = found else {
        return Ok(Err(RequestError::alone("the application is unknown")));
    };
    let owner = accounts.own_account(row.owner).await?;
    let owner = owner.map_or_else(String::new, |owner| owner.name.as_str().to_owned());
    Ok(checked(row.application, owner, &given, app.instance.public_url()))
}

fn checked(
    application: Application,
    owner: String,
    given: &BTreeMap<String, String>,
    issuer: &str,
) -> Result<AuthorizationRequest, RequestError> {
    let text = |name: &str| given.get(name).map(String::as_str);
    let callback = text("redirect_uri");
    let named = match callback {
        Some(named) => application.callback_url.as_named(named),
        None => Some(application.callback_url.clone()),
    };
    let Some(callback_url) = named else {
        return Err(RequestError::alone("redirect_uri is not the callback URL of the application"));
    };
    let application = Application { callback_url, ..application };
    let state = text("state").map(str::to_owned);
    let is_private = application.callback_url.is_private();
    let refused = |error: &str, why: String| {
        let told = [("error", error), ("error_description", why.as_str())];
        let is_code = text("response_type") == Some("code");
        let issuer = is_code.then_some(issuer);
        let back = back(&application.callback_url, &told, state.as_deref(), issuer);
        let name = application.name.as_str().to_owned();
        RequestError { why, back: Some((back, name)) }
    };
    let way = grant_flow(given, is_private);
    let way = way.map_err(|(error, why)| refused(error, why.to_owned()))?;
    let allowed = application.allowed_scopes();
    let scopes = WantedScopes::parse(text("scope"), text("optional_scope"), allowed);
    let scopes = scopes.map_err(|why| refused("invalid_scope", why))?;
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(given).finish();
    Ok(AuthorizationRequest {
        application,
        owner,
        way,
        state,
        scopes,
        names_callback: callback.is_some(),
        query,
    })
}

/// How the token is to be given; `is_private` is whether a native application is called back.
/// Errors are those of RFC 6749, section 4.1.2.1.
fn grant_flow(
    given: &BTreeMap<String, String>,
    is_private: bool,
) -> Result<GrantFlow, (&'static str, &'static str)> {
    let text = |name: &str| given.get(name).map(String::as_str);
    match text("response_type") {
        None | Some("token") if is_private => Err((
            "unsupported_response_type",
            "an application with its own URL scheme must use response_type=code",
        )),
        // Links as in the specification do not have it.
        None | Some("token") => Ok(GrantFlow::Token),
        Some("code") => {
            match (text("code_challenge").map(Challenge::parse), text("code_challenge_method")) {
                (Some(Some(challenge)), Some("S256")) => Ok(GrantFlow::Code(challenge)),
                (None, _) => Err(("invalid_request", "code_challenge is required")),
                (_, None) | (_, Some("plain")) => {
                    Err(("invalid_request", "code_challenge_method must be S256"))
                }
                (_, Some("S256")) => Err(("invalid_request", "code_challenge is not a SHA-256")),
                (_, Some(_)) => Err(("invalid_request", "code_challenge_method must be S256")),
            }
        }
        Some(_) => Err(("unsupported_response_type", "response_type must be token or code")),
    }
}

/// The callback URL with these parameters added to its query.
pub(super) fn back(
    callback: &RedirectUrl,
    told: &[(&str, &str)],
    state: Option<&str>,
    issuer: Option<&str>,
) -> String {
    let mut url = callback.as_str().to_owned();
    match (url.contains('?'), url.ends_with(['?', '&'])) {
        (false, _) => url.push('?'),
        (true, false) => url.push('&'),
        (true, true) => {}
    }
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(told);
    query.extend_pairs(state.map(|state| ("state", state)));
    // RFC 9207: so that a client does not take a response of this server for one of another server.
    query.extend_pairs(issuer.map(|issuer| ("iss", issuer)));
    url.push_str(&query.finish());
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn callback(url: &str) -> RedirectUrl {
        RedirectUrl::parse(url).unwrap()
    }

    #[test]
    fn callback_parameters_extend_the_query() {
        let told = [("access_token", "a-_")];
        let at = |url| back(&callback(url), &told, Some("x&y= "), None);
        assert_eq!(at("https://a.b/c"), "https://a.b/c?access_token=a-_&state=x%26y%3D+");
        assert_eq!(at("https://a.b/c?d=e"), "https://a.b/c?d=e&access_token=a-_&state=x%26y%3D+");
        assert_eq!(at("https://a.b?"), "https://a.b?access_token=a-_&state=x%26y%3D+");
        let issued = back(&callback("https://a.b"), &told, None, Some("http://c"));
        assert_eq!(issued, "https://a.b?access_token=a-_&iss=http%3A%2F%2Fc");
    }

    #[test]
    fn unknown_scopes_are_refused_beside_known_ones() {
        let allowed = ScopeSet::of(&[Scope::MessagesRead, Scope::DmsRead]);
        let parse = |scope, optional| WantedScopes::parse(scope, optional, allowed);
        assert_eq!(parse(None, None), Ok(WantedScopes::All { names_others: false }));
        assert_eq!(parse(Some(SCOPE), None), Ok(WantedScopes::All { names_others: false }));
        assert_eq!(parse(Some("openid x"), None), Ok(WantedScopes::All { names_others: true }));
        let required = ScopeSet::of(&[Scope::MessagesRead]);
        let optional = ScopeSet::of(&[Scope::DmsRead]);
        let named = WantedScopes::Named { required, optional };
        assert_eq!(parse(Some("messages:read"), Some("dms:read messages:read bots")), Ok(named));
        let unknown = parse(Some("messages:read x"), None).unwrap_err();
        assert_eq!(unknown, "scope: unknown scope `x`");
        let beyond = parse(Some("messages:read account"), None).unwrap_err();
        assert_eq!(beyond, "the application may not ask for account");
    }

    fn asked(query: &str) -> Result<GrantFlow, &'static str> {
        grant_flow(&parameters(query.as_bytes()).unwrap(), false).map_err(|(error, _)| error)
    }

    #[test]
    fn a_code_takes_a_challenge_by_sha_256() {
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        let code = format!("response_type=code&code_challenge={challenge}");
        assert!(matches!(
            asked(&format!("{code}&code_challenge_method=S256")),
            Ok(GrantFlow::Code(_))
        ));
        assert_eq!(asked(""), Ok(GrantFlow::Token));
        assert_eq!(asked("response_type=token"), Ok(GrantFlow::Token));
        for refused in [
            "response_type=code",
            "response_type=code&code_challenge_method=S256",
            "response_type=code&code_challenge=short&code_challenge_method=S256",
            &code,
            &format!("{code}&code_challenge_method=plain"),
            &format!("{code}&code_challenge_method=s256"),
        ] {
            assert_eq!(asked(refused), Err("invalid_request"), "{refused}");
        }
        assert_eq!(asked("response_type=id_token"), Err("unsupported_response_type"));
    }
}
