//! One order of a certificate at the authority (RFC 8555, section 7.4).

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actix::ArbiterHandle;
use actix_web::http::Method;
use actix_web::http::header::{CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT};
use bytes::Bytes;
use instant_acme::{
    Account, AuthorizationStatus, BodyWrapper, BytesResponse, ChallengeType, Error,
    ExternalAccountKey, HttpClient, Identifier, KeyAuthorization, NewAccount, NewOrder, Order,
    OrderStatus, Problem, RetryPolicy,
};
use rcgen::{CertificateParams, CustomExtension, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::sign::CertifiedKey;
use tokio::sync::oneshot;

use crate::http::acme::store::{AcmeStore, StoreFault, StoredAccount};
use crate::http::acme::{AcmeCertificate, AcmeSettings};
use crate::http::certificate::{CertificateWithKey, PemFault};
use base::bounds::turns::Owner;
use base::clock::Clock;
use outgoing::Outgoing;

/// How long the authority may take for one request.
const REQUEST: Duration = Duration::from_secs(30);
/// How long it may take to validate the challenges, and to issue the certificate.
const VALIDATION: Duration = Duration::from_secs(120);
/// How long a whole order may take.
const ORDER: Duration = Duration::from_secs(600);
/// The beginning of the types of errors (RFC 8555, section 6.7).
const ERROR_TYPE: &str = "urn:ietf:params:acme:error:";

/// Why there is no new certificate.
#[derive(Debug)]
pub(super) struct OrderFault {
    /// One line for the operator.
    pub(super) error: String,
    /// How long the authority wants no other order.
    pub(super) asked: Option<Duration>,
}

/// Why one step of an order failed.
enum StepFault {
    Authority(Error),
    Other(String),
}

/// The customer of an authority.
pub(super) struct Orders {
    pub(super) settings: AcmeSettings,
    pub(super) store: AcmeStore,
    pub(super) client: AuthorityClient,
    /// The time before the first look whether the authority is done; it doubles with each look.
    pub(super) pace: Duration,
}

impl Orders {
    /// Orders a certificate, and stores it. A certificate that cannot be stored is returned too: the
    /// authority allows few orders. The first challenge that the authority offers is used.
    pub(super) async fn order(
        &self,
        served: &AcmeCertificate,
        challenges: &[ChallengeType],
    ) -> Result<CertificateWithKey, OrderFault> {
        self.client.forget_delay();
        let ordered = tokio::time::timeout(ORDER, self.order_pem(served, challenges)).await;
        *served.challenges() = super::Challenges::default();
        let ordered = ordered.unwrap_or_else(|_| Err("the order takes too long".into()));
        let stored = ordered.and_then(|pem| {
            let provider = &served.provider;
            let read = CertificateWithKey::from_pem(pem.as_bytes(), pem.as_bytes(), provider)?;
            if let Some(domain) = self.settings.domains.iter().find(|it| !read.names(it)) {
                return Err(format!("the issued certificate does not name {domain}").into());
            }
            if let Err(error) = self.store.write_certificate(&pem) {
                tracing::error!(
                    %error,
                    "storing the issued certificate failed; it is served, and the next start orders \
                     another"
                );
            }
            Ok(read)
        });
        stored.map_err(|fault| {
            if let StepFault::Authority(Error::Api(problem)) = &fault
                && is(problem, "accountDoesNotExist")
                && let Err(error) = self.store.remove_account()
            {
                tracing::warn!(%error, "removing the ACME account that the authority lost failed");
            }
            OrderFault { error: fault.to_string(), asked: self.client.delay() }
        })
    }

    /// Returns the key, the certificate and those that sign it, in PEM format.
    async fn order_pem(
        &self,
        served: &AcmeCertificate,
        challenges: &[ChallengeType],
    ) -> Result<String, StepFault> {
        let account = self.account().await?;
        let domains = self.settings.domains.iter().cloned();
        let identifiers: Vec<Identifier> = domains.map(Identifier::Dns).collect();
        let mut order = account.new_order(&NewOrder::new(&identifiers)).await?;
        prepare(&mut order, served, challenges).await?;
        let retries = RetryPolicy::new().initial_delay(self.pace).timeout(VALIDATION);
        let is_ready = match order.poll_ready(&retries).await {
            Ok(status) => status == OrderStatus::Ready,
            Err(Error::Api(problem)) => match refusal(&mut order).await? {
                None => return Err(Error::Api(problem).into()),
                Some(refusal) => return Err(refusal.into()),
            },
            Err(error) => return Err(error.into()),
        };
        if !is_ready {
            let refusal = refusal(&mut order).await?;
            return Err(refusal.unwrap_or_else(|| "the authority refused the order".into()).into());
        }
        let key = order.finalize().await?;
        let chain = order.poll_certificate(&retries).await?;
        Ok(format!("{}\n{}\n", key.trim_end(), chain.trim_end()))
    }

    /// The account at the authority: that of the data directory, or a new one.
    async fn account(&self) -> Result<Account, StepFault> {
        let AcmeSettings { directory, email, binding, .. } = &self.settings;
        let contact: Vec<String> = email.iter().map(|it| format!("mailto:{it}")).collect();
        let contacts: Vec<&str> = contact.iter().map(String::as_str).collect();
        let builder = Account::builder_with_http(Box::new(self.client.clone()));
        if let Some(stored) = self.store.account()?.filter(|it| it.directory == *directory) {
            // The credentials cannot be copied, and the file has them too.
            let StoredAccount { contact: before, credentials, .. } = stored;
            let account = builder.from_credentials(credentials).await?;
            if before != contact {
                account.update_contacts(&contacts).await?;
                if let Some(stored) = self.store.account()? {
                    self.store.write_account(&StoredAccount { contact, ..stored })?;
                }
            }
            return Ok(account);
        }
        let account = NewAccount {
            contact: &contacts,
            terms_of_service_agreed: true,
            only_return_existing: false,
        };
        let binding = binding.as_ref().map(|it| ExternalAccountKey::new(it.id.clone(), &it.key));
        let made = builder.create(&account, directory.clone(), binding.as_ref()).await;
        let (account, credentials) = made?;
        let directory = directory.clone();
        self.store.write_account(&StoredAccount { directory, contact, credentials })?;
        tracing::info!(account = account.id(), "the authority opened an account");
        Ok(account)
    }
}

/// Answers one challenge for each name that the authority has not validated before.
async fn prepare(
    order: &mut Order,
    served: &AcmeCertificate,
    challenges: &[ChallengeType],
) -> Result<(), StepFault> {
    let mut authorizations = order.authorizations();
    while let Some(authorization) = authorizations.next().await {
        let mut authorization = authorization?;
        let domain = authorization.identifier().to_string();
        match authorization.status {
            AuthorizationStatus::Valid => continue,
            AuthorizationStatus::Pending => {}
            status @ (AuthorizationStatus::Invalid
            | AuthorizationStatus::Revoked
            | AuthorizationStatus::Expired
            | AuthorizationStatus::Deactivated) => {
                return Err(
                    format!("the authority's challenges for {domain} are {status:?}").into()
                );
            }
        }
        let offered = |kind: &&ChallengeType| {
            authorization.challenges.iter().any(|challenge| challenge.r#type == **kind)
        };
        let Some(kind) = challenges.iter().find(offered).cloned() else {
            let offered = authorization.challenges.iter().map(|it| format!("{:?}", it.r#type));
            let offered = offered.collect::<Vec<_>>().join(", ");
            return Err(format!(
                "the authority validates {domain} by {offered} alone, and this server answers \
                 {challenges:?}"
            )
            .into());
        };
        let Some(mut challenge) = authorization.challenge(kind.clone()) else { continue };
        let answer = challenge.key_authorization();
        if kind == ChallengeType::Http01 {
            let token = challenge.token.clone();
            let text = answer.as_str().to_owned();
            served.challenges().files.insert(token, text);
        } else {
            let certificate = challenge_certificate(served, &domain, &answer)?;
            served.challenges().certificates.insert(domain, Arc::new(certificate));
        }
        challenge.set_ready().await?;
    }
    Ok(())
}

/// The certificate that answers TLS-ALPN-01 (RFC 8737, section 3).
fn challenge_certificate(
    served: &AcmeCertificate,
    domain: &str,
    answer: &KeyAuthorization,
) -> Result<CertifiedKey, StepFault> {
    let refused = |error: rcgen::Error| StepFault::Other(error.to_string());
    let mut params = CertificateParams::new([domain.to_owned()]).map_err(refused)?;
    let digest = answer.digest();
    params.custom_extensions = vec![CustomExtension::new_acme_identifier(digest.as_ref())];
    let key = KeyPair::generate().map_err(refused)?;
    let certificate = params.self_signed(&key).map_err(refused)?;
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let key = served.provider.key_provider.load_private_key(key);
    let key = key.map_err(|error| StepFault::Other(error.to_string()))?;
    Ok(CertifiedKey::new(vec![certificate.der().clone()], key))
}

/// Which name the authority could not validate, and why; `None` if it does not say.
async fn refusal(order: &mut Order) -> Result<Option<String>, StepFault> {
    let mut authorizations = order.authorizations();
    while let Some(authorization) = authorizations.next().await {
        let mut authorization = authorization?;
        authorization.refresh().await?;
        let mut failed = authorization.challenges.iter();
        let failed = failed.find_map(|it| it.error.as_ref().map(|error| (&it.r#type, error)));
        if let Some((kind, error)) = failed {
            let domain = authorization.identifier();
            let how = name(kind);
            return Ok(Some(format!("validating {domain} by {how} failed: {}", text(error))));
        }
    }
    Ok(None)
}

/// The name of a challenge as the standard writes it.
pub(super) fn name(kind: &ChallengeType) -> String {
    if *kind == ChallengeType::Http01 {
        "http-01".to_owned()
    } else if *kind == ChallengeType::TlsAlpn01 {
        "tls-alpn-01".to_owned()
    } else {
        format!("{kind:?}")
    }
}

fn is(problem: &Problem, kind: &str) -> bool {
    problem.r#type.as_deref().and_then(|it| it.strip_prefix(ERROR_TYPE)) == Some(kind)
}

/// An error of the authority on one line.
fn text(problem: &Problem) -> String {
    let kind = problem.r#type.as_deref().unwrap_or("no type");
    let kind = kind.strip_prefix(ERROR_TYPE).unwrap_or(kind);
    let detail = problem.detail.as_deref().unwrap_or("no reason");
    let mut line = format!("{detail} ({kind})");
    for part in &problem.subproblems {
        line.push_str("; ");
        line.push_str(&part.to_string());
    }
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl std::fmt::Display for StepFault {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Authority(Error::Api(problem)) => out.write_str(&text(problem)),
            Self::Authority(error) => write!(out, "{error}"),
            Self::Other(reason) => out.write_str(reason),
        }
    }
}

impl From<Error> for StepFault {
    fn from(error: Error) -> Self {
        Self::Authority(error)
    }
}

impl From<StoreFault> for StepFault {
    fn from(fault: StoreFault) -> Self {
        Self::Other(fault.to_string())
    }
}

impl From<PemFault> for StepFault {
    fn from(fault: PemFault) -> Self {
        Self::Other(format!("the issued certificate cannot be used: {fault}"))
    }
}

impl From<String> for StepFault {
    fn from(reason: String) -> Self {
        Self::Other(reason)
    }
}

impl From<&str> for StepFault {
    fn from(reason: &str) -> Self {
        Self::Other(reason.to_owned())
    }
}

/// The HTTP client for the authority. Requests leave on the thread of the renewal, since the
/// client of the server cannot leave its thread.
#[derive(Clone)]
pub(super) struct AuthorityClient {
    outgoing: Outgoing,
    thread: ArbiterHandle,
    clock: Arc<dyn Clock>,
    /// The `Retry-After` of the last refusal.
    delay: Arc<Mutex<Option<Duration>>>,
}

impl AuthorityClient {
    pub(super) fn new(outgoing: Outgoing, thread: ArbiterHandle, clock: Arc<dyn Clock>) -> Self {
        let outgoing = outgoing.posting_within(REQUEST);
        Self { outgoing, thread, clock, delay: Arc::default() }
    }

    fn delay(&self) -> Option<Duration> {
        *self.delay.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget_delay(&self) {
        *self.delay.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    async fn exchange(
        self,
        request: http1::Request<BodyWrapper<Bytes>>,
    ) -> Result<BytesResponse, Error> {
        let (parts, body) = request.into_parts();
        let url = parts.uri.to_string();
        if parts.uri.scheme_str() != Some("https") {
            return Err(other(format!("the authority names a URL without TLS: {url}")));
        }
        let mut body = BytesResponse::from(http1::Response::new(body)).body;
        let body = body.into_bytes().await.map_err(Error::Other)?;
        let method = Method::from_bytes(parts.method.as_str().as_bytes());
        let method = method.map_err(|error| other(error.to_string()))?;
        let headers = parts.headers.iter().filter_map(|(name, value)| {
            let name = HeaderName::from_bytes(name.as_str().as_bytes()).ok()?;
            Some((name, HeaderValue::from_bytes(value.as_bytes()).ok()?))
        });
        let headers = headers.filter(|(name, _)| name != USER_AGENT).collect();
        let answer = self.outgoing.request(Owner::Server, method, &url, headers, body).await;
        let answer = answer.map_err(|fault| other(format!("{url}: {fault}")))?;
        let status = answer.status.as_u16();
        if status >= 400 {
            let delay = answer.retry_after(self.clock.now().wall);
            *self.delay.lock().unwrap_or_else(PoisonError::into_inner) = delay;
        }
        let media = answer.headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
        if status >= 300 && !media.is_some_and(|it| it.contains("json")) {
            return Err(other(format!("{url}: the answer was {status}")));
        }
        let response = http1::Response::builder().status(status);
        let response = answer.headers.iter().fold(response, |response, (name, value)| {
            response.header(name.as_str(), value.as_bytes())
        });
        let (parts, ()) = response.body(())?.into_parts();
        Ok(BytesResponse { parts, body: Box::new(answer.body) })
    }
}

impl HttpClient for AuthorityClient {
    fn request(
        &self,
        request: http1::Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, Error>> + Send>> {
        let (sender, answered) = oneshot::channel();
        let client = self.clone();
        // A thread that ends drops the sender.
        self.thread.spawn_fn(move || {
            actix::spawn(async move { drop(sender.send(client.exchange(request).await)) });
        });
        Box::pin(async move {
            answered.await.unwrap_or_else(|_| Err(other("the server stops".to_owned())))
        })
    }
}

fn other(reason: String) -> Error {
    Error::Other(reason.into())
}
