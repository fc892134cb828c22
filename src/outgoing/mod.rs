//! Requests that leave this server: bot callbacks, and pictures fetched from elsewhere.
//! The one way out, because people choose the URLs: every attempt looks the host up,
//! refuses when any answer lies in a network that only this machine or its neighbours
//! reach (unless the operator opened it), and connects to the very address that was
//! checked. Variables that name a proxy are not read.
//!
//! What is posted and when it is tried again is decided elsewhere.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use actix_web::http::{Method, StatusCode};
use bytes::Bytes;

pub mod address;
pub mod client;
pub mod kept_connections;
pub mod network;
pub mod resolver;
pub mod target;

use crate::outgoing::client::Tls;
use crate::outgoing::kept_connections::KeptConnections;
use crate::outgoing::network::Network;
use crate::outgoing::resolver::{Resolve, SystemResolver};
use crate::outgoing::target::{Target, TargetRefusal};

/// How long a look-up and a connection may take.
const CONNECT: Duration = Duration::from_secs(3);
/// How long a callback may take from beginning to end.
const POST: Duration = Duration::from_secs(10);
/// How much of the answer to a callback is read.
const POST_ANSWER_BYTES: usize = 64 * 1024;
/// How long somebody who names a URL waits for the look-up of its host.
const LOOK_UP_AT_CHECK: Duration = Duration::from_secs(2);
/// Other places that a fetch may be sent to, one after the other.
const REDIRECTS: usize = 3;
/// Addresses of one host that are tried.
const ADDRESSES: usize = 3;

/// The way out.
#[derive(Clone)]
pub struct Outgoing {
    allowed: Arc<[Network]>,
    resolver: Arc<dyn Resolve>,
    tls: Tls,
    post_time: Duration,
}

/// How much and how long a fetch may take.
#[derive(Debug, Clone, Copy)]
pub struct FetchLimits {
    /// Bytes of the body.
    pub bytes: usize,
    /// From beginning to end, with every redirect.
    pub time: Duration,
    /// What becomes of a body that has more bytes.
    pub longer: LongerBody,
}

/// What becomes of a body that is longer than what may be read of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongerBody {
    /// It is refused.
    Refused,
    /// Its beginning is enough.
    Cut,
}

/// What a fetch brought.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// The body: all of it, unless its beginning is enough.
    pub body: Bytes,
    /// What it is said to be.
    pub content_type: Option<String>,
    /// Where it lay, after every redirect.
    pub place: Target,
}

/// How somebody answered.
#[derive(Debug, Clone)]
pub struct OutgoingAnswer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The beginning of the body.
    pub body: Bytes,
    /// Whether the body was longer than what may be read of it.
    pub is_cut: bool,
}

/// Why nothing came back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutgoingFault {
    /// The URL, or where it leads.
    #[error("the URL {0}")]
    Refused(#[from] TargetRefusal),
    /// Nobody knows the host.
    #[error("the host name could not be looked up")]
    LookUp,
    /// Nobody listens there: the connection was refused.
    #[error("no connection: {0}")]
    NobodyListens(String),
    /// No connection, or TLS failed.
    #[error("no connection: {0}")]
    Connect(String),
    /// It broke off, or was no HTTP.
    #[error("the connection broke: {0}")]
    Broken(String),
    /// It took too long.
    #[error("no answer in time")]
    Timeout,
    /// The body is too long.
    #[error("the answer is longer than {0} bytes")]
    TooLong(usize),
    /// A fetch was answered with a status that brings nothing.
    #[error("the answer was {0}")]
    Status(u16),
    /// A fetch was sent from place to place.
    #[error("more than {REDIRECTS} redirects")]
    Redirects,
}

/// One request, ready to be sent to an address that was checked.
#[derive(Debug, Clone)]
pub(crate) struct Outbound {
    pub(crate) method: Method,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) body: Bytes,
    /// How much of the answer is read.
    pub(crate) most_bytes: usize,
}

impl Outgoing {
    /// The way out, with these private networks open.
    pub fn new(allowed: Vec<Network>) -> Self {
        Self::resolving_with(allowed, Arc::new(SystemResolver))
    }

    /// The same, with another way to look up names.
    pub fn resolving_with(allowed: Vec<Network>, resolver: Arc<dyn Resolve>) -> Self {
        let tls = Tls::trusting_browsers_roots();
        Self { allowed: allowed.into(), resolver, tls, post_time: POST }
    }

    /// The same, trusting these certificates for TLS instead of those that browsers trust.
    #[must_use]
    pub fn trusting(mut self, roots: rustls::RootCertStore) -> Self {
        self.tls = Tls::trusting(roots);
        self
    }

    /// The same, with another time for a post.
    #[must_use]
    pub fn posting_within(mut self, time: Duration) -> Self {
        self.post_time = time;
        self
    }

    /// Checks a URL's form, and its host if that is an address already.
    ///
    /// # Errors
    /// When no request will ever be sent there.
    pub fn check_url(&self, url: &str) -> Result<Target, TargetRefusal> {
        let target = Target::parse(url)?;
        match target.literal() {
            Some(address) => self.admit(&target, &[address]).map(|()| target),
            None => Ok(target),
        }
    }

    /// Checks a URL as somebody names it, with a look at where its host is now. A name
    /// that nobody knows yet is no mistake of the URL; every attempt looks again.
    ///
    /// # Errors
    /// When no request will be sent there.
    pub async fn check_host(&self, url: &str) -> Result<Target, TargetRefusal> {
        let target = self.check_url(url)?;
        if target.literal().is_none() {
            let found = self.resolver.look_up(target.host());
            if let Ok(Ok(addresses)) = tokio::time::timeout(LOOK_UP_AT_CHECK, found).await {
                self.admit(&target, &addresses)?;
            }
        }
        Ok(target)
    }

    /// Fetches what lies at a URL. Follows a few redirects, each checked as the first.
    ///
    /// # Errors
    /// When it is refused, fails, takes too long, is too large or is answered with
    /// anything but 200.
    pub async fn fetch(&self, url: &str, limits: FetchLimits) -> Result<Fetched, OutgoingFault> {
        let fetched = tokio::time::timeout(limits.time, self.fetch_wherever(url, limits));
        fetched.await.map_err(|_| OutgoingFault::Timeout)?
    }

    async fn fetch_wherever(
        &self,
        url: &str,
        limits: FetchLimits,
    ) -> Result<Fetched, OutgoingFault> {
        let mut target = self.check_url(url)?;
        for _ in 0..=REDIRECTS {
            let request = Outbound {
                method: Method::GET,
                headers: Vec::new(),
                body: Bytes::new(),
                most_bytes: limits.bytes,
            };
            let answer = self.send(&target, &request, None).await?;
            if answer.status.is_redirection() {
                let place = answer.headers.get(LOCATION).and_then(|place| place.to_str().ok());
                let place = place.ok_or(OutgoingFault::Status(answer.status.as_u16()))?;
                target = self.check_url(&target.join(place)?)?;
                continue;
            }
            return fetched(answer, target, limits);
        }
        Err(OutgoingFault::Redirects)
    }

    /// Posts a body in one piece, once. A redirect is an answer like others.
    ///
    /// # Errors
    /// When it is refused, fails or takes too long.
    pub async fn post(
        &self,
        url: &str,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: Bytes,
    ) -> Result<OutgoingAnswer, OutgoingFault> {
        self.post_within(url, headers, body, None).await
    }

    /// The same over a connection that is kept. Only for what whoever gets it recognizes should
    /// it come twice: where such a connection ends just then, it is sent again over a new one.
    ///
    /// # Errors
    /// As before.
    pub async fn post_over(
        &self,
        kept: &KeptConnections,
        url: &str,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: Bytes,
    ) -> Result<OutgoingAnswer, OutgoingFault> {
        self.post_within(url, headers, body, Some(kept)).await
    }

    async fn post_within(
        &self,
        url: &str,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: Bytes,
        kept: Option<&KeptConnections>,
    ) -> Result<OutgoingAnswer, OutgoingFault> {
        let target = self.check_url(url)?;
        let request =
            Outbound { method: Method::POST, headers, body, most_bytes: POST_ANSWER_BYTES };
        let sent = tokio::time::timeout(self.post_time, self.send(&target, &request, kept));
        sent.await.map_err(|_| OutgoingFault::Timeout)?
    }

    /// Looks up, checks, connects to what was checked.
    async fn send(
        &self,
        target: &Target,
        request: &Outbound,
        kept: Option<&KeptConnections>,
    ) -> Result<OutgoingAnswer, OutgoingFault> {
        let addresses = match target.literal() {
            Some(address) => vec![address],
            None => self.look_up(target).await?,
        };
        self.admit(target, &addresses)?;
        let mut fault = OutgoingFault::LookUp;
        for address in addresses.into_iter().take(ADDRESSES) {
            let place = SocketAddr::new(address, target.port());
            let answered = match kept {
                Some(kept) => kept.send(&self.tls, target, place, request).await,
                None => client::send(&self.tls, target, place, request).await,
            };
            match answered {
                // Nothing was sent yet, so the next address of the host may be tried.
                Err(why @ (OutgoingFault::Connect(_) | OutgoingFault::NobodyListens(_))) => {
                    fault = why;
                }
                other => return other,
            }
        }
        Err(fault)
    }

    async fn look_up(&self, target: &Target) -> Result<Vec<IpAddr>, OutgoingFault> {
        let found = tokio::time::timeout(CONNECT, self.resolver.look_up(target.host())).await;
        match found {
            Ok(Ok(addresses)) if !addresses.is_empty() => Ok(addresses),
            Ok(Ok(_) | Err(_)) => Err(OutgoingFault::LookUp),
            Err(_) => Err(OutgoingFault::Timeout),
        }
    }

    /// Refuses when any of the addresses may not be reached: a name that leads both
    /// outside and inside is a trap, whichever answer is used.
    fn admit(&self, target: &Target, addresses: &[IpAddr]) -> Result<(), TargetRefusal> {
        let is_open = |address: &IpAddr| {
            address::is_public(*address) || self.allowed.iter().any(|it| it.contains(*address))
        };
        match addresses.iter().find(|address| !is_open(address)) {
            Some(_) => Err(TargetRefusal::Private { host: target.host().to_owned() }),
            None => Ok(()),
        }
    }
}

fn fetched(
    answer: OutgoingAnswer,
    place: Target,
    limits: FetchLimits,
) -> Result<Fetched, OutgoingFault> {
    if answer.status != StatusCode::OK {
        return Err(OutgoingFault::Status(answer.status.as_u16()));
    }
    if answer.is_cut && limits.longer == LongerBody::Refused {
        return Err(OutgoingFault::TooLong(limits.bytes));
    }
    let content_type = answer.headers.get(CONTENT_TYPE);
    let content_type = content_type.and_then(|it| it.to_str().ok()).map(str::to_owned);
    Ok(Fetched { body: answer.body, content_type, place })
}

#[cfg(test)]
mod tests;
