//! The id of a request: in its response as `X-Request-Id`, and in every log line that is written
//! while it is handled. A trusted proxy may set it; that of other senders is ignored.

use std::cell::{Cell, RefCell};
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform, forward_ready};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{Error, HttpMessage};

use crate::http::client_address::is_of_a_proxy;
use crate::http::forward_mark::IsForwarded;
use base::clock::Stopwatch;
use base::random::random;

/// The header with the id.
const NAME: HeaderName = HeaderName::from_static("x-request-id");
/// Allowed lengths of an id from a proxy, in characters.
const CHARS: std::ops::RangeInclusive<usize> = 1..=128;

thread_local! {
    static CURRENT: RefCell<Option<HeaderValue>> = const { RefCell::new(None) };
}

/// The id of the request that this thread is handling now.
pub fn current() -> Option<String> {
    CURRENT.with_borrow(|id| Some(id.as_ref()?.to_str().ok()?.to_owned()))
}

/// The middleware that gives every request an id.
#[derive(Debug, Clone, Copy)]
pub struct RequestIds;

/// The services of one thread, wrapped by [`RequestIds`].
#[derive(Debug)]
pub struct RequestIdService<S> {
    inner: S,
    /// Counter from which the next id is made. It starts at a random number, so that threads make
    /// different ids; ids are not secret.
    next: Rc<Cell<u64>>,
}

impl<S, B> Transform<S, ServiceRequest> for RequestIds
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
{
    type Response = ServiceResponse<B>;
    type Error = Error;
    type Transform = RequestIdService<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, inner: S) -> Self::Future {
        let next = Rc::new(Cell::new(u64::from_be_bytes(random::<8>())));
        ready(Ok(RequestIdService { inner, next }))
    }
}

impl<S, B> Service<ServiceRequest> for RequestIdService<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
{
    type Response = ServiceResponse<B>;
    type Error = Error;
    type Future = WithRequestId<S::Future>;

    forward_ready!(inner);

    fn call(&self, request: ServiceRequest) -> Self::Future {
        let id = given(&request).unwrap_or_else(|| made(&self.next));
        let since = Stopwatch::start();
        let under_id = within(&id, || self.inner.call(request));
        WithRequestId { inner: under_id, id, since }
    }
}

/// The id from the header, if a trusted proxy or another node set it and its form is valid.
fn given(request: &ServiceRequest) -> Option<HeaderValue> {
    let id = request.headers().get(NAME)?;
    let is_plain = id.as_bytes().iter().all(u8::is_ascii_graphic);
    let is_forwarded = request.extensions().contains::<IsForwarded>();
    let is_believed = is_forwarded || is_of_a_proxy(request.request());
    (CHARS.contains(&id.len()) && is_plain && is_believed).then(|| id.clone())
}

fn made(next: &Cell<u64>) -> HeaderValue {
    next.set(next.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
    let id = format!("{:016x}", mixed(next.get()));
    HeaderValue::from_str(&id).expect("hexadecimal digits are a header's value")
}

/// Spreads a count over all bits (SplitMix64, Steele and others 2014).
const fn mixed(count: u64) -> u64 {
    let one = (count ^ (count >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let two = (one ^ (one >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    two ^ (two >> 31)
}

/// Runs something with this id as the current one.
fn within<T>(id: &HeaderValue, work: impl FnOnce() -> T) -> T {
    let before = CURRENT.replace(Some(id.clone()));
    let done = work();
    CURRENT.set(before);
    done
}

pin_project_lite::pin_project! {
    /// A future that is polled with its id as the current one.
    pub struct WithRequestId<F> {
        #[pin]
        inner: F,
        id: HeaderValue,
        since: Stopwatch,
    }
}

impl<F, B> Future for WithRequestId<F>
where
    F: Future<Output = Result<ServiceResponse<B>, Error>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let inner = this.inner;
        let mut answered = ready!(within(this.id, || inner.poll(task)));
        if let Ok(answer) = &mut answered {
            within(this.id, || tell(answer, *this.since));
            answer.headers_mut().insert(NAME, this.id.clone());
        }
        Poll::Ready(answered)
    }
}

/// Logs one line for each request, at debug level. It has the route, not the path, since some paths
/// contain a bot's id, which is secret.
fn tell<B>(answer: &ServiceResponse<B>, since: Stopwatch) {
    tracing::debug!(
        method = %answer.request().method(),
        route = answer.request().match_pattern().as_deref().unwrap_or("none"),
        status = answer.status().as_u16(),
        elapsed_ms = since.micros() / 1000,
        "answered a request"
    );
}

/// Keeps the current id for work that continues as a task of its own.
pub(super) fn with_current_id<F: Future>(work: F) -> impl Future<Output = F::Output> {
    let id = CURRENT.with_borrow(Clone::clone);
    let mut work = Box::pin(work);
    std::future::poll_fn(move |task| match &id {
        Some(id) => within(id, || work.as_mut().poll(task)),
        None => work.as_mut().poll(task),
    })
}
