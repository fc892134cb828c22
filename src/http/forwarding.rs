//! Forwarding: where several nodes serve, a request that acts goes to the node that leads, as a
//! whole, and its response comes back. So everything is decided at one node, by the code of one
//! machine: an `Idempotency-Key`, a throttle or a claim never depends on which node was asked.
//! `routes.rs` says which routes act.
//!
//! What is repeated is the request. One that certainly was not carried out is sent again, to the
//! next leader too. One that may have been is sent again only if the leader recognizes it, by its
//! `Idempotency-Key` or by the `source_guid` of its message; otherwise the client gets a 503.

use std::future::{Ready, ready};
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use actix_http::{Payload, Request};
use actix_service::{ServiceFactory, fn_factory};
use actix_web::body::{BoxBody, MessageBody, to_bytes};
use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform, forward_ready};
use actix_web::http::header::{
    CONNECTION, CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING,
};
use actix_web::http::{Method, StatusCode, Uri};
use actix_web::web::Data;
use actix_web::{Error, HttpMessage, HttpResponse, rt, web};
use futures_util::future::{Either, LocalBoxFuture};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::http::app_state::AppState;
use crate::http::body::WholeBody;
use crate::http::dialect::{BelowCompat, COMPAT};
use crate::http::error::ApiError;
use crate::http::forward_mark::IsForwarded;
use crate::http::once;
use crate::http::request_id::with_current_id;
use actors::ask::Fault;
use base::clock::Deadline;
use base::msgpack;
use cluster::bus::BusAnswer;
use cluster::leadership::Leadership;
use cluster::membership::Membership;
use domain::packed_bytes;

/// The first byte of a forwarded request among the questions of other nodes, which are MessagePack;
/// that never uses this byte.
const FORWARDED: u8 = 0xc1;
/// The pause before a request is sent again that was not carried out.
const AGAIN: Duration = Duration::from_millis(20);
/// How long a request is sent again, or waits for a leader.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long the leader may take for a response.
const WITHIN: Duration = Duration::from_secs(40);
/// Forwarded requests that may wait for a thread of the leader. Rooms and the journal refuse sooner.
const WAITING: usize = 4096;

/// A request on its way to the leader.
#[derive(Debug, Serialize, Deserialize)]
struct ForwardedRequest {
    method: String,
    /// Path and query as the client sent them, but for a version in the path.
    target: String,
    headers: Vec<Header>,
    #[serde(with = "packed_bytes")]
    body: Vec<u8>,
    /// The address of the connection's other end.
    peer: Option<String>,
    /// Whether the request may have been carried out before.
    is_sent_again: bool,
}

/// What a node says to a forwarded request.
#[derive(Debug, Serialize, Deserialize)]
enum Reply {
    Carried(ForwardedResponse),
    /// The node does not lead: nothing was done.
    NotLeading,
    /// Too many requests wait: nothing was done.
    Busy,
}

/// The response on its way back.
#[derive(Debug, Serialize, Deserialize)]
struct ForwardedResponse {
    status: u16,
    headers: Vec<Header>,
    #[serde(with = "packed_bytes")]
    body: Vec<u8>,
    /// The position up to which the client's node has to show the journal before it passes the
    /// response on.
    newest: u64,
}

/// A header of a request or response.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    name: String,
    #[serde(with = "packed_bytes")]
    value: Vec<u8>,
}

impl Header {
    /// The headers that describe the message, not its transport.
    fn all_of(headers: &HeaderMap) -> Vec<Self> {
        let travels =
            |name: &HeaderName| ![CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING].contains(name);
        let header = |(name, value): (&HeaderName, &HeaderValue)| Self {
            name: name.to_string(),
            value: value.as_bytes().to_vec(),
        };
        headers.iter().filter(|(name, _)| travels(name)).map(header).collect()
    }

    fn parsed(&self) -> Option<(HeaderName, HeaderValue)> {
        Some((self.name.parse().ok()?, HeaderValue::from_bytes(&self.value).ok()?))
    }
}

/// The middleware around the routes of a path: forwards the requests with these methods.
pub(super) struct Forwarding(Rc<[Method]>);

impl Forwarding {
    /// Forwards requests with these methods.
    pub(super) fn of(methods: Vec<Method>) -> Self {
        Self(methods.into())
    }
}

impl<S> Transform<S, ServiceRequest> for Forwarding
where
    S: Service<ServiceRequest, Response = ServiceResponse, Error = Error> + 'static,
{
    type Response = ServiceResponse;
    type Error = Error;
    type Transform = ForwardingService<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, service: S) -> Self::Future {
        ready(Ok(ForwardingService { service: Rc::new(service), methods: Rc::clone(&self.0) }))
    }
}

/// The routes of a path, wrapped by [`Forwarding`].
pub(super) struct ForwardingService<S> {
    service: Rc<S>,
    methods: Rc<[Method]>,
}

impl<S> Service<ServiceRequest> for ForwardingService<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse, Error = Error> + 'static,
{
    type Response = ServiceResponse;
    type Error = Error;
    type Future = Either<S::Future, LocalBoxFuture<'static, Result<ServiceResponse, Error>>>;

    forward_ready!(service);

    fn call(&self, request: ServiceRequest) -> Self::Future {
        match self.leads_elsewhere(&request) {
            None => Either::Left(self.service.call(request)),
            Some(membership) => {
                let service = Rc::clone(&self.service);
                // A task of its own: an act ends although its client hangs up.
                let own = request.request().clone();
                let answered = rt::spawn(with_current_id(answer(service, membership, request)));
                Either::Right(Box::pin(async move {
                    let lost = |error| ServiceResponse::from_err(ApiError::fault(&error), own);
                    answered.await.unwrap_or_else(|error| Ok(lost(error)))
                }))
            }
        }
    }
}

impl<S> ForwardingService<S> {
    /// The membership of this node, if the request may have to go to another one.
    fn leads_elsewhere(&self, request: &ServiceRequest) -> Option<Membership> {
        let membership = request.app_data::<Data<AppState>>()?.membership.as_ref()?;
        if !self.methods.contains(request.method())
            || request.extensions().contains::<IsForwarded>()
            || matches!(membership.leadership(), Leadership::Here | Leadership::Spread)
        {
            return None;
        }
        Some(membership.clone())
    }
}

/// Has the leader answer the request; this node does if it leads by then.
async fn answer<S>(
    service: Rc<S>,
    membership: Membership,
    mut request: ServiceRequest,
) -> Result<ServiceResponse, Error>
where
    S: Service<ServiceRequest, Response = ServiceResponse, Error = Error> + 'static,
{
    let own = request.request().clone();
    let body = match request.extract::<WholeBody>().await {
        Ok(WholeBody(body)) => body,
        Err(error) => return Ok(ServiceResponse::from_err(error, own)),
    };
    let mut forwarded = ForwardedRequest::of(&request, &body);
    match forward(&membership, &mut forwarded).await {
        Ok(Some(response)) => {
            if let Some(app) = request.app_data::<Data<AppState>>().cloned() {
                app.directory.show(response.newest).await;
            }
            Ok(ServiceResponse::new(own, response.into()))
        }
        Ok(None) => {
            let is_sent_again = forwarded.is_sent_again;
            request.extensions_mut().insert(IsForwarded { is_sent_again });
            request.set_payload(Payload::from(body));
            service.call(request).await
        }
        Err(fault) => Ok(ServiceResponse::from_err(ApiError::from(fault), own)),
    }
}

/// Returns the leader's response; `None` if this node leads by now, and nothing was done.
async fn forward(
    membership: &Membership,
    request: &mut ForwardedRequest,
) -> Result<Option<ForwardedResponse>, Fault> {
    if !membership.is_reachable() {
        return Err(Fault::Busy);
    }
    let mut packed = request.packed();
    let deadline = Deadline::after(PATIENCE);
    loop {
        match membership.leadership() {
            Leadership::Here | Leadership::Spread => return Ok(None),
            Leadership::Pending => {}
            Leadership::There(run) => match membership.ask(run, packed.clone(), WITHIN).await {
                BusAnswer::Came(bytes) => match msgpack::from_slice(&bytes) {
                    Ok(Reply::Carried(response)) => return Ok(Some(response)),
                    Ok(Reply::Busy) => return Err(Fault::Busy),
                    Ok(Reply::NotLeading) => {}
                    Err(error) => {
                        tracing::error!(%error, "decoding the leader's response failed");
                        return Err(Fault::Gone);
                    }
                },
                BusAnswer::Unheard => {}
                BusAnswer::Silence if request.is_recognized() => {
                    request.is_sent_again = true;
                    packed = request.packed();
                }
                BusAnswer::Silence => return Err(Fault::Elsewhere),
            },
        }
        if deadline.left().is_zero() {
            return Err(Fault::Elsewhere);
        }
        tokio::time::sleep(AGAIN).await;
    }
}

impl ForwardedRequest {
    fn of(request: &ServiceRequest, body: &[u8]) -> Self {
        let is_compat = request.extensions().get::<BelowCompat>().is_some();
        let target = request.uri().path_and_query().map_or("/", |it| it.as_str());
        Self {
            method: request.method().to_string(),
            target: format!("{}{target}", if is_compat { COMPAT } else { "" }),
            headers: Header::all_of(request.headers()),
            body: body.to_vec(),
            peer: request.peer_addr().map(|it| it.to_string()),
            is_sent_again: false,
        }
    }

    /// Whether the leader recognizes the request if it was carried out before.
    fn is_recognized(&self) -> bool {
        let has_guid = |value: &Value| value.get("source_guid").is_some_and(|it| !it.is_null());
        let posts_once = || {
            let Ok(Value::Object(fields)) = serde_json::from_slice(&self.body) else {
                return false;
            };
            fields.contains_key("source_guid") || fields.values().any(has_guid)
        };
        self.headers.iter().any(|it| it.name == once::KEY.as_str()) || posts_once()
    }

    fn packed(&self) -> web::Bytes {
        let mut packed = vec![FORWARDED];
        packed.extend(msgpack::to_vec_named(self).expect("texts and bytes are always written"));
        packed.into()
    }

    /// The request in the form that the application takes.
    fn unpacked(self) -> Option<Request> {
        let mut request = Request::with_payload(Payload::from(web::Bytes::from(self.body)));
        let head = request.head_mut();
        head.method = self.method.parse().ok()?;
        head.uri = self.target.parse::<Uri>().ok()?;
        head.peer_addr = self.peer.and_then(|it| it.parse::<SocketAddr>().ok());
        for (name, value) in self.headers.iter().filter_map(Header::parsed) {
            head.headers.append(name, value);
        }
        request.extensions_mut().insert(IsForwarded { is_sent_again: self.is_sent_again });
        Some(request)
    }
}

impl From<ForwardedResponse> for HttpResponse {
    fn from(response: ForwardedResponse) -> Self {
        let status = StatusCode::from_u16(response.status).unwrap_or(StatusCode::BAD_GATEWAY);
        let mut answer = Self::with_body(status, BoxBody::new(response.body));
        for (name, value) in response.headers.iter().filter_map(Header::parsed) {
            answer.headers_mut().append(name, value);
        }
        answer
    }
}

/// A forwarded request that waits for a thread.
struct Waiting {
    request: ForwardedRequest,
    answer: oneshot::Sender<CarriedOut>,
}

/// The response of the application to a forwarded request.
struct CarriedOut {
    status: StatusCode,
    headers: Vec<Header>,
    body: Vec<u8>,
}

/// The threads of this node that carry out forwarded requests. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct ForwardedRequests(Arc<Threads>);

#[derive(Default)]
struct Threads {
    all: RwLock<Vec<mpsc::Sender<Waiting>>>,
    next: AtomicUsize,
}

impl ForwardedRequests {
    /// Makes the services of an application carry out forwarded requests too.
    pub(crate) fn with<A, B>(
        &self,
        app: A,
    ) -> impl ServiceFactory<
        Request,
        Config = (),
        Response = ServiceResponse<B>,
        Error = Error,
        InitError = A::InitError,
        Service = Rc<A::Service>,
    > + use<A, B>
    where
        A: ServiceFactory<Request, Config = (), Response = ServiceResponse<B>, Error = Error>
            + 'static,
        A::Service: 'static,
        B: MessageBody + 'static,
    {
        let own = self.clone();
        fn_factory(move || {
            let starting = app.new_service(());
            let own = own.clone();
            async move {
                let service = Rc::new(starting.await?);
                own.add_thread(Rc::clone(&service));
                Ok(service)
            }
        })
    }

    fn add_thread<S, B>(&self, service: Rc<S>)
    where
        S: Service<Request, Response = ServiceResponse<B>, Error = Error> + 'static,
        B: MessageBody + 'static,
    {
        let (sender, mut waiting) = mpsc::channel::<Waiting>(WAITING);
        self.0.all.write().unwrap_or_else(PoisonError::into_inner).push(sender);
        rt::spawn(async move {
            while let Some(Waiting { request, answer }) = waiting.recv().await {
                let service = Rc::clone(&service);
                rt::spawn(async move {
                    // The asking node may have stopped waiting.
                    drop(answer.send(carry_out(&*service, request).await));
                });
            }
        });
    }

    /// Answers a request that another node forwarded; `None` if the bytes are something else.
    /// `membership` is this node's, and `newest` tells how far the journal is.
    pub(crate) async fn answer(
        &self,
        packed: &[u8],
        membership: &Membership,
        newest: impl Fn() -> u64,
    ) -> Option<Vec<u8>> {
        let reply = self.reply(packed.strip_prefix(&[FORWARDED])?, membership, newest).await;
        Some(msgpack::to_vec_named(&reply).expect("texts and bytes are always written"))
    }

    async fn reply(
        &self,
        packed: &[u8],
        membership: &Membership,
        newest: impl Fn() -> u64,
    ) -> Reply {
        let Ok(request) = msgpack::from_slice(packed) else { return Reply::NotLeading };
        if membership.leadership() != Leadership::Here {
            return Reply::NotLeading;
        }
        let (answer, answered) = oneshot::channel();
        let Some(thread) = self.next_thread() else { return Reply::NotLeading };
        if thread.try_send(Waiting { request, answer }).is_err() {
            return Reply::Busy;
        }
        // A thread that ends drops what it has not begun.
        let Ok(done) = answered.await else { return Reply::NotLeading };
        let CarriedOut { status, headers, body } = done;
        let status = status.as_u16();
        Reply::Carried(ForwardedResponse { status, headers, body, newest: newest() })
    }

    fn next_thread(&self) -> Option<mpsc::Sender<Waiting>> {
        let all = self.0.all.read().unwrap_or_else(PoisonError::into_inner);
        let next = self.0.next.fetch_add(1, Ordering::Relaxed);
        all.get(next.checked_rem(all.len())?).cloned()
    }
}

/// Has the application answer a forwarded request.
async fn carry_out<S, B>(service: &S, request: ForwardedRequest) -> CarriedOut
where
    S: Service<Request, Response = ServiceResponse<B>, Error = Error>,
    B: MessageBody + 'static,
{
    let answered = match request.unpacked() {
        Some(request) => service.call(request).await,
        None => Err(ApiError::fault(&"a forwarded request is malformed").into()),
    };
    let response = match answered {
        Ok(response) => response.into_parts().1.map_into_boxed_body(),
        Err(error) => HttpResponse::from_error(error),
    };
    let status = response.status();
    let headers = Header::all_of(response.headers());
    match to_bytes(response.into_body()).await {
        Ok(body) => CarriedOut { status, headers, body: body.to_vec() },
        Err(error) => {
            tracing::error!(%error, "reading the response to a forwarded request failed");
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            CarriedOut { status, headers: Vec::new(), body: Vec::new() }
        }
    }
}
