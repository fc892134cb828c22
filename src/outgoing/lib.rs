//! Requests that this server sends: callbacks to bots, notices, pictures and pages for link
//! previews. All requests go through this module, because users choose most of the URLs: every
//! attempt looks up the host, refuses if any of its addresses lies in a network that only this
//! machine or its neighbours reach (unless the operator opened it), and connects to the very
//! address that was checked. Variables that name a proxy are not read.
//!
//! What is posted, and when it is retried, is decided elsewhere.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use actix_web::http::header::{
    CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, HttpDate, LOCATION, RETRY_AFTER,
};
use actix_web::http::{Method, StatusCode};
use bytes::Bytes;

pub mod address;
pub mod client;
mod close_delimited;
pub mod kept_connections;
pub mod network;
pub mod resolver;
pub mod target;

use crate::client::Tls;
use crate::kept_connections::KeptConnections;
use crate::network::Network;
use crate::resolver::{Resolve, SharedResolver};
use crate::target::{Target, TargetRefusal};
use base::bounds::places::Places;
use base::bounds::turns::Owner;
use domain::time::Timestamp;

/// Timeout of a look-up, of connecting and of the TLS handshake, each.
const CONNECT: Duration = Duration::from_secs(3);
/// Timeout of a post from beginning to end, unless set by [`Outgoing::posting_within`].
const POST: Duration = Duration::from_secs(10);
/// Bytes of the answer to a post that are read.
const POST_ANSWER_BYTES: usize = 64 * 1024;
/// Timeout of the look-up when a URL is only checked: somebody waits for the result.
const LOOK_UP_AT_CHECK: Duration = Duration::from_secs(2);
/// Redirects that a fetch follows, as many as browsers do (Fetch standard, section 4.4).
const REDIRECTS: usize = 20;
/// Addresses of one host that are tried, one after the other.
const ADDRESSES: usize = 3;

/// Sends requests to other servers, through the address guard.
#[derive(Clone)]
pub struct Outgoing {
    allowed: Arc<[Network]>,
    resolver: SharedResolver,
    tls: Tls,
    post_time: Duration,
}

/// How large a fetched body may be, and how long a fetch may take.
#[derive(Debug, Clone, Copy)]
pub struct FetchLimits {
    /// Bytes of the body that are read.
    pub bytes: usize,
    /// Timeout from beginning to end, with every redirect.
    pub time: Duration,
    /// The handling of a longer body.
    pub longer: LongerBody,
}

/// The handling of a body that is longer than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongerBody {
    /// The fetch fails.
    Refused,
    /// The body is cut at the limit.
    Cut,
}

/// The result of a fetch.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// The body, cut at the limit if that was allowed.
    pub body: Bytes,
    /// The `Content-Type` header, if the answer has one.
    pub content_type: Option<String>,
    /// The URL of the body, after every redirect.
    pub place: Target,
}

/// The answer to a request.
#[derive(Debug, Clone)]
pub struct OutgoingAnswer {
    /// The HTTP status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, cut at the limit.
    pub body: Bytes,
    /// Whether the body was longer than the limit.
    pub is_cut: bool,
}

impl OutgoingAnswer {
    /// The delay that `Retry-After` asks for, as seconds or as a date (RFC 9110, section 10.2.3);
    /// zero for a date that has passed.
    pub fn retry_after(&self, now: Timestamp) -> Option<Duration> {
        let text = self.headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            // More digits than fit ask for ever.
            return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
        }
        let date: SystemTime = text.parse::<HttpDate>().ok()?.into();
        let since_epoch = date.duration_since(UNIX_EPOCH).unwrap_or_default();
        Some(since_epoch.saturating_sub(Duration::from_millis(now.millis())))
    }
}

/// Why a request got no usable answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutgoingFault {
    /// The URL, or where it leads, is refused.
    #[error("the URL {0}")]
    Refused(#[from] TargetRefusal),
    /// The host name has no address, or the look-up failed.
    #[error("the host name could not be looked up")]
    LookUp,
    /// The connection was refused.
    #[error("no connection: {0}")]
    NobodyListens(String),
    /// No connection could be made, or TLS failed.
    #[error("no connection: {0}")]
    Connect(String),
    /// The connection broke, or the answer was not HTTP.
    #[error("the connection broke: {0}")]
    Broken(String),
    /// The request timed out.
    #[error("no answer in time")]
    Timeout,
    /// The body is longer than this many bytes.
    #[error("the response is longer than {0} bytes")]
    TooLong(usize),
    /// A fetch was answered with a status other than 200.
    #[error("the answer was {0}")]
    Status(u16),
    /// A fetch was redirected too often.
    #[error("more than {REDIRECTS} redirects")]
    Redirects,
}

/// One request, ready to be sent to an address that was checked.
#[derive(Debug, Clone)]
pub struct Outbound {
    pub method: Method,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: Bytes,
    /// Bytes of the answer's body that are read.
    pub most_bytes: usize,
}

impl Outgoing {
    /// A sender that may reach the public internet and these private networks.
    pub fn new(allowed: Vec<Network>, resolver: Arc<dyn Resolve>, places: &Places) -> Self {
        let tls = Tls::trusting_browsers_roots();
        let resolver = SharedResolver::new(resolver, places);
        Self { allowed: allowed.into(), resolver, tls, post_time: POST }
    }

    /// A sender that may reach the public internet and these private networks instead, and shares
    /// all else with this one.
    #[must_use]
    pub fn reaching(&self, allowed: Vec<Network>) -> Self {
        Self { allowed: allowed.into(), ..self.clone() }
    }

    /// Replaces the trusted certificates: these instead of those that browsers trust.
    #[must_use]
    pub fn trusting(mut self, roots: rustls::RootCertStore) -> Self {
        self.tls = Tls::trusting(roots);
        self
    }

    /// Replaces the timeout of a post.
    #[must_use]
    pub fn posting_within(mut self, time: Duration) -> Self {
        self.post_time = time;
        self
    }

    /// Checks the form of a URL, and its host if that is an address already.
    ///
    /// # Errors
    /// If no request will ever be sent to the URL.
    pub fn check_url(&self, url: &str) -> Result<Target, TargetRefusal> {
        let target = Target::parse(url)?;
        match target.literal() {
            Some(address) => self.admit(&target, &[address]).map(|()| target),
            None => Ok(target),
        }
    }

    /// Checks a URL that somebody has just named, including where its host leads now. An unknown
    /// host name is not an error: every attempt looks it up again.
    ///
    /// # Errors
    /// If no request would be sent to the URL now.
    pub async fn check_host(&self, owner: Owner, url: &str) -> Result<Target, TargetRefusal> {
        let target = self.check_url(url)?;
        if target.literal().is_none() {
            let found = self.resolver.look_up(owner, target.host());
            if let Ok(Ok(addresses)) = tokio::time::timeout(LOOK_UP_AT_CHECK, found).await {
                self.admit(&target, &addresses)?;
            }
        }
        Ok(target)
    }

    /// Fetches the body at a URL. Follows redirects, each checked like the first URL.
    /// The owner is the one whose share of look-ups it uses; the same for every function here.
    ///
    /// # Errors
    /// If the fetch is refused, fails, times out, is too large or is answered with anything but
    /// 200.
    pub async fn fetch(
        &self,
        owner: Owner,
        url: &str,
        limits: FetchLimits,
    ) -> Result<Fetched, OutgoingFault> {
        let fetched = tokio::time::timeout(limits.time, self.fetch_wherever(owner, url, limits));
        fetched.await.map_err(|_| OutgoingFault::Timeout)?
    }

    async fn fetch_wherever(
        &self,
        owner: Owner,
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
            let answer = self.send(owner, &target, &request, None).await?;
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

    /// Posts a body in one piece, once. A redirect is returned like any other answer.
    ///
    /// # Errors
    /// If the request is refused, fails or times out.
    pub async fn post(
        &self,
        owner: Owner,
        url: &str,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: Bytes,
    ) -> Result<OutgoingAnswer, OutgoingFault> {
        self.post_within(owner, url, headers, body, None).await
    }

    /// As [`Self::post`], over a kept connection. Only for requests that the receiver can
    /// deduplicate: if a kept connection closes meanwhile, the request is sent again over a new
    /// one.
    ///
    /// # Errors
    /// As [`Self::post`].
    pub async fn post_over(
        &self,
        owner: Owner,
        kept: &KeptConnections,
        url: &str,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: Bytes,
    ) -> Result<OutgoingAnswer, OutgoingFault> {
        self.post_within(owner, url, headers, body, Some(kept)).await
    }

    async fn post_within(
        &self,
        owner: Owner,
        url: &str,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: Bytes,
        kept: Option<&KeptConnections>,
    ) -> Result<OutgoingAnswer, OutgoingFault> {
        let target = self.check_url(url)?;
        let request =
            Outbound { method: Method::POST, headers, body, most_bytes: POST_ANSWER_BYTES };
        let sent = tokio::time::timeout(self.post_time, self.send(owner, &target, &request, kept));
        sent.await.map_err(|_| OutgoingFault::Timeout)?
    }

    /// Sends one request over a connection of its own, within the time for a post. A redirect is
    /// returned like any other answer.
    ///
    /// # Errors
    /// If the request is refused, fails or times out, or the answer is longer than 64 KiB.
    pub async fn request(
        &self,
        owner: Owner,
        method: Method,
        url: &str,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: Bytes,
    ) -> Result<OutgoingAnswer, OutgoingFault> {
        let target = self.check_url(url)?;
        let request = Outbound { method, headers, body, most_bytes: POST_ANSWER_BYTES };
        let sent = tokio::time::timeout(self.post_time, self.send(owner, &target, &request, None));
        let answer = sent.await.map_err(|_| OutgoingFault::Timeout)??;
        let is_cut = answer.is_cut;
        if is_cut { Err(OutgoingFault::TooLong(POST_ANSWER_BYTES)) } else { Ok(answer) }
    }

    /// Sends one request over a kept connection. Only for requests that the receiver can
    /// deduplicate, as for [`Self::post_over`]. The caller limits the time.
    ///
    /// # Errors
    /// If the request is refused or fails.
    pub async fn exchange(
        &self,
        owner: Owner,
        kept: &KeptConnections,
        url: &str,
        request: Outbound,
    ) -> Result<OutgoingAnswer, OutgoingFault> {
        let target = self.check_url(url)?;
        self.send(owner, &target, &request, Some(kept)).await
    }

    /// Looks up the host, checks its addresses, and connects to one that was checked.
    async fn send(
        &self,
        owner: Owner,
        target: &Target,
        request: &Outbound,
        kept: Option<&KeptConnections>,
    ) -> Result<OutgoingAnswer, OutgoingFault> {
        let addresses = match target.literal() {
            Some(address) => vec![address],
            None => self.look_up(owner, target).await?,
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

    async fn look_up(&self, owner: Owner, target: &Target) -> Result<Vec<IpAddr>, OutgoingFault> {
        let found = self.resolver.look_up(owner, target.host());
        match tokio::time::timeout(CONNECT, found).await {
            Ok(Ok(addresses)) if !addresses.is_empty() => Ok(addresses),
            Ok(Ok(_) | Err(_)) => Err(OutgoingFault::LookUp),
            Err(_) => Err(OutgoingFault::Timeout),
        }
    }

    /// Refuses if any of the addresses may not be reached: a name that leads both outside and
    /// inside is a trap, whichever of its addresses is used.
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
