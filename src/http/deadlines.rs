//! Whose turn it is on a connection: the server's while it answers, the client's while
//! something is missing that only the client can send. A client's turn has an end, by one
//! rule for heads, for bodies of every route, and for bodies that nobody reads.

use std::cell::Cell;
use std::future::{Future, Ready, ready};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_http::BoxedPayloadStream;
use actix_web::body::{BodySize, MessageBody};
use actix_web::dev::{Payload, Service, ServiceRequest, ServiceResponse, Transform, forward_ready};
use actix_web::error::PayloadError;
use actix_web::http::StatusCode;
use actix_web::{Error, HttpMessage, HttpResponse};
use bytes::Bytes;
use futures_util::Stream;

use crate::clock::Deadline;
use crate::http::connections::Connections;
use crate::http::error::ApiError;

/// Whoever sends so many bytes more of a body has their time anew: a large one takes as long
/// as its client's line needs, while one that says a byte now and then is cut.
const HEADWAY: usize = 64 << 10;
/// Time for telling a client that its body took too long, before it is cut.
const TOLD_WITHIN: Duration = Duration::from_secs(5);

/// Whose turn it is on one connection.
#[derive(Debug, Clone)]
pub(super) struct ClientDeadline(Rc<State>);

#[derive(Debug)]
struct State {
    connections: Connections,
    /// When the client's turn ends; `None` while it is the server's.
    until: Cell<Option<Deadline>>,
    body: Cell<Awaited>,
    /// Bytes of the body that came in this turn.
    came: Cell<usize>,
}

/// What of a body is awaited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaited {
    /// Nothing, by anybody.
    Nothing,
    /// Its rest, by a handler.
    Rest,
    /// Nothing any more: it took too long, and the client is being told so.
    TooLate,
}

impl ClientDeadline {
    /// The client's, who has just come.
    pub(super) fn of(connections: Connections) -> Self {
        let (until, body) = (Cell::new(None), Cell::new(Awaited::Nothing));
        let state = State { connections, until, body, came: Cell::new(0) };
        let turn = Self(Rc::new(state));
        turn.is_the_clients();
        turn
    }

    /// When the client's turn ends, if it is the client's.
    pub(super) fn until(&self) -> Option<Deadline> {
        self.0.until.get()
    }

    fn is_the_clients(&self) {
        self.0.until.set(Some(Deadline::after(self.0.connections.patience())));
    }

    fn is_the_servers(&self) {
        self.0.until.set(None);
    }

    /// Bytes of a body came.
    fn comes(&self, bytes: usize) {
        let came = self.0.came.get() + bytes;
        self.0.came.set(came);
        if came >= HEADWAY && self.0.body.get() == Awaited::Rest {
            self.0.came.set(0);
            self.is_the_clients();
        }
    }

    /// Bytes of an answer went out: the client is not idle.
    pub(super) fn goes_on(&self) {
        if self.0.until.get().is_some() && self.0.body.get() == Awaited::Nothing {
            self.is_the_clients();
        }
    }

    /// The client's time is over: says whether the connection is to be cut. Whoever reads a
    /// body is given time to say so first.
    pub(super) fn runs_out(&self) -> bool {
        if self.0.body.get() == Awaited::Rest {
            self.0.body.set(Awaited::TooLate);
            self.0.until.set(Some(Deadline::after(TOLD_WITHIN)));
            return false;
        }
        self.0.connections.note_cut();
        true
    }
}

/// A body that has to come in time.
struct Timed {
    inner: Payload,
    turn: ClientDeadline,
}

impl Stream for Timed {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.turn.0.body.get() == Awaited::TooLate {
            let late = io::Error::from(io::ErrorKind::TimedOut);
            return Poll::Ready(Some(Err(PayloadError::Io(late))));
        }
        let read = ready!(Pin::new(&mut self.inner).poll_next(task));
        if let Some(Ok(bytes)) = &read {
            self.turn.comes(bytes.len());
        } else {
            self.turn.0.body.set(Awaited::Nothing);
            self.turn.is_the_servers();
        }
        Poll::Ready(read)
    }
}

impl Drop for Timed {
    fn drop(&mut self) {
        // Nobody reads its rest, which has time again once the answer is out.
        if self.turn.0.body.get() == Awaited::Rest {
            self.turn.0.body.set(Awaited::Nothing);
            self.turn.is_the_servers();
        }
    }
}

/// Keeps turns. The innermost of what stands around all routes, so that its answer goes
/// through the others.
#[derive(Debug, Clone, Copy)]
pub struct Deadlines;

/// What keeps the turns of the services of one thread.
#[derive(Debug)]
pub struct KeepingDeadlines<S> {
    inner: S,
}

impl<S> Transform<S, ServiceRequest> for Deadlines
where
    S: Service<ServiceRequest, Response = ServiceResponse, Error = Error>,
{
    type Response = ServiceResponse;
    type Error = Error;
    type Transform = KeepingDeadlines<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, inner: S) -> Self::Future {
        ready(Ok(KeepingDeadlines { inner }))
    }
}

impl<S> Service<ServiceRequest> for KeepingDeadlines<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse, Error = Error>,
{
    type Response = ServiceResponse;
    type Error = Error;
    type Future = DeadlineAnswer<S::Future>;

    forward_ready!(inner);

    fn call(&self, mut request: ServiceRequest) -> Self::Future {
        let turn = request.request().conn_data::<ClientDeadline>().cloned();
        if let Some(turn) = &turn {
            begin(turn, &mut request);
        }
        DeadlineAnswer { inner: self.inner.call(request), turn }
    }
}

/// A head is here. Its body, if it has one, is the client's turn still.
fn begin(turn: &ClientDeadline, request: &mut ServiceRequest) {
    match request.take_payload() {
        Payload::None => turn.is_the_servers(),
        inner @ (Payload::H1 { .. } | Payload::H2 { .. } | Payload::Stream { .. }) => {
            turn.is_the_clients();
            turn.0.body.set(Awaited::Rest);
            turn.0.came.set(0);
            let payload: BoxedPayloadStream = Box::pin(Timed { inner, turn: turn.clone() });
            request.set_payload(Payload::Stream { payload });
        }
    }
}

pin_project_lite::pin_project! {
    /// An answer on its way.
    pub struct DeadlineAnswer<F> {
        #[pin]
        inner: F,
        turn: Option<ClientDeadline>,
    }
}

impl<F> Future for DeadlineAnswer<F>
where
    F: Future<Output = Result<ServiceResponse, Error>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let answered = ready!(this.inner.poll(task));
        let Some(turn) = this.turn else { return Poll::Ready(answered) };
        Poll::Ready(answered.map(|answer| end(turn, answer)))
    }
}

/// An answer is here. Whatever a handler made of a body that came too late, the client is
/// told why.
fn end(turn: &ClientDeadline, answer: ServiceResponse) -> ServiceResponse {
    if turn.0.body.replace(Awaited::Nothing) == Awaited::TooLate {
        turn.0.connections.note_cut();
        turn.is_the_clients();
        return answer.into_response(HttpResponse::from_error(too_slow()));
    }
    match answer.response().body().size() {
        // Events and sockets end by rules of their own.
        BodySize::Stream => turn.is_the_servers(),
        BodySize::None | BodySize::Sized(_) => turn.is_the_clients(),
    }
    answer
}

fn too_slow() -> ApiError {
    ApiError::new(StatusCode::REQUEST_TIMEOUT, "the body took too long to come")
}
