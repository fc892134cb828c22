//! Forwarding: where several nodes serve, a request that acts goes to the node that leads, as a
//! whole, and its response comes back. So everything is decided at one node, by the code of one
//! machine: an `Idempotency-Key`, a throttle or a claim never depends on which node was asked.
//! `routes.rs` says which routes act.
//!
//! What is repeated is the request. One that certainly was not carried out is sent again, to the
//! next leader too. One that may have been is sent again only if the leader recognizes it, by its
//! `Idempotency-Key` or by the `source_guid` of its message; otherwise the client gets a 503.

use std::cell::Cell;
use std::future::{Ready, ready};
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use actix_http::{Payload, Request};
use actix_service::{ServiceFactory, fn_factory};
use actix_web::body::{BoxBody, MessageBody, to_bytes};
use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform, forward_ready};
use actix_web::http::header::{
    CONNECTION, CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING,
};
use actix_web::http::{Method, StatusCode, Uri};
use actix_web::web::Data;
use actix_web::{Error, HttpMessage, HttpRequest, HttpResponse, rt, web};
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
use actors::directory::Directory;
use actors::node_link::{CarriedOut, LeaderReply};
use base::msgpack;

/// The first byte of a forwarded request among what nodes send to the leader. MessagePack, which
/// follows, never uses this byte.
const FORWARDED: u8 = 0xc1;
/// How often a request is carried out that fails because another node leads by then.
const ATTEMPTS: usize = 8;
/// Forwarded requests that may wait for a thread of the leader. Rooms and the journal refuse sooner.
const WAITING: usize = 4096;

/// A request on its way to the leader.
#[derive(Debug, Serialize, Deserialize)]
struct ForwardedRequest {
    method: String,
    /// Path and query as the client sent them, but for a version in the path.
    target: String,
    headers: Vec<Header>,
    #[serde(with = "msgpack::bytes")]
    body: Vec<u8>,
    /// The address of the connection's other end.
    peer: Option<String>,
    /// Whether the request may have been carried out before.
    is_sent_again: bool,
}

/// The response on its way back.
#[derive(Debug, Serialize, Deserialize)]
struct ForwardedResponse {
    status: u16,
    headers: Vec<Header>,
    #[serde(with = "msgpack::bytes")]
    body: Vec<u8>,
    /// Whether the request failed because another node leads by now.
    #[serde(default)]
    is_elsewhere: bool,
    /// The position up to which the client's node has to show the journal before it passes the
    /// response on.
    newest: u64,
}

/// A header of a request or response.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    name: String,
    #[serde(with = "msgpack::bytes")]
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
        let Some(app) = self.is_led(&request) else {
            return Either::Left(self.service.call(request));
        };
        let service = Rc::clone(&self.service);
        // A task of its own: an act ends although its client hangs up.
        let own = request.request().clone();
        let answered = rt::spawn(with_current_id(answer(service, app, request)));
        Either::Right(Box::pin(async move {
            let lost = |error| ServiceResponse::from_err(ApiError::fault(&error), own);
            answered.await.unwrap_or_else(|error| Ok(lost(error)))
        }))
    }
}

impl<S> ForwardingService<S> {
    /// The application, if there are several nodes and only the one that leads may carry the request
    /// out.
    fn is_led(&self, request: &ServiceRequest) -> Option<Data<AppState>> {
        let app = request.app_data::<Data<AppState>>()?;
        let is_led = app.directory.link().is_some()
            && self.methods.contains(request.method())
            && !request.extensions().contains::<IsForwarded>();
        is_led.then(|| app.clone())
    }
}

/// Has the leader carry the request out, which may be this node. A request that failed because
/// another node led by then is carried out again if the leader recognizes it.
async fn answer<S>(
    service: Rc<S>,
    app: Data<AppState>,
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
    let Some(link) = app.directory.link() else { return service.call(request).await };
    let mut first = Some(request);
    let mut attempts = 1..ATTEMPTS;
    loop {
        let is_sent_again = Cell::new(false);
        let pack = |again| {
            is_sent_again.set(again);
            ForwardedRequest::of(&own, &body, again).packed()
        };
        let (response, is_elsewhere) =
            match link.have_led::<ForwardedResponse>(|| is_recognized(&own, &body), pack).await {
                Ok(CarriedOut::There(response)) => {
                    app.directory.show(response.newest).await;
                    let is_elsewhere = response.is_elsewhere;
                    (ServiceResponse::new(own.clone(), response.into()), is_elsewhere)
                }
                Ok(CarriedOut::Here(act)) => {
                    let is_sent_again = is_sent_again.get();
                    own.extensions_mut().insert(IsForwarded { is_sent_again });
                    let payload = Payload::from(body.clone());
                    let request = match first.take() {
                        Some(mut request) => {
                            request.set_payload(payload);
                            request
                        }
                        None => ServiceRequest::from_parts(own.clone(), payload),
                    };
                    let response = service.call(request).await?;
                    drop(act);
                    let is_elsewhere = is_elsewhere(response.response());
                    (response, is_elsewhere)
                }
                Err(fault) => return Ok(ServiceResponse::from_err(ApiError::from(fault), own)),
            };
        if !is_elsewhere || !is_recognized(&own, &body) || attempts.next().is_none() {
            return Ok(response);
        }
    }
}

/// Whether a request failed because another node leads by now.
fn is_elsewhere<B>(response: &HttpResponse<B>) -> bool {
    let error = response.error().and_then(|error| error.as_error::<ApiError>());
    error.is_some_and(ApiError::is_elsewhere)
}

/// Whether the leader recognizes the request if it was carried out before.
fn is_recognized(request: &HttpRequest, body: &[u8]) -> bool {
    let has_guid = |value: &Value| value.get("source_guid").is_some_and(|it| !it.is_null());
    let posts_once = || {
        let Ok(Value::Object(fields)) = serde_json::from_slice(body) else { return false };
        fields.contains_key("source_guid") || fields.values().any(has_guid)
    };
    request.headers().contains_key(once::KEY) || posts_once()
}

impl ForwardedRequest {
    fn of(request: &HttpRequest, body: &[u8], is_sent_again: bool) -> Self {
        let is_compat = request.extensions().get::<BelowCompat>().is_some();
        let target = request.uri().path_and_query().map_or("/", |it| it.as_str());
        Self {
            method: request.method().to_string(),
            target: format!("{}{target}", if is_compat { COMPAT } else { "" }),
            headers: Header::all_of(request.headers()),
            body: body.to_vec(),
            peer: request.peer_addr().map(|it| it.to_string()),
            is_sent_again,
        }
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
    answer: oneshot::Sender<Response>,
}

/// The response of the application to a forwarded request.
struct Response {
    /// Whether it failed because another node leads by now.
    is_elsewhere: bool,
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
    pub(crate) async fn answer(&self, packed: &[u8], directory: &Directory) -> Option<Vec<u8>> {
        let reply = self.reply(packed.strip_prefix(&[FORWARDED])?, directory).await;
        Some(msgpack::to_vec_named(&reply).expect("texts and bytes are always written"))
    }

    async fn reply(&self, packed: &[u8], directory: &Directory) -> LeaderReply<ForwardedResponse> {
        let Ok(request) = msgpack::from_slice(packed) else { return LeaderReply::NotLeading };
        let Some(_act) = directory.link().and_then(|link| link.begin_act()) else {
            return LeaderReply::NotLeading;
        };
        let (answer, answered) = oneshot::channel();
        let Some(thread) = self.next_thread() else { return LeaderReply::NotLeading };
        if thread.try_send(Waiting { request, answer }).is_err() {
            return LeaderReply::Busy;
        }
        // A thread that ends drops what it has not begun.
        let Ok(done) = answered.await else { return LeaderReply::NotLeading };
        let Response { is_elsewhere, status, headers, body } = done;
        let status = status.as_u16();
        let newest = directory.context().archive.journal.newest().get();
        LeaderReply::Carried(ForwardedResponse { is_elsewhere, status, headers, body, newest })
    }

    fn next_thread(&self) -> Option<mpsc::Sender<Waiting>> {
        let all = self.0.all.read().unwrap_or_else(PoisonError::into_inner);
        let next = self.0.next.fetch_add(1, Ordering::Relaxed);
        all.get(next.checked_rem(all.len())?).cloned()
    }
}

/// Has the application answer a forwarded request.
async fn carry_out<S, B>(service: &S, request: ForwardedRequest) -> Response
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
    let is_elsewhere = is_elsewhere(&response);
    let status = response.status();
    let headers = Header::all_of(response.headers());
    match to_bytes(response.into_body()).await {
        Ok(body) => Response { is_elsewhere, status, headers, body: body.to_vec() },
        Err(error) => {
            tracing::error!(%error, "reading the response to a forwarded request failed");
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            Response { is_elsewhere, status, headers: Vec::new(), body: Vec::new() }
        }
    }
}
