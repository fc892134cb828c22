//! The authorization server: the page on which users let applications act for them (specification,
//! section 5; RFC 6749), and the endpoint at which applications get their tokens.
//!
//! `request` parses an application's request, `page` shows it, `consent` does what the user
//! decides, `token` exchanges codes for tokens, `revoke` ends tokens.

pub(super) mod consent;
mod cookie;
mod page;
mod request;
pub(super) mod revoke;
pub(super) mod token;

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use serde_json::json;

use crate::http::app_state::AppState;
use domain::scopes::ScopeSet;

/// The name under which responses give all scopes of applications to a request that names none of
/// ours, as they did before there were others.
const SCOPE: &str = "conversations";

/// The scopes that a user granted; `None` for all of an application.
#[derive(Debug, Clone, Copy)]
struct GrantedScopes(Option<ScopeSet>);

impl GrantedScopes {
    /// The value of `scope` in a response (RFC 6749, section 3.3).
    fn text(self) -> String {
        self.0.map_or_else(|| SCOPE.to_owned(), |scopes| scopes.to_string())
    }
}

/// A parameter that occurs twice, which RFC 6749 forbids (section 3.1).
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request has {0} twice")]
struct Twice(String);

/// Parses the parameters of a query or a form, each of which may occur once. Empty ones count as
/// absent (RFC 6749, section 3.1).
fn parameters(text: &[u8]) -> Result<BTreeMap<String, String>, Twice> {
    let mut found = BTreeMap::new();
    for (name, value) in form_urlencoded::parse(text) {
        if found.insert(name.clone().into_owned(), value.into_owned()).is_some() {
            return Err(Twice(name.into_owned()));
        }
    }
    found.retain(|_, value| !value.is_empty());
    Ok(found)
}

/// `GET /.well-known/oauth-authorization-server` (RFC 8414)
pub(super) async fn metadata(app: web::Data<AppState>) -> HttpResponse {
    let issuer = app.instance.public_url();
    let mut scopes = ScopeSet::APPLICATION.names();
    scopes.push(SCOPE);
    HttpResponse::Ok().json(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/oauth/authorize"),
        "token_endpoint": format!("{issuer}/oauth/token"),
        "revocation_endpoint": format!("{issuer}/oauth/revoke"),
        "scopes_supported": scopes,
        "response_types_supported": ["code", "token"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "implicit"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "service_documentation": format!("{issuer}/docs"),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oauth_parameters_are_unique_and_non_empty() {
        let read = parameters(b"client_id=a&state=%26x&scope=").unwrap();
        assert_eq!(read.get("state").map(String::as_str), Some("&x"));
        assert_eq!(read.get("scope"), None);
        assert_eq!(parameters(b"a=1&b=2&a=1"), Err(Twice("a".to_owned())));
    }
}
