//! What an application asks for, when it sends somebody to the page.

use std::collections::BTreeMap;

use crate::auth::codes::Challenge;
use crate::domain::user::{Application, RedirectUrl};
use crate::http::app_state::AppState;
use crate::http::error::ApiError;
use crate::http::oauth::parameters;

/// How an application gets its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GrantFlow {
    /// In the query of its callback URL (specification, section 5).
    Token,
    /// By a code, and by what the challenge was made of.
    Code(Challenge),
}

/// A request that can be decided on.
#[derive(Debug, Clone)]
pub(super) struct AuthorizationRequest {
    /// The application that asks.
    pub(super) application: Application,
    /// What the one is called who registered it.
    pub(super) owner: String,
    /// How the token is given.
    pub(super) way: GrantFlow,
    /// Given back as it came.
    pub(super) state: Option<String>,
    /// Whether the application named its callback URL.
    pub(super) names_callback: bool,
    /// The query that it came with, in one form: what a form on the page is about.
    pub(super) query: String,
}

/// A request that cannot be decided on. It is told on the page: who sends people to
/// an address without a question could send them anywhere (RFC 9700, section 4.11.2).
#[derive(Debug)]
pub(super) struct RequestError {
    /// What is wrong.
    pub(super) why: String,
    /// Where the person may go on, if the application is known: the callback URL with the
    /// error in it, and the application's name.
    pub(super) back: Option<(String, String)>,
}

impl RequestError {
    fn alone(why: impl Into<String>) -> Self {
        Self { why: why.into(), back: None }
    }
}

/// Reads the query of the page.
///
/// # Errors
/// On our own trouble.
pub(super) async fn read(
    app: &AppState,
    query: &str,
) -> Result<Result<AuthorizationRequest, RequestError>, ApiError> {
    let given = match parameters(query.as_bytes()) {
        Ok(given) => given,
        Err(twice) => return Ok(Err(RequestError::alone(twice.to_string()))),
    };
    let Some(client) = given.get("client_id") else {
        return Ok(Err(RequestError::alone("the link does not say which application it is of")));
    };
    let accounts = &app.directory.context().accounts;
    let found = match client.parse() {
        Ok(client) => accounts.application(client).await?,
        Err(_) => None,
    };
    let Some(row) = found else {
        return Ok(Err(RequestError::alone("this server does not know the application")));
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
    if callback.is_some_and(|named| named != application.callback_url.as_str()) {
        return Err(RequestError::alone(
            "the application names a callback URL that is not its own",
        ));
    }
    let state = text("state").map(str::to_owned);
    let way = way(given).map_err(|(error, why)| {
        let told = [("error", error), ("error_description", why)];
        let is_code = text("response_type") == Some("code");
        let issuer = is_code.then_some(issuer);
        let back = back(&application.callback_url, &told, state.as_deref(), issuer);
        RequestError {
            why: why.to_owned(),
            back: Some((back, application.name.as_str().to_owned())),
        }
    })?;
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(given).finish();
    Ok(AuthorizationRequest {
        application,
        owner,
        way,
        state,
        names_callback: callback.is_some(),
        query,
    })
}

/// How the token shall be given; refused with the error of RFC 6749, section 4.1.2.1.
fn way(given: &BTreeMap<String, String>) -> Result<GrantFlow, (&'static str, &'static str)> {
    let text = |name: &str| given.get(name).map(String::as_str);
    match text("response_type") {
        // The specification's own links do not say it.
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

/// The callback URL with this added to its query.
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
    // RFC 9207: so that nobody takes an answer of this server for another's.
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
    fn what_is_told_is_added_to_the_query() {
        let told = [("access_token", "a-_")];
        let at = |url| back(&callback(url), &told, Some("x&y= "), None);
        assert_eq!(at("https://a.b/c"), "https://a.b/c?access_token=a-_&state=x%26y%3D+");
        assert_eq!(at("https://a.b/c?d=e"), "https://a.b/c?d=e&access_token=a-_&state=x%26y%3D+");
        assert_eq!(at("https://a.b?"), "https://a.b?access_token=a-_&state=x%26y%3D+");
        let issued = back(&callback("https://a.b"), &told, None, Some("http://c"));
        assert_eq!(issued, "https://a.b?access_token=a-_&iss=http%3A%2F%2Fc");
    }

    fn asked(query: &str) -> Result<GrantFlow, &'static str> {
        way(&parameters(query.as_bytes()).unwrap()).map_err(|(error, _)| error)
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
