//! Counts requests by route, status and duration, at next to no cost.
//!
//! Each HTTP thread counts in a shard of its own, so that no two cores ever write to one cache
//! line; a request adds to one to three relaxed counters there. The shards are added up when
//! metrics are read.

use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::task::{Context, Poll, ready};

use actix_web::Error;
use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform};
use actix_web::http::{Method, StatusCode};
use smallvec::SmallVec;

use base::clock::Stopwatch;
use base::metrics::exposition::{Exposition, MetricKind};
use base::metrics::histogram::{Histogram, HistogramReading};

/// Statuses that are counted separately, in ascending order: all that `/openapi.json` tells of, and
/// 405 and 500.
pub(super) const STATUSES: [u16; 26] = [
    101, 200, 201, 202, 204, 206, 302, 303, 304, 400, 401, 403, 404, 405, 408, 409, 410, 412, 413,
    415, 416, 422, 429, 500, 502, 503,
];
/// Bounds of the histogram of durations, in microseconds.
const MICROS: &[u64] =
    &[500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000];

/// Counted requests of all threads, and failed log-ins.
#[derive(Debug)]
pub struct RequestCounts {
    /// Method and path of each route, in the order of their numbers.
    routes: Vec<(Method, String)>,
    shards: RwLock<Vec<Arc<CountShard>>>,
    logins_failed: AtomicU64,
}

/// Counted requests of one thread: for each route by its number, and last for requests that match
/// no route.
#[derive(Debug)]
pub struct CountShard(Vec<Route>);

#[derive(Debug)]
struct Route {
    statuses: [AtomicU64; STATUSES.len() + 1],
    took: Histogram,
}

/// The number of each route of one path, with its method.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbers(pub(super) SmallVec<[(Method, usize); 2]>);

impl RequestCounts {
    /// Counts for these routes, all zero.
    pub fn of(routes: Vec<(Method, String)>) -> Self {
        Self { routes, shards: RwLock::default(), logins_failed: AtomicU64::new(0) }
    }

    /// Counts a refused log-in.
    pub(super) fn login_failed(&self) {
        self.logins_failed.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds the shard of one more thread.
    pub fn shard(&self) -> Arc<CountShard> {
        let route = |_| Route {
            statuses: std::array::from_fn(|_| AtomicU64::new(0)),
            took: Histogram::new(MICROS),
        };
        let shard = Arc::new(CountShard((0..=self.routes.len()).map(route).collect()));
        self.shards.write().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&shard));
        shard
    }

    /// Writes the metrics.
    pub fn write(&self, page: &mut Exposition) {
        let shards = self.shards.read().unwrap_or_else(PoisonError::into_inner).clone();
        let route = |number: usize| match self.routes.get(number) {
            Some((method, path)) => (method.as_str(), path.as_str()),
            None => ("other", "other"),
        };
        let help = "Requests, by route and status.";
        page.family("coterie_http_requests_total", MetricKind::Counter, help);
        let mut limited = 0;
        for number in 0..=self.routes.len() {
            let (method, path) = route(number);
            for (at, status) in STATUSES
                .map(|it| it.to_string())
                .iter()
                .enumerate()
                .map(|(at, it)| (at, it.as_str()))
                .chain([(STATUSES.len(), "other")])
            {
                let of =
                    |shard: &Arc<CountShard>| shard.0[number].statuses[at].load(Ordering::Relaxed);
                let count: u64 = shards.iter().map(of).sum();
                limited += if status == "429" { count } else { 0 };
                if count > 0 {
                    page.sample(&[("method", method), ("route", path), ("status", status)], count);
                }
            }
        }
        let help = "Seconds from the head of a request to the head of its response.";
        page.family("coterie_http_request_seconds", MetricKind::Histogram, help);
        for number in 0..=self.routes.len() {
            let (method, path) = route(number);
            let mut all = HistogramReading::default();
            shards.iter().for_each(|shard| all.add(&shard.0[number].took.read()));
            if all.count() > 0 {
                page.histogram(&[("method", method), ("route", path)], &all, 1e6);
            }
        }
        let help = "Requests refused because there were too many.";
        page.single("coterie_rate_limited_total", MetricKind::Counter, help, limited);
        let failed = self.logins_failed.load(Ordering::Relaxed);
        page.single("coterie_logins_failed_total", MetricKind::Counter, "Refused log-ins.", failed);
    }
}

impl CountShard {
    fn count<B>(&self, answer: &ServiceResponse<B>, micros: u64) {
        let request = answer.request();
        let numbers = request.app_data::<Numbers>().map(|it| it.0.as_slice()).unwrap_or_default();
        let number = numbers.iter().find(|(method, _)| method == request.method());
        self.note(number.map_or(self.0.len() - 1, |(_, number)| *number), answer.status(), micros);
    }

    fn note(&self, number: usize, status: StatusCode, micros: u64) {
        let Some(route) = self.0.get(number) else { return };
        let at = STATUSES.binary_search(&status.as_u16()).unwrap_or(STATUSES.len());
        route.statuses[at].fetch_add(1, Ordering::Relaxed);
        route.took.note(micros);
    }
}

/// The middleware that counts every request of one thread.
#[derive(Debug, Clone)]
pub struct CountRequests(pub Arc<CountShard>);

/// The services of one thread, wrapped by [`CountRequests`].
#[derive(Debug)]
pub struct CountedService<S> {
    inner: S,
    shard: Arc<CountShard>,
}

impl<S, B> Transform<S, ServiceRequest> for CountRequests
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
{
    type Response = ServiceResponse<B>;
    type Error = Error;
    type Transform = CountedService<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, inner: S) -> Self::Future {
        ready(Ok(CountedService { inner, shard: Arc::clone(&self.0) }))
    }
}

impl<S, B> Service<ServiceRequest> for CountedService<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
{
    type Response = ServiceResponse<B>;
    type Error = Error;
    type Future = Answering<S::Future>;

    fn poll_ready(&self, task: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.inner.poll_ready(task)
    }

    fn call(&self, request: ServiceRequest) -> Self::Future {
        let since = Stopwatch::start();
        let shard = Arc::clone(&self.shard);
        Answering { inner: self.inner.call(request), since, shard }
    }
}

pin_project_lite::pin_project! {
    /// The future of a counted response. It is a named type, so that counting needs no allocation.
    pub struct Answering<F> {
        #[pin]
        inner: F,
        since: Stopwatch,
        shard: Arc<CountShard>,
    }
}

impl<F, B> Future for Answering<F>
where
    F: Future<Output = Result<ServiceResponse<B>, Error>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let answered = ready!(this.inner.poll(task));
        let micros = this.since.micros();
        match &answered {
            Ok(answer) => this.shard.count(answer, micros),
            Err(error) => {
                let status = error.as_response_error().status_code();
                this.shard.note(this.shard.0.len() - 1, status, micros);
            }
        }
        Poll::Ready(answered)
    }
}
