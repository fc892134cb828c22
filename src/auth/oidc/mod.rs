//! Log-in with OpenID Connect: the provider, its documents, and the tokens that it issues (OpenID
//! Connect Core 1.0 and Discovery 1.0, the code flow with PKCE).
//!
//! The provider's documents are read when they are needed and kept for an hour. A token with an
//! unknown key makes the keys be read again, once a minute.

use std::sync::{Arc, Mutex, PoisonError};

use actix_web::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::oidc::claims::{ClaimFault, Expected, LogoutClaims, ProviderUser};
use crate::oidc::signature::{KeySet, SignatureFault};
use base::bounds::turns::Owner;
use base::clock::Clock;
use domain::time::Monotonic;
use outgoing::network::Network;
use outgoing::target::Target;
use outgoing::{Outgoing, OutgoingFault};

pub mod claims;
pub mod flow;
pub mod signature;

/// How long documents of a provider are kept, in milliseconds.
const KEPT_MILLIS: u64 = 60 * 60 * 1000;
/// The shortest time between two readings of the keys, in milliseconds.
const AGAIN_MILLIS: u64 = 60 * 1000;

/// The provider, as the operator describes it.
#[derive(Clone)]
pub struct ProviderSettings {
    /// The id in paths.
    pub id: String,
    /// The name that people see.
    pub name: String,
    /// The issuer.
    pub issuer: String,
    /// This server's name at the provider.
    pub client: String,
    /// This server's secret at the provider.
    pub secret: String,
    /// The scopes that are asked for.
    pub scopes: String,
    /// Domains of email addresses whose users may log in; empty for all.
    pub domains: Vec<String>,
    /// Groups whose members may log in; empty for all users.
    pub groups: Vec<String>,
    /// The group whose members are admins; others lose the role.
    pub operators_from: Option<String>,
    /// The group whose members are no guests; everybody else is one.
    pub guest_unless: Option<String>,
    /// Whether a first log-in makes an account where registration is not open.
    pub creates: bool,
    /// Whether its verified addresses are trusted.
    pub trusts_email: bool,
    /// Whether the second factor of this server is asked for, too.
    pub asks_factor: bool,
}

/// Why a provider is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderFault {
    /// The provider does not answer, or not as the standard says.
    #[error("{document}: {reason}")]
    Answer {
        /// The document that was asked for.
        document: &'static str,
        /// The reason.
        reason: String,
    },
    /// The provider refused the code.
    #[error("the provider refused the code: {0}")]
    Code(String),
    /// The signature of a token is not accepted.
    #[error("the token is refused: {0}")]
    Signature(#[from] SignatureFault),
    /// The claims of a token are not accepted.
    #[error("the token is refused: {0}")]
    Claims(#[from] ClaimFault),
}

impl ProviderFault {
    fn answer(document: &'static str, reason: impl ToString) -> Self {
        Self::Answer { document, reason: reason.to_string() }
    }

    /// Whether the provider is at fault, and not the request.
    pub const fn is_unavailable(&self) -> bool {
        matches!(self, Self::Answer { .. })
    }
}

/// The document by which a provider describes itself.
#[derive(Debug, Clone, Deserialize)]
pub struct Description {
    issuer: String,
    /// Where people log in.
    pub authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    userinfo_endpoint: Option<String>,
    end_session_endpoint: Option<String>,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

impl Description {
    /// Whether the provider names itself in the response to an authorization (RFC 9207).
    pub const fn names_issuer(&self) -> bool {
        self.authorization_response_iss_parameter_supported
    }
}

#[derive(Clone)]
struct Kept<T> {
    value: T,
    since: Monotonic,
}

/// The result of a code.
#[derive(Deserialize)]
struct IssuedTokens {
    id_token: String,
    access_token: Option<String>,
}

/// A code that the provider gave to a browser, with all that belongs to it.
#[derive(Debug, Clone, Copy)]
pub struct GivenCode<'a> {
    /// The code.
    pub code: &'a str,
    /// The address to which the browser came back.
    pub redirect: &'a str,
    /// The secret whose hash the request had (RFC 7636).
    pub verifier: &'a str,
    /// The nonce that the ID token must have.
    pub nonce: &'a str,
    /// Whether the user must have logged in at the provider just now.
    pub is_fresh: bool,
}

/// Log-ins through a provider.
pub struct ProviderLogIns {
    /// The provider, if there is one.
    pub provider: Option<Provider>,
    /// Log-ins whose browsers are away.
    pub flows: flow::Flows,
}

/// A provider.
pub struct Provider {
    /// The settings.
    pub settings: ProviderSettings,
    clock: Arc<dyn Clock>,
    host: String,
    is_secure: bool,
    /// For addresses of the issuer's own host, which the operator chose.
    own: Outgoing,
    /// For all other addresses that its documents name.
    others: Outgoing,
    description: Mutex<Option<Kept<Arc<Description>>>>,
    keys: Mutex<Option<Kept<Arc<KeySet>>>>,
}

impl Provider {
    /// A provider that nobody has asked yet. The issuer is a URL: the option takes nothing else.
    pub fn new(settings: ProviderSettings, outgoing: &Outgoing, clock: Arc<dyn Clock>) -> Self {
        let target = Target::parse(&settings.issuer).expect("options name issuers by URLs");
        Self {
            settings,
            clock,
            host: target.host().to_owned(),
            is_secure: target.is_secure(),
            own: outgoing.reaching(Network::all()),
            others: outgoing.reaching(Vec::new()),
            description: Mutex::default(),
            keys: Mutex::default(),
        }
    }

    /// Asks a document or an endpoint of the provider. Redirects are not followed.
    async fn ask(
        &self,
        document: &'static str,
        method: Method,
        url: &str,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: Bytes,
    ) -> Result<(StatusCode, Bytes), ProviderFault> {
        let target = Target::parse(url).map_err(|it| ProviderFault::answer(document, it))?;
        if self.is_secure && !target.is_secure() {
            return Err(ProviderFault::answer(document, "its URL must begin with https://"));
        }
        let outgoing = if target.host() == self.host { &self.own } else { &self.others };
        let mut headers = headers;
        headers.push((ACCEPT, HeaderValue::from_static("application/json")));
        let answer = outgoing.request(Owner::Server, method, url, headers, body).await;
        let answer =
            answer.map_err(|fault: OutgoingFault| ProviderFault::answer(document, fault))?;
        Ok((answer.status, answer.body))
    }

    async fn document(&self, name: &'static str, url: &str) -> Result<Bytes, ProviderFault> {
        match self.ask(name, Method::GET, url, Vec::new(), Bytes::new()).await? {
            (StatusCode::OK, body) => Ok(body),
            (status, _) => Err(ProviderFault::answer(name, format!("the answer was {status}"))),
        }
    }

    /// The document by which the provider describes itself.
    ///
    /// # Errors
    /// If the provider does not answer, or describes another one.
    pub async fn description(&self) -> Result<Arc<Description>, ProviderFault> {
        const NAME: &str = "openid-configuration";
        let now = self.clock.now().mono;
        if let Some(kept) = fresh(&self.description, now) {
            return Ok(kept);
        }
        let issuer = self.settings.issuer.trim_end_matches('/');
        let url = format!("{issuer}/.well-known/openid-configuration");
        let body = self.document(NAME, &url).await?;
        let read: Description = serde_json::from_slice(&body)
            .map_err(|error| ProviderFault::answer(NAME, format!("not understood: {error}")))?;
        if read.issuer != self.settings.issuer {
            let reason = format!("it describes the issuer {}", read.issuer);
            return Err(ProviderFault::answer(NAME, reason));
        }
        let authorization = Target::parse(&read.authorization_endpoint);
        let is_usable = authorization.is_ok_and(|it| it.is_secure() || !self.is_secure);
        if !is_usable {
            let reason = "authorization_endpoint must be an https URL";
            return Err(ProviderFault::answer(NAME, reason));
        }
        let read = Arc::new(read);
        *lock(&self.description) = Some(Kept { value: Arc::clone(&read), since: now });
        Ok(read)
    }

    /// The keys, not older than this.
    async fn keys(&self, most_millis: u64) -> Result<Arc<KeySet>, ProviderFault> {
        const NAME: &str = "jwks_uri";
        let now = self.clock.now().mono;
        let kept = lock(&self.keys).clone();
        if let Some(kept) = kept.filter(|kept| now.millis_since(kept.since) < most_millis) {
            return Ok(kept.value);
        }
        let url = self.description().await?.jwks_uri.clone();
        let body = self.document(NAME, &url).await?;
        let read = KeySet::read(&body);
        let read = read.ok_or_else(|| ProviderFault::answer(NAME, "it has no list of keys"))?;
        let read = Arc::new(read);
        *lock(&self.keys) = Some(Kept { value: Arc::clone(&read), since: now });
        Ok(read)
    }

    /// Verifies the signature of a token, and returns its claims.
    async fn claims(&self, token: &str) -> Result<Map<String, Value>, ProviderFault> {
        match self.keys(KEPT_MILLIS).await?.verify(token) {
            Err(SignatureFault::UnknownKey) => Ok(self.keys(AGAIN_MILLIS).await?.verify(token)?),
            verified => Ok(verified?),
        }
    }

    fn expected(&self) -> Expected<'_> {
        let now = self.clock.now().wall;
        Expected { issuer: &self.settings.issuer, client: &self.settings.client, now }
    }

    /// Exchanges a code for the user to whom it was given.
    ///
    /// # Errors
    /// If the provider does not answer, or the code or the tokens are not valid.
    pub async fn user(&self, given: GivenCode<'_>) -> Result<ProviderUser, ProviderFault> {
        let description = self.description().await?;
        let issued = self.exchange(&description, given).await?;
        let claims = self.claims(&issued.id_token).await?;
        let mut user = self.expected().user(&claims, given.nonce, given.is_fresh)?;
        if let (Some(url), Some(token)) = (&description.userinfo_endpoint, &issued.access_token) {
            user.add(&self.user_info(url, token).await?)?;
        }
        user.id_token = issued.id_token;
        Ok(user)
    }

    async fn exchange(
        &self,
        description: &Description,
        given: GivenCode<'_>,
    ) -> Result<IssuedTokens, ProviderFault> {
        const NAME: &str = "token_endpoint";
        let ProviderSettings { client, secret, .. } = &self.settings;
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", given.code)
            .append_pair("redirect_uri", given.redirect)
            .append_pair("code_verifier", given.verifier);
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        let mut headers = vec![(CONTENT_TYPE, kind)];
        let methods = &description.token_endpoint_auth_methods_supported;
        let knows = |method: &str| methods.iter().any(|known| known == method);
        if knows("client_secret_post") && !knows("client_secret_basic") {
            form.append_pair("client_id", client).append_pair("client_secret", secret);
        } else {
            headers.push((AUTHORIZATION, basic(client, secret)));
        }
        let body = Bytes::from(form.finish());
        let url = &description.token_endpoint;
        let (status, body) = self.ask(NAME, Method::POST, url, headers, body).await?;
        if status.is_client_error() {
            let error: Option<Map<String, Value>> = serde_json::from_slice(&body).ok();
            let error = error.as_ref().and_then(|it| it.get("error")?.as_str());
            return Err(ProviderFault::Code(error.unwrap_or(status.as_str()).to_owned()));
        }
        if status != StatusCode::OK {
            return Err(ProviderFault::answer(NAME, format!("the answer was {status}")));
        }
        serde_json::from_slice(&body)
            .map_err(|error| ProviderFault::answer(NAME, format!("not understood: {error}")))
    }

    async fn user_info(&self, url: &str, token: &str) -> Result<Map<String, Value>, ProviderFault> {
        const NAME: &str = "userinfo_endpoint";
        let bearer = HeaderValue::from_str(&format!("Bearer {token}"));
        let bearer = bearer.map_err(|error| ProviderFault::answer(NAME, error))?;
        let headers = vec![(AUTHORIZATION, bearer)];
        match self.ask(NAME, Method::GET, url, headers, Bytes::new()).await? {
            (StatusCode::OK, body) => serde_json::from_slice(&body)
                .map_err(|error| ProviderFault::answer(NAME, format!("not understood: {error}"))),
            (status, _) => Err(ProviderFault::answer(NAME, format!("the answer was {status}"))),
        }
    }

    /// Checks a log-out token.
    ///
    /// # Errors
    /// If the provider does not answer, or the token is not valid.
    pub async fn logout(&self, token: &str) -> Result<LogoutClaims, ProviderFault> {
        let claims = self.claims(token).await?;
        Ok(self.expected().logout(&claims)?)
    }

    /// The address at the provider that ends a user's session there and leads back (OpenID Connect
    /// RP-Initiated Logout 1.0); `None` if the provider names none that a browser may open. With the
    /// ID token of the log-in, providers need not ask the user.
    ///
    /// # Errors
    /// If the provider does not answer.
    pub async fn end_session_url(
        &self,
        back: &str,
        id_token: Option<&str>,
    ) -> Result<Option<String>, ProviderFault> {
        let description = self.description().await?;
        let Some(endpoint) = &description.end_session_endpoint else { return Ok(None) };
        let is_usable = Target::parse(endpoint).is_ok_and(|it| it.is_secure() || !self.is_secure);
        if !is_usable {
            return Ok(None);
        }
        let mut query = form_urlencoded::Serializer::new(String::new());
        query
            .append_pair("client_id", &self.settings.client)
            .append_pair("post_logout_redirect_uri", back);
        if let Some(id_token) = id_token {
            query.append_pair("id_token_hint", id_token);
        }
        Ok(Some(with_query(endpoint, &query.finish())))
    }

    /// The address at the provider where a user logs in.
    ///
    /// # Errors
    /// If the provider does not answer.
    pub async fn authorization_url(
        &self,
        request: &flow::Request,
        redirect: &str,
    ) -> Result<String, ProviderFault> {
        let description = self.description().await?;
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&request.verifier));
        let mut query = form_urlencoded::Serializer::new(String::new());
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.settings.client)
            .append_pair("redirect_uri", redirect)
            .append_pair("scope", &self.settings.scopes)
            .append_pair("state", &request.state)
            .append_pair("nonce", &request.nonce)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        if request.is_fresh {
            query.append_pair("prompt", "login").append_pair("max_age", "0");
        }
        Ok(with_query(&description.authorization_endpoint, &query.finish()))
    }
}

fn with_query(endpoint: &str, query: &str) -> String {
    let sign = if endpoint.contains('?') { '&' } else { '?' };
    format!("{endpoint}{sign}{query}")
}

/// The credentials of this server, each part encoded as a form (RFC 6749, section 2.3.1).
fn basic(client: &str, secret: &str) -> HeaderValue {
    let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let pair = STANDARD.encode(format!("{}:{}", encoded(client), encoded(secret)));
    HeaderValue::from_str(&format!("Basic {pair}")).expect("base64 has no other signs")
}

fn fresh<T: Clone>(kept: &Mutex<Option<Kept<T>>>, now: Monotonic) -> Option<T> {
    let kept = lock(kept).clone()?;
    (now.millis_since(kept.since) < KEPT_MILLIS).then_some(kept.value)
}

fn lock<T>(kept: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
