//! Carries acts out to the end: a request that arrived completely is carried out although its
//! client disconnects, so that closing a connection never leaves half of an act behind. Requests
//! that only read are dropped at once.

use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform, forward_ready};
use actix_web::{Error, rt};
use futures_util::future::LocalBoxFuture;

/// The middleware around a route that acts.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToTheEnd;

/// A route, wrapped by [`ToTheEnd`].
#[derive(Debug)]
pub(super) struct ToTheEndService<S> {
    service: S,
}

type Answer<'a> = LocalBoxFuture<'a, Result<ServiceResponse, Error>>;

impl<S> Transform<S, ServiceRequest> for ToTheEnd
where
    S: Service<ServiceRequest, Response = ServiceResponse, Error = Error, Future = Answer<'static>>
        + 'static,
{
    type Response = ServiceResponse;
    type Error = Error;
    type Transform = ToTheEndService<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, service: S) -> Self::Future {
        ready(Ok(ToTheEndService { service }))
    }
}

impl<S> Service<ServiceRequest> for ToTheEndService<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse, Error = Error, Future = Answer<'static>>,
{
    type Response = ServiceResponse;
    type Error = Error;
    type Future = FinishingRequest;

    forward_ready!(service);

    fn call(&self, request: ServiceRequest) -> FinishingRequest {
        FinishingRequest(Some(self.service.call(request)))
    }
}

/// The future of an act. If it is dropped before its end, the rest runs as a task of its own. If
/// the body did not arrive completely, the handler fails there.
pub(super) struct FinishingRequest(Option<Answer<'static>>);

impl Future for FinishingRequest {
    type Output = Result<ServiceResponse, Error>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        let act = self.0.as_mut().expect("nobody polls what has ended");
        let done = ready!(act.as_mut().poll(task));
        self.0 = None;
        Poll::Ready(done)
    }
}

impl Drop for FinishingRequest {
    fn drop(&mut self) {
        if let Some(rest) = self.0.take() {
            rt::spawn(async move { drop(rest.await) });
        }
    }
}
