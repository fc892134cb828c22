//! The claims of tokens whose signature was verified: who issued them, for whom, until when, and
//! about whom (OpenID Connect Core 1.0, section 3.1.3.7; Back-Channel Logout 1.0, section 2.6).

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use domain::factors::SecretHash;
use domain::identities::{Identity, LOGOUT_MILLIS};
use domain::time::Timestamp;

/// By how many seconds the clocks of a provider and this server may differ.
const SKEW_SECONDS: u64 = 60;
/// The most seconds between a log-in with a password at the provider and now, where one was asked
/// for.
const AUTH_AGE_SECONDS: u64 = 10 * 60;
/// The longest subject, in bytes (OpenID Connect Core 1.0, section 2).
const SUBJECT_BYTES: usize = 255;
/// The most groups that are read.
const GROUPS: usize = 1_000;
/// The event of a log-out token.
const LOGOUT_EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";

/// Why the claims of a token are not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ClaimFault {
    /// A claim is missing or has another type.
    #[error("{0} is missing or not valid")]
    Missing(&'static str),
    /// Another provider issued the token.
    #[error("iss is another issuer")]
    Issuer,
    /// The token is for another application.
    #[error("aud is not this server alone")]
    Audience,
    /// The token is over.
    #[error("it has expired")]
    Expired,
    /// The token is from the future.
    #[error("it is from the future")]
    Early,
    /// The token belongs to another log-in.
    #[error("nonce belongs to another log-in")]
    Nonce,
    /// The user did not log in at the provider just now.
    #[error("auth_time is too old")]
    AuthTime,
    /// The claims of the user belong to another subject.
    #[error("sub differs from that of the ID token")]
    OtherSubject,
}

/// What a token is checked against.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    /// The issuer.
    pub issuer: &'a str,
    /// This server's name at the provider.
    pub client: &'a str,
    /// The time.
    pub now: Timestamp,
}

/// A user, as a provider describes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderUser {
    /// The identity.
    pub identity: Identity,
    /// The provider's name for the session.
    pub session: Option<String>,
    /// The email address.
    pub email: Option<String>,
    /// Whether the provider checked the address.
    pub is_email_verified: bool,
    /// The name.
    pub name: Option<String>,
    /// The groups of the user.
    pub groups: Vec<String>,
    /// The ID token, as the provider sent it.
    pub id_token: String,
}

/// A log-out token that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogoutClaims {
    /// The subject; `None` if only a session is named.
    pub subject: Option<String>,
    /// The session; `None` for all sessions of the subject.
    pub session: Option<String>,
    /// The hash of the token's id.
    pub id: SecretHash,
}

type Claims = Map<String, Value>;

fn text<'a>(claims: &'a Claims, name: &'static str) -> Option<&'a str> {
    claims.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// A time in seconds; some providers write fractions.
fn seconds(claims: &Claims, name: &'static str) -> Result<Option<u64>, ClaimFault> {
    let Some(value) = claims.get(name) else { return Ok(None) };
    let whole = value.as_u64().or_else(|| {
        let fraction = value.as_f64().filter(|it| (0.0..9e15).contains(it))?;
        Some(fraction as u64)
    });
    whole.map(Some).ok_or(ClaimFault::Missing(name))
}

impl Expected<'_> {
    /// Checks issuer, audience and times.
    fn check(&self, claims: &Claims) -> Result<(), ClaimFault> {
        if text(claims, "iss") != Some(self.issuer) {
            return Err(ClaimFault::Issuer);
        }
        let audiences: Vec<&str> = match claims.get("aud") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(all)) => {
                let texts: Option<Vec<&str>> = all.iter().map(Value::as_str).collect();
                texts.ok_or(ClaimFault::Audience)?
            }
            _ => return Err(ClaimFault::Missing("aud")),
        };
        let party = claims.get("azp").map(|party| party.as_str() == Some(self.client));
        let is_alone = audiences == [self.client];
        let is_party = party.unwrap_or(is_alone);
        if !audiences.contains(&self.client) || !is_party {
            return Err(ClaimFault::Audience);
        }
        let now = self.now.seconds();
        if let Some(begin) = seconds(claims, "nbf")?
            && begin > now + SKEW_SECONDS
        {
            return Err(ClaimFault::Early);
        }
        let issued = seconds(claims, "iat")?.ok_or(ClaimFault::Missing("iat"))?;
        if issued > now + SKEW_SECONDS {
            return Err(ClaimFault::Early);
        }
        match seconds(claims, "exp")? {
            Some(end) if end.saturating_add(SKEW_SECONDS) <= now => Err(ClaimFault::Expired),
            Some(_) | None => Ok(()),
        }
    }

    fn subject(&self, claims: &Claims) -> Result<Identity, ClaimFault> {
        let subject = text(claims, "sub").filter(|it| it.len() <= SUBJECT_BYTES);
        let subject = subject.ok_or(ClaimFault::Missing("sub"))?.to_owned();
        Ok(Identity { issuer: self.issuer.to_owned(), subject })
    }

    /// Checks an ID token, and returns its user. `is_fresh` demands a log-in at the provider just
    /// now.
    ///
    /// # Errors
    /// If the token is not from this issuer, for this server, of this log-in, and of now.
    pub fn user(
        &self,
        claims: &Claims,
        nonce: &str,
        is_fresh: bool,
    ) -> Result<ProviderUser, ClaimFault> {
        self.check(claims)?;
        seconds(claims, "exp")?.ok_or(ClaimFault::Missing("exp"))?;
        if text(claims, "nonce") != Some(nonce) {
            return Err(ClaimFault::Nonce);
        }
        if is_fresh {
            let at = seconds(claims, "auth_time")?.ok_or(ClaimFault::Missing("auth_time"))?;
            let age = self.now.seconds().saturating_sub(at);
            if age > AUTH_AGE_SECONDS + SKEW_SECONDS {
                return Err(ClaimFault::AuthTime);
            }
        }
        let identity = self.subject(claims)?;
        let mut user = ProviderUser {
            identity,
            session: text(claims, "sid").map(str::to_owned),
            email: None,
            is_email_verified: false,
            name: None,
            groups: Vec::new(),
            id_token: String::new(),
        };
        user.fill(claims);
        Ok(user)
    }

    /// Checks a log-out token.
    ///
    /// # Errors
    /// If the token is not from this issuer, for this server, about a log-out, and of now.
    pub fn logout(&self, claims: &Claims) -> Result<LogoutClaims, ClaimFault> {
        self.check(claims)?;
        let issued = seconds(claims, "iat")?.unwrap_or_default();
        // Ids of older tokens are forgotten.
        if self.now.seconds().saturating_sub(issued) > LOGOUT_MILLIS / 1000 - SKEW_SECONDS {
            return Err(ClaimFault::Expired);
        }
        if claims.contains_key("nonce") {
            return Err(ClaimFault::Nonce);
        }
        let events = claims.get("events").and_then(Value::as_object);
        let event = events.and_then(|events| events.get(LOGOUT_EVENT));
        event.and_then(Value::as_object).ok_or(ClaimFault::Missing("events"))?;
        let id = text(claims, "jti").ok_or(ClaimFault::Missing("jti"))?;
        let subject = text(claims, "sub").map(str::to_owned);
        let session = text(claims, "sid").map(str::to_owned);
        if subject.is_none() && session.is_none() {
            return Err(ClaimFault::Missing("sub or sid"));
        }
        let id = SecretHash::new(Sha256::digest(id).into());
        Ok(LogoutClaims { subject, session, id })
    }
}

impl ProviderUser {
    /// Adds what is still unknown from these claims.
    fn fill(&mut self, claims: &Claims) {
        if self.email.is_none()
            && let Some(email) = text(claims, "email")
        {
            self.email = Some(email.to_owned());
            // Some providers write it as text.
            self.is_email_verified = match claims.get("email_verified") {
                Some(Value::Bool(is_verified)) => *is_verified,
                Some(Value::String(text)) => text == "true",
                _ => false,
            };
        }
        if self.name.is_none() {
            let name = text(claims, "name").or_else(|| text(claims, "preferred_username"));
            self.name = name.map(str::to_owned);
        }
        if self.groups.is_empty()
            && let Some(Value::Array(groups)) = claims.get("groups")
        {
            let groups = groups.iter().filter_map(Value::as_str).take(GROUPS);
            self.groups = groups.map(str::to_owned).collect();
        }
    }

    /// Adds the claims that the provider gives about a user at another place.
    ///
    /// # Errors
    /// If they are about another subject.
    pub fn add(&mut self, claims: &Claims) -> Result<(), ClaimFault> {
        if text(claims, "sub") != Some(&self.identity.subject) {
            return Err(ClaimFault::OtherSubject);
        }
        self.fill(claims);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const US: Expected<'static> = Expected {
        issuer: "https://id.example.org",
        client: "chat",
        now: Timestamp::from_seconds(1_000),
    };

    fn of(changes: &Value) -> Claims {
        let mut claims = json!({
            "iss": "https://id.example.org", "aud": "chat", "sub": "7", "iat": 990, "exp": 1_200,
            "nonce": "n", "auth_time": 900,
        });
        for (name, value) in changes.as_object().unwrap() {
            match value.is_null() {
                true => drop(claims.as_object_mut().unwrap().remove(name)),
                false => claims[name] = value.clone(),
            }
        }
        claims.as_object().unwrap().clone()
    }

    #[test]
    fn id_token_is_for_this_log_in_alone() {
        for (changes, fault) in [
            (json!({"iss": "https://id.example.org/"}), ClaimFault::Issuer),
            (json!({"aud": "mail"}), ClaimFault::Audience),
            (json!({"aud": []}), ClaimFault::Audience),
            (json!({"aud": ["chat", "mail"]}), ClaimFault::Audience),
            (json!({"aud": ["chat", "mail"], "azp": "mail"}), ClaimFault::Audience),
            (json!({"azp": "mail"}), ClaimFault::Audience),
            (json!({"aud": null}), ClaimFault::Missing("aud")),
            (json!({"exp": 940}), ClaimFault::Expired),
            (json!({"exp": null}), ClaimFault::Missing("exp")),
            (json!({"exp": "1200"}), ClaimFault::Missing("exp")),
            (json!({"iat": 1_061}), ClaimFault::Early),
            (json!({"iat": null}), ClaimFault::Missing("iat")),
            (json!({"nbf": 1_061}), ClaimFault::Early),
            (json!({"nonce": "m"}), ClaimFault::Nonce),
            (json!({"nonce": null}), ClaimFault::Nonce),
            (json!({"sub": ""}), ClaimFault::Missing("sub")),
            (json!({"sub": "x".repeat(256)}), ClaimFault::Missing("sub")),
            (json!({"auth_time": 339}), ClaimFault::AuthTime),
            (json!({"auth_time": null}), ClaimFault::Missing("auth_time")),
        ] {
            assert_eq!(US.user(&of(&changes), "n", true).err(), Some(fault), "{changes}");
        }
        for changes in [
            json!({}),
            json!({"aud": ["chat"]}),
            json!({"aud": ["mail", "chat"], "azp": "chat"}),
            json!({"exp": 941, "iat": 1_060.5}),
        ] {
            let user = US.user(&of(&changes), "n", true).unwrap();
            assert_eq!(user.identity.subject, "7", "{changes}");
        }
    }

    #[test]
    fn claims_of_the_user_add_to_the_token() {
        let mut user = US.user(&of(&json!({"email": "a@b.c", "sid": "s"})), "n", false).unwrap();
        assert_eq!((user.email.as_deref(), user.is_email_verified), (Some("a@b.c"), false));
        let more = json!({"sub": "7", "email": "x@y.z", "email_verified": true, "name": "Ana",
            "groups": ["staff", 7]});
        user.add(more.as_object().unwrap()).unwrap();
        assert_eq!((user.email.as_deref(), user.is_email_verified), (Some("a@b.c"), false));
        assert_eq!((user.name.as_deref(), user.groups), (Some("Ana"), vec!["staff".to_owned()]));
        let mut user = US.user(&of(&json!({})), "n", false).unwrap();
        let other = user.add(json!({"sub": "8"}).as_object().unwrap());
        assert_eq!(other, Err(ClaimFault::OtherSubject));
    }

    #[test]
    fn logout_token_names_a_session_or_a_subject() {
        let events = json!({LOGOUT_EVENT: {}});
        let base = json!({"nonce": null, "exp": null, "events": events, "jti": "1"});
        let with = |changes: Value| {
            let mut all = base.clone();
            for (name, value) in changes.as_object().unwrap() {
                all[name] = value.clone();
            }
            US.logout(&of(&all))
        };
        let ended = with(json!({"sid": "s"})).unwrap();
        assert_eq!((ended.subject.as_deref(), ended.session.as_deref()), (Some("7"), Some("s")));
        for (changes, fault) in [
            (json!({"nonce": "n"}), ClaimFault::Nonce),
            (json!({"events": {}}), ClaimFault::Missing("events")),
            (json!({"jti": null}), ClaimFault::Missing("jti")),
            (json!({"sub": null}), ClaimFault::Missing("sub or sid")),
            (json!({"iat": 459}), ClaimFault::Expired),
            (json!({"aud": "mail"}), ClaimFault::Audience),
        ] {
            assert_eq!(with(changes.clone()).err(), Some(fault), "{changes}");
        }
    }
}
